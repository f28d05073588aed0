#!/usr/bin/env bash
# A throw-away mail host on loopback for tests: Postfix and Dovecot 2.3, no system file touched.
#   mailhost.sh check       say on stderr what is missing to run it, if anything (then exit 1)
#   mailhost.sh run DIR     bring it up, print `ready`, stop it and delete DIR once stdin closes;
#                           a caller that holds the other end of a pipe takes the host with it,
#                           however it ends
#   mailhost.sh start DIR   bring it up and leave it so, to try things by hand
#   mailhost.sh stop DIR    stop it and wait until every daemon is gone
#   mailhost.sh wipe DIR    stop it and delete DIR
# Needs root (Postfix's master insists) and the Debian packages
#   postfix dovecot-core dovecot-imapd dovecot-lmtpd dovecot-sieve openssl
# Everything it writes lies under DIR. Nothing leaves the machine: unknown domains bounce. Hosts
# run side by side when each has its own DIR and ports.
#
# Settings (environment):
#   SMTP_PORT IMAP_PORT LMTP_PORT      ports on 127.0.0.1 that are free
#   SUBMISSION_PORT SMTPS_PORT         optional: STARTTLS and TLS, each with a login, none without;
#                                      the authority behind the certificate is DIR/ca.pem
#   PIPE_CMD                           optional: the program, with its whole path, and its arguments
#                                      that takes the mail to outflank@ and outflank+ANYTHING@: the
#                                      message on stdin; recipient, sender (empty for a bounce) and
#                                      ANYTHING appended as three arguments. Written as in master.cf:
#                                      no shell, {} around an argument with blanks
#   PIPE_USER                          whom it runs as, with hardly an environment: nobody; never root
# Mailboxes (password "secret"): alice bob carol outflank vacation, each @local.test; mail to
# anybody else there is taken, then bounces
# Special recipients @local.test, for faults:
#   reject5@     550 at RCPT                   defer4@      450 at RCPT
#   hardbounce@  taken, then a bounce (5.1.1)  softbounce@  taken, then deferred for ever
#   vacation@    taken; Sieve answers the envelope sender that the owner is away, with what looks
#                like a move (d3) on a line of its own
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin
command=${1:?usage: mailhost.sh check | run|start|stop|wipe DIR}
VUSER=mail # owns the mailboxes
PIPE_CMD=${PIPE_CMD:-} PIPE_USER=${PIPE_USER:-nobody}

die() { echo "mailhost: $*" >&2; exit 1; }
pid_in() { tr -d ' \n' <"$1"; }
# A process that nobody has waited for yet (Z) has ended, too.
ended() { [ ! -e "/proc/$1" ] || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null; }
alive() { [ -s "$1" ] && ! ended "$(pid_in "$1")"; }
listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
wait_for() { # seconds, command...
  local n=$(($1 * 20)); shift
  while ! "$@"; do n=$((n - 1)); [ $n -gt 0 ] || return 1; sleep 0.05; done
}

check() {
  [ "$(id -u)" = 0 ] || die "needs root"
  local program
  for program in postfix dovecot openssl runuser; do
    command -v $program >/dev/null || die "$program is not installed"
  done
  local part
  for part in imap lmtp modules/lib90_sieve_plugin.so; do
    [ -e "/usr/lib/dovecot/$part" ] || die "/usr/lib/dovecot/$part is not installed"
  done
  case $(dovecot --version) in
    2.3.*) ;;
    *) die "needs Dovecot 2.3: the settings of $(dovecot --version) are written otherwise" ;;
  esac
}

if [ "$command" = check ]; then check; exit; fi
D=${2:?a folder is needed}
case $D in /*) ;; *) D=$PWD/$D ;; esac
PF=$D/postfix DC=$D/dovecot

certificates() {
  local subject="-subj /CN=" days="-days 2" # no longer than any test
  cat >"$D/server.ext" <<'E'
basicConstraints = critical,CA:FALSE
subjectAltName = DNS:localhost,IP:127.0.0.1
extendedKeyUsage = serverAuth
E
  (
    umask 077
    cd "$D"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes $days \
      ${subject}throw-away-authority -addext keyUsage=critical,keyCertSign -keyout ca.key -out ca.pem
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ${subject}localhost \
      -keyout server.key -out server.csr
    openssl x509 -req -in server.csr $days -CA ca.pem -CAkey ca.key -CAcreateserial \
      -extfile server.ext -out server.pem
  ) </dev/null >"$D/openssl.out" 2>&1 || { cat "$D/openssl.out" >&2; die "no certificate"; }
}

write_postfix() {
  cat >"$PF/etc/main.cf" <<E
compatibility_level = 3.6
queue_directory = $PF/spool
data_directory = $PF/data
daemon_directory = /usr/lib/postfix/sbin
command_directory = /usr/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file_prefixes = $D
maillog_file = $PF/maillog
myhostname = mailhost.local.test
mydomain = local.test
myorigin = local.test
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtp_dns_support_level = disabled
disable_dns_lookups = yes
default_transport = error:5.4.4 this test host sends nothing outside
relay_transport = error:5.4.4 this test host sends nothing outside
local_transport = error:5.1.1 no local users
recipient_delimiter = +
virtual_mailbox_domains = local.test
virtual_mailbox_maps = static:all
virtual_transport = lmtp:inet:127.0.0.1:$LMTP_PORT
transport_maps = texthash:$PF/etc/transport
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions = check_recipient_access texthash:$PF/etc/rcpt, permit_mynetworks, reject
smtpd_reject_unlisted_recipient = no
smtpd_client_connection_rate_limit = 0
smtpd_client_message_rate_limit = 0
smtpd_client_connection_count_limit = 0
minimal_backoff_time = 5s
maximal_backoff_time = 10s
queue_run_delay = 5s
maximal_queue_lifetime = 1h
bounce_queue_lifetime = 1h
biff = no
alias_maps =
alias_database =
default_database_type = texthash
smtpd_tls_cert_file = $D/server.pem
smtpd_tls_key_file = $D/server.key
smtpd_tls_auth_only = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = $DC/run/login-for-postfix
E
  cat >"$PF/etc/master.cf" <<E
127.0.0.1:$SMTP_PORT inet n - n - - smtpd
pickup unix n - n 5 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 10 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
E
  local login="-o smtpd_sasl_auth_enable=yes -o smtpd_client_restrictions=permit_sasl_authenticated,reject"
  [ -z "${SUBMISSION_PORT:-}" ] || cat >>"$PF/etc/master.cf" <<E
127.0.0.1:$SUBMISSION_PORT inet n - n - - smtpd
  -o syslog_name=submission -o smtpd_tls_security_level=encrypt $login
E
  [ -z "${SMTPS_PORT:-}" ] || cat >>"$PF/etc/master.cf" <<E
127.0.0.1:$SMTPS_PORT inet n - n - - smtpd
  -o syslog_name=smtps -o smtpd_tls_wrappermode=yes $login
E
  printf '%s\n' "hardbounce@local.test error:5.1.1 no such user (test)" \
    "softbounce@local.test retry:4.2.2 mailbox full (test)" >"$PF/etc/transport"
  [ -z "$PIPE_CMD" ] || write_pipe
  printf '%s\n' "reject5@local.test 550 5.1.1 no such user (test)" \
    "defer4@local.test 450 4.2.1 try again later (test)" >"$PF/etc/rcpt"
}

write_pipe() {
  echo "outflank@local.test outflank:" >>"$PF/etc/transport" # with any extension, too
  # One recipient a run; without this, the headers that name it (flags D and O) are not added.
  echo "outflank_destination_recipient_limit = 1" >>"$PF/etc/main.cf"
  # R adds Return-Path. Nothing is folded to lower case or quoted: the program is to see what came.
  cat >>"$PF/etc/master.cf" <<E
outflank unix - n n - 4 pipe
  flags=DORX user=$PIPE_USER null_sender=
  argv=$PIPE_CMD \${original_recipient} \${sender} \${extension}
E
}

write_dovecot() {
  local uid gid user
  uid=$(id -u "$VUSER") gid=$(id -g "$VUSER")
  cat >"$DC/dovecot.conf" <<E
base_dir = $DC/run
state_dir = $DC/state
log_path = $DC/log
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:~/Maildir
mail_home = $D/mail/%n
recipient_delimiter = +
lmtp_save_to_detail_mailbox = no
submission_host = 127.0.0.1:$SMTP_PORT
hostname = mailhost.local.test
postmaster_address = postmaster@local.test
mail_max_userip_connections = 100
default_vsz_limit = 0
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%n $DC/users
}
userdb {
  driver = passwd-file
  args = username_format=%n $DC/users
  override_fields = uid=$uid gid=$gid home=$D/mail/%n
}
namespace inbox {
  inbox = yes
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = $IMAP_PORT
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = $LMTP_PORT
  }
}
service auth {
  unix_listener login-for-postfix {
    mode = 0666
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
protocol lmtp {
  mail_plugins = sieve
}
plugin {
  sieve = file:~/sieve;active=~/.dovecot.sieve
  sieve_vacation_min_period = 0
}
E
  for user in alice bob carol outflank vacation; do echo "$user:{PLAIN}secret::::::"; done >"$DC/users"
  install -d "$D/mail/vacation"
  cat >"$D/mail/vacation/.dovecot.sieve" <<'E'
require ["vacation"];
vacation :days 0 :addresses ["vacation@local.test"] :subject "Out of office" text:
I am away.
d3
.
;
E
  chown -R "$VUSER:$VUSER" "$D/mail"
}

start() {
  check
  : "${SMTP_PORT:?is not set}" "${IMAP_PORT:?is not set}" "${LMTP_PORT:?is not set}"
  local port ports="$SMTP_PORT $IMAP_PORT $LMTP_PORT ${SUBMISSION_PORT:-} ${SMTPS_PORT:-}"
  ! alive "$PF/spool/pid/master.pid" || die "already running in $D"
  for port in $ports; do ! listening "$port" || die "port $port is taken"; done
  [ ${#D} -le 60 ] || die "$D is too long: Unix sockets under it would pass 107 characters"
  umask 022
  install -d -m 755 "$D" "$PF" "$PF/etc" "$PF/spool" "$DC" "$DC/run" "$DC/state"
  install -d -o postfix -m 700 "$PF/data"
  install -d -o "$VUSER" -g "$VUSER" -m 770 "$D/mail"
  chmod a+x "$D" # mktemp -d makes folders of mode 0700
  local user
  for user in postfix "$VUSER" ${PIPE_CMD:+"$PIPE_USER"}; do
    runuser -u "$user" -- test -x "$D" || die "user $user cannot enter $D: a folder above lacks o+x"
  done
  [ -z "${SUBMISSION_PORT:-}${SMTPS_PORT:-}" ] || certificates
  write_postfix
  write_dovecot
  # The daemons must not inherit our stdio: a caller that reads it would wait for ever.
  dovecot -c "$DC/dovecot.conf" </dev/null >"$D/dovecot.out" 2>&1 ||
    { cat "$D/dovecot.out" >&2; die "dovecot did not start"; }
  postfix -c "$PF/etc" start </dev/null >"$D/postfix.out" 2>&1 ||
    { cat "$D/postfix.out" "$PF/maillog" >&2 || :; stop; die "postfix did not start"; }
  for port in $ports; do
    wait_for 20 listening "$port" || { tail -n 5 "$DC/log" "$PF/maillog" >&2 || :; stop; die "nothing listens on $port"; }
  done
}

stop() {
  # At once: what they have in hand goes with DIR anyway. Each master leads the group of its daemons.
  local file pid pids=""
  for file in "$PF/spool/pid/master.pid" "$DC/run/master.pid"; do
    if alive "$file"; then pid=$(pid_in "$file"); kill -KILL -- "-$pid" 2>/dev/null || :; pids="$pids $pid"; fi
  done
  for pid in $pids; do wait_for 20 ended "$pid" || die "process $pid does not end"; done
}

wipe() { [ ! -d "$D" ] || { stop; rm -rf -- "$D"; }; }

case $command in
  run)
    trap wipe EXIT
    trap 'exit 143' TERM INT HUP
    start
    echo ready
    while read -r _; do :; done # until stdin closes
    ;;
  start | stop | wipe) $command ;;
  *) die "unknown command $command" ;;
esac
