//! Mail with the configuration of the Debian package: its services have no privileges.

use std::process::Command;

use super::mail_host::{MailHost, nowhere};
use crate::harness::{PROGRAM, TestEnvironment, run};
use crate::package;

#[test]
fn a_service_without_new_privileges_sends_with_the_configuration_of_the_package() {
    let Some(host) = MailHost::start() else { return };
    let env = TestEnvironment::with_transport(&nowhere());
    let _ = env.run("new mini alice@local.test bob@local.test");
    env.later(10);
    let port = format!("port = {}", host.smtp_port());
    let config = package::configuration().replace("port = 25", &port);
    env.write_config(&config.replace("@club.example", "@local.test"));
    let mut command = Command::new("setpriv");
    command.args(["--no-new-privs", PROGRAM, "send"]);
    env.seal(&mut command);
    run(command).ok();
    assert_eq!(env.mail_states("1"), ["alice started 0 sent", "bob started 0 sent"]);
    host.inbox("alice").expect(1);
    host.inbox("bob").expect(1);
}
