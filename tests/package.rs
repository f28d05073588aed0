//! The files of the Debian package. `.ci/package` installs it and plays a game with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use similar_asserts::assert_eq;

use crate::harness::{PROGRAM, TestEnvironment, run, skipped};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the package's files with this ending, by name.
fn files(ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("templates/debian")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        paths.filter(|path| path.to_str().is_some_and(|path| path.ends_with(ending))).collect();
    files.sort();
    files
}

/// Returns the configuration that the package installs.
pub fn configuration() -> String {
    fs::read_to_string(root().join("templates/debian/outflank.toml")).unwrap()
}

#[test]
fn the_newest_entry_of_its_changelog_is_about_this_version() {
    let changelog = fs::read_to_string(root().join("templates/debian/changelog")).unwrap();
    let begin = concat!("outflank (", env!("CARGO_PKG_VERSION"), "-");
    assert!(changelog.starts_with(begin), "{changelog}");
}

#[test]
fn its_files_exist() {
    let manifest: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().unwrap();
    let sources = assets.iter().map(|asset| asset[0].as_str().unwrap());
    let sources: Vec<_> = sources.filter(|source| !source.starts_with("target/")).collect();
    assert!(sources.len() > 8, "{sources:?}");
    for source in sources {
        let (folder, pattern) = source.rsplit_once('/').unwrap_or(("", source));
        let ending = pattern.trim_start_matches('*');
        let mut entries = fs::read_dir(root().join(folder)).unwrap();
        let has = entries.any(|it| it.unwrap().file_name().to_str().unwrap().ends_with(ending));
        assert!(has, "{source} does not exist");
    }
}

#[test]
fn its_configuration_is_valid_and_turns_incoming_mail_on() {
    let env = TestEnvironment::new();
    env.write_config(&configuration());
    assert_eq!(env.ok("signup alice --no-mail"), "alice is signed up and gets no mail.\n");
    env.ok("send");
    fs::create_dir_all(env.path("Maildir/new")).unwrap();
    fs::create_dir_all(env.path("Maildir/cur")).unwrap();
    assert_eq!(env.ok("receive --maildir Maildir"), "0 processed.\n");
}

#[test]
fn its_services_restart_and_have_few_rights() {
    let services = files(".service");
    assert_eq!(services.len(), 4);
    for service in &services {
        let text = fs::read_to_string(service).unwrap();
        assert!(text.contains("\nRestart=on-failure\n"), "{}", service.display());
        assert!(text.contains("\nUser=outflank\n"), "{}", service.display());
    }
    let mut version = Command::new("systemd-analyze");
    if version.arg("--version").output().is_err() {
        return skipped("its_services_restart_and_have_few_rights", "there is no systemd-analyze");
    }
    for service in services {
        let mut command = Command::new("systemd-analyze");
        // In tenths: below 3.0.
        command.args(["security", "--offline=true", "--no-pager", "--threshold=29"]).arg(&service);
        run(command).ok();
    }
}

/// Runs a shell script on an installed club: a configuration in `/etc`, a separate `/var/lib/outflank`, and
/// this build of outflank. Returns its output and status; `None` if namespaces are not available.
fn beside_a_club(script: &str) -> Option<(String, Option<i32>)> {
    let folder = tempfile::tempdir().unwrap();
    let club = fs::read_to_string(root().join("templates/debian/outflank-club")).unwrap();
    let club = club.replace("/usr/bin/outflank", "/run/outflank");
    fs::write(folder.path().join("outflank-club"), club).unwrap();
    fs::copy(PROGRAM, folder.path().join("outflank")).unwrap();
    // All mounts disappear with their namespace.
    let prepare = "set -e; cp -a /etc etc; echo 'outflank:x:990:990::/var/lib/outflank:/bin/sh' >>etc/passwd
        echo 'outflank:x:990:' >>etc/group; mount -t tmpfs none /run; cp outflank outflank-club /run/
        chmod 755 /run /run/outflank*; mount -t tmpfs none /var/lib; mount --bind etc /etc
        printf '[mail]\\nfrom = \"outflank@club.test\"\\n' >/etc/outflank.toml
        install -d -o 990 -g 990 -m 700 /var/lib/outflank; export HOME=/run; cd /run; PATH=/run:$PATH; set +e";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &format!("{prepare}\n{script}")]);
    command.current_dir(folder.path()).env_remove("OUTFLANK_DB").env_remove("OUTFLANK_CONFIG");
    let possible = Command::new("unshare").args(["--mount", "true"]).status();
    if !possible.is_ok_and(|status| status.success()) {
        return None;
    }
    let run = run(command);
    Some((run.stdout + &run.stderr, run.status))
}

#[test]
fn root_is_told_to_use_the_command_of_the_club() {
    let test = "root_is_told_to_use_the_command_of_the_club";
    for words in ["games", "doctor", "signup x x@example.org", "send", "verify", "ssh alice", "web"]
    {
        let Some((said, status)) = beside_a_club(&format!("outflank {words}")) else {
            return skipped(test, "only root has namespaces");
        };
        assert_eq!(status, Some(3), "{words}: {said}");
        assert!(said.contains("type `outflank-club` in place of `outflank`"), "{words}: {said}");
    }
    let own = "outflank help && outflank rules mini && echo protocol_version | outflank engine --protocol gtp && \
               outflank --db o.db signup x x@example.org && OUTFLANK_DB=o.db outflank games && \
               echo q | outflank play --lines && outflank games";
    let (said, status) = beside_a_club(own).unwrap();
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn the_command_of_the_club_has_its_user_its_files_and_whole_paths() {
    let script = "sh outflank-club signup alice alice@example.org || exit 9
        stat -c '%U %a' /var/lib/outflank/outflank.db; sh outflank-club inbox
        sh outflank-club backup --keep 1 /var/lib/outflank; sh outflank-club send
        sh outflank-club --db /var/lib/outflank/outflank-2* verify
        SSH_ORIGINAL_COMMAND=players setpriv --reuid=990 --clear-groups sh outflank-club ssh alice
        setpriv --reuid=65534 --clear-groups sh outflank-club games; echo $?";
    let Some((said, _)) = beside_a_club(script) else {
        let test = "the_command_of_the_club_has_its_user_its_files_and_whole_paths";
        return skipped(test, "only root has namespaces");
    };
    for part in [
        "outflank 600\n",
        "/var/lib/outflank/outflank.quarantine\n",
        "0 sent.\n",
        "Nothing is wrong: /var/lib/outflank/outflank-2",
        "alice   ",
        "3\n",
        "only root and the user outflank can run it",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("~/"), "{said}");
}
