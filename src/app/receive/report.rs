//! The reply to a player's mail: the result of each command.

use std::iter;

use chrono::{DateTime, Utc};

use crate::app::commands::words::say::MAX_COMMENT_LINES;
use crate::app::effects::offers;
use crate::app::effects::outbox::MAX_IDLE;
use crate::app::receive::answer::Answer;
use crate::app::receive::comment::{self, COMMENT};
use crate::app::receive::intake::Intake;
use crate::app::receive::parse;
use crate::app::receive::suggest::{Context, MAX_LISTED_GAMES, Suggestion};
use crate::app::views::challenge::{next_steps, what_this_is};
use crate::app::views::game::View;
use crate::app::views::text::mail_text;
use crate::app::{Error, Kind, find, text::echo};
use crate::command::{MoveAt, normalize};
use crate::mail::markup;
use crate::mail::read::{Body, InboundMessage};
use crate::mail::token::Token;
use crate::store::{Db, GameSummary, Listing, Recipient};
use outflank_model::log::GameId;
use outflank_model::{Moment, Player, StoredGame};
use outflank_rules::Color;

/// The most bytes of a reply besides the board.
pub(crate) const MAX_REPLY_BYTES: usize = 24 * 1024;

/// The most bytes of a sentence that is part of the title of an answer.
const MAX_TITLE_BYTES: usize = 160;
const LAST_REPLY: &str = "The next mail without a command gets no answer.";
const SIGNATURE_UNCHECKED: &str =
    "Your mail is signed, but the signature was not checked. You need not sign.";
const SIGNATURE_CUT: &str = "This looks like a signature and was not passed on:";
const CUT: &str = "\n\nThe rest of this reply was too long for a mail.";
const HOW_TO_ANSWER: &str = "\
A plain yes or no does the same if nothing else is on its line. You can also write `help`.";
pub(crate) const HOW_WITHOUT_GAME: &str = "\
Write one command per line, for example `move 12 d3`, or `help` for all commands.";

/// The result of one command of a mail.
pub(crate) struct CommandOutcome {
    pub words: String,
    pub game: Option<GameId>,
    /// Whether the command changes a game, so that other mails report its success.
    pub is_change: bool,
    /// Whether it shows the present board of its game.
    pub shows_board: bool,
    /// What it answers; empty after a change.
    pub result: Result<Answer, Error>,
}

impl CommandOutcome {
    /// Returns the outcome of a line that is no valid command.
    pub(crate) const fn refused(words: String, error: Error) -> Self {
        Self { words, game: None, is_change: false, shows_board: false, result: Err(error) }
    }

    /// Returns whether it is a change that was made.
    pub(crate) const fn has_changed(&self) -> bool {
        self.is_change && self.result.is_ok()
    }

    /// Returns whether it is a comment that was passed on.
    fn is_passed_on(&self) -> bool {
        self.words == COMMENT && self.result.is_ok()
    }
}

/// Replies to a player's mail about this position, unless all commands succeeded and other mails report
/// that.
pub(crate) fn report(
    intake: &mut Intake,
    player: &Player,
    at: Option<Moment>,
    outcomes: &[CommandOutcome],
    in_any_case: bool,
) -> Result<(), Error> {
    let (db, message) = (intake.tx, &intake.mail.message);
    let is_signed = matches!(message.body, Body::Lines { signed: true, .. });
    let shown = shown(db, player, at, outcomes)?;
    let bare_move = bare_move(message).filter(|_| shown.is_none() && outcomes.is_empty());
    // Nobody but the player makes the server suggest something.
    let suggestion = match bare_move {
        None if intake.cause.is_verified => {
            suggestion(&Context { env: intake.env, db, player, at, shown }, message, outcomes)?
        }
        _ => None,
    };
    let has_changed = outcomes.iter().any(CommandOutcome::has_changed);
    let (mut answered, passed_on): (Vec<_>, Vec<_>) =
        outcomes.iter().partition(|outcome| !outcome.is_passed_on());
    let cut = if passed_on.is_empty() { None } else { cut_signature(message, at) };
    // The mail to the opponent about a move carries the comment. An inbox shows the first words, and a
    // refusal matters more than a comment that was passed on.
    if !has_changed {
        answered.extend(passed_on);
    }
    let is_reported = has_changed
        && intake.carrier.is_none()
        && answered.iter().all(|outcome| outcome.has_changed());
    if is_reported && !is_signed && !in_any_case && suggestion.is_none() && cut.is_none() {
        return Ok(());
    }
    let wants_help = outcomes.iter().any(|it| it.words.eq_ignore_ascii_case("help"));
    let next = if wants_help { next_steps().to_vec() } else { Vec::new() };
    let (sentence, suggested) =
        suggestion.map_or((None, next), |it| (Some(it.sentence), it.commands));
    let mut parts = Vec::new();
    match bare_move {
        Some(mv) => parts.push(ask_for_game(db, player, &mv)?),
        None if outcomes.is_empty() => {
            let has_question = suggested.first().is_some_and(|it| it.starts_with("accept "));
            let how = match shown {
                _ if has_question => Some(HOW_TO_ANSWER),
                // The game follows, with what can be written.
                Some(_) => None,
                None => Some(HOW_WITHOUT_GAME),
            };
            parts.push(explain_no_command(message, sentence.as_deref(), how));
        }
        None => parts.extend(sentence),
    }
    if wants_help {
        parts.push(what_this_is(intake.env));
    }
    for outcome in answered {
        parts.push(describe(db, outcome, player, shown, intake.env.now())?);
    }
    parts.extend(cut);
    if intake.cause.idle == MAX_IDLE {
        parts.push(LAST_REPLY.to_owned());
    }
    if is_signed {
        parts.push(SIGNATURE_UNCHECKED.to_owned());
    }
    let mut text = parts.join("\n\n");
    if text.len() > MAX_REPLY_BYTES {
        markup::cut(&mut text, MAX_REPLY_BYTES);
        text.push_str(CUT);
    }
    intake.suggest(Recipient::Player(player), shown, &text, suggested)
}

/// Returns the present position of the game that the reply shows: of the first refused command, or else of
/// the first change, or else of the first that shows a board, or else the game of the mail.
fn shown(
    db: &Db,
    player: &Player,
    at: Option<Moment>,
    outcomes: &[CommandOutcome],
) -> Result<Option<Moment>, Error> {
    let refused = outcomes.iter().filter(|outcome| outcome.result.is_err());
    let changed = outcomes.iter().filter(|outcome| outcome.is_change);
    let drawn = outcomes.iter().filter(|outcome| outcome.shows_board);
    let games = refused.chain(changed).chain(drawn).filter_map(|outcome| outcome.game);
    match games.chain(at.map(|at| at.game)).next() {
        Some(id) => Ok(db.moment(id, player.id)?),
        None => Ok(None),
    }
}

/// Suggests commands for lines that were not read as such: those of a mail without commands, or those of a
/// comment.
fn suggestion(
    context: &Context,
    message: &InboundMessage,
    outcomes: &[CommandOutcome],
) -> Result<Option<Suggestion>, Error> {
    let Some(say) = outcomes.iter().find(|outcome| outcome.words == COMMENT) else {
        return match outcomes {
            [] => context.unread(message),
            [CommandOutcome { words, result: Err(_), .. }] => context.instead_of(words),
            _ => Ok(None),
        };
    };
    match say.game.or(context.at.map(|at| at.game)) {
        Some(game) => context.below_say(message, game, say.result.is_ok()),
        None => Ok(None),
    }
}

/// Shows the text of a comment that was passed on, and the lines that look like a signature.
fn cut_signature(message: &InboundMessage, at: Option<Moment>) -> Option<String> {
    let (said, cut) = parse::comment(message, at);
    let marked = |text: &str| {
        let lines = text.lines().take(MAX_COMMENT_LINES).map(|line| format!("| {line}"));
        Token::redact(&lines.collect::<Vec<_>>().join("\n"))
    };
    let (said, rest) = (marked(&comment::passed_on(said, at)), marked(&cut.join("\n")));
    (!cut.is_empty())
        .then(|| format!("Your comment was passed on as:\n\n{said}\n\n{SIGNATURE_CUT}\n\n{rest}"))
}

/// Returns the move that a mail begins with.
fn bare_move(message: &InboundMessage) -> Option<String> {
    let first =
        message.body.fresh().iter().map(|line| normalize(line)).find(|line| !line.is_empty())?;
    first.parse::<MoveAt>().is_ok().then_some(first)
}

/// Asks which game a bare move is for, and lists the player's most urgent games where it is legal now.
fn ask_for_game(db: &Db, player: &Player, mv: &str) -> Result<String, Error> {
    let games = db.games(Listing::ToMove(player.id), Some(MAX_LISTED_GAMES))?;
    let meant: Option<MoveAt> = mv.parse().ok();
    let is_legal =
        |stored: &StoredGame| meant.is_some_and(|meant| stored.game.legal().contains(&meant.mv));
    let line = |game: &GameSummary| {
        let opponent = game.opponent_of(&player.name);
        format!("- game {} against {opponent}: write `move {} {mv}`", game.id, game.id)
    };
    let mut lines = Vec::new();
    for game in &games {
        lines.extend(find::intact_game(db, game.id)?.filter(is_legal).map(|_| line(game)));
    }
    let ask = "Your mail does not name the game of your move, so nothing was done.";
    Ok(match (games.is_empty(), lines.is_empty()) {
        (true, _) => format!("{ask} No game waits for you."),
        (false, true) if games.len() == MAX_LISTED_GAMES as usize => {
            format!("{ask} It is legal in no game among your {MAX_LISTED_GAMES} most urgent ones.")
        }
        (false, true) => format!("{ask} It is legal in no game that waits for you."),
        (false, false) => format!("{ask} It is legal in:\n\n{}", lines.join("\n")),
    })
}

/// Explains why a mail has no commands, and how to write one.
fn explain_no_command(
    message: &InboundMessage,
    suggestion: Option<&str>,
    how: Option<&str>,
) -> String {
    let why = match &message.body {
        Body::Encrypted => "Your mail is encrypted and cannot be read here. Write plain text.",
        Body::Signed => {
            "Your mail is wrapped in a signature that cannot be opened here. Write plain text."
        }
        Body::Calendar => "Your mail is an invitation or a reply to one. Write plain text.",
        Body::AttachmentOnly => "Your mail has only attachments, which are not read.",
        Body::Empty => "Your mail is empty.",
        Body::Broken(_) => "Your mail is broken and cannot be read.",
        Body::Lines { .. } => "No command was found in your mail, so nothing was done.",
    };
    let why = [Some(why), suggestion].into_iter().flatten().collect::<Vec<_>>().join(" ");
    [Some(why.as_str()), how].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// Describes one outcome. A refusal or a board of a game other than the one shown includes its board.
fn describe(
    db: &Db,
    outcome: &CommandOutcome,
    player: &Player,
    shown: Option<Moment>,
    now: DateTime<Utc>,
) -> Result<String, Error> {
    let CommandOutcome { words, game, is_change, shows_board, result } = outcome;
    let (described, has_board) = match result {
        Ok(_) if *is_change => return Ok(format!("`{words}` is done.")),
        Ok(Answer { text, .. }) => {
            (format!("Reply to `{words}`:{}{text}", gap_before(text)), *shows_board)
        }
        Err(error) => {
            let why = why_refused(db, outcome, error, player)?;
            (format!("`{}` was not done:\n{why}", echo::with_short_words(words)), true)
        }
    };
    let board = board_of_other(db, game.filter(|_| has_board), player, shown, now)?;
    Ok(iter::once(described).chain(board).collect::<Vec<_>>().join("\n\n"))
}

/// Returns what stands between the title of an answer and the answer. A short first sentence is part of the title,
/// which an inbox shows.
fn gap_before(answer: &str) -> &'static str {
    let first = answer.split("\n\n").next().unwrap_or_default();
    let is_sentence = first.len() <= MAX_TITLE_BYTES && first.ends_with(['.', '?']);
    if is_sentence && !first.contains(['\n', '|']) { "\n" } else { "\n\n" }
}

/// Returns why a command was refused, as sentences.
fn why_refused(
    db: &Db,
    CommandOutcome { words, game, .. }: &CommandOutcome,
    error: &Error,
    player: &Player,
) -> Result<String, Error> {
    // A number comes from the mail, not from the player.
    if error.kind() != Kind::Stale || words.contains('#') {
        return Ok(sentence(error));
    }
    let why = format!("{error}; you have replied to an older mail");
    let first = words.split(' ').next().unwrap_or_default();
    let is_move = first == "move" || first.parse::<MoveAt>().is_ok();
    let other = game.filter(|_| is_move).map(|id| other_to_move(db, id, player));
    Ok(match other.transpose()?.flatten() {
        Some(name) => {
            format!("{why}, and it is {name}'s turn. You will be mailed when it is yours.")
        }
        None => format!("{why}."),
    })
}

/// Returns the board of a game, unless it is the one that the reply shows.
fn board_of_other(
    db: &Db,
    game: Option<GameId>,
    player: &Player,
    shown: Option<Moment>,
    now: DateTime<Utc>,
) -> Result<Option<String>, Error> {
    let other = game.filter(|game| shown.is_none_or(|shown| shown.game != *game));
    let stored = other.map(|id| db.game(id)).transpose()?.flatten();
    Ok(stored.map(|stored| {
        let view = View::new(&stored, &stored.game);
        let view = offers::answerable(view, Some(player.id), &stored, now);
        mail_text(&view.reply(false), player)
    }))
}

/// Returns the name of the player to move in a game, if it is not this player.
fn other_to_move(db: &Db, id: GameId, player: &Player) -> Result<Option<String>, Error> {
    let Some(stored) = db.game(id)? else { return Ok(None) };
    let is_own = |&color: &Color| stored.player(color).is_some_and(|own| own.id == player.id);
    let other = stored.game.turn().filter(|color| !is_own(color));
    Ok(other.map(|color| stored.name(color).to_owned()))
}

/// Returns the error for a player who asks to sign up.
pub(crate) fn already_signed_up(player: &Player) -> Error {
    Error::refused(format!("you are already signed up as {}", player.name))
}

/// Returns an error with its hint as a sentence of a mail.
pub(crate) fn sentence(error: &Error) -> String {
    let Some(hint) = error.hint() else { return format!("{error}.") };
    let hint = hint.replace("`outflank ", "`");
    let end = if hint.ends_with('?') { "" } else { "." };
    format!("{error}; {hint}{end}")
}
