//! The sentences of mails about a game, each of which is there if it is true, and only then: docs/mail.md,
//! docs/settings.md, docs/time.md.

use super::clocks;
use super::games::word;
use super::mail_texts::{Letter, bare, flat, plain};
use super::remarks::span;
use super::replies::is_chosen;
use super::rows::called;
use super::shown::in_words;
use crate::simulator::naive::{Shape, Status};
use crate::simulator::replay::{move_label, opponent};
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};

/// The most moves that a mail lists as the last ones.
const MAX_LAST: usize = 10;

/// A sentence, whether it must be in the mail, and whether the HTML part has it, too.
type Sentence = (String, bool, bool);

/// Kinds of mail that end with what the reader can reply.
const WITH_REPLY: [&str; 6] = ["turn", "started", "over", "receipt", "flagged", "notice"];

/// Units of a span in the words of a time control.
const UNITS: [(i64, &str); 3] = [(86_400, "day"), (3_600, "hour"), (60, "minute")];

/// Returns a span of time with all its units: `1 day 12 hours`.
pub(super) fn all_units(mut seconds: i64) -> String {
    let mut words = Vec::new();
    for (size, unit) in UNITS {
        let count = seconds / size;
        seconds %= size;
        if count > 0 {
            words.push(format!("{count} {unit}{}", super::remarks::plural(count)));
        }
    }
    words.join(" ")
}

/// Returns a time control such as `1d+2h` in words.
fn control_in_words(control: &str) -> Option<String> {
    let words = |it: &str| super::commands::seconds(it).map(all_units);
    if let Some(total) = control.strip_prefix("total=") {
        return Some(format!("{} for all moves", words(total)?));
    }
    let Some((bank, rest)) = control.split_once('+') else {
        return Some(format!("{} for each move", words(control)?));
    };
    let (added, most) = rest.split_once(",max=").unwrap_or((rest, ""));
    let most = if most.is_empty() { String::new() } else { format!(", at most {}", words(most)?) };
    Some(format!("{} plus {} for each move{most}", words(bank)?, words(added)?))
}

/// Returns the terms of the clock of a row of `game`, `challenge` or `tournament` in words; `None` if it has none.
pub(super) fn terms_in_words(tables: &Tables, table: &str, id: i64) -> Option<String> {
    let columns = ["clock", "free_weekends", "flag", "absences"];
    let [control, free, flag, absences] = tables.columns_of(table, id, columns).next()?;
    let parts = [
        (free == Some("1"), ", free weekends"),
        (flag == Some("hard"), ", running out of time loses"),
        (absences == Some("0"), ", no absences"),
    ];
    let control = control.filter(|it| *it != "none")?;
    let parts = parts.into_iter().filter(|(is_so, _)| *is_so).map(|(_, words)| words);
    Some(control_in_words(control)? + &parts.collect::<String>())
}

/// Returns the line about the clock of a challenge or of a tournament.
pub(super) fn clock_line(tables: &Tables, table: &str, id: i64) -> Option<String> {
    let [clock, absences, rated] =
        tables.columns_of(table, id, ["clock", "absences", "rated"]).next()?;
    let terms = match (clock?, absences) {
        ("none", Some("0")) => "no limit, no absences".to_owned(),
        ("none", _) => "no limit".to_owned(),
        _ => terms_in_words(tables, table, id)?,
    };
    let rated = if rated == Some("1") { "Rated." } else { "Not rated." };
    Some(format!("Clock: {terms}. {rated}"))
}

impl Letter<'_> {
    /// Each sentence is there if it is true, and only then. What stands in the row of the mail can be any words.
    pub fn has_its_sentences(&self) -> Result<(), String> {
        let own_words = self.change.after.columns_of("outbox", self.row.id, ["text"]).next();
        let own_words = flat(own_words.and_then(|[text]| text).unwrap_or_default());
        let lines = self.text.lines().filter(|it| !it.starts_with('|'));
        let text = plain(&lines.collect::<Vec<_>>().join(" "));
        let html = bare(&self.html);
        let mut sentences = self.of_kind();
        sentences.extend(self.of_board());
        sentences.extend(self.of_clock());
        if WITH_REPLY.contains(&&*self.row.kind) {
            sentences.extend(self.of_reply());
        }
        for (sentence, is_expected, is_in_html) in sentences {
            let sentence = flat(&sentence);
            let is_there = text.contains(&sentence);
            if is_there != is_expected && !(is_there && own_words.contains(&sentence)) {
                return Err(format!("has {sentence:?}: {is_there}, and not {is_expected}: {text}"));
            }
            if is_expected && is_in_html && !html.contains(&bare(&sentence)) {
                return Err(format!("the HTML part lacks {sentence:?}"));
            }
        }
        Ok(())
    }

    fn turn_of(&self) -> Option<char> {
        self.replayed.turn()
    }

    fn is_over(&self) -> bool {
        self.replayed.result().is_some()
    }

    /// Returns the name of the player of a colour, who can be a computer player.
    fn called(&self, color: char) -> String {
        called(self.change.after, self.game.id, color).unwrap_or_default().to_owned()
    }

    fn with_color(&self, color: char) -> String {
        format!("{} ({})", self.called(color), word(color))
    }

    fn of_game<'t>(&'t self, column: &str) -> Option<&'t str> {
        self.change.after.columns_of("game", self.game.id, [column]).next()?[0]
    }

    fn is_of_tournament(&self) -> bool {
        let mut pairings = self.change.after.columns("pairing", ["game"]);
        pairings.any(|[game]| number(game) == Some(self.game.id))
    }

    /// Returns the last move in a few words; `None` before the first move of a player.
    fn made(&self) -> Option<String> {
        let replayed = &self.replayed;
        let ply = replayed.plies.last().filter(|_| replayed.plies.len() > replayed.given)?;
        let name = self.called(ply.by);
        Some(match ply.mv {
            Some(_) => format!("{} by {name}", move_label(ply, &replayed.board)?),
            None => format!("{name} passed"),
        })
    }

    /// Returns the sentence that says whose turn it is.
    fn whose_turn(&self) -> String {
        let whose = |color| format!("It is {}'s turn ({}).", self.called(color), word(color));
        self.turn_of().map(whose).unwrap_or_default()
    }

    /// Returns the sentences that only one kind of mail has.
    fn of_kind(&self) -> Vec<Sentence> {
        let Some(own) = self.color.and_then(|it| it.chars().next()) else {
            return self.of_watcher();
        };
        let mut sentences = self.of_start(own);
        sentences.extend(self.of_turn(own));
        sentences.extend(self.of_flag(own));
        sentences
    }

    fn of_watcher(&self) -> Vec<Sentence> {
        let (id, kind) = (self.game.id, &*self.row.kind);
        let made = format!("{} in game {id}.", self.made().unwrap_or_default());
        let watching = format!("You are watching this game. {}", self.whose_turn());
        let is_over = format!("Game {id}, which you were watching, is over.");
        let unwatch = "Reply unwatch to get no more mails about this game.".to_owned();
        vec![
            (made, kind == "watched", false),
            (watching, kind == "watched", false),
            (is_over, kind == "watched-over", true),
            (unwatch, true, false),
        ]
    }

    /// Returns the sentences of the mail about the start.
    fn of_start(&self, own: char) -> Vec<Sentence> {
        let (id, name, is_own) = (self.game.id, self.called(opponent(own)), self.is_own_turn());
        let is_start = self.row.kind == "started";
        let is_first = is_start || self.row.kind == "turn" && self.made().is_none();
        let is_active = self.turn_of().is_some();
        let may_abort = is_active && !self.is_of_tournament() && !self.has_moved(own);
        let abort = "If you do not want to play, reply abort before your first move: then the game counts for nobody.";
        let yours = format!("Your turn, {}: game {id} against {name} has begun.", self.called(own));
        let begun = format!("Game {id} against {name} has begun.");
        let rated = self.of_game("rated") == Some("1");
        let wait = format!("{} You will be mailed when it is yours.", self.whose_turn());
        vec![
            (yours, is_first && is_own, true),
            (begun, is_start && !is_own, true),
            ("The game counts for your ratings.".to_owned(), is_start && rated, true),
            (wait, is_start && is_active && !is_own, true),
            ("The game is already over.".to_owned(), is_start && self.is_over(), true),
            (abort.to_owned(), is_start && may_abort, true),
        ]
    }

    /// Returns the sentences of turn mails, receipts and the mail about the end.
    fn of_turn(&self, own: char) -> Vec<Sentence> {
        let (id, kind, other) = (self.game.id, &*self.row.kind, opponent(own));
        let (made, you) = (self.made(), self.called(own));
        let yours = format!("Your turn, {you} ({}).", made.clone().unwrap_or_default());
        let end = format!("Game {id} against {} is over.", self.with_color(other));
        let is_theirs = matches!(kind, "receipt" | "started") && self.turn_of() == Some(other);
        let mut sentences = vec![
            (yours, kind == "turn" && made.is_some(), false),
            (end, kind == "over", true),
            (format!("You have moved in game {id}, {you}."), kind == "receipt", false),
            ("It is your turn again.".to_owned(), kind == "receipt" && self.is_own_turn(), true),
        ];
        if self.turn_of() == Some(other) {
            sentences.push((self.whose_turn(), is_theirs, true));
        }
        sentences
    }

    /// Returns the sentences of a mail about a time that is over.
    fn of_flag(&self, own: char) -> Vec<Sentence> {
        let (id, other, is_own) = (self.game.id, opponent(own), self.is_own_turn());
        let (name, who) = (self.called(other), self.with_color(other));
        let (is_flag, kind) = (self.row.kind == "flagged", &*self.row.kind);
        let is_bot = self.game.person(&other.to_string()).is_none();
        let own_over = format!("Your time in game {id} against {name} is over.");
        let can = format!("{who} can claim the game now. You can still move first.");
        let cannot = format!("{who} does not claim the game. It is still your turn.");
        let over = format!("The time of {who} in game {id} is over.");
        let says_so = flat(&self.text).to_lowercase().contains("you can claim");
        let claims = is_flag && !is_own || kind == "notice" && says_so;
        vec![
            (own_over, is_flag && is_own, true),
            (can, is_flag && is_own && !is_bot, true),
            (cannot, is_flag && is_own && is_bot, true),
            (over, is_flag && !is_own, true),
            ("Reply claim to win the game.".to_owned(), claims, false),
        ]
    }

    /// Returns whether a player had made a move, even if it was taken back.
    fn has_moved(&self, color: char) -> bool {
        let log = shown::log(self.change.after, &self.game.id.to_string());
        let mut log = log.iter().take(self.row.events);
        log.any(|it| it.author == color.to_string() && is_chosen(it.action))
    }

    /// Returns the sentences about the rules, the pause and the last moves.
    fn of_board(&self) -> Vec<Sentence> {
        let replayed = &self.replayed;
        let options = &replayed.board.options;
        let rules = [
            match options.shape {
                Shape::Rectangle { rows: 8, columns: 8 } => String::new(),
                Shape::Rectangle { rows, columns } => format!("{rows} rows, {columns} columns"),
                Shape::Hex => "a hex lattice without edges".to_owned(),
            },
            ["", "discs go on any empty cell"][usize::from(options.anywhere)].to_owned(),
            ["", "fewer discs win"][usize::from(options.misere)].to_owned(),
        ];
        let is_explicit = self.of_game("stuck") == Some("explicit") && !options.anywhere;
        let mut sentences: Vec<Sentence> = vec![
            (
                "The game is paused, so no time runs.".to_owned(),
                replayed.paused && !self.is_over(),
                true,
            ),
            ("Tournament: ".to_owned(), self.is_of_tournament(), true),
            (
                "You cannot place a disc, so you must pass this time.".to_owned(),
                self.is_own_turn() && matches!(replayed.status(), Status::Pass),
                true,
            ),
            ("players must pass explicitly".to_owned(), is_explicit, true),
            ("moves are drawn by lot".to_owned(), replayed.given > 0, true),
        ];
        sentences.extend(rules.into_iter().filter(|it| !it.is_empty()).map(|it| (it, true, true)));
        let first = replayed.plies.len().saturating_sub(MAX_LAST);
        let moves = replayed.plies.iter().enumerate().skip(first).map(|(at, ply)| {
            let label = move_label(ply, &replayed.board)?;
            Some(match ply.auto || at < replayed.given {
                true => format!("{}.({label})", at + 1),
                false => format!("{}.{label}", at + 1),
            })
        });
        let has_list = self.text.contains("\nLast moves: ");
        let moves: Option<Vec<_>> = moves.collect();
        if let Some(moves) = moves.filter(|_| has_list) {
            sentences.push((format!("Last moves: {} ", moves.join(" ")), true, false));
        }
        sentences
    }

    /// Returns the sentences about the clocks at the first try, if nothing has happened since the event that the
    /// mail knew.
    fn of_clock(&self) -> Vec<Sentence> {
        let (tables, id) = (self.change.after, self.game.id);
        let terms = terms_in_words(tables, "game", id).filter(|_| !self.is_over());
        let mut sentences = vec![("Time control: ".to_owned(), terms.is_some(), true)];
        let has_outage = [self.change.before, tables]
            .iter()
            .any(|it| it.columns("mail_outage", ["since"]).next().is_some());
        let is_present = self.game.events == self.row.events && self.is_first_try();
        let (Some(terms), true) =
            (terms, is_present && !has_outage && !self.change.words.is_empty())
        else {
            return sentences;
        };
        let now = self.change.now.timestamp();
        let Some(time) = clocks::time_left(tables, id, now) else { return sentences };
        let own = self.color.and_then(|it| it.chars().next()).unwrap_or('b');
        let left = |color: char| match time.left[usize::from(color == 'w')] {
            None => "no limit".to_owned(),
            Some(0) => "none".to_owned(),
            Some(left) => span(left),
        };
        let has = match self.color {
            Some(_) => "You have".to_owned(),
            None => format!("{} has", self.called('b')),
        };
        let other = self.called(opponent(own));
        let (own, others) = (left(own), left(opponent(own)));
        sentences.push((
            format!("Time control: {terms}. {has} {own} left, {other} {others}."),
            true,
            true,
        ));
        let reader = self.row.player.unwrap_or_default();
        let end = time.deadline.and_then(|at| in_words(tables, reader, at));
        let whose = match (self.is_own_turn(), self.turn_of()) {
            (true, _) => "Your".to_owned(),
            (_, Some(color)) => format!("{}'s", self.called(color)),
            _ => return sentences,
        };
        sentences.push((format!("{whose} time ends on "), end.is_some(), true));
        sentences.extend(end.map(|end| (format!("{whose} time ends on {end}"), true, true)));
        sentences
    }

    /// Returns the sentences about what the reader can reply.
    fn of_reply(&self) -> Vec<Sentence> {
        let is_own = self.is_own_turn();
        let own = self.color.and_then(|it| it.chars().next()).unwrap_or('b');
        let other = opponent(own);
        let name = self.called(other);
        let is_bot = self.game.person(&other.to_string()).is_none();
        let offer = self.replayed.offer().filter(|it| it.by == other);
        let offers = |kind: &str| offer.is_some_and(|it| it.kind == kind);
        let has_moves = !self.replayed.plies.is_empty();
        vec![
            ("Reply with your move, such as ".to_owned(), is_own, false),
            ("Reply hint to see what your moves are worth.".to_owned(), is_own && is_bot, false),
            (
                format!(
                    "To add a word to {name}, write say and your text below your move, if any."
                ),
                is_own && !is_bot,
                true,
            ),
            (
                "Reply resign to give up, or help for all commands.".to_owned(),
                !self.is_over(),
                false,
            ),
            ("Reply history to see all moves.".to_owned(), self.is_over(), true),
            (
                "Reply analyze to see where the game turned.".to_owned(),
                self.row.kind == "over" && has_moves,
                false,
            ),
            (format!("{name} offers a draw in this game."), offers("draw"), true),
            (format!("{name} asks to take back "), offers("takeback"), true),
            (
                format!("{name} asks for a pause, in which the clocks stand still."),
                offers("pause"),
                true,
            ),
            (format!("{name} offers a rematch with the other colours."), offers("rematch"), true),
        ]
    }

    /// The head of a game in a digest or a reminder says who has moved last, and which colour its reader has.
    pub fn has_its_head(&self) -> Result<(), String> {
        let Some(own) = self.color.and_then(|it| it.chars().next()) else { return Ok(()) };
        let made = self.made().map(|it| format!(" ({it})")).unwrap_or_default();
        let name = self.called(opponent(own));
        let head = format!("Game {} against {name}{made}. You are {} (", self.game.id, word(own));
        let text = plain(&self.text);
        match text.starts_with(&head) {
            true => Ok(()),
            false => Err(format!("{:?} is not {head:?}", text.get(..100))),
        }
    }
}
