//! Every registered command is a word that no player can have as a name, and players' commands
//! work from every front end.

use clap::Subcommand;
use outflank::app::{HostCommand, PlayerCommand};
use outflank::command::Name;

use crate::harness::{ALICE, InboundMessage, TestEnvironment};

/// The commands of players with their examples, about game 1.
fn player_commands() -> Vec<(String, String)> {
    let parser = PlayerCommand::augment_subcommands(clap::Command::new("player"));
    let command = |command: &clap::Command| {
        let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (_, example) = example.rsplit_once("Example: ").expect("an example");
        let example = example.replace("12", "1");
        (command.get_name().to_owned(), example)
    };
    parser.get_subcommands().map(command).collect()
}

#[test]
fn remarks_fit_into_a_mail_and_a_terminal() {
    let host = HostCommand::augment_subcommands(clap::Command::new("host"));
    let player = PlayerCommand::augment_subcommands(clap::Command::new("player"));
    for command in host.get_subcommands().chain(player.get_subcommands()) {
        let remarks = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (remarks, _) = remarks.split_once("Example").unwrap_or_default();
        for line in remarks.lines() {
            assert!(line.len() <= 76, "help {}: {line}", command.get_name());
        }
    }
}

#[test]
fn command_words_are_not_names() {
    let host = HostCommand::augment_subcommands(clap::Command::new("host"));
    let host = host.get_subcommands().map(|command| command.get_name().to_owned());
    let player = player_commands().into_iter().map(|(name, _)| name);
    for word in host.chain(player).chain(["ssh", "stop", "quit", "thanks", "pass"].map(Into::into))
    {
        assert!(word.parse::<Name>().is_err(), "{word}");
        assert!(word.to_uppercase().parse::<Name>().is_err(), "{word}");
    }
}

#[test]
fn every_player_command_works_in_the_shell() {
    let env = TestEnvironment::new().with_game();
    let help = env.ok("help");
    for (name, example) in player_commands() {
        assert!(help.contains(&format!("\n  {name} ")), "{name} is not in {help}");
        assert!(env.ok(&format!("help {name}")).contains("Example: "), "{name}");
        let run = env.run(&format!("--as alice {example}"));
        assert!(matches!(run.status, Some(0 | 1)), "{example}: {run:?}");
    }
}

#[test]
fn every_player_command_works_over_ssh() {
    let env = TestEnvironment::new().with_game();
    let help = env.ssh("alice", "help").ok();
    for (name, example) in player_commands() {
        assert!(help.contains(&format!("\n  {name} ")), "{name} is not in {help}");
        assert!(env.ssh("alice", &format!("help {name}")).ok().contains("Example: "), "{name}");
        let run = env.ssh("alice", &example);
        assert!(matches!(run.status, Some(0 | 1)), "{example}: {run:?}");
    }
}

#[test]
fn every_player_command_works_by_mail() {
    let env = TestEnvironment::new().config("[receive]\ntoken_only = true").with_game();
    let to = env.mails_to(ALICE).pop().unwrap().reply_to();
    let ask = |words: &str| {
        env.later(60);
        let sent = env.mails_to(ALICE).len();
        let message = InboundMessage::new(ALICE, words).to(&to);
        assert_eq!(env.receive(&message), "done", "{words}");
        env.mails_to(ALICE).split_off(sent).pop().map(|mail| mail.text)
    };
    let help = ask("help").expect("a reply to help");
    for (name, example) in player_commands() {
        assert!(help.contains(&format!("({name}")), "{name} is not in {help}");
        let explained = ask(&format!("help {name}")).expect("a reply to help");
        let explained = explained.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(explained.contains(&format!("Example: ({name}")), "{explained}");
        if let Some(reply) = ask(&example) {
            assert!(!reply.contains("No command was found"), "{example}: {reply}");
        }
    }
}
