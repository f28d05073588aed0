//! The commands of a mail.

use crate::app::receive::request::{Parsed, Request};
use crate::app::receive::tokens::RepliedTo;
use crate::app::receive::{bind, comment};
use crate::app::wrapped_plan::unwrapped;
use crate::app::{Error, Known, Line, Shown, UseCase};
use crate::command::normalize;
use crate::log::GameId;
use crate::mail::read::{Body, InboundMessage};
use crate::mail::token::{Claims, Purpose};
use crate::store::{Db, HeldCommands, HeldLine, Moment, Player};

/// The most lines without a command that are skipped before the first command.
pub(crate) const MAX_SKIPPED_LINES: usize = 5;
/// The most commands in one mail.
pub(crate) const MAX_COMMANDS: usize = 20;

/// Returns the commands of a player's mail with this token, bound to what the mail showed that it
/// replies to.
pub(crate) fn commands_with_token(
    db: &Db,
    player: &Player,
    message: &InboundMessage,
    token: Option<&Claims>,
    to: &RepliedTo,
) -> Result<Vec<Parsed>, Error> {
    if let Some(token) = token.filter(|token| token.purpose == Purpose::Unsubscribe) {
        return Ok(vec![Parsed::unsubscribe(GameId(token.number))]);
    }
    let mut commands = commands(message, to.at);
    bind::bind(db, player, to, &mut commands)?;
    Ok(commands)
}

/// Returns held commands, each bound to what was open when it was held.
pub(crate) fn held_commands(held: &HeldCommands) -> Vec<Parsed> {
    let parse = |line: HeldLine| {
        let mut commands = commands_in(std::iter::once(line.words.as_str()), None);
        for parsed in &mut commands {
            if let (Request::Command(command), Some(about)) = (&mut parsed.request, &line.about) {
                command.bind(Shown::Offer(Known::Events(about.events)));
            }
        }
        commands
    };
    held.lines().flat_map(parse).collect()
}

/// Returns the commands of a mail that refers to this position: those in the lines that its author
/// typed, or else the one in its subject.
pub(crate) fn commands(message: &InboundMessage, at: Option<Moment>) -> Vec<Parsed> {
    let mut parsed = match &message.body {
        Body::Lines { fresh, own, .. } => {
            let typed = unwrapped(fresh);
            let begin = comment::begins(&typed, at);
            let above =
                typed.iter().take_while(|line| begin.is_none_or(|begin| line.number < begin));
            let commands = commands_in(above.map(|line| line.text.as_str()), at);
            // A comment comes first, so that the mail about a move carries it.
            let game = only_game(&commands);
            let comment = begin.map(|begin| comment::parse(fresh, begin, own, at, game));
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

/// Returns the lines below the one in which a comment begins.
pub(crate) fn below_say(message: &InboundMessage, at: Option<Moment>) -> &[String] {
    let Body::Lines { fresh, .. } = &message.body else { return &[] };
    let begin = comment::begins(&unwrapped(fresh), at);
    begin.and_then(|begin| fresh.get(begin + 1..)).unwrap_or_default()
}

/// Returns the lines in which a mail without commands could have had one.
pub(crate) fn skipped(
    message: &InboundMessage,
    at: Option<Moment>,
) -> impl Iterator<Item = &String> {
    let fresh = match &message.body {
        Body::Lines { fresh, .. } => fresh.as_slice(),
        _ => &[],
    };
    let lines = fresh.iter().take_while(move |line| !matches!(Line::parse(line, at), Line::End));
    lines.filter(|line| !normalize(line).is_empty()).take(MAX_SKIPPED_LINES + 1)
}

/// Returns the game of the commands, if they are all about one.
fn only_game(commands: &[Parsed]) -> Option<GameId> {
    let mut games = commands.iter().filter_map(|parsed| match &parsed.request {
        Request::Command(command) => command.concerns().game(),
        _ => None,
    });
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

/// Returns the commands in lines, up to the first other line after a command.
pub(crate) fn commands_in<'a>(
    lines: impl Iterator<Item = &'a str>,
    at: Option<Moment>,
) -> Vec<Parsed> {
    let mut parsed: Vec<Parsed> = Vec::new();
    let mut skipped = 0;
    for line in lines {
        match Line::parse(line, at) {
            Line::Blank => {}
            Line::End => break,
            Line::Unknown => {
                skipped += 1;
                if skipped > MAX_SKIPPED_LINES || parsed.iter().any(|earlier| !earlier.is_invalid())
                {
                    break;
                }
            }
            command => parsed.extend(Parsed::new(line, command)),
        }
        if parsed.len() == MAX_COMMANDS {
            break;
        }
    }
    parsed
}
