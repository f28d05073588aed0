//! Steps about time: waits that end close to a moment which matters, and what people and the host do about
//! clocks and turn mails.

use chrono::{Datelike, Months, NaiveDate, TimeDelta};

use super::{Action, Planner, by, host};
use crate::simulator::DAY;

/// Clocks of new games.
pub const CLOCKS: [&str; 14] = [
    "",
    "",
    "--clock 3d",
    "--clock 8h --no-away",
    "--clock 1d --free-weekends --flag hard",
    "--clock 2d+12h --flag hard",
    "--clock 1d+2h",
    "--clock 1d+2d",
    "--clock 2d+1d,max=2d12h --free-weekends",
    "--clock total=20d --free-weekends",
    "--clock total=3d",
    "--clock 2d --no-away",
    "--clock 12h+6h,max=1d",
    "--clock 1d+6h --free-weekends",
];

/// What people set.
pub const SETTINGS: [&str; 45] = [
    "timezone Europe/Amsterdam",
    "timezone America/New_York",
    "timezone Africa/Cairo",
    "timezone Asia/Kathmandu",
    "timezone Pacific/Chatham",
    "timezone UTC",
    "weekend fri,sat",
    "weekend none",
    "weekend sun",
    "weekend sat,sun",
    "quiet 22:00-07:00",
    "quiet 20:15-08:15",
    "quiet 09:00-17:30",
    "quiet off",
    "grace 30m",
    "grace 24h",
    "grace 90m",
    "grace 2h",
    "grace off",
    "mail each",
    "mail each",
    "mail digest 18:00",
    "mail digest 07:30",
    "mail none",
    "style words",
    "style words",
    "style compact",
    "style figure",
    "subject turn",
    "receipt on",
    "receipt off",
    "challenges 3",
    "challenges off",
    "challenges 20",
    "watchers all",
    "watchers all",
    "watchers none",
    "reminders off",
    "reminders off",
    "reminders on",
    "letter on",
    "letter on",
    "letter off",
    "named off",
    "named on",
];

/// Values at the bounds of settings, and some beyond.
const BOUNDS: [&str; 20] = [
    "timezone Europe/Nowhere",
    "weekend fri,sat,sun",
    "weekend mon",
    "quiet 08:00-20:00",
    "quiet 08:00-20:01",
    "quiet 19:30-07:30",
    "quiet 19:29-07:30",
    "quiet 07:00-07:00",
    "grace 24h",
    "grace 25h",
    "grace 1441m",
    "grace 1m",
    "mail digest 24:00",
    "mail digest 00:00",
    "mail digest",
    "challenges 0",
    "challenges 1",
    "challenges 1000",
    "challenges 1001",
    "watchers some",
];

/// What a player has set who has set nothing: the mode of turn mails, the grace, receipts and the clock.
const AT_FIRST: [&str; 4] = ["each", "off", "0", "UTC sat,sun none"];

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
        // Games without a clock have reminders after weeks.
        let days = if self.rng.u8(..20) == 0 { 62 } else { 4 };
        let near = self.until_moment(days);
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

    /// Somebody sets something: mostly one who has set nothing so far.
    pub fn settle(&mut self) -> Action {
        let names = ["name", "mail_mode", "grace", "receipt", "clock"];
        let rows = self.world.tables().columns("player", names);
        let has_set_nothing =
            |row: &[Option<&str>; 5]| row[1..] == AT_FIRST.map(Some) && row[0].is_some();
        let new: Vec<_> = rows.filter(has_set_nothing).filter_map(|[name, ..]| name).collect();
        let new = self.rng.choice(new).map(str::to_owned);
        let player = match new.filter(|name| self.players.contains(name)) {
            Some(player) if self.rng.u8(..4) > 0 => player,
            _ => self.player(),
        };
        let setting = match self.rng.u8(..8) {
            0 => self.one(&BOUNDS),
            _ => self.one(&self.taste.settings),
        };
        by(&player, &format!("set {setting}"))
    }

    /// Somebody for whom a mail waits sets when mail comes.
    pub fn release(&mut self) -> Option<Action> {
        let rows = self.world.tables().columns("outbox", ["player", "state", "first_try_at"]);
        let waiting = rows.filter(|[_, state, at]| *state == Some("queued") && at.is_none());
        let waiting: Vec<_> = waiting.map(|[player, ..]| player).collect();
        let player = self.rng.choice(waiting)?;
        let player = self.present(player)?;
        let words = [
            "set mail each",
            "set mail digest 18:00",
            "set mail digest 07:30",
            "set quiet off",
            "set quiet 09:00-17:30",
            "set timezone Pacific/Chatham",
            "away off",
        ];
        Some(by(&player, self.one(&words)))
    }

    /// Returns a command about clocks, absences or turn mails.
    pub fn of_time(&mut self) -> Action {
        let Some(game) = self.active() else { return self.begin() };
        let Some(player) = self.either(&game) else { return host("send") };
        let id = game.id;
        match self.rng.u8(..11) {
            0 if self.rng.u8(..3) == 0 => self.far_absence(&player),
            0..4 => {
                let from = self.world.now().date_naive() + TimeDelta::days(self.rng.i64(0..3));
                let to = from + TimeDelta::days(self.rng.i64(0..4));
                by(&player, &format!("away {from} {to}"))
            }
            4 => by(&player, "away off"),
            5 => host(&format!("extend {id} {}", self.one(&["2h", "1d", "90m"]))),
            6 => host(&format!("extend {id} 6h {player}")),
            7 if self.rng.bool() => host(&format!("extend all 3h {player}")),
            7 => host("extend all 2h"),
            8 => by(&player, &format!("{} {id}", self.one(&["mute", "unmute", "unmute"]))),
            _ => by(&player, &format!("{} {id}", self.one(&["pause", "unpause", "takeback"]))),
        }
    }

    /// Returns an absence about as long, or about as far ahead, as it may be: now, across the end of a year, in a
    /// year that the world hardly reaches, or at the end of the two years.
    fn far_absence(&mut self, player: &str) -> Action {
        let today = self.world.now().date_naive();
        let days = TimeDelta::days(self.one(&[28, 29, 29, 30]));
        let first = today + TimeDelta::days(self.rng.i64(360..420));
        let now = today + TimeDelta::days(self.rng.i64(0..2));
        let last = today + Months::new(24) + TimeDelta::days(self.rng.i64(-1..2));
        let last_day = NaiveDate::from_ymd_opt(today.year() + self.rng.i32(..2), 12, 31);
        let begin = last_day.unwrap_or(today) - TimeDelta::days(self.one(&[2, 9, 28, 29, 30]));
        let (from, to) = match self.rng.u8(..4) {
            3 => (begin.max(today), begin + TimeDelta::days(self.one(&[12, 30, 31, 58, 59, 60]))),
            // So long that a second or third one is too many for a year.
            0 => (now, now + TimeDelta::days(self.rng.i64(9..16))),
            1 => (first, first + days),
            _ => (last - TimeDelta::days(self.rng.i64(0..3)), last),
        };
        by(player, &format!("away {from} {to}"))
    }
}
