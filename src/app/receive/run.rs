//! Runs the commands of a player's mail and replies to it.

use crate::app::effects::outbox::MAX_IDLE;
use crate::app::effects::outbox::Outbox;
use crate::app::receive::intake::Disposition;
use crate::app::receive::intake::Inbound;
use crate::app::receive::parse::Parsed;
use crate::app::receive::parse::Request;
use crate::app::session::Access;
use crate::app::session::Session;
use crate::app::views::game::View;
use crate::app::{Actor, At, Error, FrontEnd, Kind, PlayerCommand, Reply, UseCase, echo, line};
use crate::command::{MoveAt, PlayerRef, normalize};
use crate::log::GameId;
use crate::mail::read::Body;
use crate::mail::token::Claims;
use crate::store::{GameSummary, Listing, Moment, Player, Recipient};

const LAST_REPLY: &str = "The next mail without a command gets no answer.";

/// The result of one command of a mail.
pub(crate) struct CommandOutcome {
    words: String,
    game: Option<GameId>,
    /// Whether the command changes a game, so that other mails report its success.
    is_change: bool,
    /// What it answers; empty after a change.
    result: Result<String, Error>,
}

/// The most bytes of a reply besides the board.
pub(crate) const MOST_TEXT: usize = 24 * 1024;

/// The most games that are listed to a player who did not say which one is meant.
const MOST_GAMES: u32 = 20;

const HOW: &str = "\
Write your move, such as d3, on a line of its own. You can also write (resign) or (help).";
pub(crate) const HOW_WITHOUT_GAME: &str = "\
Write one command per line, for example (move 12 d3), or (help) for all commands.";

impl Inbound<'_> {
    /// Runs the commands of a player's mail.
    pub(crate) fn run(
        &self,
        outbox: &mut Outbox,
        reply: &mut Reply,
        player: &Player,
        token: Option<&Claims>,
    ) -> Result<Disposition, Error> {
        let at = self.at(player, token)?;
        let commands = self.commands(at, token);
        let has_command =
            commands.iter().any(|parsed| matches!(parsed.request, Request::Command(_)));
        let mail = self.counted(&player.address, has_command)?;
        let mut outcomes = self.run_all(reply, player, commands)?;
        if outcomes.iter().any(|outcome| outcome.is_change && outcome.result.is_ok()) {
            // The mail to the opponent about the move brings it.
            outcomes.retain(|outcome| outcome.words != "say" || outcome.result.is_err());
        }
        mail.report(outbox, player, at, &outcomes, false)?;
        Ok(Disposition::Done)
    }

    /// Runs commands one after the other. A refused command does not stop the others.
    ///
    /// # Errors
    /// A fault: the whole mail is undone and must be delivered again.
    pub(crate) fn run_all(
        &self,
        reply: &mut Reply,
        player: &Player,
        commands: Vec<Parsed>,
    ) -> Result<Vec<CommandOutcome>, Error> {
        let is_contradicted: Vec<_> = commands
            .iter()
            .map(|command| commands.iter().any(|other| command.contradicts(other)))
            .collect();
        let is_repeated: Vec<_> = (0..commands.len())
            .map(|at| commands[..at].iter().any(|earlier| earlier.repeats(&commands[at])))
            .collect();
        let mut outcomes = Vec::new();
        for (at, Parsed { words, request }) in commands.into_iter().enumerate() {
            if is_repeated[at] && !is_contradicted[at] {
                continue;
            }
            let (game, is_change, result) = match request {
                Request::Command(command) => {
                    let concerns = command.concerns();
                    let result = if is_contradicted[at] {
                        Err(Error::refused("your mail has two different moves for one turn")
                            .with_hint("write only one"))
                    } else {
                        self.run_one(reply, player, &words, &command)
                    };
                    (concerns.game(), concerns.is_change(), result)
                }
                Request::Signup(_) => (None, false, Err(already_signed_up(player))),
                Request::Invalid(error) => (None, false, Err(error)),
            };
            if let Err(error) = &result
                && error.is_fault()
            {
                return result.map(|_| Vec::new());
            }
            outcomes.push(CommandOutcome { words, game, is_change, result });
        }
        Ok(outcomes)
    }

    /// Runs a command unless its answer was read already.
    fn run_one(
        &self,
        reply: &mut Reply,
        player: &Player,
        words: &str,
        command: &PlayerCommand,
    ) -> Result<String, Error> {
        if let Some(answer) = self.answers.of(player, words) {
            return answer;
        }
        let mail = Some(self.in_reply_to());
        let access = Access::Shared { env: self.env, tx: self.tx, mail };
        let done = run(command, player, access)?;
        reply.mails.extend(&done.mails);
        Ok(if command.concerns().is_change() { String::new() } else { done.to_text(player) })
    }

    /// Replies to a player, unless all commands succeeded and other mails report that.
    pub(crate) fn report(
        &self,
        outbox: &mut Outbox,
        player: &Player,
        at: At,
        outcomes: &[CommandOutcome],
        in_any_case: bool,
    ) -> Result<(), Error> {
        let is_signed = matches!(self.message.body, Body::Lines { signed: true, .. });
        let is_reported =
            outcomes.iter().all(|outcome| outcome.is_change && outcome.result.is_ok());
        if is_reported && !outcomes.is_empty() && !is_signed && !in_any_case {
            return Ok(());
        }
        let refused = outcomes.iter().filter(|outcome| outcome.result.is_err());
        let changed = outcomes.iter().filter(|outcome| outcome.is_change);
        let games = refused.chain(changed).filter_map(|outcome| outcome.game);
        let shown = match games.chain(at.map(|at| at.game)).next() {
            Some(id) => self.tx.moment(id, player.id)?,
            None => None,
        };
        let mut parts = Vec::new();
        if outcomes.is_empty() {
            parts.push(match self.bare_move().filter(|_| shown.is_none()) {
                Some(mv) => self.ask_for_game(player, &mv)?,
                None => self.explain_no_command(shown.is_some()),
            });
        }
        for outcome in outcomes {
            parts.push(self.describe(outcome, player, shown)?);
        }
        if self.cause.idle == MAX_IDLE {
            parts.push(LAST_REPLY.to_owned());
        }
        if is_signed {
            let note = "Your mail is signed, but the signature was not checked. You need not sign.";
            parts.push(note.to_owned());
        }
        let mut text = parts.join("\n\n");
        if text.len() > MOST_TEXT {
            text.truncate(text.floor_char_boundary(MOST_TEXT));
            text.push_str("\n\nThe rest of this reply was too long for a mail.");
        }
        self.reply(outbox, Recipient::Player(player), shown, &text)
    }

    /// Returns the move that the mail begins with.
    fn bare_move(&self) -> Option<String> {
        let Body::Lines { fresh, .. } = &self.message.body else { return None };
        let first = fresh.iter().map(|line| normalize(line)).find(|line| !line.is_empty())?;
        first.parse::<MoveAt>().is_ok().then_some(first)
    }

    /// Returns the games in which the player can make a move that the mail does not say the game of.
    fn ask_for_game(&self, player: &Player, mv: &str) -> Result<String, Error> {
        let games = self.tx.games(Listing::ToMove(player.id), Some(MOST_GAMES))?;
        let line = |game: &GameSummary| {
            let opponent = if game.black == player.name { &game.white } else { &game.black };
            format!("- game {} against {opponent}: write (move {} {mv})", game.id, game.id)
        };
        let games: Vec<_> = games.iter().map(line).collect();
        let ask = "Your mail does not name the game of your move, so nothing was done.";
        Ok(match games.is_empty() {
            true => format!("{ask} No game waits for you."),
            false => format!("{ask} It is your turn in:\n\n{}", games.join("\n")),
        })
    }

    /// Returns why the mail has no commands, and how to write one.
    fn explain_no_command(&self, has_game: bool) -> String {
        let why = match &self.message.body {
            Body::Encrypted => "Your mail is encrypted and cannot be read here. Write plain text.",
            Body::Signed => {
                "Your mail is wrapped in a signature that cannot be opened here. Write plain text."
            }
            Body::Calendar => "Your mail is an invitation or a reply to one. Write plain text.",
            Body::AttachmentOnly => "Your mail has only attachments, which are not read.",
            Body::Empty => "Your mail is empty.",
            Body::Lines { .. } => "No command was found in your mail, so nothing was done.",
        };
        format!("{why}\n\n{}", if has_game { HOW } else { HOW_WITHOUT_GAME })
    }

    /// Describes one outcome. A refusal in a game other than the one shown includes its board.
    fn describe(
        &self,
        outcome: &CommandOutcome,
        player: &Player,
        shown: Option<Moment>,
    ) -> Result<String, Error> {
        let CommandOutcome { words, game, is_change, result } = outcome;
        let error = match result {
            Ok(_) if *is_change => return Ok(format!("Done ({words}).")),
            Ok(answer) => return Ok(format!("Reply to ({words}):\n\n{answer}")),
            Err(error) => error,
        };
        let why = match error.kind() {
            // The number comes from the mail, not from the player.
            Kind::Stale if !words.contains('#') => {
                format!("{error}; you have replied to an older mail.")
            }
            _ => sentence(error),
        };
        let refusal = format!("Not done ({}):\n{why}", echo::with_short_words(words));
        let elsewhere = game.filter(|game| shown.is_none_or(|shown| shown.game != *game));
        let Some(stored) = elsewhere.map(|id| self.tx.game(id)).transpose()?.flatten() else {
            return Ok(refusal);
        };
        let board = View::new(&stored, &stored.game).reply(false).to_text(player);
        Ok(format!("{refusal}\n\n{board}"))
    }
}

/// Runs a command of a player's mail with this access to the database.
pub(crate) fn run(
    command: &PlayerCommand,
    player: &Player,
    access: Access,
) -> Result<Reply, Error> {
    let actor = Actor::Player(PlayerRef::Name(player.name.clone()));
    let front_end = FrontEnd { help: line::help, is_mail: true, shell: None };
    command.run(&mut Session::with_access(actor, front_end, access))
}

pub(crate) fn already_signed_up(player: &Player) -> Error {
    Error::refused(format!("you are already signed up as {}", player.name))
}

/// Returns an error with its hint as a sentence of a mail. Commands stand in parentheses there, so
/// that a quoted one is not read as a command.
pub(crate) fn sentence(error: &Error) -> String {
    let Some(hint) = error.hint() else { return format!("{error}.") };
    let mut parts = hint.split("`outflank ");
    let first = parts.next().unwrap_or_default().to_owned();
    let hint = parts.fold(first, |hint, part| format!("{hint}({}", part.replacen('`', ")", 1)));
    let end = if hint.ends_with('?') { "" } else { "." };
    format!("{error}; {hint}{end}")
}
