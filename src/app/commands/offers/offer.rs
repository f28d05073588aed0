//! What the commands share that make and answer offers.

use crate::app::commands::offers::challenge_limits::{OTHERS, refuse_blocked};
use crate::app::commands::play::begin::{has_begun, rematch};
use crate::app::effects::change::{
    ACTOR, Change, Decision, change_in, refuse_finished, write_after_flag,
};
use crate::app::effects::offers::{can_be_accepted, start_without_time};
use crate::app::effects::tournaments;
use crate::app::run::session::Writing;
use crate::app::views::game::View;
use crate::app::{Error, Known, Reply, Session, UseCase, find};
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId, IllegalEvent, Offer};
use outflank_model::render::news;
use outflank_model::time_control::TimeControl;
use outflank_rules::Color;

/// Stores a command's decision in its game, and replies with the sentence about it.
pub(crate) fn act(session: &mut Session, command: &impl UseCase) -> Result<Reply, Error> {
    let id = command.concerns().game().ok_or_else(|| Error::fault("a command without a game"))?;
    let is_shell = session.front_end.is_shell();
    write_after_flag(session, id, |writing| {
        let (stored, decided) = change_in(writing, id, ACTOR, |change| command.decide(change))?;
        reply(writing, &stored, &decided, is_shell)
    })
}

/// Decides on an event of the acting player and its immediate consequences. `action` returns the event and
/// the sentence to reply with.
pub(crate) fn decide(
    change: &Change,
    action: impl FnOnce(Color) -> Result<(Action, String), Error>,
) -> Result<Decision, Error> {
    let own = change.author()?;
    let (action, sentence) = action(own)?;
    let agreed = agreed_at_once(change, own, &action);
    let mut game = change.stored.game.clone();
    let applied = game.apply(Event::by(own, action));
    applied.map_err(|illegal| refused(change, own, &illegal))?;
    if agreed.is_some() {
        game.apply(Event::by(!own, Action::Accept)).map_err(Error::refused)?;
    }
    refuse_takeback_without_time(change, own, &game)?;
    Ok(Decision { game, sentence: agreed.unwrap_or(sentence) })
}

/// Returns the reply after a decision was stored. An accepted rematch begins.
fn reply(
    writing: &mut Writing,
    stored: &StoredGame,
    Decision { game, sentence }: &Decision,
    is_shell: bool,
) -> Result<Reply, Error> {
    let is_accepted = matches!(game.events().last(), Some(Event { action: Action::Accept, .. }));
    let now = writing.env.now();
    let view = View::present(writing.tx, stored, game, now)?;
    let mut reply = view.brief(sentence);
    if is_shell && matches!(game.events().last(), Some(Event { action: Action::TakeBack, .. })) {
        reply.game = view.reply(false).game;
    }
    // After the end, only a rematch can be accepted.
    if is_accepted && stored.game.outcome().is_some() {
        let started = rematch(writing, stored)?;
        let reply = View::present(writing.tx, &started, &started.game, now)?.brief(sentence);
        return Ok(Reply { begun: Some(started.id), ..reply.said(has_begun(&started)) });
    }
    Ok(reply)
}

/// Returns the reply if the opponent agrees at once. At one keyboard everybody does; a computer player
/// considers an offer of a draw later.
fn agreed_at_once(change: &Change, own: Color, action: &Action) -> Option<String> {
    let is_bot = change.stored.side(!own).bot().is_some();
    let other = change.names.of(!own);
    match action {
        Action::Offer(_) if !is_bot && !change.stored.local => None,
        Action::Offer(Offer::Draw) if is_bot => None,
        Action::Offer(Offer::Rematch) => Some(format!("{other} accepts the rematch.")),
        Action::Offer(Offer::Pause) => {
            Some(format!("{other} agrees. {}", accepted(change, own, Offer::Pause)))
        }
        Action::Offer(offer) => Some(accepted(change, own, *offer)),
        _ => None,
    }
}

/// Refuses a takeback that would leave the player no time when the clock starts.
fn refuse_takeback_without_time(change: &Change, own: Color, game: &Game) -> Result<(), Error> {
    let Change { stored, env, names, .. } = change;
    let now = env.now();
    let Some(start) = start_without_time(stored, game, own, now) else { return Ok(()) };
    let (Some(taken_back), Some(turn)) = (game.taken_back().last(), game.turn()) else {
        return Ok(());
    };
    let lattice = game.lattice();
    let label = taken_back.plies.first().map(|ply| lattice.move_label(ply.mv)).unwrap_or_default();
    let (who, hint) = if own == turn {
        ("you", "the move stands".to_owned())
    } else {
        (names.of(turn), format!("`outflank decline {}` declines the request", stored.id))
    };
    let why = match start > now {
        true => "the earlier deadline would pass in quiet hours",
        false => "the time since the move counts, too",
    };
    let message = format!("no time would be left for {who} without {label}: {why}");
    Err(Error::refused(message).with_hint(hint))
}

/// Decides on an offer, or accepts the same offer of the opponent.
pub(crate) fn offer(change: &Change, offer: Offer) -> Result<Decision, Error> {
    let stored = change.stored;
    let (id, game) = (stored.id, &stored.game);
    decide(change, |own| {
        stored.player(!own).map_or(Ok(()), find::refuse_left)?;
        match game.offer() {
            Some((other, open)) if other != own && open == offer => {
                return Ok((Action::Accept, accepted(change, own, offer)));
            }
            _ if offer != Offer::Rematch => refuse_finished(id, change.names, game)?,
            _ if game.has_rematch() => {
                return Err(Error::refused(format!("the rematch of game {id} has begun already"))
                    .with_hint("`outflank games` lists it"));
            }
            // As with a challenge.
            _ => {
                if let (Some(other), Some(player)) = (stored.player(!own), stored.player(own)) {
                    refuse_blocked(change.db, other, player, OTHERS)?;
                }
            }
        }
        match offer {
            Offer::Pause => tournaments::refuse(stored, "games are not paused")?,
            Offer::Rematch => tournaments::refuse(stored, "there is no rematch")?,
            // A takeback decides itself whether it must be offered.
            Offer::TakeBack | Offer::Draw => {}
        }
        if offer == Offer::Pause && stored.agreement.terms.control == TimeControl::None {
            return Err(Error::refused(format!("game {id} has no clock to stop")));
        }
        let other = change.names.of(!own);
        let sentence = match offer {
            Offer::Draw | Offer::Rematch => format!("You offered {other} a {offer} in game {id}."),
            Offer::TakeBack | Offer::Pause => {
                format!("You asked {other} for a {offer} in game {id}.")
            }
        };
        Ok((Action::Offer(offer), sentence))
    })
}

/// Returns the sentence for the player about an accepted offer.
pub(crate) fn accepted(change: &Change, own: Color, offer: Offer) -> String {
    let other = change.names.of(!own);
    match offer {
        Offer::Draw => format!("You and {other} agreed on a draw in this game."),
        Offer::TakeBack => {
            let moves = news::to_take_back(&change.stored.game, !own);
            format!("You let {other} take back {moves} in this game.")
        }
        Offer::Pause => "The game is paused: the clocks stand still.".to_owned(),
        Offer::Rematch => format!("You accepted the rematch with {other}."),
    }
}

/// Returns the error for an event that the log does not allow.
fn refused(change: &Change, own: Color, illegal: &IllegalEvent) -> Error {
    let (id, game) = (change.stored.id, &change.stored.game);
    match (illegal, game.offer()) {
        (IllegalEvent::OpenOffer, Some((by, offer))) if by == own => {
            let message = format!("your {} in game {id} is open already", offer.noun());
            Error::refused(message).with_hint(format!("`outflank decline {id}` withdraws it"))
        }
        (IllegalEvent::OpenOffer, Some((by, offer))) => {
            let sentence = news::offered(game, by, offer, change.names);
            Error::refused(sentence.trim_end_matches('.'))
                .with_hint(format!("answer with {}", answers(change)))
        }
        (IllegalEvent::NoOffer, Some((by, offer))) if by == own => {
            Error::refused(format!("the {} in game {id} is your own", offer.noun()))
                .with_hint(format!("`outflank decline {id}` withdraws it"))
        }
        (IllegalEvent::NoOffer, _) => none_open(id),
        (IllegalEvent::NoMove(_), _) => {
            Error::refused(format!("you have made no move in game {id} yet"))
                .with_hint("there is nothing to take back")
        }
        (IllegalEvent::NotOver, _) => Error::refused(format!("game {id} is not over"))
            .with_hint("a rematch can be offered after its end"),
        (IllegalEvent::Paused, _) => Error::refused(format!("game {id} is paused already"))
            .with_hint(format!("`outflank unpause {id}` ends the pause")),
        (IllegalEvent::NotPaused, _) => Error::refused(format!("game {id} is not paused")),
        (illegal, _) => Error::refused(format!("{illegal} (game {id})")),
    }
}

/// Returns the commands with which the open offer of the opponent can be answered now.
fn answers(change: &Change) -> String {
    let Change { stored, env, .. } = change;
    let id = stored.id;
    match can_be_accepted(stored, &stored.game, env.now()) {
        true => format!("`outflank accept {id}` or `outflank decline {id}`"),
        false => format!("`outflank decline {id}`"),
    }
}

/// Refuses to answer an offer that the answered mail did not show yet.
pub(crate) fn refuse_unseen(
    change: &Change,
    own: Color,
    known: Option<Known>,
) -> Result<(), Error> {
    let &Change { stored, names, .. } = change;
    let game = &stored.game;
    let (Some(known), Some((by, offer)), Some(since)) =
        (known, game.offer(), game.offer_valid_from())
    else {
        return Ok(());
    };
    let is_known = match known {
        // A restored backup has fewer events than a mail that was sent after it.
        Known::Events(events) | Known::AtBoard(events) => {
            (since..=game.events().len()).contains(&events)
        }
        Known::Before(time) => stored.times.get(since - 1).is_some_and(|&made| made < time),
        Known::Challenge => false,
    };
    if is_known {
        return Ok(());
    }
    let id = stored.id;
    let (shown, reply) = match known {
        Known::AtBoard(_) => ("the board did not yet show", ""),
        _ => ("the mail that you replied to did not show", "reply to this mail with "),
    };
    Err(if by == own {
        Error::refused(format!("{shown} your {} in game {id}", offer.noun()))
            .with_hint(format!("{reply}`outflank decline {id}` to withdraw it"))
    } else {
        let offer = news::offered(game, by, offer, names);
        let offer = offer.trim_end_matches('.');
        Error::refused(format!("{shown} what is open now in game {id}: {offer}"))
            .with_hint(format!("{reply}{}", answers(change)))
    })
}

/// Returns the error for an answer where no offer is open.
pub(crate) fn none_open(id: GameId) -> Error {
    Error::refused(format!("no offer is open in game {id}"))
        .with_hint(format!("see `outflank show {id}`"))
}
