//! Steps about time: waits that end close to a moment which matters, and what people and the host do about
//! clocks and turn mails.

use chrono::TimeDelta;

use super::{Action, Active, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::tables::number;

/// Clocks of new games.
pub const CLOCKS: [&str; 10] = [
    "",
    "",
    "--clock 3d",
    "--clock 8h --no-away",
    "--clock 1d --free-weekends --flag hard",
    "--clock 2d+12h --flag hard",
    "--clock 1d+2h",
    "--clock 2d+1d,max=2d12h --free-weekends",
    "--clock total=20d --free-weekends",
    "--clock total=3d",
];

/// Settings that matter for clocks and turn mails.
const SETTINGS: [&str; 19] = [
    "timezone Europe/Amsterdam",
    "timezone America/New_York",
    "timezone Africa/Cairo",
    "timezone Pacific/Chatham",
    "timezone UTC",
    "weekend fri,sat",
    "weekend none",
    "weekend sat,sun",
    "quiet 22:00-07:00",
    "quiet 20:15-08:15",
    "quiet 09:00-17:30",
    "quiet off",
    "grace 30m",
    "grace 24h",
    "grace off",
    "mail each",
    "mail each",
    "mail digest 18:00",
    "mail none",
];

/// Columns with moments that matter.
const MOMENTS: [(&str, &str); 7] = [
    ("game", "deadline"),
    ("game", "deadline"),
    ("game", "alarm_at"),
    ("event", "turn_starts_at"),
    ("outbox", "due_at"),
    ("absence", "from_at"),
    ("absence", "until_at"),
];

impl Planner<'_> {
    /// Returns the seconds until shortly before, at or shortly after a moment that matters, if there is one in
    /// the next days.
    fn until_moment(&mut self, days: i64) -> Option<i64> {
        let (table, column) = self.one(&MOMENTS);
        let now = self.world.now().timestamp();
        let moments = self.world.tables().columns(table, [column]);
        let spans = moments.filter_map(|[at]| Some(at?.parse::<i64>().ok()? - now));
        let mut spans: Vec<_> = spans.filter(|span| (1..=days * DAY).contains(span)).collect();
        spans.sort_unstable();
        let span = *spans.get(self.rng.usize(..spans.len().clamp(1, 8)))?;
        Some((span + self.one(&[-3_600, -60, -1, 0, 0, 0, 1, 60, 5_000])).max(1))
    }

    /// Lets time pass without `send`.
    pub fn wait(&mut self) -> Action {
        const SPANS: [i64; 8] = [60, 900, 3_600, 20_000, 50_000, 86_400, 200_000, 800_000];
        let near = self.until_moment(4);
        let seconds = match self.rng.u8(..40) {
            0 => -self.rng.i64(1..7_200),
            1..20 if near.is_some() => near.unwrap_or_default(),
            _ => self.one(&SPANS) + self.rng.i64(0..60),
        };
        Action::Wait { seconds }
    }

    /// Lets time pass while `send` runs all the time.
    pub fn serve(&mut self) -> Action {
        let near = self.until_moment(2).filter(|_| self.rng.u8(..4) > 0);
        Action::Serve { seconds: near.unwrap_or_else(|| self.rng.i64(3_600..DAY)) }
    }

    /// Returns a command about clocks, absences or turn mails.
    pub fn of_time(&mut self) -> Action {
        let Some(game) = self.active() else { return self.begin() };
        let Some(player) = self.either(&game) else { return host("send") };
        let id = game.id;
        match self.rng.u8(..20) {
            0..6 => by(&player, &format!("set {}", self.one(&SETTINGS))),
            6..8 => {
                let from = self.world.now().date_naive() + TimeDelta::days(self.rng.i64(0..3));
                let to = from + TimeDelta::days(self.rng.i64(0..4));
                by(&player, &format!("away {from} {to}"))
            }
            8 | 9 => by(&player, "away off"),
            10 => host(&format!("extend {id} {}", self.one(&["2h", "1d", "90m"]))),
            11 => host(&format!("extend {id} 6h {player}")),
            12 => host("extend all 2h"),
            13 => by(&player, &format!("{} {id}", self.one(&["mute", "unmute", "unmute"]))),
            14 => by(&player, &format!("{} {id}", self.one(&["pause", "unpause", "takeback"]))),
            15..19 => self.after_flag(),
            _ => self.answer_offer(),
        }
    }

    /// Goes on in a game in which a flag has fallen.
    fn after_flag(&mut self) -> Action {
        let tables = self.world.tables();
        let is_flagged = |game: &&Active| {
            let began = tables.columns_of("game", game.id, ["position_event"]).next();
            let began = began.and_then(|[event]| number(event));
            let mut events = tables.columns_of("event", game.id, ["number", "action"]);
            events.any(|[event, action]| {
                number(event) > began && action.is_some_and(|it| it.starts_with("flag "))
            })
        };
        let flagged: Vec<_> = self.games.iter().filter(is_flagged).cloned().collect();
        let game = self.rng.choice(flagged);
        let Some(game) = game else { return host("send") };
        let Some(player) = self.either(&game) else { return host("send") };
        let word = self.one(&["takeback", "takeback", "accept", "accept", "extend", "claim"]);
        match word {
            "extend" => host(&format!("extend {} 3h", game.id)),
            _ => by(&player, &format!("{word} {}", game.id)),
        }
    }

    /// Accepts an open offer.
    fn answer_offer(&mut self) -> Action {
        let offers = self.world.tables().columns("game", ["id", "offer_event"]);
        let open: Vec<i64> = offers
            .filter_map(|[id, event]| event.and(id)?.parse().ok())
            .filter(|id| self.games.iter().any(|game| game.id == *id))
            .collect();
        let Some(&id) = open.get(self.rng.usize(..open.len().max(1))) else { return host("send") };
        let game = self.games.iter().find(|game| game.id == id);
        let players = game.map(|game| [game.black.clone(), game.white.clone()]);
        let player = players.and_then(|players| players[self.rng.usize(..2)].clone());
        player.map_or_else(|| host("send"), |player| by(&player, &format!("accept {id}")))
    }
}
