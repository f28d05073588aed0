//! Reads records of finished games of other sources.

use chrono::{DateTime, TimeDelta, Utc};
use ring::digest::{Context, SHA256};
use serde_json::json;

use crate::app::commands::words::say;
use crate::app::text::echo::is_invisible;
use crate::app::views::game::rules_to_json;
use crate::app::views::json::json_time;
use outflank_model::log::{Action, Event, Game, Outcome, Reason};
use outflank_model::time_control::Terms;
use outflank_model::{Agreement, Opening};
use outflank_rules::{Color, Goal, Move, Overrides, Position, Rules, VARIANTS, Variant, quoted};

/// How a format is read.
#[derive(Debug)]
pub(crate) struct Reader {
    /// Whether it is not text.
    pub is_binary: bool,
    /// Splits a file into records. Returns what is wrong with a file that has none of this format.
    pub split: fn(&[u8]) -> Result<Vec<Piece<'_>>, String>,
    /// Reads a record. Returns what is wrong with a broken one.
    pub read: fn(&Piece, &Source) -> Result<Imported, String>,
}

/// A file of records.
pub(crate) struct Source {
    /// The file; if it is text, in UTF-8.
    pub bytes: Vec<u8>,
    /// The names of the players whom the records have by number.
    pub players: Vec<String>,
    /// The names of Black and White, where a record has none.
    pub names: [String; 2],
}

/// A record in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    /// Its first line, counted from 1; `None` if the file has no lines.
    pub line: Option<usize>,
    pub content: &'a [u8],
}

impl<'a> Piece<'a> {
    /// Returns its text.
    pub(super) fn text(&self) -> &'a str {
        str::from_utf8(self.content).unwrap_or_default()
    }

    /// Returns a piece for each line of a text that is not blank.
    pub(super) fn lines(bytes: &'a [u8]) -> Vec<Self> {
        let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
        let lines = lines.map(|(line, content)| Self { line: Some(line), content });
        lines.filter(|piece| !piece.content.trim_ascii().is_empty()).collect()
    }
}

/// A finished game of another source.
#[derive(Debug)]
pub(crate) struct Imported {
    pub agreement: Agreement,
    pub game: Game,
    /// The names of Black and White.
    pub names: [String; 2],
    began: Option<DateTime<Utc>>,
    /// How many seconds after the beginning each event happened.
    seconds: Vec<i64>,
    event: String,
}

impl Imported {
    /// Returns the digest of the record, without comments and the times of moves.
    pub(crate) fn digest(&self) -> Vec<u8> {
        let (start, lattice) = (self.game.start(), self.game.lattice());
        let rules = rules_to_json(start.rules());
        let frame = lattice.label(start.frame().first);
        let began = self.began.map(json_time);
        let head = json!([self.names, began, self.event, rules, start.to_string(), frame]);
        let mut context = Context::new(&SHA256);
        context.update(head.to_string().as_bytes());
        for Event { by, action } in self.game.events() {
            if !matches!(action, Action::Say(_)) {
                let author = by.map_or('h', Color::letter);
                context.update(format!("\n{author} {}", action.label(lattice)).as_bytes());
            }
        }
        context.finish().as_ref().to_vec()
    }

    /// Returns when the game began and when its events happened; without a date, now. Nothing is later.
    pub(crate) fn times(&self, now: DateTime<Utc>) -> (DateTime<Utc>, Vec<DateTime<Utc>>) {
        let began = self.began.unwrap_or(now).min(now);
        let at = |seconds: &i64| {
            let at = TimeDelta::try_seconds(*seconds).and_then(|it| began.checked_add_signed(it));
            at.unwrap_or(now).min(now)
        };
        (began, self.seconds.iter().map(at).collect())
    }
}

/// What a record says about the end of its game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    pub winner: Option<Color>,
    /// By how many discs Black has won, if it says so.
    pub margin: Option<i64>,
    /// How it ended, if it says so.
    pub reason: Option<Reason>,
}

impl Claim {
    /// Returns the claim that Black has won by this number of discs.
    pub(super) const fn by_margin(margin: i64) -> Self {
        let winner = match margin {
            0 => None,
            1.. => Some(Color::Black),
            _ => Some(Color::White),
        };
        Self { winner, margin: Some(margin), reason: None }
    }

    /// Returns whether it agrees with the end of a game on the board, where the winner may get the empty
    /// cells.
    fn agrees(&self, game: &Game, outcome: &Outcome) -> bool {
        let more = i64::from(outcome.black) - i64::from(outcome.white);
        let margin = if game.start().rules().goal == Goal::Fewer { -more } else { more };
        let cells = i64::try_from(game.position().cells().count()).unwrap_or(i64::MAX);
        let empty = cells - i64::from(outcome.black) - i64::from(outcome.white);
        let margins = [margin, margin + margin.signum() * empty];
        self.winner == outcome.winner
            && self.reason.is_none_or(|reason| reason == outcome.reason)
            && self.margin.is_none_or(|margin| margins.contains(&margin))
    }
}

/// A game that is read move by move.
pub(super) struct Builder {
    agreement: Agreement,
    game: Game,
    seconds: Vec<i64>,
    now: i64,
    /// How many moves there were at the last pass in the record that was made automatically.
    passed: usize,
}

impl Builder {
    /// Begins a game of this variant in this position.
    pub(super) fn new(variant: &str, start: Position) -> Self {
        let (variant, terms, game) = (variant.to_owned(), Terms::default(), Game::new(start));
        let custom_start = Position::start(*game.start().rules()) != *game.start();
        let agreement = Agreement { variant, custom_start, opening: None, terms, rated: false };
        let mut builder = Self { agreement, game, seconds: Vec::new(), now: 0, passed: 0 };
        builder.stamp();
        builder
    }

    /// Begins a game in this position, of the variant with its rules or else of Othello.
    pub(super) fn of_position(start: Position) -> Self {
        let has_rules =
            |variant: &&Variant| variant.rules(&Overrides::default()) == Ok(*start.rules());
        let variant = VARIANTS.iter().find(has_rules).map_or("othello", |it| it.name);
        Self::new(variant, start)
    }

    /// Begins a game of Othello on 8x8.
    pub(super) fn othello() -> Result<Self, String> {
        Ok(Self::new("othello", Position::start(othello()?)))
    }

    /// Sets how much time has passed since the beginning. It never runs backwards.
    pub(super) fn set_time(&mut self, seconds: i64) {
        self.now = self.now.max(seconds);
    }

    /// Lets time pass.
    pub(super) fn wait(&mut self, seconds: u64) {
        self.now = self.now.saturating_add_unsigned(seconds);
    }

    /// Makes a move of this player, which may be one of a balanced opening.
    pub(super) fn play_by(&mut self, by: Color, mv: Move, is_given: bool) -> Result<(), String> {
        let last = self.game.plies().last().filter(|_| mv == Move::Pass);
        if by != self.game.position().turn() && last.is_none_or(|ply| !ply.auto) {
            return Err(format!("move {} is not {by}'s", self.game.plies().len() + 1));
        }
        if is_given { self.give(mv) } else { self.play(mv) }
    }

    /// Makes a move, which may be a pass that was made automatically.
    pub(super) fn play(&mut self, mv: Move) -> Result<(), String> {
        let plies = self.game.plies();
        let was_automatic = plies.len() > self.passed && plies.last().is_some_and(|ply| ply.auto);
        if mv == Move::Pass && was_automatic {
            self.passed = plies.len();
            return Ok(());
        }
        self.make(mv, false)
    }

    /// Makes a move of a balanced opening.
    fn give(&mut self, mv: Move) -> Result<(), String> {
        if !Opening::Balanced.suits(self.game.start()) {
            return Err("only Othello on 8x8 has given moves".to_owned());
        }
        self.agreement.opening = Some(Opening::Balanced);
        self.make(mv, true)
    }

    fn make(&mut self, mv: Move, is_given: bool) -> Result<(), String> {
        let made = if is_given { self.game.give(mv) } else { self.game.play(mv) };
        let (label, number) = (self.game.lattice().move_label(mv), self.game.plies().len() + 1);
        made.map_err(|illegal| format!("move {number}, {label}: {illegal}"))?;
        self.stamp();
        Ok(())
    }

    /// Adds the comment of a player.
    pub(super) fn say(&mut self, by: Color, text: &str) -> Result<(), String> {
        let text = say::cleaned(text);
        if !text.is_empty() {
            say::check_length(&text).map_err(|error| format!("a comment: {error}"))?;
            self.apply(Event::by(by, Action::Say(text)))?;
        }
        Ok(())
    }

    /// Adds a comment that begins with the name of a player; others have no author in the game.
    pub(super) fn say_as(&mut self, names: [&str; 2], text: &str) -> Result<(), String> {
        let of = |name: &str| text.strip_prefix(name)?.strip_prefix(": ");
        let said = Color::BOTH.into_iter().zip(names).find_map(|(by, name)| Some((by, of(name)?)));
        said.map_or(Ok(()), |(by, text)| self.say(by, text))
    }

    /// Returns the position after the last move.
    pub(super) const fn position(&self) -> &Position {
        self.game.position()
    }

    /// Sets the players' time.
    pub(super) const fn terms(&mut self) -> &mut Terms {
        &mut self.agreement.terms
    }

    fn apply(&mut self, event: Event) -> Result<(), String> {
        self.game.apply(event).map_err(|illegal| illegal.to_string())?;
        self.stamp();
        Ok(())
    }

    fn stamp(&mut self) {
        self.seconds.resize(self.game.events().len(), self.now);
    }

    /// Ends the game as the record says; without a claim, the moves must have ended it. `event` is what else
    /// tells this game from others.
    pub(super) fn finish(
        mut self,
        claim: Option<Claim>,
        names: [&str; 2],
        began: Option<DateTime<Utc>>,
        event: String,
        source: &Source,
    ) -> Result<Imported, String> {
        self.conclude(claim)?;
        let Self { agreement, game, seconds, .. } = self;
        let [black, white] = &source.names;
        let names = [name(names[0], black), name(names[1], white)];
        Ok(Imported { agreement, game, names, began, seconds, event })
    }

    fn conclude(&mut self, claim: Option<Claim>) -> Result<(), String> {
        let over = self.game.outcome();
        let Some(claim) = claim else {
            return over.map(drop).ok_or_else(|| "the game is not over".to_owned());
        };
        let is_annulled = claim.reason == Some(Reason::Annulled);
        if let Some(outcome) = over.filter(|_| !is_annulled) {
            let Outcome { black, white, .. } = outcome;
            let problem = || format!("the result contradicts the moves, which end {black}-{white}");
            return claim.agrees(&self.game, &outcome).then_some(()).ok_or_else(problem);
        }
        for event in ending(&self.game, &claim)? {
            self.apply(event)?;
        }
        Ok(())
    }
}

/// Returns the events that end a game which the board has not decided.
fn ending(game: &Game, claim: &Claim) -> Result<Vec<Event>, String> {
    let default = if claim.winner.is_some() { Reason::Resigned } else { Reason::Agreed };
    let reason = match claim.reason.unwrap_or(default) {
        // Elsewhere the time of a player can run out in the turn of the other.
        Reason::Time | Reason::Claimed if claim.winner == Some(game.position().turn()) => {
            Reason::Forfeited
        }
        reason => reason,
    };
    game.ending(reason, claim.winner).ok_or_else(|| {
        "the result contradicts the moves, after which the game is not over".to_owned()
    })
}

/// Returns the rules of Othello on 8x8.
pub(super) fn othello() -> Result<Rules, String> {
    rules_of("othello", &Overrides::default())
}

/// Returns the rules of a variant with these changes.
pub(super) fn rules_of(variant: &str, overrides: &Overrides) -> Result<Rules, String> {
    let variant = Variant::named(variant).map_err(|error| error.to_string())?;
    variant.rules(overrides).map_err(|error| error.to_string())
}

/// The most characters of the name of a side.
const MAX_NAME: usize = 60;

/// Returns the name of a side on one line; if it is empty, this one.
fn name(text: &str, default: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let name = words.join(" ").chars().filter(|c| !is_invisible(*c)).take(MAX_NAME).collect();
    if String::is_empty(&name) { default.to_owned() } else { name }
}

/// Returns the error for a word of a record.
pub(super) fn is_not(word: &str, what: &str) -> String {
    format!("{} is not {what}", quoted(word))
}
