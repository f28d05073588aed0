//! The configuration.

use std::fs;
use std::path::Path;

use crate::app::Error;
use crate::app::doctor::finding::{Finding, Outcome};
use crate::config::{Config, display_path};
use crate::mail::transport;

const CONFIGURATION: &str = "configuration";
const SENDER: &str = "sender";
const PRIVILEGES: &str = "privileges";

/// The second-level domains that RFC 2606 reserves for examples.
const EXAMPLES: [&str; 3] = ["example.org", "example.com", "example.net"];
/// The top-level domains that no mail can reach.
const UNREACHABLE: [&str; 3] = ["localhost", "example", "invalid"];

/// Checks whether the configuration could be read, and returns it.
pub(super) fn configuration(config: &Result<Config, Error>) -> (Vec<Finding>, Option<&Config>) {
    match config {
        Ok(config) => {
            let text = match &config.file {
                Some(file) if file.exists() => format!("{} is valid", display_path(file)),
                Some(file) => format!(
                    "there is no {}, so all settings have their defaults",
                    display_path(file)
                ),
                None => "there is none, so all settings have their defaults".to_owned(),
            };
            (vec![Finding::ok(CONFIGURATION, text)], Some(config))
        }
        Err(error) => {
            let advice = error.hint().unwrap_or("correct it; docs/configuration.md has all keys");
            (vec![Finding::wrong(CONFIGURATION, error.to_string(), advice)], None)
        }
    }
}

/// Returns the kind of the transport; the default one is a Maildir.
pub(super) fn transport_kind(config: &Config) -> &str {
    let kind = config.transport.as_ref().and_then(|settings| settings.get("kind")?.as_str());
    kind.unwrap_or("maildir")
}

/// Checks the domain of the sender.
pub(super) fn sender(config: &Config) -> Vec<Finding> {
    let from = &config.mail.from.email;
    let leaves = transport_kind(config) != "maildir";
    let outcome = judge_domain(from.domain(), leaves, config.receive.enabled);
    let problem = match outcome {
        Outcome::Ok => "",
        _ => ", whose domain is a placeholder that no reply reaches",
    };
    let text = format!("mail comes from {from}{problem}");
    vec![Finding::judged(SENDER, outcome, text, "set from in [mail] to an address that you own")]
}

/// Judges the domain of the sender. `leaves` says whether mail leaves this machine.
fn judge_domain(domain: &str, leaves: bool, receives: bool) -> Outcome {
    let domain = domain.to_ascii_lowercase();
    let ends_with = |of: &str| {
        domain == of || domain.strip_suffix(of).is_some_and(|before| before.ends_with('.'))
    };
    let is_placeholder = EXAMPLES.iter().chain(&UNREACHABLE).any(|of| ends_with(of))
        || domain == "localhost.localdomain";
    match (is_placeholder, leaves, receives) {
        (false, ..) | (true, false, false) => Outcome::Ok,
        (true, false, true) => Outcome::Warning,
        (true, true, _) => Outcome::Wrong,
    }
}

/// Checks that the program of the transport can gain the rights that it may need.
pub(super) fn privileges(config: &Config) -> Vec<Finding> {
    if transport_kind(config) != "sendmail" {
        return Vec::new();
    }
    let command = config.transport.as_ref().and_then(|settings| settings.get("command"));
    let program = command.and_then(|command| command.get(0)?.as_str()).unwrap_or("sendmail");
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    // Other programs for mail are often installed as a link of this name.
    let file = transport::find_program(program).and_then(|file| file.canonicalize().ok());
    let file = file.unwrap_or_else(|| program.into());
    let outcome = judge_privileges(&file, &status);
    let text = match outcome {
        Outcome::Ok => format!("{program} may gain the rights of its owner or group here"),
        _ => format!(
            "NoNewPrivileges is on, so {program} cannot gain the rights of its owner or group, \
             without which Postfix's sendmail hangs"
        ),
    };
    let advice = "use kind = \"smtp\" with host = \"localhost\", port = 25 and security = \"none\" \
                  in [transport], or run this without NoNewPrivileges";
    vec![Finding::judged(PRIVILEGES, outcome, text, advice)]
}

/// Judges whether a program for sending mail works in a process with this `/proc/self/status`.
fn judge_privileges(program: &Path, status: &str) -> Outcome {
    let value = status.lines().find_map(|line| line.strip_prefix("NoNewPrivs:"));
    if value.map(str::trim) != Some("1") {
        return Outcome::Ok;
    }
    // Other programs speak SMTP themselves and may need no rights.
    match program.file_name() {
        Some(name) if name == "sendmail" => Outcome::Wrong,
        _ => Outcome::Warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_of_an_example_is_a_placeholder() {
        for (domain, leaves, receives, outcome) in [
            ("club.test", true, true, Outcome::Ok),
            ("myexample.org", true, true, Outcome::Ok),
            ("localhost", false, false, Outcome::Ok),
            ("localhost", false, true, Outcome::Warning),
            ("localhost", true, false, Outcome::Wrong),
            ("example.org", true, true, Outcome::Wrong),
            ("Mail.Example.COM", true, true, Outcome::Wrong),
            ("club.example", true, true, Outcome::Wrong),
            ("localhost.localdomain", true, true, Outcome::Wrong),
        ] {
            assert_eq!(judge_domain(domain, leaves, receives), outcome, "{domain}");
        }
    }

    #[test]
    fn a_program_may_need_privileges() {
        for (program, status, outcome) in [
            ("/usr/sbin/sendmail", "Name:\toutflank\nNoNewPrivs:\t0\n", Outcome::Ok),
            ("/usr/sbin/sendmail", "", Outcome::Ok),
            ("/usr/bin/msmtp", "Name:\toutflank\nNoNewPrivs:\t1\n", Outcome::Warning),
            ("/usr/sbin/sendmail", "Name:\toutflank\nNoNewPrivs:\t1\n", Outcome::Wrong),
        ] {
            assert_eq!(judge_privileges(Path::new(program), status), outcome, "{program} {status}");
        }
    }
}
