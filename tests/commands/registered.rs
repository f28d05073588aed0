//! The words of all commands are reserved, and players' commands work from every front end.

use std::collections::BTreeSet;

use clap::Subcommand;
use outflank::app::{HostCommand, Line, PlayerCommand, Traits};
use outflank::command::COMMAND_WORDS;
use outflank_model::Moment;
use outflank_model::log::GameId;

use crate::harness::{ALICE, InboundMessage, TestEnvironment, examples};

/// The state of the game on a board.
const AT: Moment = Moment { game: GameId(1), ply: 0, events: 0 };

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
fn the_words_of_all_commands_are_reserved() {
    let front_ends = ["completions", "man", "play", "ssh", "web"];
    let synonyms = PlayerCommand::ALL.iter().flat_map(|traits| traits.synonyms).copied();
    let words = PlayerCommand::words().chain(HostCommand::words()).chain(front_ends);
    let words: BTreeSet<_> = words.chain(synonyms).collect();
    assert_eq!(words, COMMAND_WORDS.iter().copied().collect());
}

#[test]
fn commands_have_the_words_of_the_registry() {
    for (parser, words) in [
        (
            PlayerCommand::augment_subcommands(clap::Command::new("player")),
            PlayerCommand::words().collect::<Vec<_>>(),
        ),
        (
            HostCommand::augment_subcommands(clap::Command::new("host")),
            HostCommand::words().collect(),
        ),
    ] {
        let names = |command: &clap::Command| {
            let names = [command.get_name()].into_iter().chain(command.get_all_aliases());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        let names: Vec<_> = parser.get_subcommands().flat_map(names).collect();
        assert_eq!(names, words);
    }
}

#[test]
fn a_similar_word_suggests_a_command_unless_it_cannot_be_undone() {
    let env = TestEnvironment::new().with_game();
    for traits in PlayerCommand::ALL.iter().chain(HostCommand::ALL) {
        let (word, similar) = (traits.word, format!("{}zz", traits.word));
        let suggestion = format!("did you mean `outflank {word}`?");
        let at_board = Line::typed(&similar, AT).unwrap_err();
        let is_of_player = PlayerCommand::named(word).is_some();
        let hint = at_board.hint().unwrap_or_default();
        assert_eq!(hint == suggestion, traits.is_suggested && is_of_player, "{word}: {hint}");
        for line in [similar.clone(), format!("help {similar}")] {
            let refused = env.fails(2, &line);
            assert_eq!(refused.contains(&suggestion), traits.is_suggested, "{line}: {refused}");
        }
    }
}

#[test]
fn other_names_are_those_of_the_traits() {
    let env = TestEnvironment::new().with_game();
    for traits in PlayerCommand::ALL.iter().chain(HostCommand::ALL) {
        let help = env.ok(&format!("help {}", traits.word));
        let is_of_player = PlayerCommand::named(traits.word).is_some();
        for name in traits.aliases.iter().chain(traits.synonyms) {
            assert_eq!(env.ok(&format!("help {name}")), help, "{name}");
            let over_ssh = env.ssh("alice", &format!("help {name}"));
            assert_eq!(over_ssh.status == Some(0), is_of_player, "{name}: {over_ssh:?}");
        }
        for synonym in traits.synonyms {
            assert!(matches!(Line::parse(synonym, Some(AT)), Line::Unknown), "{synonym}");
        }
        for alias in traits.aliases {
            let Line::Command(command) = Line::parse(alias, Some(AT)) else { panic!("{alias}") };
            assert_eq!(command.traits().word, traits.word);
        }
    }
}

/// Checks that a list of commands has all headings, in their order.
#[track_caller]
fn check_headings(help: &str) {
    let headings = PlayerCommand::headings().into_iter().map(|(heading, _)| format!("{heading}:"));
    let headings: Vec<_> = headings.collect();
    let lines = help.lines().filter(|line| headings.iter().any(|heading| heading == line));
    assert!(lines.eq(&headings), "{help}");
}

#[test]
fn every_player_command_works_in_the_shell() {
    let env = TestEnvironment::new().with_game();
    let help = env.ok("help");
    check_headings(&help);
    for (Traits { word: name, .. }, example) in examples() {
        assert!(help.contains(&format!("\n  {name} ")), "{name} is not in {help}");
        assert!(env.ok(&format!("help {name}")).contains("Example: outflank "), "{name}");
        let run = env.run(&format!("--as alice {example}"));
        assert!(matches!(run.status, Some(0 | 1)), "{example}: {run:?}");
        // The traits name the player who is missing, before the command finds out.
        let run = env.run(&example);
        assert!(!run.stderr.contains("a player must do this"), "{example}: {run:?}");
    }
}

#[test]
fn every_player_command_works_over_ssh() {
    let env = TestEnvironment::new().with_game();
    let help = env.ssh("alice", "help").ok();
    check_headings(&help);
    for (Traits { word: name, .. }, example) in examples() {
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
        let expected = if words.starts_with("leave") { "held" } else { "done" };
        assert_eq!(env.receive(&message), expected, "{words}");
        env.mails_to(ALICE).split_off(sent).pop().map(|mail| mail.text)
    };
    let help = ask("help").expect("a reply to help");
    check_headings(&help);
    for (Traits { word: name, .. }, example) in examples() {
        let is_shown = |text: &str| {
            [format!("‹{name} "), format!("‹{name}›")].iter().any(|it| text.contains(it))
        };
        assert!(is_shown(&help), "{name} is not in {help}");
        let explained = ask(&format!("help {name}")).expect("a reply to help");
        let explained = explained.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(is_shown(&explained), "{explained}");
        if let Some(reply) = ask(&example) {
            assert!(!reply.contains("No command was found"), "{example}: {reply}");
        }
    }
}
