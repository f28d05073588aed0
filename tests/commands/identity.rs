//! The player whom `play` has stored for a user of the system gives commands that a player must give.

use crate::harness::{BOB, Run, TestEnvironment, run};

impl TestEnvironment {
    /// Returns an environment whose user is not root.
    pub fn of_nobody() -> Self {
        match rustix::process::geteuid().is_root() {
            true => Self::new().owned_by("nobody"),
            false => Self::new(),
        }
    }

    /// Begins a game of this player against the computer, as whom the user plays from now on.
    pub fn play_as(&self, name: &str) {
        self.ok(&format!("signup {name} --no-mail"));
        self.ok(&format!("play --lines --as {name}"));
    }

    /// Runs a command with these variables.
    fn run_with(&self, words: &str, variables: &[(&str, &str)]) -> Run {
        let mut command = self.command(words);
        command.envs(variables.iter().copied());
        run(command)
    }
}

#[test]
fn a_command_that_needs_a_player_takes_the_one_whom_the_user_plays_as() {
    let env = TestEnvironment::of_nobody();
    env.play_as("ann");
    env.ok(&format!("signup bob {BOB}"));
    let set = env.run("set clock_zone Europe/Paris");
    assert!(set.status != Some(2), "{set:?}");
    for words in ["set", "note 1 keep a1", "away", "resign 1"] {
        let done = env.run(words);
        assert_eq!((done.status, &*done.stderr), (Some(0), "As ann.\n"), "{words}: {done:?}");
    }
    let refused = env.run("resign 1");
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.starts_with("As ann.\noutflank: "), "{refused:?}");
    // A player who is named, and commands that need none, are as ever.
    env.ok("set --as bob");
    assert!(env.run_with("set", &[("OUTFLANK_AS", "bob")]).ok().contains(BOB));
    for words in ["games", "show 1", "players", "player ann", "next"] {
        env.ok(words);
    }
    env.play_as("cid");
    assert_eq!(env.run("page").stderr.lines().next(), Some("As cid."));
}

#[test]
fn nobody_acts_by_mistake() {
    let env = TestEnvironment::of_nobody();
    let missing = "outflank: `away` needs --as NAME, to say who is away\n";
    let refused = |variables: &[(&str, &str)]| {
        let run = env.run_with("away", variables);
        assert_eq!((run.status, &*run.stderr), (Some(2), missing), "{variables:?}: {run:?}");
    };
    refused(&[]);
    assert!(!env.database().exists());
    env.ok("signup bob --no-mail");
    refused(&[]);
    env.play_as("ann");
    for variable in [
        ("OUTFLANK_AS", ""),
        ("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22"),
        ("SSH_CLIENT", "192.0.2.1 50000 22"),
        ("SSH_TTY", "/dev/pts/0"),
        ("SSH_ORIGINAL_COMMAND", "outflank away"),
    ] {
        refused(&[variable]);
    }
    assert_eq!(env.run_with("away", &[("SSH_AUTH_SOCK", "agent")]).status, Some(0));
    let leave = env.fails(2, "leave --yes");
    assert_eq!(leave, "outflank: `leave` needs --as NAME, to say who leaves");
    let other = env.fails(1, "away --as ''");
    assert!(!other.contains("As ann."), "{other}");
    // A player who has left is nobody's any more.
    env.ok("leave --yes --as ann");
    refused(&[]);
}

#[test]
fn root_must_name_a_player() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let env = TestEnvironment::new();
    env.play_as("ann");
    assert!(env.fails(2, "away").contains("needs --as NAME"));
}
