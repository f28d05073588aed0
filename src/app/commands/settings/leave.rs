use chrono::DateTime;
use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::app::commands::tournaments::house;
use crate::app::effects::challenges;
use crate::app::effects::change::{Author, Change, Decision, change_in};
use crate::app::effects::due::Hold;
use crate::app::effects::outbox::Cause;
use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Session, Shown, Traits, UseCase, find};
use crate::store::{Challenges, NewOutboxEntry};
use outflank_model::log::{Action, Event};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::words::list_of_games;
use outflank_model::{About, ChallengeState, HeldKind, HeldLine, Player};
use outflank_rules::Color;

/// End your membership: resigns your games, deletes your address
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Games with fewer than two moves of each player are annulled, except those
of tournaments. Your name is not given to anybody else. By mail you are
asked to confirm this.

Example: leave --yes")]
pub struct Leave {
    /// Do it; without this option, nothing happens
    #[arg(long)]
    yes: bool,
    /// Whether a mail has confirmed it.
    #[arg(skip)]
    is_confirmed: bool,
}

/// The games of a player who has left.
#[derive(Serialize)]
pub(crate) struct Ended {
    pub player: String,
    pub resigned: Vec<i64>,
    pub annulled: Vec<i64>,
}

impl Leave {
    /// Returns the line that a player is asked to confirm.
    pub(crate) fn line() -> HeldLine {
        let sentence = "resigns your open games and deletes your address".to_owned();
        let about = Some(About { events: Some(0), sentence });
        HeldLine { kind: HeldKind::Leave, about, ..HeldLine::other("leave".to_owned()) }
    }
}

impl UseCase for Leave {
    const TRAITS: Traits = Traits {
        is_suggested: false,
        needs_name: true,
        ..Traits::new("leave", Heading::Settings).by("who leaves")
    };

    fn bind(&mut self, to: Shown) {
        self.is_confirmed |= to == Shown::Command;
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let is_confirmed = self.is_confirmed || self.yes && !session.front_end.is_mail;
        // A mail is answered before it writes, but not this command.
        session.write(|writing| {
            if !is_confirmed {
                let what = "`leave` resigns your open games and deletes your address";
                return Err(
                    Error::refused(what).with_hint("to do it, write `outflank leave --yes`")
                );
            }
            let player = find::acting(writing.tx, writing.actor)?;
            let left =
                end_membership(writing, &player, &format!("You have left, {}.", player.name))?;
            let text = format!("{} has left. {}", left.player, left.sentence());
            Ok(Reply::new(&json!(left)).text(text))
        })
    }
}

/// Ends a membership with the player's games, challenges and watches. The farewell mail begins with
/// `sentence`.
pub(crate) fn end_membership(
    writing: &mut Writing,
    player: &Player,
    sentence: &str,
) -> Result<Ended, Error> {
    find::refuse_left(player)?;
    let (tx, env) = (writing.tx, writing.env);
    // The games end first: in an outage of the mail server, a turn mail that waits keeps a flag from falling.
    let of_tournaments = house::withdraw_from_all(writing, player.id)?;
    let mut left = end_games(writing, player)?;
    left.resigned.extend(of_tournaments.iter().map(|id| id.0));
    left.resigned.sort_unstable();
    // From here on, the player gets no mail, not even about the ends of these games.
    tx.end_membership(player.id, &env.rng.secret()?.0, env.now())?;
    withdraw_others(writing, player)?;
    if let Some(address) = &player.address {
        let text = format!(
            "{sentence}\n{} This is the last mail. Once it is sent, your address is deleted. Nobody \
             else gets the name {}, and what you said during a game stays with it.",
            left.sentence(),
            player.name
        );
        let content = MailContent::of_text(MessageKind::Farewell, None, text);
        let entry = NewOutboxEntry::to_address(address, content);
        writing.outbox.add_held(&entry, Cause::COMMAND, Hold::Immediate)?;
    }
    Ok(left)
}

/// Withdraws the watches, challenges and rematches of a player who leaves.
fn withdraw_others(writing: &mut Writing, player: &Player) -> Result<(), Error> {
    writing.tx.delete_watches(player.id)?;
    close_challenges(writing, Challenges::By(player.id), ChallengeState::Withdrawn)?;
    close_challenges(writing, Challenges::To(player.id), ChallengeState::Declined)?;
    withdraw_rematches(writing, player)
}

/// Ends the open challenges of a list.
fn close_challenges(
    writing: &mut Writing,
    which: Challenges,
    state: ChallengeState,
) -> Result<(), Error> {
    for id in writing.tx.open_challenges(which, DateTime::UNIX_EPOCH, None)? {
        if let Some(challenge) = writing.tx.challenge(id)? {
            challenges::close(&mut writing.outbox, &challenge, state)?;
        }
    }
    Ok(())
}

/// Declines and withdraws the open offers of a rematch.
fn withdraw_rematches(writing: &mut Writing, player: &Player) -> Result<(), Error> {
    for id in writing.tx.games_with_rematch_offer(player.id)? {
        let Some(stored) = find::intact_game(writing.tx, id)? else { continue };
        let Some(own) = stored.color_of(player.id) else { continue };
        change_in(writing, id, Author::Side(own), |change| {
            change.decide(Event::by(own, Action::Decline))
        })?;
    }
    Ok(())
}

/// Resigns the open games of a player, and annuls those that have hardly begun.
fn end_games(writing: &mut Writing, player: &Player) -> Result<Ended, Error> {
    let tx = writing.tx;
    let (mut resigned, mut annulled) = (Vec::new(), Vec::new());
    let mut games = find::active_games(tx, player.id)?;
    games.sort_unstable();
    for id in games {
        // The log of a damaged game cannot be continued.
        let Some(stored) = find::intact_game(tx, id)? else { continue };
        let Some(own) = stored.color_of(player.id) else { continue };
        let (_, decided) =
            change_in(writing, id, Author::Side(own), |change| end(change, own, player))?;
        match decided.game.events().last().map(|event| &event.action) {
            Some(Action::Resign) => resigned.push(id.0),
            Some(Action::Annul { .. }) => annulled.push(id.0),
            // The time of a player was over.
            _ => {}
        }
    }
    Ok(Ended { player: player.name.clone(), resigned, annulled })
}

/// A leaving player's game is resigned if each player has made at least this many moves.
const MIN_MOVES: usize = 2;

/// Ends a game of a player who leaves, unless it is over.
fn end(change: &Change, own: Color, player: &Player) -> Result<Decision, Error> {
    let game = &change.stored.game;
    if game.turn().is_none() {
        return Ok(game.clone().into());
    }
    let has_begun = Color::BOTH.into_iter().all(|by| game.own_plies(by).count() >= MIN_MOVES);
    let reason = format!("{} has left", player.name);
    let action = if has_begun { Action::Resign } else { Action::Annul { reason } };
    change.decide(Event::by(own, action))
}

impl Ended {
    /// Reports the ended games, in sentences.
    pub(crate) fn sentence(&self) -> String {
        let resigned = list_of_games("Resigned", &self.resigned);
        let annulled = list_of_games("Annulled", &self.annulled);
        let lists: Vec<_> = resigned.into_iter().chain(annulled).collect();
        if lists.is_empty() { "No game was open.".to_owned() } else { lists.join(" ") }
    }
}
