//! Lines as commands: those of the shell, parsed more leniently for mails and boards; and the completion of
//! shells.

pub(crate) mod complete;
pub(crate) mod guess;
pub(crate) mod unknown;
pub(crate) mod wrapped_plan;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{FromArgMatches, Subcommand};

use crate::app::commands::view::help::{example, mail_help};
use crate::app::line::wrapped_plan::is_plan;
use crate::app::views::challenge::how_to_play;
use crate::app::{
    Error, PlayerCommand, Shown, Words, clap_text, text::echo::refused_value, text::similar,
    unknown_command,
};
use crate::command::{END_WORDS, MoveAt, Name, normalize};
use crate::mail::LINE;
use outflank_model::Moment;
use outflank_model::log::GameId;
use outflank_rules::{VARIANTS, Variant, quoted};

/// Returns the parser of a line, without its commands.
fn line_parser() -> clap::Command {
    let parser = clap::Command::new("").no_binary_name(true).subcommand_required(true);
    parser.disable_help_subcommand(true).term_width(LINE)
}

/// Returns the help for commands in a mail.
pub(crate) fn help(words: &[String]) -> Result<String, Error> {
    let introduction = format!(
        "You can write these commands in a mail, one per line. In a reply to a mail about a game \
         you can leave out its number. {}",
        how_to_play()
    );
    mail_help(
        PlayerCommand::augment_subcommands(line_parser()),
        &PlayerCommand::headings(),
        PlayerCommand::is_suggested,
        &introduction,
        words,
    )
}

/// Returns the help for commands that are typed at a board.
pub(crate) fn help_at_board(words: &[String]) -> Result<String, Error> {
    let introduction = "Type a move, such as `d3`, or one of these commands. The number of the game can be \
                        left out. `play mini` or `play bot:5` opens another game on the board.";
    mail_help(
        PlayerCommand::augment_subcommands(line_parser()),
        &PlayerCommand::headings(),
        PlayerCommand::is_suggested,
        introduction,
        words,
    )
}

/// Returns whether a word is that of a command of players.
pub(crate) fn is_command(word: &str) -> bool {
    PlayerCommand::named(word).is_some()
}

/// Returns whether `word` can come first when the game number is left out.
fn can_follow(word: &str) -> bool {
    let first = word.chars().next().unwrap_or(' ');
    first.is_ascii_digit()
        || "-#".contains(first)
        || word == "off"
        || word.parse::<MoveAt>().is_ok()
}

/// Returns whether the name of a game and a move can begin with this word.
pub(crate) fn is_game(word: &str) -> bool {
    word == "game" || game_number(word).is_some()
}

/// The command that takes names as arguments. Names begin sentences, too.
const CHALLENGE: &str = "challenge";

/// Returns whether a word can stand behind `challenge`.
fn can_name_opponent(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-')
}

/// Returns whether the words behind `challenge` show that it is a command: an address, the name of a
/// computer player, an option, or a word that is similar to a variant in the second place.
fn is_challenge(words: &[&str]) -> bool {
    let variants = VARIANTS.iter().flat_map(Variant::names);
    let is_like_variant = |word: &&str| similar::most_similar(word, variants).is_some();
    words.first().is_some_and(|name| name.contains([':', '@']))
        || words.iter().any(|word| word.starts_with("--"))
        || words.get(1).is_some_and(is_like_variant)
}

/// Returns words with those of a position, which stands in parentheses, as one.
pub(crate) fn with_positions(words: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(open) if open.starts_with('(') && !open.ends_with(')') => {
                open.push_str(&format!(" {word}"));
            }
            _ => joined.push((*word).to_owned()),
        }
    }
    joined
}

/// Returns the words behind `game`, or all if they do not begin with it.
fn without_game_word<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    match words {
        [first, rest @ ..] if first.eq_ignore_ascii_case("game") => rest,
        _ => words,
    }
}

/// Returns the text behind `say`, if a comment begins with this line of a mail.
pub(crate) fn said(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let word = line.get(..3).filter(|word| word.eq_ignore_ascii_case("say"))?;
    let rest = &line[word.len()..];
    let is_word = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == ':');
    is_word.then(|| rest.strip_prefix(':').unwrap_or(rest).trim())
}

/// Returns the number in `12`, `12:`, `#12` or `#12:`, if it is that of a game.
pub(crate) fn game_number(word: &str) -> Option<&str> {
    let number = word.strip_prefix('#').unwrap_or(word);
    let number = number.strip_suffix(':').unwrap_or(number);
    number.parse::<GameId>().is_ok().then_some(number)
}

/// A line of a mail, parsed.
#[derive(Debug)]
pub enum Line {
    /// No words.
    Blank,
    /// The end of the commands.
    End,
    /// Something that is not a command.
    Unknown,
    /// A command.
    Command(Box<PlayerCommand>),
    /// A request to sign up under this name.
    Signup(Name),
    /// Something that begins like a command but is not valid.
    Refused(Error),
}

/// The longest line that can be a command, in bytes, since refusals quote it.
pub(crate) const MAX_COMMAND_BYTES: usize = 500;

impl Line {
    /// Parses a line of a mail that refers to this position. In such a mail the game's number can be
    /// left out, a move alone is a command, and a move without a number is for this position. In any
    /// other mail, the number of a game and a move are a command: `12 d3`, `12: d3`, `#12 d3` or
    /// `game 12 d3`.
    pub fn parse(line: &str, at: Option<Moment>) -> Self {
        let line = normalize(line);
        let lower = line.to_lowercase();
        if END_WORDS.contains(&lower.as_str()) {
            return Self::End;
        }
        let words: Vec<_> = line.split_whitespace().collect();
        let Some(first) = words.first().map(|word| word.to_lowercase()) else {
            return Self::Blank;
        };
        if line.len() > MAX_COMMAND_BYTES {
            return if is_plan(&line) { Self::Refused(too_long(&line)) } else { Self::Unknown };
        }
        let special = Self::parse_signup(&first, &words).or_else(|| Self::parse_move(&words, at));
        special.unwrap_or_else(|| match first.as_str() {
            CHALLENGE => {
                let words = with_positions(&words);
                Self::parse_command(&first, words.iter().map(String::as_str).collect(), at)
            }
            _ => Self::parse_command(&first, words, at),
        })
    }

    /// Returns the command that a line of such a mail is.
    pub(crate) fn command(line: &str, at: Option<Moment>) -> Option<Box<PlayerCommand>> {
        match Self::parse(line, at) {
            Self::Command(command) => Some(command),
            _ => None,
        }
    }

    /// Parses a line that was typed at a board with this position, where each line is meant as a command:
    /// the game's number can be left out before free text, too. Returns `None` for a blank line.
    ///
    /// # Errors
    /// [`Error`] that says why it is not a command.
    pub fn typed(line: &str, at: Moment) -> Result<Option<Box<PlayerCommand>>, Error> {
        let (first, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let word = first.to_lowercase();
        // At a board all names of a command are meant.
        if let Some(traits) = PlayerCommand::ALL.iter().find(|it| it.synonyms.contains(&&*word)) {
            return Self::typed(&format!("{} {rest}", traits.word), at);
        }
        let parsed = match Self::parse(line, Some(at)) {
            Self::Unknown if PlayerCommand::begins_with_game(&word) => {
                Self::parse(&format!("{word} {} {rest}", at.game), Some(at))
            }
            Self::Unknown if first.parse::<MoveAt>().is_ok() => {
                Self::parse(&format!("move {} {line}", at.game), Some(at))
            }
            parsed => parsed,
        };
        match parsed {
            Self::Blank => Ok(None),
            Self::Command(command) => Ok(Some(command)),
            Self::Refused(error) => Err(error),
            Self::Unknown if is_command(&word) => {
                Err(invalid(line, &format!("see `outflank help {word}`")))
            }
            Self::Unknown | Self::Signup(_) | Self::End => {
                let suggested =
                    PlayerCommand::words().filter(|word| PlayerCommand::is_suggested(word));
                Err(unknown_command(first, suggested))
            }
        }
    }

    /// Returns whether the first word of a line is that of a command of players.
    pub(crate) fn begins_with_word(line: &str) -> bool {
        normalize(line).split(' ').next().is_some_and(|word| is_command(&word.to_lowercase()))
    }

    /// Refuses a command that is not whole, or has words that do not belong to it.
    pub(crate) fn not_whole(line: &str) -> Self {
        Self::Refused(if line.len() > MAX_COMMAND_BYTES {
            too_long(line)
        } else {
            let hint = "leave a blank line below a command";
            invalid(line, &format!("see `outflank help {}`; {hint}", first_word(line)))
        })
    }

    /// Parses a request to sign up.
    fn parse_signup(first: &str, words: &[&str]) -> Option<Self> {
        Some(match (first, words) {
            ("signup", [_]) => {
                Self::Refused(Error::refused("the name is missing; write `signup NAME`"))
            }
            ("signup", [_, name]) => match name.parse() {
                Ok(name) => Self::Signup(name),
                Err(bad) => Self::Refused(Error::refused(bad)),
            },
            _ => return None,
        })
    }

    /// Parses a move without a command: alone if the mail is about a game, or behind its number.
    fn parse_move(words: &[&str], at: Option<Moment>) -> Option<Self> {
        let own = at.map(|at| at.game.to_string());
        let (game, mv) = match (&own, without_game_word(words)) {
            (Some(game), [mv]) => (game.as_str(), mv),
            (None, [game, mv]) => (game_number(game)?, mv),
            _ => return None,
        };
        mv.parse::<MoveAt>().ok()?;
        Some(Self::parse_words(&["move", game, mv], at).unwrap_or(Self::Unknown))
    }

    /// Parses a line that begins with a word, which is that of a command or not.
    fn parse_command<'a>(first: &'a str, mut words: Vec<&'a str>, at: Option<Moment>) -> Self {
        // A letter alone names a column.
        let explained = unknown::explained(first).filter(|_| first.len() > 1);
        if let (Some(explained), [_]) = (explained, &words[..]) {
            let error = Error::refused(format!("there is no command \"{first}\""));
            return Self::Refused(error.with_hint(explained));
        }
        let Some(traits) = PlayerCommand::named(first) else { return Self::Unknown };
        words[0] = first;
        let own = at.map(|at| at.game.to_string());
        let begins_with_game = PlayerCommand::begins_with_game(first);
        // Many sentences begin with such a word. The parser need not be built for them.
        let is_sentence = begins_with_game && words.get(1).is_some_and(|word| !can_follow(word))
            || first == "help" && words.len() > 2
            || first == CHALLENGE && words.get(1).is_some_and(|word| !can_name_opponent(word));
        if is_sentence {
            return Self::Unknown;
        }
        let error = match Self::parse_words(&words, at) {
            Ok(line) => return line,
            Err(error) => error,
        };
        // A note is free text, which can begin with anything.
        let is_note = traits.words == Some(Words::Own);
        let may_lack_game = begins_with_game && (!is_note || words.len() == 1);
        if let Some(game) = own.as_deref().filter(|_| may_lack_game) {
            let with_game = [&words[..1], &[game], &words[1..]].concat();
            if let Ok(line) = Self::parse_words(&with_game, at) {
                return line;
            }
        }
        // A number or an option after such a word shows that it is a command.
        let is_option = |word: &str| word.strip_prefix("--").is_some_and(|name| !name.is_empty());
        let shows_it =
            |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) || is_option(word);
        let is_meant =
            words.get(1).is_none_or(shows_it) || first == CHALLENGE && is_challenge(&words[1..]);
        match is_meant {
            true => Self::Refused(Error::refused(one_line(&error, words.first().copied()))),
            false => Self::Unknown,
        }
    }

    fn parse_words(words: &[&str], at: Option<Moment>) -> Result<Self, clap::Error> {
        // The parser of one command is built in less time than that of all.
        let command = words.first().and_then(|word| PlayerCommand::parser(word));
        let matches = line_parser().subcommands(command).try_get_matches_from(words);
        match matches.and_then(|matches| PlayerCommand::from_arg_matches(&matches)) {
            Ok(mut command) => {
                if let Some(at) = at
                    && command.concerns().game().is_none_or(|game| game == at.game)
                {
                    command.bind(Shown::Position(at));
                }
                Ok(Self::Command(Box::new(command)))
            }
            // `show --help` is another way to write `help show`.
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                Self::parse_words(&["help", words.first().copied().unwrap_or_default()], at)
            }
            Err(error) => Err(error),
        }
    }
}

fn first_word(line: &str) -> String {
    line.split(' ').next().unwrap_or_default().to_lowercase()
}

/// Returns the error about a line that is not a valid command.
fn invalid(line: &str, hint: &str) -> Error {
    Error::refused(format!("{} is not a valid command", quoted(line))).with_hint(hint)
}

/// Returns the error about a command that is too long for a mail.
fn too_long(line: &str) -> Error {
    let word = first_word(line);
    Error::refused(format!("your {word} has {} characters", line.chars().count()))
        .with_hint(format!("a mail can have a {word} of {MAX_COMMAND_BYTES} at most"))
}

/// Returns clap's error about a line that begins with this word, in one line.
pub(crate) fn one_line(error: &clap::Error, word: Option<&str>) -> String {
    if let Some(reason) = refused_value(error).or_else(|| misuse(error, word?)) {
        return reason;
    }
    let text = clap_text(error);
    let first: Vec<_> = text.split("\n\n").next().unwrap_or_default().split_whitespace().collect();
    first.join(" ").trim_start_matches("error: ").to_owned()
}

/// Explains a missing or superfluous argument, and what to write instead; `None` for other errors.
fn misuse(error: &clap::Error, word: &str) -> Option<String> {
    // A small number is more likely one of the reader's games.
    let example = example(&PlayerCommand::parser(word)?).replacen(" 12", " 1", 1);
    let problem = match (error.kind(), error.get(ContextKind::InvalidArg)?) {
        (ErrorKind::MissingRequiredArgument, ContextValue::Strings(names)) => {
            let name = |name: &String| {
                let name = name.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty());
                name.unwrap_or_default().to_lowercase()
            };
            let names: Vec<_> = names.iter().map(|it| format!("hich {}", name(it))).collect();
            format!("W{}?", names.join(" and w"))
        }
        (ErrorKind::UnknownArgument, ContextValue::String(argument)) => {
            format!("{} does not belong here.", quoted(argument))
        }
        (ErrorKind::ArgumentConflict, ContextValue::String(argument)) => {
            let other = match error.get(ContextKind::PriorArg)? {
                ContextValue::String(other) => other,
                ContextValue::Strings(others) => others.first()?,
                _ => return None,
            };
            return Some(format!(
                "`{argument}` and `{other}` exclude each other. Write one of them"
            ));
        }
        _ => return None,
    };
    Some(format!("{problem} Write for example `{example}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Concerns;
    use outflank_rules::{Lattice, Size};

    const EIGHT: Lattice = Lattice::Rectangle(Size::EIGHT);
    const AT: Option<Moment> = Some(Moment { game: GameId(12), ply: 4, events: 6 });

    fn makes(line: &str, at: Option<Moment>) -> Option<(i64, String, Option<usize>)> {
        match Line::parse(line, at) {
            Line::Command(command) => {
                let Concerns::Plays(play) = command.concerns() else { return None };
                let first = play.moves.first()?;
                let label = EIGHT.move_label(first.mv);
                Some((play.game.0, label, first.ply))
            }
            _ => None,
        }
    }

    #[test]
    fn at_a_board_every_name_of_a_command_is_one() {
        let at = Moment { game: GameId(12), ply: 4, events: 6 };
        for (line, word) in [
            ("undo", "takeback"),
            ("Chat hello there", "say"),
            ("board", "show"),
            ("status", "games"),
        ] {
            let command = Line::typed(line, at).unwrap().unwrap();
            assert_eq!(command.traits().word, word);
        }
    }

    #[test]
    fn a_reply_needs_neither_game_nor_number() {
        let asked = |label: &str| Some((12, label.to_owned(), Some(5)));
        for line in ["d3", "D3", " d3. ", "\u{ff24}\u{ff13}", "move d3", "MOVE 12 D3", "Move d3!"] {
            assert_eq!(makes(line, AT), asked("d3"), "{line}");
        }
        let bare = Some((7, "d3".to_owned(), None));
        assert_eq!((makes("7 d3", None), makes("7 d3", AT)), (bare.clone(), None));
        assert_eq!(makes("7 D3#9.", None), Some((7, "d3".to_owned(), Some(9))));
        for line in ["7: d3", "#7 d3", "#7: D3.", "game 7 d3", "Game 7: d3", "GAME #7 d3"] {
            assert_eq!((makes(line, None), makes(line, AT)), (bare.clone(), None), "{line}");
        }
        assert_eq!(makes("game 7: pass", None), Some((7, "pass".to_owned(), None)));
        for line in ["pass", "Pass.", "pass 12", "move pass"] {
            assert_eq!(makes(line, AT), asked("pass"), "{line}");
        }
        assert_eq!(makes("d3#7", AT), Some((12, "d3".into(), Some(7))));
        assert_eq!(makes("move 13 d3", AT), Some((13, "d3".into(), None)));
        assert_eq!(makes("move 12 d3", None), Some((12, "d3".into(), None)));
        assert_eq!(makes("d3", None), None);
        for line in
            ["show", "history", "resign", "rules", "subscribe", "unsubscribe", "mute", "unmute"]
        {
            let Line::Command(command) = Line::parse(line, AT) else { panic!("{line}") };
            assert_eq!(command.concerns().game(), Some(GameId(12)), "{line}");
        }
        for line in ["export --format pgn", "export 12 --format pgn"] {
            assert!(matches!(Line::parse(line, AT), Line::Command(_)), "{line}");
        }
    }

    #[test]
    fn moves_are_written_as_a_command_that_makes_them() {
        for (line, written) in [
            ("move 12 d3#5", "move 12 d3#5"),
            ("move 12 B-1 pass D3#7 --receipt", "move 12 B-1 pass D3#7 --receipt"),
            ("pass 12#5", "move 12 pass#5"),
        ] {
            let Line::Command(command) = Line::parse(line, None) else { panic!("{line}") };
            let lattice = if line.contains('B') { Lattice::Hex } else { EIGHT };
            let Concerns::Plays(play) = command.concerns() else { panic!("{line}") };
            assert_eq!(play.to_command(lattice, None), written);
        }
    }

    #[test]
    fn at_a_board_each_line_is_a_command_about_the_game() {
        let at = AT.unwrap();
        for (line, game) in [
            ("say Well played!", 12),
            ("Note keep a1", 12),
            ("note 13 keep a1", 13),
            ("say 13 hello", 13),
            ("takeback", 12),
        ] {
            let command = Line::typed(line, at).unwrap().unwrap();
            assert_eq!(command.concerns().game(), Some(GameId(game)), "{line}");
        }
        assert!(Line::typed(" ", at).unwrap().is_none());
        for (line, hint) in [
            ("ressign", "see `outflank help`"),
            ("histroy", "did you mean `outflank history`?"),
            ("help me please", "see `outflank help help`"),
            ("signup bob", "see `outflank help`"),
        ] {
            assert_eq!(Line::typed(line, at).unwrap_err().hint(), Some(hint), "{line}");
        }
    }

    #[test]
    fn sentences_are_not_commands() {
        for line in [
            "Hi Bob",
            "d3 was nice",
            "I play d3",
            "move over, darling",
            "pass the salt",
            "rules are rules",
            "show me the money",
            "help me please",
            "d3 e3",
            "resign? never",
            "games are fun",
            "12",
            "#5",
            "d",
            "signup for our newsletter",
            "--json games",
            "-h",
            "new mini a b",
            "send",
            "backup /tmp/x",
            "ssh alice",
            "receive",
        ] {
            assert!(matches!(Line::parse(line, AT), Line::Unknown), "{line}");
        }
    }

    #[test]
    fn sentences_about_games_are_not_commands() {
        for line in [
            "7 days",
            "7 d3 c4",
            "game 7",
            "game 7 was fun",
            "game 7 d3 was fun",
            "game 7 d3 c4",
            "game d3",
            "game over",
            "game game 7 d3",
            "game 7 : d3",
            "game 0 d3",
            "(game 7 d3)",
            "##7 d3",
            "7:: d3",
            "#7",
            "7:",
            "1. d3",
            "7) d3",
            "1: 30",
        ] {
            assert!(matches!(Line::parse(line, None), Line::Unknown), "{line}");
        }
    }

    #[test]
    fn an_invalid_command_is_refused_with_a_reason() {
        for (line, reason) in [
            ("accept", "Which game? Write for example `accept 1`"),
            (
                "games --finished --next",
                "`--finished` and `--next` exclude each other. Write one of them",
            ),
            ("move", "Which game and which move? Write for example `move 1 d3`"),
            ("move 12", "Which move? Write for example `move 1 d3`"),
            ("show", "Which game? Write for example `show 1#4`"),
            ("export 1", "Which format? Write for example `export 1 --format pgn`"),
            ("accept 1 2", "\"2\" does not belong here. Write for example `accept 1`"),
            ("move 12 dd", "\"dd\" is not a valid move; use a column and a row, such as d3"),
            ("pass 12#x", "\"#x\" is not a move number; use one such as #4"),
        ] {
            let Line::Refused(error) = Line::parse(line, None) else { panic!("{line}") };
            assert_eq!(error.to_string(), reason, "{line}");
        }
    }

    #[test]
    fn some_words_end_a_mail() {
        for line in ["-- ", "stop", "Quit", "thanks!", "Thanks."] {
            assert!(matches!(Line::parse(line, AT), Line::End), "{line}");
        }
        for line in ["", " \u{200b}", "..."] {
            assert!(matches!(Line::parse(line, AT), Line::Blank), "{line}");
        }
        assert!(
            matches!(Line::parse("signup Alice", None), Line::Signup(name) if name.as_str() == "Alice")
        );
    }
}
