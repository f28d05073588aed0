//! The settings of the transport, and the server that they describe.

use std::fs;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{Certificate, TlsParameters};
use lettre::transport::smtp::commands::Auth;
use lettre::transport::smtp::extension::ClientId;
use serde::Deserialize;

use super::connection::one_line;
use crate::clock::Deadline;
use crate::mail::transport::{BadSettings, DeliveryError, Seconds};

/// How long an answer may take where the settings do not say.
const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    host: String,
    port: Option<Port>,
    #[serde(default)]
    security: Security,
    user: Option<String>,
    password: Option<Password>,
    password_file: Option<PathBuf>,
    helo: Option<String>,
    ca_file: Option<PathBuf>,
    timeout: Option<Seconds>,
}

/// How the connection is kept private.
#[derive(Deserialize, Debug, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Security {
    /// Not at all.
    None,
    /// TLS after a plain start; without it nothing is sent.
    #[default]
    StartTls,
    /// TLS from the first byte.
    Tls,
}

impl Security {
    fn usual_port(self) -> u16 {
        match self {
            Self::None => 25,
            Self::StartTls => 587,
            Self::Tls => 465,
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Port(u16);

impl TryFrom<toml::Value> for Port {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        value
            .as_integer()
            .and_then(|port| u16::try_from(port).ok())
            .filter(|port| *port > 0)
            .map(Self)
            .ok_or("must be a whole number from 1 to 65535")
    }
}

/// A type of its own, so that the complaint about a password that is no string does not quote it.
#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Password(String);

impl TryFrom<toml::Value> for Password {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        match value {
            toml::Value::String(password) => Ok(Self(password)),
            _ => Err("must be a string, in quotes"),
        }
    }
}

fn bad(text: impl Into<String>) -> BadSettings {
    BadSettings(text.into())
}

/// The host without the brackets that an IPv6 address may stand in.
fn host_name(setting: &str) -> Result<String, BadSettings> {
    let bare = setting.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(setting);
    if bare.parse::<IpAddr>().is_ok() {
        return Ok(bare.to_owned());
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    if bare.is_empty() || !bare.bytes().all(fits) {
        return Err(bad(format!(
            "[transport] host {setting:?} is no host: give its name or address alone, such as \
             \"mail.example.org\" (the port is a setting of its own)"
        )));
    }
    Ok(bare.to_owned())
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// What to log in with, if anything.
fn login(settings: &Settings, host: &str) -> Result<Option<Login>, BadSettings> {
    let (setting, password) = match (&settings.password, &settings.password_file) {
        (Some(_), Some(_)) => {
            return Err(bad(
                "[transport] password and password_file exclude each other: keep one of them",
            ));
        }
        (Some(password), None) => ("password", Some(password.0.clone())),
        (None, Some(path)) => {
            let mut text = fs::read_to_string(path).map_err(|error| {
                bad(format!("[transport] password_file {} cannot be read: {error}", path.display()))
            })?;
            let end = text.strip_suffix('\n').unwrap_or(&text);
            text.truncate(end.strip_suffix('\r').unwrap_or(end).len());
            ("password_file", Some(text))
        }
        (None, None) => ("password", None),
    };
    let (user, password) = match (&settings.user, password) {
        (None, None) => return Ok(None),
        (Some(user), Some(password)) => (user, password),
        (Some(_), None) => {
            return Err(bad("[transport] user needs password or password_file beside it"));
        }
        (None, Some(_)) => return Err(bad(format!("[transport] {setting} needs user beside it"))),
    };
    // A NUL would end the field in the login, a line end the command.
    if user.is_empty() || user.chars().any(char::is_control) {
        return Err(bad("[transport] user must be a name on one line, without control characters"));
    }
    if password.is_empty() || password.chars().any(char::is_control) {
        return Err(bad(format!(
            "[transport] {setting} must hold a password on one line, without control characters"
        )));
    }
    if settings.security == Security::None && !is_loopback(host) {
        return Err(bad(
            "[transport] security \"none\" would send the password in the clear: use \"starttls\" \
             or \"tls\", or leave out user",
        ));
    }
    Ok(Some(Login::new(user, password)))
}

fn tls_parameters(settings: &Settings, host: &str) -> Result<Option<TlsParameters>, BadSettings> {
    if settings.security == Security::None {
        return match settings.ca_file {
            None => Ok(None),
            Some(_) => Err(bad(
                "[transport] ca_file has no use with security \"none\": leave it out, or use \
                 \"starttls\" or \"tls\"",
            )),
        };
    }
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(path) = &settings.ca_file {
        let wrong = |why: &dyn std::fmt::Display| {
            bad(format!(
                "[transport] ca_file {} must be a readable PEM file of certificates: {why}",
                path.display()
            ))
        };
        let pem = fs::read(path).map_err(|error| wrong(&error))?;
        // lettre takes a file without any certificate for one with none to add.
        if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
            return Err(wrong(&"there is none in it"));
        }
        let certificate = Certificate::from_pem(&pem).map_err(|error| wrong(&error))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map(Some).map_err(|error| {
        let cause = match &settings.ca_file {
            Some(path) => format!("ca_file {}", path.display()),
            None => "security".into(),
        };
        bad(one_line(&format!("[transport] {cause} cannot be used for TLS: {error}")))
    })
}

/// The name to say hello with. Servers want a full domain name or an address in brackets, so a
/// machine that only knows its short name uses the latter.
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
            Err(_) => Err(bad(format!(
                "[transport] helo {name:?} is no host name: give this machine's, such as \
                 \"games.example.org\""
            ))),
        };
    }
    let own = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"))
        .unwrap_or_default();
    let own = own.trim();
    if fits(own) && own.contains('.') {
        return Ok(ClientId::Domain(own.to_owned()));
    }
    Ok(ClientId::Ipv4(std::net::Ipv4Addr::LOCALHOST))
}

/// Where to deliver, and how.
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
    /// The server of these settings; `password_file` and `ca_file` are read.
    pub(super) fn described_by(settings: toml::Table) -> Result<Self, BadSettings> {
        let settings: Settings = settings.try_into()?;
        let host = host_name(&settings.host)?;
        let login = login(&settings, &host)?;
        Ok(Self {
            port: match settings.port {
                Some(Port(port)) => port,
                None => settings.security.usual_port(),
            },
            tls: tls_parameters(&settings, &host)?,
            security: settings.security,
            helo: hello_name(settings.helo)?,
            timeout: settings.timeout.map_or(TIMEOUT, |Seconds(timeout)| timeout),
            host,
            login,
        })
    }

    /// How long to wait for one answer, `None` when there is no time left.
    pub(super) fn patience(&self, deadline: Deadline) -> Option<Duration> {
        let left = self.timeout.min(deadline.remaining());
        (!left.is_zero()).then_some(left)
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
    /// The password in every form it is sent in. A server may quote what it was sent.
    secrets: Vec<String>,
}

impl Login {
    fn new(user: &str, password: String) -> Self {
        let credentials = Credentials::new(user.to_owned(), password.clone());
        let encoded = [(Mechanism::Plain, None), (Mechanism::Login, Some("Password"))]
            .into_iter()
            .filter_map(|(mechanism, challenge)| {
                let challenge = challenge.map(str::to_owned);
                let command = Auth::new(mechanism, credentials.clone(), challenge).ok()?;
                let text = command.to_string();
                text.split_whitespace().last().map(str::to_owned)
            });
        let secrets = encoded.chain([password]).collect();
        Self { credentials, secrets }
    }

    pub(super) fn redact(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn files_are_read_when_the_transport_is_opened() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let secret = |path: &Path| {
            let path = path.display();
            let text = format!("host = '::1'\nuser = 'me'\npassword_file = '{path}'");
            let server = Server::described_by(text.parse().unwrap());
            server.map(|server| server.login.unwrap().secrets.pop().unwrap())
        };
        assert_eq!(secret(&file("a", " x \n")).unwrap(), " x ");
        assert_eq!(secret(&file("b", "x\r\n")).unwrap(), "x");
        assert_eq!(secret(&file("c", "x")).unwrap(), "x");
        for (name, text) in [("d", ""), ("e", "\n"), ("f", "x\ny\n")] {
            let why = secret(&file(name, text)).unwrap_err().0;
            assert!(why.starts_with("[transport] password_file must"), "{why}");
        }
        let why = secret(&home.path().join("none")).unwrap_err().0;
        assert!(why.contains("none cannot be read"), "{why}");

        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for path in [file("g", "no certificate"), file("h", broken), home.path().join("none")] {
            let text = format!("host = 'a'\nca_file = '{}'", path.display());
            let why = Server::described_by(text.parse().unwrap()).err().unwrap().0;
            assert!(why.starts_with("[transport] ca_file "), "{why}");
        }
    }

    #[test]
    fn defaults_make_sense() {
        assert_eq!(Security::default(), Security::StartTls);
        let ports = [Security::None, Security::StartTls, Security::Tls].map(Security::usual_port);
        assert_eq!(ports, [25, 587, 465]);
        for host in ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example", "10.0.0.1", "mail.example"] {
            assert!(!is_loopback(host), "{host}");
        }
        assert_eq!(host_name("[::1]").unwrap(), "::1");
        let helo = |name: &str| hello_name(Some(name.into())).unwrap().to_string();
        assert_eq!(helo("games.example"), "games.example");
        assert_eq!(helo("10.0.0.1"), "[10.0.0.1]");
        assert_eq!(helo("::1"), "[IPv6:::1]");
        assert!(!hello_name(None).unwrap().to_string().is_empty());
    }
}
