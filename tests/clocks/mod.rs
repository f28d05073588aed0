//! The clocks of games: values computed by hand, and properties of all clocks.

mod properties;
mod worked;

use chrono::{DateTime, Utc};
use outflank_model::log::{Action, Event, Game};
use outflank_model::time_control::{Clocks, Terms, TurnStarts};
use outflank_rules::{Color, Overrides, Position, Variant};

/// A game with the times of its events.
pub struct Played {
    pub terms: Terms,
    pub game: Game,
    pub started: DateTime<Utc>,
    pub times: Vec<DateTime<Utc>>,
    pub turn_starts: TurnStarts,
}

pub fn utc(text: &str) -> DateTime<Utc> {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// Parses terms such as `3d free-weekends`.
pub fn terms(text: &str) -> Terms {
    let (control, rest) = text.split_once(' ').unwrap_or((text, ""));
    Terms {
        control: control.parse().unwrap(),
        free_weekends: rest.contains("free-weekends"),
        absences: !rest.contains("no-away"),
        ..Terms::default()
    }
}

impl Played {
    pub fn new(terms_text: &str, started: &str) -> Self {
        let rules = Variant::named("othello").unwrap().rules(&Overrides::default()).unwrap();
        let game = Game::new(Position::start(rules));
        Self {
            terms: terms(terms_text),
            game,
            started: utc(started),
            times: Vec::new(),
            turn_starts: TurnStarts::new(),
        }
    }

    pub fn add(&mut self, at: DateTime<Utc>, by: Option<Color>, action: Action) {
        self.game.apply(Event { by, action }).unwrap();
        self.times.push(at);
    }

    pub fn clocks(&self) -> Clocks {
        Clocks::of(&self.terms, &self.game, self.started, &self.times, &self.turn_starts)
    }
}

/// Replays a log: a line for each event, with its time, its author (b, w or h) and its text.
pub fn play(terms: &str, started: &str, log: &str) -> Played {
    play_on(Played::new(terms, started), log)
}

/// Replays a log after the events so far.
pub fn play_on(mut played: Played, log: &str) -> Played {
    for line in log.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.splitn(3, ' ');
        let at = utc(words.next().unwrap());
        let by = Color::from_letter(words.next().unwrap().chars().next().unwrap());
        let action = words.next().unwrap_or_else(|| panic!("{line}"));
        // Times in events are RFC 3339 here, and Unix times in a log.
        let seconds = |word: &str| match word.parse::<DateTime<Utc>>() {
            Ok(time) => time.timestamp().to_string(),
            Err(_) => word.to_owned(),
        };
        let action = action.split(' ').map(seconds).collect::<Vec<_>>().join(" ");
        played.add(at, by, action.parse().unwrap());
    }
    played
}
