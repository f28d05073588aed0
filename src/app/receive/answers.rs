//! Parses the commands of mails, and answers those that only read. This happens before the
//! transaction that processes the mails, so that other processes can write meanwhile.

use std::panic::{self, AssertUnwindSafe};

use crate::app::receive::answer::Answer;
use crate::app::receive::parse;
use crate::app::receive::read::{Incoming, ParsedMail};
use crate::app::receive::report::MAX_REPLY_BYTES;
use crate::app::receive::request::Parsed;
use crate::app::receive::screen::{Accepted, Screened, screen};
use crate::app::receive::sender::SenderCheck;
use crate::app::receive::tokens::RepliedTo;
use crate::app::run::session::{Access, Session};
use crate::app::{Actor, Env, Error, FrontEnd, PlayerCommand, Reply, line};
use crate::mail::markup;
use crate::mail::token::{Claims, Purpose};
use crate::store::Db;
use outflank_model::{HeldId, Player, PlayerId};

/// The commands of a mail. Those before the first one that writes have their answers; in unverified
/// mail, all that only read.
#[derive(Default)]
pub(crate) struct Prepared {
    basis: Option<Basis>,
    commands: Vec<Parsed>,
    /// Whether the mail may change the answers to other commands.
    may_change: bool,
}

/// What the commands of a mail depend on besides its text.
#[derive(PartialEq, Eq)]
struct Basis {
    player: PlayerId,
    token: Option<Claims>,
    to: RepliedTo,
}

/// Prepares the first mails of a list. It ends before a mail if an earlier one may change its answers.
pub(crate) fn prepare_all(env: &Env, db: &Db, mails: &[Incoming]) -> Vec<Prepared> {
    let mut all: Vec<Prepared> = Vec::new();
    for incoming in mails {
        let prepare = || incoming.mail.as_ref().ok().map(|mail| prepare(env, db, mail).ok());
        // The transaction reports faults and mails that make the program panic.
        let prepared = panic::catch_unwind(AssertUnwindSafe(prepare)).ok().flatten().flatten();
        let prepared = prepared.unwrap_or_default();
        let has_answer = prepared.commands.iter().any(|command| command.answer.is_some());
        if has_answer && all.iter().any(|earlier| earlier.may_change) {
            break;
        }
        all.push(prepared);
    }
    all
}

/// Prepares a mail from the address of a player. The transaction screens it again: only that counts.
fn prepare(env: &Env, db: &Db, mail: &ParsedMail) -> Result<Prepared, Error> {
    let Screened::Accepted(accepted) = screen(env, db, mail)? else {
        return Ok(Prepared::default());
    };
    let Accepted { token, is_of_history, check, .. } = *accepted;
    if !is_of_history {
        return Ok(Prepared::default());
    }
    let (player, to, mut commands) = match (&token, check) {
        (Some(token), _) if token.purpose == Purpose::Confirm => {
            let held = db.held(HeldId(token.number))?;
            let Some((player, held)) = held.and_then(|held| Some((held.player?, held))) else {
                return Ok(Prepared { may_change: true, ..Prepared::default() });
            };
            (db.player(player)?, RepliedTo::default(), parse::held_commands(&held))
        }
        (token, SenderCheck::Trusted(player)) => {
            let (message, token) = (&mail.message, token.as_ref());
            let to = RepliedTo::find(db, &player, token)?;
            let commands = parse::commands_with_token(db, &player, message, token, &to)?;
            (player, to, commands)
        }
        (token, SenderCheck::Unverified(player)) => {
            let mut commands = parse::commands(&mail.message, None);
            answer_reading(env, db, &player, &mut commands);
            let to = RepliedTo::default();
            let basis = Some(Basis { player: player.id, token: *token, to });
            return Ok(Prepared { basis, commands, may_change: false });
        }
        _ => return Ok(Prepared::default()),
    };
    let may_change = answer_first(env, db, &player, &mut commands);
    let basis = Some(Basis { player: player.id, token, to });
    Ok(Prepared { basis, commands, may_change })
}

/// Answers the commands before the first one that writes. Returns whether there is such a one.
fn answer_first(env: &Env, db: &Db, player: &Player, commands: &mut [Parsed]) -> bool {
    for index in 0..commands.len() {
        let (earlier, rest) = commands.split_at_mut(index);
        let Some(parsed) = rest.first_mut() else { break };
        if parsed.command().is_none()
            || parsed.answer.is_some()
            || earlier.iter().any(|earlier| earlier.repeats(parsed))
        {
            continue;
        }
        parsed.answer = answer(env, db, player, parsed);
        if parsed.answer.is_none() {
            return true;
        }
    }
    false
}

/// Answers the commands that only read.
pub(crate) fn answer_reading(env: &Env, db: &Db, player: &Player, commands: &mut [Parsed]) {
    for index in 0..commands.len() {
        let (earlier, rest) = commands.split_at_mut(index);
        let Some(parsed) = rest.first_mut() else { break };
        parsed.answer = match earlier.iter().find(|earlier| earlier.repeats(parsed)) {
            Some(same) => same.answer.clone(),
            None => answer(env, db, player, parsed),
        };
    }
}

/// Returns the answer to a command that only reads; `None` if it writes or queues a job.
fn answer(env: &Env, db: &Db, player: &Player, parsed: &Parsed) -> Option<Result<Answer, Error>> {
    let command = parsed.command()?;
    let answer = run_command(command, player, Access::ReadOnly { env, db }).map(|reply| {
        let mut answer = Answer::of(reply, player);
        markup::cut(&mut answer.text, MAX_REPLY_BYTES);
        answer
    });
    Some(answer).filter(|answer| !answer.as_ref().is_err_and(Error::is_fault))
}

impl Prepared {
    /// Returns the commands of a mail by this player with this token, which replies to a mail that
    /// showed this. They are parsed again if any of the three has changed since.
    pub(crate) fn commands(
        self,
        player: PlayerId,
        token: Option<&Claims>,
        to: RepliedTo,
        parse: impl FnOnce(&RepliedTo) -> Result<Vec<Parsed>, Error>,
    ) -> Result<Vec<Parsed>, Error> {
        let basis = Basis { player, token: token.copied(), to };
        if self.basis.as_ref() == Some(&basis) { Ok(self.commands) } else { parse(&basis.to) }
    }
}

/// Runs a command of a player's mail with this access to the database.
pub(crate) fn run_command(
    command: &PlayerCommand,
    player: &Player,
    access: Access,
) -> Result<Reply, Error> {
    let front_end = FrontEnd { help: line::help, is_mail: true, ..FrontEnd::none() };
    command.run(&mut Session::with_access(Actor::named(&player.name), front_end, access))
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_model::Moment;
    use outflank_model::log::GameId;

    #[test]
    fn commands_are_parsed_again_if_anything_but_the_text_has_changed() {
        let at = |ply| {
            let at = Some(Moment { game: GameId(12), ply, events: 6 });
            RepliedTo { at, ..RepliedTo::default() }
        };
        let (alice, bob) = (PlayerId(1), PlayerId(2));
        let (purpose, known) = (Purpose::Play, Some(7));
        let token = Claims { purpose, player: Some(1), number: 12, event: 6, known, asks: false };
        for (player, claims, position, is_parsed) in [
            (alice, Some(&token), at(4), false),
            (bob, Some(&token), at(4), true),
            (alice, None, at(4), true),
            (alice, Some(&token), at(3), true),
            (alice, Some(&token), RepliedTo::default(), true),
        ] {
            let basis = Basis { player: alice, token: Some(token), to: at(4) };
            let prepared = Prepared { basis: Some(basis), ..Prepared::default() };
            let parse = |_: &RepliedTo| Ok(vec![Parsed::unsubscribe(GameId(12))]);
            let commands = prepared.commands(player, claims, position.clone(), parse).unwrap();
            assert_eq!(!commands.is_empty(), is_parsed, "{player:?} {claims:?} {position:?}");
        }
    }
}
