//! The commands of a mail.

use crate::app::access::stopping::Stoppable;
use crate::app::line::said;
use crate::app::receive::comment::COMMENT;
use crate::app::receive::request::{Parsed, Request};
use crate::app::receive::tokens::RepliedTo;
use crate::app::receive::wrapped::{MIN_WRAPPED_CHARS, TypedLine, unwrapped};
use crate::app::receive::{bind, comment, yes_no};
use crate::app::views::challenge::answers;
use crate::app::{Error, Known, Line, Shown};
use crate::command::normalize;
use crate::mail::read::{Body, InboundMessage};
use crate::mail::token::{Claims, Purpose};
use crate::store::Db;
use outflank_model::log::GameId;
use outflank_model::{HeldCommands, HeldLine, Moment, Player};

/// The most lines without a command that are skipped.
pub(crate) const MAX_SKIPPED_LINES: usize = 5;
/// The most commands in one mail.
pub(crate) const MAX_COMMANDS: usize = 20;

/// Returns the commands of a player's mail with this token, bound to the mail that it answers.
pub(crate) fn commands_with_token(
    db: &Db,
    player: &Player,
    message: &InboundMessage,
    token: Option<&Claims>,
    to: &RepliedTo,
) -> Result<Vec<Parsed>, Error> {
    if let Some(token) = token.filter(|token| token.purpose == Purpose::Unsubscribe) {
        let game = GameId(token.number);
        let is_own = db.moment(game, player.id)?.is_some();
        return Ok(vec![if is_own { Parsed::unsubscribe(game) } else { Parsed::unwatch(game) }]);
    }
    if let Some(stoppable) = token.and_then(Stoppable::of_token) {
        let words = stoppable.command();
        return Ok(Parsed::new(&words, Line::parse(&words, None)).into_iter().collect());
    }
    let mut commands = commands(message, to.at);
    if let Some(Claims { asks: true, number, .. }) = token {
        add_answer(&mut commands, message, GameId(*number));
    }
    bind::bind(db, player, to, &mut commands)?;
    Ok(commands)
}

/// Adds the command that the first line means, if that is a plain yes or no to the question of a game or
/// challenge. A comment stays in front of it.
fn add_answer(commands: &mut Vec<Parsed>, message: &InboundMessage, id: GameId) {
    let Some(answer) = yes_no::answer(message.body.fresh()) else { return };
    if commands.iter().any(|parsed| parsed.line == Some(answer.line)) {
        return;
    }
    let words = answers(id)[usize::from(!answer.is_yes)].clone();
    let parsed = Parsed::new(&words, Line::parse(&words, None));
    let place = commands.iter().take_while(|parsed| parsed.words == COMMENT).count();
    let parsed = parsed.map(|parsed| Parsed { line: Some(answer.line), ..parsed });
    commands.splice(place..place, parsed);
}

/// Returns confirmed commands, each bound to the offer that was open when it was held.
pub(crate) fn held_commands(held: &HeldCommands) -> Vec<Parsed> {
    let parse = |line: &HeldLine| {
        let mut parsed = Parsed::new(&line.words, Line::parse(&line.words, None))?;
        if let Request::Command(command) = &mut parsed.request {
            command.bind(Shown::Command);
            if let Some(about) = &line.about {
                let known = about.events.map_or(Known::Challenge, Known::Events);
                command.bind(Shown::Offer(known));
            }
        }
        Some(parsed)
    };
    held.lines.iter().filter_map(parse).collect()
}

/// Returns the commands of a mail that refers to this position: those in the lines that its author
/// typed, or else the one in its subject.
pub(crate) fn commands(message: &InboundMessage, at: Option<Moment>) -> Vec<Parsed> {
    let mut parsed = match &message.body {
        Body::Lines { fresh, own, .. } => {
            let Typed { commands, comment } = Typed::read(unwrapped(fresh, at), at);
            // A comment comes first, so that the mail about a move carries it.
            let game = only_game(&commands);
            let comment = comment.map(|begin| comment::parse(fresh, begin, own, at, game));
            comment.into_iter().chain(commands).collect()
        }
        Body::Empty | Body::AttachmentOnly => Vec::new(),
        Body::Encrypted | Body::Signed | Body::Calendar | Body::Broken(_) => return Vec::new(),
    };
    if parsed.is_empty() {
        let subject = Parsed::new(&message.subject, Line::parse(&message.subject, at));
        parsed.extend(subject.filter(|subject| !subject.is_invalid()));
    }
    parsed
}

/// Returns the lines of the comment in a mail, and those of the signature below it.
pub(crate) fn comment(message: &InboundMessage, at: Option<Moment>) -> (&[String], &[String]) {
    let fresh = message.body.fresh();
    match Typed::read(unwrapped(fresh, at), at).comment {
        Some(begin) => comment::split_signature(fresh, begin),
        None => (&[], &[]),
    }
}

/// Returns the lines that the author typed, up to one that ends the commands, except blank ones.
pub(crate) fn typed_lines(
    message: &InboundMessage,
    at: Option<Moment>,
) -> impl Iterator<Item = &String> {
    let is_end = move |line: &String| matches!(Line::parse(line, at), Line::End);
    let lines = message.body.fresh().iter().take_while(move |line| !is_end(line));
    lines.filter(|line| !normalize(line).is_empty())
}

/// Returns the game of the commands, if they are all about one.
fn only_game(commands: &[Parsed]) -> Option<GameId> {
    let mut games = commands.iter().filter_map(|parsed| parsed.command()?.concerns().game());
    let first = games.next()?;
    games.all(|game| game == first).then_some(first)
}

/// Returns whether a mail with these commands asks for `signup` or `help`, even with an invalid name
/// or topic.
pub(crate) fn asks_to_join(message: &InboundMessage, commands: &[Parsed]) -> bool {
    let subject = Parsed::new(&message.subject, Line::parse(&message.subject, None));
    commands.iter().chain(&subject).any(|parsed| {
        let first = parsed.words.split_whitespace().next().unwrap_or_default();
        ["signup", "help"].iter().any(|word| word.eq_ignore_ascii_case(first))
    })
}

/// What the lines of a mail are.
struct Typed {
    /// The commands up to the first other line below a command.
    commands: Vec<Parsed>,
    /// The number of the line that begins a comment.
    comment: Option<usize>,
}

impl Typed {
    /// Reads lines until a comment begins, or until there are too many commands or other lines.
    fn read(lines: impl IntoIterator<Item = TypedLine>, at: Option<Moment>) -> Self {
        let mut typed = Self { commands: Vec::new(), comment: None };
        let (mut read, mut skipped, mut is_over, mut may_say) = (0, 0, false, true);
        for line in lines {
            let text = &line.text;
            if may_say && said(text).is_some() {
                typed.comment = Some(line.number);
                break;
            }
            may_say = true;
            let above = typed.commands.last().filter(|_| !is_over);
            if let Some(first) = above.and_then(|above| Parsed::first_move(text, above, at)) {
                read += 1;
                typed.commands.push(Parsed { line: Some(line.number), ..first });
                continue;
            }
            match line.parse(at) {
                Line::Blank => {}
                Line::End => break,
                Line::Unknown => {
                    skipped += 1;
                    is_over |= typed.commands.iter().any(|earlier| !earlier.is_invalid());
                    // A mail program may have wrapped a sentence.
                    may_say = text.trim().chars().count() < MIN_WRAPPED_CHARS;
                }
                command => {
                    read += 1;
                    let parsed = Parsed::new(text, command)
                        .map(|parsed| Parsed { line: Some(line.number), ..parsed });
                    typed.commands.extend(parsed.filter(|_| !is_over && read <= MAX_COMMANDS));
                }
            }
            if read > MAX_COMMANDS || skipped > MAX_SKIPPED_LINES {
                break;
            }
        }
        typed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Option<Moment> = Some(Moment { game: GameId(12), ply: 4, events: 6 });

    fn read(text: &str) -> Typed {
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        Typed::read(unwrapped(&lines, AT), AT)
    }

    #[test]
    fn a_comment_begins_at_a_line_that_begins_with_say() {
        for (text, line) in [
            ("say hello", Some(0)),
            ("d3\nSay: hello", Some(1)),
            ("d3\n\nSAY\nhello", Some(2)),
            ("Hi Bob,\nsay hello", Some(1)),
            ("plan c4 e3 f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 d7 c5 /\nd3 c5\nsay hello", Some(2)),
            ("d3\nsaying hello", None),
            ("d3\nthanks\nsay hello", None),
            // A mail program has wrapped a sentence.
            ("d3\nI really do not know what you would want me or anybody else to\nsay", None),
        ] {
            assert_eq!(read(text).comment, line, "{text}");
        }
    }

    #[test]
    fn a_long_mail_is_read_up_to_its_limits() {
        for (line, most) in [("c5\n", MAX_COMMANDS), ("Hello\n", MAX_SKIPPED_LINES)] {
            let text = |count| line.repeat(count) + "say hello";
            assert_eq!(read(&text(most)).comment, Some(most), "{line}");
            assert_eq!(read(&text(most + 1)).comment, None, "{line}");
            let mut steps = 0;
            let lines =
                (0..).map(|number| TypedLine { number, text: line.to_owned(), is_wrapped: false });
            Typed::read(lines.inspect(|_| steps += 1), AT);
            assert_eq!(steps, most + 1, "{line}");
        }
        assert_eq!(read("c5\nHello\nd3\nsay hello").commands.len(), 1);
    }
}
