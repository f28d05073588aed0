//! Outages: times without a `send` that checked for passed deadlines, or without a mail server that took
//! mail. No flag falls in one, and the deadlines that fell into it are moved behind it. The host must first
//! confirm a clock that seems to be far ahead.

use std::iter;

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::effects::alarms::record_fault;
use crate::app::effects::changed::Origin;
use crate::app::effects::mails;
use crate::app::effects::outbox::Outbox;
use crate::app::run::retry::RETRIED_FOR;
use crate::app::views::game::names;
use crate::app::views::time::span;
use crate::app::{App, Env, Error, contain_part, effects, find, host_items};
use crate::store::{self, ClockDoubt, Db, HostItemKind, Tx};
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_model::time_control::respite_without_mail;
use outflank_model::{Moment, Player, PlayerId, StoredGame};
use outflank_rules::Color;

/// The longest time between two checks that is not an outage.
const MAX_BETWEEN_CHECKS: TimeDelta = TimeDelta::hours(2);
/// How often `send` stores that it has checked.
pub(crate) const STORING_INTERVAL: TimeDelta = TimeDelta::minutes(10);
/// The most games of one transaction. Other processes can write between two of them.
const MAX_GAMES: usize = 50;
/// A clock that is further ahead of all that is known is doubted, and is believed when `send` has run with
/// it for as long.
const MAX_AHEAD: TimeDelta = TimeDelta::days(14);
/// The longest time between two runs of `send` that run each day.
const MAX_BETWEEN_DAILY: TimeDelta = TimeDelta::hours(36);

/// Returns whether a deadline that has passed in a game fell into an outage, of the server or of its mail
/// server, and is still to be moved.
pub(crate) fn covers(
    db: &Db,
    game: GameId,
    deadline: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    if covers_of_server(db, deadline, now)? {
        return Ok(true);
    }
    let since = db.mail_outage()?.map(|outage| outage.since);
    let is_in_outage = since.is_some_and(|since| since < deadline && since <= now);
    if !is_in_outage || !db.is_turn_mail_unsent(game, now)? {
        return Ok(false);
    }
    // The first outage of a turn ends at the latest when its mail is given up.
    let stored = find::game(db, game)?;
    let turn_start = stored.clocks().turn_start();
    let first = mail_outages(&stored).next().and_then(|since| DateTime::from_timestamp(since, 0));
    Ok(first.is_none_or(|first| now - first.max(turn_start) < RETRIED_FOR))
}

/// Returns the same for an outage of the server. If `send` never ran, there is none, but a clock that seems
/// to be far ahead.
pub(crate) fn covers_of_server(
    db: &Db,
    deadline: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    if deadline > now {
        return Ok(false);
    }
    let since = match outage_since(db, now)? {
        Some(since) => Some(since),
        None => doubt(db, now)?.map(|doubt| doubt.known),
    };
    Ok(since.is_some_and(|since| since < deadline))
}

/// Returns when the outages of the mail server began that have moved the deadline of the present turn.
fn mail_outages(stored: &StoredGame) -> impl Iterator<Item = i64> {
    let turn = stored.game.events().iter().skip(stored.game.position_event());
    turn.filter_map(|event| match event.action {
        Action::Outage { since, of_mail: true } => Some(since),
        _ => None,
    })
}

/// Returns when `send` last checked for passed deadlines, if there is an outage since.
fn outage_since(db: &Db, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Error> {
    Ok(db.deadlines_checked_at()?.filter(|&checked_at| now - checked_at > MAX_BETWEEN_CHECKS))
}

/// Returns the doubt of the clock that is stored, if the clock is still as far ahead.
fn doubt(db: &Db, now: DateTime<Utc>) -> Result<Option<ClockDoubt>, store::Error> {
    Ok(db.clock_doubt()?.filter(|doubt| now - doubt.known > MAX_AHEAD))
}

/// Returns the doubt of the clock, stored or new.
fn present_doubt(db: &Db, now: DateTime<Utc>) -> Result<Option<ClockDoubt>, store::Error> {
    if db.clock_doubt()?.is_some() { doubt(db, now) } else { new_doubt(db, now) }
}

/// Returns a new doubt of the clock: games wait, and it is far ahead of the newest event and of the last
/// `send`.
fn new_doubt(db: &Db, now: DateTime<Utc>) -> Result<Option<ClockDoubt>, store::Error> {
    let checked_at = db.deadlines_checked_at()?;
    if checked_at.is_some_and(|at| now - at <= MAX_AHEAD) {
        return Ok(None);
    }
    if !db.has_deadlines()? && db.due_tournament(now)?.is_none() {
        return Ok(None);
    }
    let known = db.newest_event()?.map(|(_, at)| at).max(checked_at);
    let known = known.filter(|&known| now - known > MAX_AHEAD);
    Ok(known.map(|known| ClockDoubt { known, sends: None }))
}

/// Stores that the clock seems to be far ahead before something is stored with its time.
pub(crate) fn store_doubt(tx: &Tx, now: DateTime<Utc>) -> Result<(), Error> {
    if tx.deadlines_checked_at()?.is_some_and(|at| now - at > MAX_AHEAD)
        && tx.clock_doubt()?.is_none()
        && let Some(doubt) = new_doubt(tx, now)?
    {
        tx.set_clock_doubt(Some(doubt))?;
    }
    Ok(())
}

/// Returns a sentence without full stop about a clock that seems to be far ahead; `None` if it does not.
pub(crate) fn doubted(db: &Db, now: DateTime<Utc>) -> Result<Option<String>, store::Error> {
    Ok(present_doubt(db, now)?.map(|ClockDoubt { known, .. }| {
        format!(
            "by the clock of this machine, {} have passed since the last event and the last `send`, so no \
             deadline is looked at; correct the clock, or if it is right, run `outflank send --after-outage`",
            span(now - known)
        )
    }))
}

/// Decides whether `send` believes the clock: it is not far ahead, or `send` has run with it for 14 days.
/// Returns a sentence about a clock that it doubts.
fn judge_clock(env: &Env, tx: &Tx) -> Result<Option<String>, Error> {
    let now = env.now();
    let Some(ClockDoubt { known, sends }) = present_doubt(tx, now)? else {
        tx.set_clock_doubt(None)?;
        return Ok(None);
    };
    let is_daily = |last: DateTime<Utc>| last <= now && now - last <= MAX_BETWEEN_DAILY;
    let since = sends.filter(|&(_, last)| is_daily(last)).map_or(now, |(since, _)| since);
    if now - since >= MAX_AHEAD {
        return Ok(None);
    }
    let is_new = sends.is_none_or(|(_, last)| (now - last).abs() >= STORING_INTERVAL);
    if is_new {
        tx.set_clock_doubt(Some(ClockDoubt { known, sends: Some((since, now)) }))?;
    }
    let sentence = doubted(tx, now)?;
    if let (true, Some(sentence)) = (is_new, &sentence) {
        host_items::add(env, tx, HostItemKind::Clock, 0, sentence)?;
    }
    Ok(sentence)
}

impl App {
    /// Stores that `send` checks for passed deadlines now. If an outage ends with that, moves the
    /// deadlines that fell into it first. Returns a line for each game that failed, and whether deadlines
    /// can be checked: not while the clock seems to be far ahead, unless the host `confirms` it.
    pub(crate) fn store_check(
        &mut self,
        confirms: bool,
        is_active: &dyn Fn() -> bool,
    ) -> Result<(Vec<String>, bool), Error> {
        let mut problems = self.finish_mail_outage(is_active)?;
        let env = &self.env;
        let now = env.now();
        let is_stored = self.store.read(|db| {
            let checked_at = db.deadlines_checked_at()?;
            let is_stored = checked_at.is_some_and(|at| (now - at).abs() < STORING_INTERVAL);
            // Without an installation there are no games.
            Ok::<_, Error>(is_stored || db.installation_token()?.is_none())
        })?;
        if is_stored {
            return Ok((problems, true));
        }
        let is_far =
            |db: &Db| Ok::<_, Error>(doubted(db, now)?.is_some() || db.clock_doubt()?.is_some());
        if !confirms
            && self.store.read(is_far)?
            && let Some(sentence) = self.store.write(|tx| judge_clock(env, tx))?
        {
            problems.push(sentence);
            return Ok((problems, false));
        }
        let missed = self.store.read(|db| match outage_since(db, now)? {
            Some(since) => Ok::<_, Error>(db.games_with_deadline(since, now)?),
            None => Ok(Vec::new()),
        })?;
        if !self.move_all(&missed, false, is_active, &mut problems)? {
            return Ok((problems, false));
        }
        self.store.write(|tx| {
            tx.set_deadlines_checked_at(now)?;
            Ok::<_, Error>(tx.set_clock_doubt(None)?)
        })?;
        Ok((problems, true))
    }

    /// Moves the deadlines of these games after an outage, of the mail server or of the server, and adds a
    /// line for each game that failed. Returns false if `is_active` did so before the end.
    fn move_all(
        &mut self,
        games: &[GameId],
        of_mail: bool,
        is_active: &dyn Fn() -> bool,
        problems: &mut Vec<String>,
    ) -> Result<bool, Error> {
        let env = &self.env;
        for games in games.chunks(MAX_GAMES) {
            if !is_active() {
                return Ok(false);
            }
            let work = |tx: &Tx| move_deadlines(&mut Outbox::new(env, tx), games, of_mail);
            problems.extend(self.store.write(work)?);
        }
        Ok(true)
    }

    /// Moves the deadlines of games with a waiting turn mail, if an outage of the mail server has ended.
    /// Returns a line for each game that failed.
    pub(crate) fn finish_mail_outage(
        &mut self,
        is_active: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, Error> {
        let (now, mut problems) = (self.env.now(), Vec::new());
        let games = self.store.read(|db| {
            let has_ended = db.mail_outage()?.is_some_and(|outage| outage.until.is_some());
            has_ended.then(|| waiting_for_mail(db, now)).transpose()
        })?;
        if let Some(games) = games
            && self.move_all(&games, true, is_active, &mut problems)?
        {
            self.store.write(|tx| Ok::<_, Error>(tx.forget_mail_outage()?))?;
        }
        Ok(problems)
    }
}

/// Returns the games with an unsent turn mail that is due. An outage of the mail server moves their deadlines
/// if it ends now.
fn waiting_for_mail(db: &Db, now: DateTime<Utc>) -> Result<Vec<GameId>, Error> {
    Ok(db.games_with_unsent_turn_mail(now, now + TimeDelta::days(1))?)
}

/// Records that mails to these players were accepted or have failed. That ends an outage of the mail server for the
/// games whose present turn they show, and for all games if one was accepted. The mails are not settled yet.
pub(crate) fn settle_mail_outage(
    outbox: &mut Outbox,
    reached: &[(PlayerId, Moment)],
    is_accepted: bool,
) -> Result<(), Error> {
    let tx = outbox.tx;
    let now = outbox.env.now();
    if tx.mail_outage()?.is_none() {
        return Ok(());
    }
    let (waiting, mut games) = (waiting_for_mail(tx, now)?, Vec::new());
    for (player, at) in reached.iter().filter(|(_, at)| waiting.contains(&at.game)) {
        let game = tx.current_game(at.game, *player)?;
        if game.is_turn && game.position_event <= at.events {
            games.push(at.game);
        }
    }
    // A failure is recorded in its game.
    move_deadlines(outbox, &games, true)?;
    if is_accepted {
        tx.end_mail_outage(now)?;
    }
    Ok(())
}

/// Moves the deadlines of games that fell into an outage, and notifies their players, each by one mail.
/// Returns a line for each game that failed.
fn move_deadlines(
    outbox: &mut Outbox,
    games: &[GameId],
    of_mail: bool,
) -> Result<Vec<String>, Error> {
    let (tx, now) = (outbox.tx, outbox.env.now());
    let (mut problems, mut news): (Vec<_>, Vec<News>) = (Vec::new(), Vec::new());
    for &game in games {
        let move_one = || {
            let Some(stored) = find::intact_game(tx, game)? else { return Ok(Vec::new()) };
            let since = match of_mail {
                true => mail_outage_since(tx, &stored, now)?,
                false => server_outage_since(tx, &stored, now)?,
            };
            since.map_or(Ok(Vec::new()), |since| store_outage(outbox, &stored, since, of_mail))
        };
        match contain_part(tx, move_one)? {
            Ok(moved) => news.extend(moved),
            Err(error) => problems.push(record_fault(outbox, game, &error)?),
        }
    }
    // Each player gets one mail about an outage.
    let key = |news: &News| (news.player.id.0, news.outage);
    news.sort_by_key(key);
    for news in news.chunk_by(|one, other| key(one) == key(other)) {
        notify(outbox, news, of_mail)?;
    }
    Ok(problems)
}

/// What a player must know about a deadline that an outage has moved.
struct News {
    player: Player,
    game: Moment,
    /// The sentence about the game.
    sentence: String,
    /// When the outage began.
    outage: DateTime<Utc>,
}

/// Notifies a player of an outage that has moved the deadlines of these games.
fn notify(outbox: &mut Outbox, news: &[News], of_mail: bool) -> Result<(), Error> {
    let Some(News { player, game, outage, .. }) = news.first() else { return Ok(()) };
    let zone = player.preferences.clock.zone;
    let what = if of_mail { "The mail server" } else { "The server" };
    let [since, now] = [*outage, outbox.env.now()].map(|time| zone.shown(time));
    let head = format!("{what} was down from {since} to {now}.");
    let sentences = news.iter().map(|news| &*news.sentence);
    if let Some(mail) = outbox.tx.untried_notice(player.id, &head)? {
        // That of games before these.
        let lines: Vec<_> = sentences.map(|it| format!("- {it}")).collect();
        return Ok(outbox.tx.append_text(mail, &lines.join("\n"))?);
    }
    let (game, gap) = if news.len() == 1 { (Some(*game), " ") } else { (None, "\n- ") };
    let text: Vec<_> = iter::once(&*head).chain(sentences).collect();
    mails::notice(outbox, player, game, &text.join(gap))
}

/// Returns the beginning of the outage of the server that the deadline of a game fell into; `None` if there
/// is none.
fn server_outage_since(
    db: &Db,
    stored: &StoredGame,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, Error> {
    let deadline = stored.clocks().deadline().filter(|&deadline| deadline <= now);
    Ok(outage_since(db, now)?.filter(|&since| deadline.is_some_and(|it| it > since)))
}

/// Returns the beginning of the outage of the mail server that moves the deadline of a game if it ends now;
/// `None` if there is none.
fn mail_outage_since(
    db: &Db,
    stored: &StoredGame,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, Error> {
    let Some(since) = db.mail_outage()?.map(|outage| outage.since) else { return Ok(None) };
    let Some(deadline) = stored.clocks().deadline() else { return Ok(None) };
    let moves = mail_outages(stored).all(|earlier| earlier != since.timestamp())
        && deadline > since
        && deadline < now + respite_without_mail(&stored.agreement.terms)
        && db.is_turn_mail_unsent(stored.id, now)?;
    Ok(moves.then_some(since))
}

/// Returns the log of a game as a mail shows it that ends an outage of the mail server; `None` if there is none, or
/// if it changes nothing. A mail that was first tried before the outage shows no change either: its reader may have
/// it already.
pub(crate) fn after_mail_outage(
    db: &Db,
    stored: &StoredGame,
    first_try_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Option<Game>, Error> {
    let since = mail_outage_since(db, stored, now)?;
    let since = since.filter(|&since| first_try_at.is_none_or(|first| first >= since));
    since.map(|since| with_outage(stored, since, true)).transpose()
}

/// Returns whether the deadline that a mail has shown since its first try moves if the mail ends an outage of the
/// mail server.
pub(crate) fn outdates_mail(
    db: &Db,
    game: GameId,
    first_try_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    let since = mail_outage_since(db, &find::game(db, game)?, now)?;
    Ok(since.is_some_and(|since| first_try_at < since))
}

/// Returns the log of a game with an outage since this time.
fn with_outage(stored: &StoredGame, since: DateTime<Utc>, of_mail: bool) -> Result<Game, Error> {
    let mut game = stored.game.clone();
    let outage = Action::Outage { since: since.timestamp(), of_mail };
    game.apply(Event::by_host(outage)).map_err(Error::refused)?;
    Ok(game)
}

/// Stores an outage in the log of a game. Returns what its players must know.
fn store_outage(
    outbox: &mut Outbox,
    stored: &StoredGame,
    since: DateTime<Utc>,
    of_mail: bool,
) -> Result<Vec<News>, Error> {
    let (id, now) = (stored.id, outbox.env.now());
    let game = with_outage(stored, since, of_mail)?;
    effects::store(outbox, stored, &game, now, &Origin::default())?;
    let names = names(stored);
    let deadline = stored.clocks_of(&game, Some(now)).deadline();
    let told = game.turn().zip(deadline).filter(|_| !stored.local);
    let Some((turn, deadline)) = told else { return Ok(Vec::new()) };
    let why = if of_mail { "was running" } else { "ran out" };
    let news = Color::BOTH.into_iter().filter_map(|color| {
        let player = stored.player(color)?.clone();
        let whose = if color == turn { "Your".to_owned() } else { format!("{}'s", names.of(turn)) };
        let deadline = player.preferences.clock.zone.shown(deadline);
        let sentence =
            format!("{whose} time in game {id} {why} meanwhile, so it now ends on {deadline}.");
        Some(News { player, game: Moment::of(id, &game), sentence, outage: since })
    });
    Ok(news.collect())
}
