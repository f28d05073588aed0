//! `doctor` with a real mail server.

use serde_json::Value;

use super::mail_host::MailHost;

#[test]
fn a_test_mail_goes_through_a_real_mail_server() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    env.ok("signup alice alice@local.test");
    let found = env.run("doctor").stdout;
    for line in ["ok       integrity: ", "ok       mail server: 127.0.0.1 port "] {
        assert!(found.contains(line), "{found}");
    }
    let run = env.run("--json doctor --loop");
    let tested: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!((run.status, &tested["station"]), (Some(0), &"received".into()), "{run:?}");
    assert_eq!(env.dispositions()["probe"], 1);
    assert!(env.run("doctor").stdout.contains("ok       loop: the test mail of "));

    host.stop();
    assert!(env.run("doctor").stdout.contains("wrong    mail server: cannot connect to "));
    let run = env.run("doctor --loop");
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stdout.contains("wrong    loop: queued: "), "{run:?}");
}
