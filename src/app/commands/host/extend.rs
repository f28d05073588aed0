use std::str::FromStr;

use clap::Args;
use serde_json::json;

use crate::app::commands::host::decision::WithReason;
use crate::app::effects::change::{refuse_finished, write_after_flag};
use crate::app::effects::changed::Origin;
use crate::app::effects::{flags, mails};
use crate::app::run::session::Writing;
use crate::app::views::game::names;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, effects, find};
use crate::command::PlayerRef;
use outflank_model::log::{Action, BadGameId, Event, GameId};
use outflank_model::time_control::{Span, TimeControl};
use outflank_model::{Moment, Player, Side, StoredGame};
use outflank_rules::Color;

/// Give players more time, after an outage for example
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
With `all`, every player to move in a game with a clock gets the time.

Examples:
  outflank extend 12 2d
  outflank extend 12 2d bob
  outflank extend all 2d --reason \"the server was down\"")]
pub struct Extend {
    /// The number of the game, or all
    #[arg(value_name = "GAME|all")]
    games: Games,
    /// How much more time: 2d, 12h or 1d12h
    span: Span,
    /// The player who gets it [default: the player to move]
    player: Option<PlayerRef>,
    #[command(flatten)]
    reason: WithReason,
}

#[derive(Debug, Clone, Copy)]
enum Games {
    All,
    One(GameId),
}

impl FromStr for Games {
    type Err = BadGameId;

    fn from_str(text: &str) -> Result<Self, BadGameId> {
        if text.eq_ignore_ascii_case("all") { Ok(Self::All) } else { text.parse().map(Self::One) }
    }
}

impl UseCase for Extend {
    const TRAITS: Traits = Traits::new("extend", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reason = self.reason.text()?;
        match self.games {
            Games::One(game) => {
                write_after_flag(session, game, |writing| self.extend_one(writing, game, &reason))
            }
            Games::All => session.write(|writing| self.extend_all(writing, &reason)),
        }
    }
}

impl Extend {
    fn extend_one(&self, writing: &mut Writing, id: GameId, reason: &str) -> Result<Reply, Error> {
        let stored = find::game(writing.tx, id)?;
        let names = names(&stored);
        refuse_finished(id, names, &stored.game)?;
        if stored.agreement.terms.control == TimeControl::None {
            return Err(Error::refused(format!("game {id} has no clock")));
        }
        let player = match &self.player {
            Some(player) => Some(find::color_of(writing.tx, &stored, player)?),
            None => stored.game.turn(),
        };
        let player = player.ok_or_else(|| Error::fault("an active game has no turn"))?;
        if stored.player(player).is_none() {
            let message = format!("{} is a computer player and has no clock", names.of(player));
            return Err(Error::refused(message).with_hint("name the opponent"));
        }
        let moment = self.extend(writing, &stored, player, reason)?;
        let who = names.with_color(player);
        let text = format!("The host has given {who} {} more.", self.span.words());
        for to in stored.sides().into_iter().filter_map(Side::person) {
            mails::notice(&mut writing.outbox, to, Some(moment), &with_reason(&text, reason))?;
        }
        Ok(self.reply(&[id], format!("{who} has {} more in game {id}.", self.span.words())))
    }

    fn extend_all(&self, writing: &mut Writing, reason: &str) -> Result<Reply, Error> {
        let player = self.player.as_ref();
        let whose = player.map(|player| find::player(writing.tx, player)).transpose()?;
        let mut notified: Vec<Player> = Vec::new();
        let mut extended = Vec::new();
        for id in writing.tx.games_with_clock(whose.as_ref().map(|player| player.id))? {
            let stored = find::game(writing.tx, id)?;
            let stored = flags::record(&mut writing.outbox, stored)?;
            // The flag may have ended the game.
            let Some(turn) = stored.game.turn() else { continue };
            if stored.player(turn).is_none() {
                continue;
            }
            self.extend(writing, &stored, turn, reason)?;
            extended.push(id);
            for player in stored.sides().into_iter().filter_map(Side::person) {
                if notified.iter().all(|known| known.id != player.id) {
                    notified.push(player.clone());
                }
            }
        }
        let span = self.span.words();
        let text = match &whose {
            Some(Player { name, .. }) => {
                format!(
                    "The host has given {name} {span} more in all games in which {name} is on turn."
                )
            }
            None => format!("The host has given {span} more to each player on turn."),
        };
        for player in &notified {
            mails::notice(&mut writing.outbox, player, None, &with_reason(&text, reason))?;
        }
        let count = match extended.len() {
            0 => "No game with a clock is active.".to_owned(),
            1 => format!("The player to move has {span} more in 1 game."),
            count => format!("The players to move have {span} more in {count} games."),
        };
        Ok(self.reply(&extended, count))
    }

    /// Gives a player more time. Returns the moment after that.
    fn extend(
        &self,
        writing: &mut Writing,
        stored: &StoredGame,
        player: Color,
        reason: &str,
    ) -> Result<Moment, Error> {
        let now = writing.env.now();
        let mut game = stored.game.clone();
        let (span, reason) = (self.span.0.num_seconds(), reason.to_owned());
        game.apply(Event::by_host(Action::Extend { player, span, reason }))
            .map_err(Error::refused)?;
        effects::store(&mut writing.outbox, stored, &game, now, &Origin::default())?;
        Ok(Moment::of(stored.id, &game))
    }

    fn reply(&self, games: &[GameId], text: String) -> Reply {
        let games: Vec<_> = games.iter().map(|game| game.0).collect();
        Reply::new(&json!({ "games": games, "seconds": self.span.0.num_seconds() })).text(text)
    }
}

fn with_reason(text: &str, reason: &str) -> String {
    if reason.is_empty() { text.to_owned() } else { format!("{text}\nReason: {reason}") }
}
