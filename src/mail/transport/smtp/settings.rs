//! The settings of the transport, and the server they describe.

use std::fmt::Display;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use data_encoding::BASE64;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use rustix::system::uname;
use serde::Deserialize;

use crate::clock::Deadline;
use crate::mail::transport::kind::{BadSettings, Readiness, Seconds, Whole};
use crate::mail::transport::message::{DeliveryError, one_line};

/// The default time limit of a reply.
const DEFAULT_REPLY_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    host: String,
    port: Option<Whole<65535>>,
    #[serde(default)]
    security: Security,
    user: Option<String>,
    /// Any value, because an error of the TOML reader would quote a password of the wrong type.
    password: Option<toml::Value>,
    password_file: Option<PathBuf>,
    helo: Option<String>,
    ca_file: Option<PathBuf>,
    timeout: Option<Seconds>,
}

/// The encryption of the connection.
#[derive(Deserialize, Debug, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Security {
    None,
    /// TLS after a plain start; the server must offer it.
    #[default]
    StartTls,
    /// TLS from the first byte.
    Tls,
}

impl Security {
    fn default_port(self) -> u16 {
        match self {
            Self::None => 25,
            Self::StartTls => 587,
            Self::Tls => 465,
        }
    }
}

fn bad(text: impl Display) -> BadSettings {
    BadSettings(format!("[transport] {text}"))
}

/// Returns an error with this text unless the settings are good.
fn ensure(good: bool, text: impl Display) -> Result<(), BadSettings> {
    if good { Ok(()) } else { Err(bad(text)) }
}

/// Returns the host without the brackets that may surround an IPv6 address.
fn host_name(setting: &str) -> Result<String, BadSettings> {
    let bare = setting.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(setting);
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_name = !bare.is_empty() && bare.bytes().all(fits);
    ensure(
        is_name || bare.parse::<IpAddr>().is_ok(),
        format_args!(
            "host {setting:?} is not a valid host; give only its name or address, such as \
             \"mail.example.org\" (the port is another setting)"
        ),
    )?;
    Ok(bare.to_owned())
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns the login of these settings, if there is one.
fn login(settings: &Settings, host: &str) -> Result<Option<Login>, BadSettings> {
    let (setting, password) = match (&settings.password, &settings.password_file) {
        (Some(_), Some(_)) => {
            return Err(bad("password and password_file contradict each other; keep one of them"));
        }
        (Some(password), None) => {
            let password = password.as_str().map(str::to_owned);
            ("password", password.ok_or_else(|| bad("password: must be a string, in quotes"))?)
        }
        (None, Some(path)) => {
            let mut text = fs::read_to_string(path).map_err(|error| {
                bad(format_args!("password_file {} cannot be read: {error}", path.display()))
            })?;
            let end = text.strip_suffix('\n').unwrap_or(&text);
            text.truncate(end.strip_suffix('\r').unwrap_or(end).len());
            ("password_file", text)
        }
        (None, None) if settings.user.is_none() => return Ok(None),
        (None, None) => {
            return Err(bad("user needs a password; add password or password_file"));
        }
    };
    let user = settings.user.as_deref();
    let user = user.ok_or_else(|| bad(format_args!("{setting} needs a user; add user")))?;
    // A NUL would end the field in the login, a line end the command.
    let is_line = |text: &str| !text.is_empty() && !text.contains(char::is_control);
    ensure(is_line(user), "user must be a name on one line, without control characters")?;
    ensure(
        is_line(&password),
        format_args!("{setting} must hold a password on one line, without control characters"),
    )?;
    ensure(
        settings.security != Security::None || is_loopback(host),
        "security \"none\" would send the password unencrypted; use \"starttls\" or \"tls\", or \
         remove user",
    )?;
    Ok(Some(Login::new(user, password)))
}

fn tls_parameters(settings: &Settings, host: &str) -> Result<Option<TlsParameters>, BadSettings> {
    if settings.security == Security::None {
        let why =
            "ca_file is useless with security \"none\"; remove it, or use \"starttls\" or \"tls\"";
        return ensure(settings.ca_file.is_none(), why).map(|()| None);
    }
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(path) = &settings.ca_file {
        let wrong = |why: &dyn Display| {
            let path = path.display();
            bad(format_args!("ca_file {path} must be a readable PEM file of certificates: {why}"))
        };
        let pem = fs::read(path).map_err(|error| wrong(&error))?;
        // lettre accepts a file without a certificate.
        if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
            return Err(wrong(&"it contains none"));
        }
        let certificate = Certificate::from_pem(&pem).map_err(|error| wrong(&error))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map(Some).map_err(|error| {
        let cause = if settings.ca_file.is_some() { "ca_file" } else { "security" };
        bad(one_line(&format!("{cause} cannot be used for TLS: {error}")))
    })
}

/// Returns the name for the EHLO command: a full domain name, or an address in brackets if this
/// machine has no full name.
fn hello_name(setting: Option<String>) -> Result<ClientId, BadSettings> {
    let fits = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
    };
    if let Some(name) = setting {
        return match name.parse::<IpAddr>() {
            Ok(IpAddr::V4(ip)) => Ok(ClientId::Ipv4(ip)),
            Ok(IpAddr::V6(ip)) => Ok(ClientId::Ipv6(ip)),
            Err(_) if fits(&name) => Ok(ClientId::Domain(name)),
            Err(_) => Err(bad(format_args!(
                "helo {name:?} is not a valid host name; give the name of this machine, such as \
                 \"games.example.org\""
            ))),
        };
    }
    let own = uname().nodename().to_string_lossy().into_owned();
    let is_full = fits(&own) && own.contains('.');
    Ok(if is_full { ClientId::Domain(own) } else { ClientId::Ipv4(Ipv4Addr::LOCALHOST) })
}

/// The server that takes our mail, with the settings for talking to it.
pub(super) struct Server {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: Security,
    /// Present unless `security` is `None`.
    pub(super) tls: Option<TlsParameters>,
    pub(super) login: Option<Login>,
    pub(super) helo: ClientId,
    pub(super) timeout: Duration,
}

impl Server {
    /// Checks the settings, and reads `password_file` and `ca_file`.
    pub(super) fn new(settings: toml::Table) -> Result<Self, BadSettings> {
        let settings: Settings = settings.try_into()?;
        let host = host_name(&settings.host)?;
        let login = login(&settings, &host)?;
        Ok(Self {
            port: settings.port.map_or(settings.security.default_port(), |Whole(port)| port),
            tls: tls_parameters(&settings, &host)?,
            security: settings.security,
            helo: hello_name(settings.helo)?,
            timeout: settings.timeout.map_or(DEFAULT_REPLY_TIMEOUT, Duration::from),
            host,
            login,
        })
    }

    /// Returns the time limit of the next reply; `None` when there is no time left.
    pub(super) fn reply_limit(&self, deadline: Deadline) -> Option<Duration> {
        let left = self.timeout.min(deadline.remaining());
        (!left.is_zero()).then_some(left)
    }

    /// Returns the findings of a connection that was encrypted and logged in as configured.
    pub(super) fn readiness(&self) -> Readiness {
        let Self { host, port, security, login, .. } = self;
        let encryption = match security {
            Security::None => "without encryption",
            Security::StartTls => "with STARTTLS",
            Security::Tls => "with TLS",
        };
        let login = if login.is_some() { "and accepts the login" } else { "and asks for no login" };
        let is_exposed = *security == Security::None && !is_loopback(host);
        let concern = is_exposed.then(|| {
            "mail, with addresses and reply tokens, goes to it unencrypted; set security in \
             [transport] to \"starttls\" or \"tls\""
                .to_owned()
        });
        Readiness { found: format!("{host} port {port} answers {encryption} {login}"), concern }
    }

    pub(super) fn unreachable(&self, why: &str) -> DeliveryError {
        DeliveryError::Unavailable(format!(
            "cannot connect to {} port {}: {why}",
            self.host, self.port
        ))
    }
}

pub(super) struct Login {
    pub(super) credentials: Credentials,
    /// The password in every form that is sent, since some servers quote it in their replies.
    secrets: Vec<String>,
}

impl Login {
    fn new(user: &str, password: String) -> Self {
        let credentials = Credentials::new(user.to_owned(), password.clone());
        let plain = BASE64.encode(format!("\0{user}\0{password}").as_bytes());
        let login = BASE64.encode(password.as_bytes());
        Self { credentials, secrets: vec![plain, login, password] }
    }

    /// Replaces the password in a text.
    pub(super) fn redact(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}
