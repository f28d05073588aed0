//! Clocks of games in commands: which settings apply to them, and flags that have fallen.

use chrono::{DateTime, Utc};
use clap::Args;

use crate::app::effects::notify::GamePlayers;
use crate::app::effects::notify::Outbox;
use crate::app::session::Reading;
use crate::app::session::Writing;
use crate::app::{Error, Reply, Session, find};
use crate::log::{Action, Event, Game, GameId};
use crate::store::{Absence, Listing, MailId, Player, Side, StoredGame, Tx};
use crate::time_control::{ClockSettings, Clocks, FlagRule, Terms, TimeControl};
use outflank_rules::Color;

/// What the players of a new game agree on about time.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ClockOptions {
    /// How much time each player has: 3d for each move, 10d+1d or 10d+1d,max=15d (a bank and what
    /// each move adds), total=60d for all moves, or none
    #[arg(long, value_name = "SPEC", default_value = "none", hide_default_value = true)]
    clock: TimeControl,
    /// Stop the clocks on the players' free weekdays
    #[arg(long)]
    free_weekends: bool,
    /// When a player's time is over: claim (the opponent can claim the game) or hard (the player
    /// loses) [default: claim]
    #[arg(long, value_name = "RULE", default_value = "claim", hide_default_value = true)]
    flag: FlagRule,
    /// Let the clocks run while players are away
    #[arg(long)]
    no_away: bool,
}

impl ClockOptions {
    /// Refuses options that mean nothing without a clock.
    pub(crate) fn terms(self) -> Result<Terms, Error> {
        let Self { clock, free_weekends, flag, no_away } = self;
        if clock == TimeControl::None && (free_weekends || flag == FlagRule::Hard) {
            let option = if free_weekends { "--free-weekends" } else { "--flag hard" };
            let error = Error::usage(format!("{option} needs a clock"));
            return Err(error.with_hint("add one, such as `--clock 3d`"));
        }
        Ok(Terms { control: clock, free_weekends, flag, absences: !no_away })
    }
}

/// Returns the settings of a player that apply to clocks.
pub(crate) const fn settings_of(player: &Player) -> ClockSettings {
    player.preferences.clock
}

/// Returns the settings that apply to the clock of a player of a game; the default ones for a
/// computer player, who has no clock.
pub(crate) fn settings_in(stored: &StoredGame, color: Color) -> ClockSettings {
    stored.player(color).map(settings_of).unwrap_or_default()
}

/// Logs the settings of the player to move if they differ from those that the log has. From the
/// player's turn on they apply.
pub(crate) fn log_settings(
    game: &mut Game,
    clocks: &Clocks,
    player: impl FnOnce(Color) -> ClockSettings,
) -> Result<(), Error> {
    let Some(turn) = clocks.running().filter(|_| clocks.deadline().is_some()) else {
        return Ok(());
    };
    let settings = player(turn);
    if *clocks.settings(turn) == settings {
        return Ok(());
    }
    let event = Event::by(turn, Action::Settings(settings.to_string()));
    game.apply(event).map_err(Error::refused)
}

/// Logs what applies to the clocks from the start of a game on: settings and absences.
pub(crate) fn log_start(
    tx: &Tx,
    game: &mut Game,
    terms: &Terms,
    [black, white]: [&Side; 2],
    now: DateTime<Utc>,
) -> Result<(), Error> {
    if game.turn().is_none() {
        return Ok(());
    }
    let player = |color| if color == Color::Black { black.person() } else { white.person() };
    let times = vec![now; game.events().len()];
    let clocks = Clocks::of(terms, game, now, &times);
    let clocks = clocks.of_people(Color::BOTH.map(|color| player(color).is_some()));
    log_settings(game, &clocks, |color| player(color).map(settings_of).unwrap_or_default())?;
    for color in Color::BOTH.into_iter().filter(|_| terms.absences) {
        let Some(player) = player(color) else { continue };
        for Absence { from, until } in tx.absences(player.id, now)? {
            let from = from.max(now).timestamp();
            let event = Event::by(color, Action::Away { from, until: until.timestamp() });
            game.apply(event).map_err(Error::refused)?;
        }
    }
    Ok(())
}

/// Records in a transaction of its own that the time of the player to move is over, if it is, so
/// that it stays recorded when the command is refused. Returns the mails about it.
pub(crate) fn record_flag(session: &mut Session, id: GameId) -> Result<Vec<MailId>, Error> {
    let has_passed = session.read(|Reading { db, env, .. }| {
        Ok(db.deadline(id)?.is_some_and(|deadline| deadline <= env.now()))
    })?;
    if !has_passed {
        return Ok(Vec::new());
    }
    let recorded = session.write(|Writing { outbox, .. }| {
        let stored = find::game(outbox.tx, id)?;
        outbox.record_flag(stored)?;
        Ok(Reply::default())
    })?;
    Ok(recorded.mails)
}

impl Outbox<'_> {
    /// Logs that a player is away or back in all active games that allow absences, and tells each
    /// opponent once.
    pub(crate) fn log_absence(
        &mut self,
        player: &Player,
        action: &Action,
        text: &str,
    ) -> Result<(), Error> {
        let mut told = Vec::new();
        for listing in [Listing::ToMove(player.id), Listing::ToWait(player.id)] {
            for id in self.tx.list(listing, None)? {
                let stored = find::game(self.tx, id)?;
                let stored = self.record_flag(stored)?;
                let own = stored.color_of(player.id).filter(|_| stored.game.turn().is_some());
                let Some(own) = own.filter(|_| stored.terms.absences) else { continue };
                let mut game = stored.game.clone();
                game.apply(Event::by(own, action.clone())).map_err(Error::refused)?;
                self.tx.save_game(&stored, &game, self.env.now())?;
                let Some(opponent) = stored.player(!own) else { continue };
                if !told.contains(&opponent.id) {
                    told.push(opponent.id);
                    self.notice(opponent, None, text)?;
                }
            }
        }
        Ok(())
    }

    /// Records that the time of the player to move is over, if it is, and notifies both players.
    /// Returns the game after that.
    pub(crate) fn record_flag(&mut self, mut stored: StoredGame) -> Result<StoredGame, Error> {
        let clocks = stored.clocks();
        let now = self.env.now();
        let (Some(player), Some(deadline)) = (clocks.running(), clocks.deadline()) else {
            return Ok(stored);
        };
        if deadline > now {
            return Ok(stored);
        }
        let action = match stored.terms.flag {
            FlagRule::Claim => Action::Flag(player),
            FlagRule::Hard => Action::TimeOut(player),
        };
        let mut game = stored.game.clone();
        game.apply(Event::by_host(action)).map_err(Error::refused)?;
        self.tx.save_game(&stored, &game, deadline)?;
        let StoredGame { id, black, white, .. } = &stored;
        self.announce_flag(&GamePlayers { id: *id, black, white, game: &game })?;
        stored.times.push(deadline);
        stored.game = game;
        Ok(stored)
    }
}
