use std::collections::HashMap;
use std::str::FromStr;
use std::{fmt, vec};

use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use serde_json::{Value, json};

use crate::app::effects::flags;
use crate::app::run::session::Reading;
use crate::app::views::challenge;
use crate::app::views::game::{offer_to_json, state, status, title, tournament_to_json};
use crate::app::views::json::{json_time, merged};
use crate::app::views::reply::{Part, Rest, json_elements};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::time::{self as time_view, Away};
use crate::app::{Actor, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::SideRef;
use crate::store::{Db, GameSummary, Listing};
use outflank_model::log::{GameId, Offer};
use outflank_model::{Player, Side};
use outflank_rules::Color;

/// List games, those that wait for the player first, the least time left on top
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: games --finished")]
pub struct Games {
    /// Only the games of this player, or of bot:5 [default: the one of --as, else all]
    player: Option<SideRef>,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Clone, Default, Args)]
#[group(multiple = false)]
struct Which {
    /// Active games (the default)
    #[arg(long)]
    active: bool,
    /// Finished games, the latest first
    #[arg(long)]
    finished: bool,
    /// Active games, then finished ones
    #[arg(long)]
    all: bool,
    /// Imported games, which were played elsewhere, the latest first
    #[arg(long, conflicts_with = "player")]
    imported: bool,
    /// Only the most urgent game: the least time left, or the longest waiting
    #[arg(long)]
    next: bool,
}

/// Less time than this is emphasized.
const SHORT: TimeDelta = TimeDelta::days(1);

impl UseCase for Games {
    const TRAITS: Traits = Traits { synonyms: &["status"], ..Traits::new("games", Heading::Look) };

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if let Some(SideRef::Person(named)) = &self.player {
            session.front_end.refuse_address(named)?;
        }
        let is_shell = session.front_end.is_shell();
        session.read(|reading| self.list(&reading, is_shell))
    }
}

impl Games {
    fn list(
        &self,
        &Reading { db, env, actor, most }: &Reading,
        is_shell: bool,
    ) -> Result<Reply, Error> {
        let reader = find::actor(db, actor)?.map(Side::from);
        let player = match &self.player {
            Some(SideRef::Person(named)) => Some(find::player(db, named)?.into()),
            Some(SideRef::Bot(bot)) => Some(bot.clone().into()),
            None if self.which.imported => None,
            None => reader.clone(),
        };
        let (ids, waiting) = self.which.list(db, player.as_ref(), most)?;
        if let Some(SideRef::Bot(bot)) = &self.player
            && ids.is_empty()
            && db.list(Listing::FinishedOf(bot), Some(1))?.is_empty()
        {
            // A program that is no longer configured may have games.
            find::known_program(env, bot)?;
        }
        let is_actor = player == reader;
        let sees = match &reader {
            Some(reader) => OffersShown::Of(reader.name().to_owned()),
            None if is_shell => OffersShown::All,
            None => OffersShown::None,
        };
        let player = player.map(|player| player.name().to_owned());
        let now = env.now();
        let rest = RestOfGames::new(db, ids, now)?;
        let rest = RestOfGames { player, is_actor, sees, ..rest };
        let reader = reader.as_ref().and_then(Side::person);
        let challenges = match reader.filter(|_| is_actor && self.which.has_waiting()) {
            Some(reader) => challenge::acceptable(db, reader, now)?,
            None => Vec::new(),
        };
        self.reply(db, rest, waiting, &challenges, *actor == Actor::Host)
    }

    /// Returns the reply with the first games of the list. `waiting` is how many of them all wait for the
    /// player.
    fn reply(
        &self,
        db: &Db,
        mut rest: RestOfGames,
        waiting: usize,
        challenges: &[String],
        is_host: bool,
    ) -> Result<Reply, Error> {
        let games = rest.summaries(db)?;
        let name = rest.player.as_deref();
        let whom = name.map(|name| if rest.is_actor { "you" } else { name });
        let of = name.map_or(String::new(), |name| format!(" for {name}"));
        let start = if is_host { " `new VARIANT BLACK WHITE` starts one." } else { "" };
        let empty = match self.which {
            Which { next: true, .. } => none_waits(whom),
            Which { finished: true, .. } => format!("No finished games{of}."),
            Which { imported: true, .. } => "No imported games.".to_owned(),
            Which { all: true, .. } => format!("No games{of}.{start}"),
            _ => format!("No active games{of}.{start}"),
        };
        let mut reply = Reply::list("games", games.iter().map(|game| rest.json(game)));
        if let Some(whom) = whom.filter(|_| self.which.has_waiting() && !games.is_empty()) {
            reply = reply.text(sentence(waiting, whom));
        }
        if !challenges.is_empty() {
            reply = reply.text(challenges.join("\n"));
        }
        let reply = reply.table(rest.table(&games), &empty);
        if rest.ids.as_slice().is_empty() {
            return Ok(reply);
        }
        Ok(Reply { rest: Some(Box::new(rest)), ..reply })
    }
}

/// The games of a list that are still to be read.
#[derive(Debug)]
struct RestOfGames {
    ids: vec::IntoIter<GameId>,
    /// Who can claim those that were read last.
    claimants: HashMap<GameId, Color>,
    now: DateTime<Utc>,
    away: Away,
    /// The player that the list is for; `None` for a list of everybody's games.
    player: Option<String>,
    /// Whether that is the player who reads the list.
    is_actor: bool,
    sees: OffersShown,
}

/// The games that show the reader their open offers.
#[derive(Debug)]
enum OffersShown {
    /// All: the reader is the host.
    All,
    /// Those of this player, who reads the list.
    Of(String),
    /// None: a public page has no reader.
    None,
}

/// The number of games that are read and printed at a time.
const GAMES_PER_PART: usize = 500;

impl RestOfGames {
    /// Returns the games with these numbers, as the public sees them.
    fn new(db: &Db, ids: Vec<GameId>, now: DateTime<Utc>) -> Result<Self, Error> {
        let (ids, claimants, away) = (ids.into_iter(), HashMap::new(), Away::at(db, now)?);
        let (player, is_actor, sees) = (None, false, OffersShown::None);
        Ok(Self { ids, claimants, now, away, player, is_actor, sees })
    }

    /// Reads the next games; none at the end. Each is listed once, even if it has changed since the
    /// list began.
    fn summaries(&mut self, db: &Db) -> Result<Vec<GameSummary>, Error> {
        let games = db.summaries(self.ids.by_ref().take(GAMES_PER_PART))?;
        self.claimants.clear();
        for game in &games {
            let claimant = flags::claimant(db, game, self.now)?;
            self.claimants.extend(claimant.map(|claimant| (game.id, claimant)));
        }
        Ok(games)
    }

    /// Returns games as a table.
    fn table(&self, games: &[GameSummary]) -> Table {
        Table::of(
            games,
            &[
                (Column::Number("Game"), &|game| Entry::Game(game.id)),
                (Column::Prose("Variant"), &|game| title(game).into()),
                (Column::Prose("Tournament"), &|game| Entry::of(game.tournament.as_ref())),
                (Column::Prose("Black"), &|game| side(game, &game.black)),
                (Column::Prose("White"), &|game| side(game, &game.white)),
                (Column::Number("Moves"), &|game| game.ply.into()),
                (Column::Text("Score"), &|game| {
                    format!("{}-{}", game.discs.0, game.discs.1).into()
                }),
                (Column::Prose("State"), &|game| self.state(game).into()),
                (Column::Text("Age"), &|game| age(self.now - game.since).into()),
                (Column::Text("Left"), &|game| {
                    game.deadline.map_or(Entry::NONE, |deadline| left(deadline - self.now))
                }),
            ],
        )
    }

    /// Returns how a game stands, in words.
    fn state(&self, game: &GameSummary) -> String {
        [vec![state(game)], self.remarks(game)].concat().join(", ")
    }

    fn json(&self, game: &GameSummary) -> Value {
        // A guest may have the name of a player.
        let away = if game.imported { &Away::default() } else { &self.away };
        let seconds_left = |deadline| time_view::seconds_until(deadline, self.now);
        let json = json!({
            "game": game.id.0,
            "variant": game.variant,
            "black": game.black,
            "white": game.white,
            "status": status(game.turn),
            "turn": game.turn.map(|color| color.to_string()),
            "ply": game.ply,
            "since": json_time(game.since),
            "deadline": game.deadline.map(json_time),
            "seconds_left": game.deadline.map(seconds_left),
            "paused": game.is_paused && game.turn.is_some(),
            "offer": self.offer(game).map(offer_to_json),
            "claimant": self.claimants.get(&game.id).map(|color| color.to_string()),
            "muted": self.is_muted(game),
            "away": away.json(&game.black, &game.white),
        });
        let imported = game.imported.then(|| json!({ "imported": true }));
        merged([json, imported.into(), game.tournament.as_ref().map(tournament_to_json).into()])
    }

    /// Returns remarks on an active game, and on an offer of a rematch.
    fn remarks(&self, game: &GameSummary) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some((by, offer)) = self.offer(game) {
            let verb = match offer {
                Offer::Draw | Offer::Rematch => "offers",
                Offer::TakeBack | Offer::Pause => "asks for",
            };
            remarks.push(format!("{} {verb} a {offer}", game.name(by)));
        }
        if game.turn.is_none() {
            return remarks;
        }
        if game.is_paused {
            remarks.push("paused".to_owned());
        }
        if let Some(&claimant) = self.claimants.get(&game.id) {
            let name = game.name(claimant);
            let is_own = self.is_actor && self.player.as_ref() == Some(name);
            remarks.push(format!("{} can claim", if is_own { "you" } else { name }));
        }
        for name in [&game.black, &game.white] {
            let until = self.away.until(name);
            remarks.extend(until.map(|day| format!("{name} is away until {day}")));
        }
        if self.is_muted(game) {
            remarks.push("muted".to_owned());
        }
        remarks
    }

    /// Returns the open offer of a game, with its author, if the reader may know it.
    fn offer(&self, game: &GameSummary) -> Option<(Color, Offer)> {
        game.offer.filter(|_| match &self.sees {
            OffersShown::All => true,
            OffersShown::Of(reader) => [&game.black, &game.white].contains(&reader),
            OffersShown::None => false,
        })
    }

    /// Returns whether the player of the list gets no turn mails of a game.
    fn is_muted(&self, game: &GameSummary) -> bool {
        let [black, white] = game.muted;
        let is = |name| self.player.as_ref() == Some(name);
        black && is(&game.black) || white && is(&game.white)
    }
}

/// Returns the entry of a side. The name of a guest is nobody of the club.
fn side(game: &GameSummary, name: &str) -> Entry {
    if game.imported { Entry::Text(name.to_owned()) } else { Entry::player(name) }
}

/// Where a part of a public list of games begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// Behind this number of active games.
    Active(usize),
    /// Behind the finished game that ended at this time and has this number.
    Finished(DateTime<Utc>, GameId),
}

impl fmt::Display for Begin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Active(count) => write!(f, "{count}"),
            Self::Finished(at, game) => write!(f, "{}-{game}", at.timestamp()),
        }
    }
}

impl FromStr for Begin {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let begin = match text.split_once('-') {
            None => text.parse().ok().map(Self::Active),
            Some((at, game)) => at.parse().ok().and_then(|at| {
                Some(Self::Finished(DateTime::from_timestamp(at, 0)?, game.parse().ok()?))
            }),
        };
        begin.ok_or_else(|| Error::refused("the list has no such part"))
    }
}

/// Returns a part of the list of all games, or of those of a player, as everybody may see it: active games,
/// then finished ones, the latest first; all or those of a variant. Also returns where the next part begins,
/// if there is one.
pub(crate) fn public_part(
    db: &Db,
    now: DateTime<Utc>,
    player: Option<Player>,
    variant: Option<&str>,
    begin: Begin,
) -> Result<(Reply, Option<Begin>), Error> {
    let (id, name) = player.as_ref().map(|it| (it.id, it.name.clone())).unzip();
    let (mut ids, mut heading, mut behind, mut passed) = (Vec::new(), None, None, 0);
    match begin {
        Begin::Active(count) => {
            let player = player.map(Side::from);
            let (mut active, waiting) = Which::default().list(db, player.as_ref(), None)?;
            if let Some(variant) = variant {
                let of_variant = db.active_of_variant(variant)?;
                active.retain(|game| of_variant.contains(game));
            }
            ids.extend(active.into_iter().skip(count).take(GAMES_PER_PART));
            let name = name.as_deref().filter(|_| count == 0 && variant.is_none());
            heading = name.map(|name| sentence(waiting, name));
            passed = count;
        }
        Begin::Finished(at, game) => behind = Some((at, game)),
    }
    let room = GAMES_PER_PART - ids.len();
    passed += ids.len();
    let most = u32::try_from(room + 1).unwrap_or(u32::MAX);
    let finished = db.finished(id, variant, behind, most)?;
    let has_more = finished.len() > room;
    ids.extend(finished.into_iter().take(room));
    let mut rest = RestOfGames { player: name, ..RestOfGames::new(db, ids, now)? };
    let games = rest.summaries(db)?;
    let next = match games.last() {
        // No finished game had room; there may be more active ones, too.
        Some(last) if last.turn.is_some() => (room == 0).then_some(Begin::Active(passed)),
        Some(last) => has_more.then_some(Begin::Finished(last.since, last.id)),
        None => None,
    };
    let heading = heading.filter(|_| !games.is_empty());
    let reply = heading.into_iter().fold(Reply::default(), Reply::text);
    Ok((reply.table(rest.table(&games), "No games."), next))
}

/// The number of games of a part of a player's finished games.
const FINISHED_PER_PART: u32 = 50;

/// Returns a part of the finished games of a player, who reads it, the latest first, and the key of the next
/// part, if there is one. Without a key, it is the first part.
pub(crate) fn finished_part(
    db: &Db,
    now: DateTime<Utc>,
    player: &Player,
    key: Option<&str>,
) -> Result<(Reply, Option<String>), Error> {
    let behind = match key.map(str::parse).transpose()? {
        Some(Begin::Finished(at, game)) => Some((at, game)),
        Some(Begin::Active(_)) | None => None,
    };
    let mut ids = db.finished(Some(player.id), None, behind, FINISHED_PER_PART + 1)?;
    let has_more = ids.len() > FINISHED_PER_PART as usize;
    ids.truncate(FINISHED_PER_PART as usize);
    let name = player.name.clone();
    let rest = RestOfGames::new(db, ids, now)?;
    let sees = OffersShown::Of(name.clone());
    let mut rest = RestOfGames { player: Some(name), is_actor: true, sees, ..rest };
    let games = rest.summaries(db)?;
    let last = games.last().filter(|_| has_more);
    let next = last.map(|last| Begin::Finished(last.since, last.id).to_string());
    Ok((Reply::default().table(rest.table(&games), "No finished games."), next))
}

impl Rest for RestOfGames {
    fn next(&mut self, db: &Db) -> Result<Option<Part>, Error> {
        let games = self.summaries(db)?;
        if games.is_empty() {
            return Ok(None);
        }
        let json = json_elements(games.iter().map(|game| self.json(game)));
        Ok(Some(Part { json, table: self.table(&games) }))
    }
}

impl Which {
    /// Returns whether the list has all games that wait for the player.
    const fn has_waiting(&self) -> bool {
        !self.finished && !self.imported && !self.next
    }

    /// Returns the numbers of the games in the order of the list, and how many of them wait for the
    /// player. Without a limit, `most` is `None`.
    fn list(
        &self,
        db: &Db,
        player: Option<&Side>,
        most: Option<u32>,
    ) -> Result<(Vec<GameId>, usize), Error> {
        let [mut active, finished] = match player {
            Some(Side::Person(player)) => {
                let id = player.id;
                let active = vec![Listing::ToMove(id), Listing::ToWait(id)];
                [active, vec![Listing::Finished(Some(id))]]
            }
            Some(Side::Bot { bot, .. }) => {
                let active = vec![Listing::BotToMove(bot), Listing::BotToWait(bot)];
                [active, vec![Listing::FinishedOf(bot)]]
            }
            Some(Side::Guest(_)) => [Vec::new(), Vec::new()],
            None => [vec![Listing::Active], vec![Listing::Finished(None)]],
        };
        if self.next {
            active.truncate(1);
        }
        let listings = match self {
            Self { finished: true, .. } => finished,
            Self { imported: true, .. } => vec![Listing::Imported],
            Self { all: true, .. } => [active, finished].concat(),
            _ => active,
        };
        let most = if self.next { Some(1) } else { most };
        let (mut games, mut waiting) = (Vec::new(), 0);
        for listing in listings {
            games.extend(db.list(listing, most)?);
            if let Listing::ToMove(_) | Listing::BotToMove(_) = listing {
                waiting = games.len();
            }
        }
        Ok((games, waiting))
    }
}

/// Returns the sentence that no game waits for this player, or for anybody.
pub(crate) fn none_waits(player: Option<&str>) -> String {
    match player {
        Some(player) => format!("No game waits for {player}."),
        None => "No game is waiting.".to_owned(),
    }
}

/// Returns the sentence that says how many games wait for this player.
fn sentence(count: usize, player: &str) -> String {
    match count {
        0 => none_waits(Some(player)),
        1 => format!("1 game waits for {player}."),
        _ => format!("{count} games wait for {player}."),
    }
}

/// Returns the time until a deadline; it is emphasized when short.
fn left(left: TimeDelta) -> Entry {
    let text = if left > TimeDelta::zero() { time_view::span(left) } else { "over".to_owned() };
    if left < SHORT { Entry::Urgent(text) } else { text.into() }
}

/// Returns a span of time, such as `2 days 23 h`.
fn age(span: TimeDelta) -> String {
    if span < TimeDelta::minutes(1) { "now".to_owned() } else { time_view::span(span) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_two_units_at_most() {
        for (minutes, expected) in [
            (-5, "now"),
            (0, "now"),
            (1, "1 minute"),
            (59, "59 minutes"),
            (60, "1 hour"),
            (47 * 60, "1 day 23 h"),
            (59 * 1440, "59 days"),
            (60 * 1440, "2 months"),
            (729 * 1440, "24 months 9 days"),
            (730 * 1440, "2 years"),
        ] {
            assert_eq!(age(TimeDelta::minutes(minutes)), expected);
        }
    }
}
