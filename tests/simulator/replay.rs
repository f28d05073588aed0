//! A game that is replayed from its row and its log, by the slow second rules. It shares nothing with the program.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::naive::{Event, Naive, Options, Place, Shape, Status};
use super::tables::Tables;

/// How many replayed games are remembered.
const MAX_KNOWN: usize = 2_000;

thread_local! {
    /// The games that were replayed before, by their start and log. The slow rules cost a fifth of the time without it,
    /// since a game is looked at after each of its events, by many checks.
    static KNOWN: RefCell<HashMap<String, Replayed>> = RefCell::default();
}

/// An open offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The colour of the player who made it.
    pub by: char,
    pub kind: String,
    /// The number of its event.
    pub event: usize,
}

/// Moves that were taken back.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The colour of the player whose move was taken back.
    pub by: char,
    /// The number of the event that took them back.
    pub event: usize,
    /// How many moves stayed.
    pub before: usize,
    pub plies: Vec<Event>,
    pub made_at: Vec<usize>,
}

/// What follows from the log of a game. Colours are `b` and `w`.
#[derive(Debug, Clone)]
pub struct Replayed {
    pub start: Naive,
    pub board: Naive,
    /// The moves that were made and not taken back, passes included.
    pub plies: Vec<Event>,
    /// The number of the event of each of them.
    pub made_at: Vec<usize>,
    pub taken: Vec<Taken>,
    /// How many of them are moves of an opening, which no player chose.
    pub given: usize,
    /// How many events there are.
    pub events: usize,
    /// The number of the event that last changed the position; 0 is the start.
    pub position_event: usize,
    pub paused: bool,
    offer: Option<Offer>,
    /// The winner and the reason, if no move ended the game.
    ended: Option<(Option<char>, String)>,
    end_event: Option<usize>,
    /// The colours that have made a move, even if it was taken back.
    moved: Vec<char>,
    /// The automatic pass that the next event must be.
    pass: Option<Event>,
    /// The status of the board once it has been asked for.
    status: OnceCell<Status>,
}

/// Returns the other colour.
pub const fn opponent(color: char) -> char {
    if color == 'b' { 'w' } else { 'b' }
}

/// Returns the cell with this label.
pub fn place(label: &str) -> Option<Place> {
    let (letters, row) = label.split_at(label.find(|it: char| !it.is_ascii_alphabetic())?);
    let number = |letter: u8| i32::from(letter.to_ascii_uppercase()) - i32::from(b'A');
    let column = match letters.as_bytes() {
        [one] => number(*one),
        // Left of A come ZZ, YY, … AA, then ZZZ, … AAA.
        [one, rest @ ..] if rest.iter().all(|it| it == one) => {
            number(*one) - 26 * i32::try_from(rest.len()).ok()?
        }
        // Right of Z come AB, AC, … AZ, BA, BC, …: pairs of different letters.
        [one, two] => 26 + 25 * number(*one) + number(*two) - i32::from(two > one),
        _ => return None,
    };
    Some((column, row.parse().ok()?))
}

/// Returns the label of a cell; `None` if it is far away from the first ones.
pub fn label((column, row): Place, board: &Naive) -> Option<String> {
    let letter =
        |number: i32| Some(char::from(b'A' + u8::try_from(number).ok().filter(|it| *it < 26)?));
    match (board.options.shape, column) {
        (Shape::Rectangle { .. }, _) => {
            Some(format!("{}{row}", letter(column)?.to_ascii_lowercase()))
        }
        (Shape::Hex, 0..) => Some(format!("{}{row}", letter(column)?)),
        (Shape::Hex, _) => letter(column + 26).map(|letter| format!("{letter}{letter}{row}")),
    }
}

/// Returns a move as lists show it; `None` if its cell is far away from the first ones.
pub fn move_label(ply: &Event, board: &Naive) -> Option<String> {
    match ply.mv {
        Some(cell) => label(cell, board),
        None => Some("pass".to_owned()),
    }
}

/// The columns that say how a game starts.
const OF_START: [&str; 7] =
    ["board_rows", "board_columns", "misere", "anywhere", "stuck", "start", "frame"];

/// Returns the board at the start of a game, as its row says.
fn start(row: [Option<&str>; 7]) -> Option<Naive> {
    let [rows, columns, misere, anywhere, stuck, start, frame] = row;
    let shape = match (rows, columns) {
        (Some(rows), Some(columns)) => {
            Shape::Rectangle { rows: rows.parse().ok()?, columns: columns.parse().ok()? }
        }
        _ => Shape::Hex,
    };
    let (misere, anywhere) = (misere == Some("1"), anywhere == Some("1"));
    let mut board =
        Naive::start(Options { shape, misere, anywhere, explicit_pass: stuck == Some("explicit") });
    if let Some(start) = start {
        let (left, top) = frame.map_or(Some((0, 1)), place)?;
        let mut words = start.trim_matches(['(', ')']).split(' ');
        board.turn = words.next()?.chars().next()?;
        let rows = (top..).zip(words);
        let cells =
            rows.flat_map(|(row, word)| (left..).map(move |at| (at, row)).zip(word.chars()));
        board.discs = cells.filter(|(_, disc)| *disc != '-').collect();
    }
    Some(board)
}

impl Replayed {
    /// Replays a game, or as many events of it.
    ///
    /// # Errors
    /// What of the log cannot have happened.
    pub fn of(tables: &Tables, game: i64, events: usize) -> Result<Self, String> {
        let row = tables.columns_of("game", game, OF_START).next();
        let log: Vec<_> =
            tables.columns_of("event", game, ["author", "action"]).take(events).collect();
        let mut key = format!("{row:?}");
        let mut ends = vec![key.len()];
        for [author, action] in &log {
            key.extend(["\n", author.unwrap_or_default(), " ", action.unwrap_or_default()]);
            ends.push(key.len());
        }
        let known = KNOWN.with_borrow(|known| {
            let known =
                |(done, end): (usize, &usize)| Some((done, known.get(&key[..*end])?.clone()));
            ends.iter().enumerate().rev().find_map(known)
        });
        let (done, mut replayed) = match known {
            Some(known) => known,
            None => {
                let start = row.and_then(start).ok_or("the row of the game cannot be read")?;
                (0, Self::start(start))
            }
        };
        for (number, [author, action]) in (1..).zip(&log).skip(done) {
            let author = author.and_then(|it| it.chars().next()).unwrap_or_default();
            let action = action.unwrap_or_default();
            let refused = |why| format!("event {number}, {author:?} {action:?}: {why}");
            replayed.apply(number, author, action).map_err(refused)?;
        }
        if done < log.len() {
            replayed.status();
            KNOWN.with_borrow_mut(|known| {
                if known.len() >= MAX_KNOWN {
                    known.clear();
                }
                known.insert(key, replayed.clone());
            });
        }
        if events == usize::MAX && replayed.pass.is_some() {
            return Err("the automatic pass at the end is missing".to_owned());
        }
        Ok(replayed)
    }

    fn start(start: Naive) -> Self {
        let mut board = start.clone();
        let pass = board.auto_pass();
        Self {
            start,
            board,
            plies: Vec::new(),
            made_at: Vec::new(),
            taken: Vec::new(),
            given: 0,
            events: 0,
            position_event: 0,
            paused: false,
            offer: None,
            ended: None,
            end_event: None,
            moved: Vec::new(),
            pass,
            status: OnceCell::new(),
        }
    }

    /// Returns the board before the first move, after an automatic pass if there is one.
    pub fn begun(&self) -> Naive {
        let mut board = self.start.clone();
        board.auto_pass();
        board
    }

    /// Returns what the player to move can do on the board.
    pub fn status(&self) -> &Status {
        self.status.get_or_init(|| self.board.status())
    }

    /// Makes a move on the board.
    pub fn play(&mut self, mv: Option<Place>) -> Vec<Event> {
        self.status.take();
        self.board.play(mv)
    }

    /// Returns the winner and the reason if the game is over.
    pub fn result(&self) -> Option<(Option<char>, String)> {
        match (&self.ended, self.status()) {
            (Some(ended), _) => Some(ended.clone()),
            (None, Status::Over(winner, reason)) => Some((*winner, (*reason).to_owned())),
            (None, Status::Place(_) | Status::Pass) => None,
        }
    }

    /// Returns the colour to move; `None` if the game is over.
    pub fn turn(&self) -> Option<char> {
        self.result().is_none().then_some(self.board.turn)
    }

    /// Returns the legal moves, without cells that are far away from the first ones.
    pub fn legal(&self) -> Vec<String> {
        match self.status() {
            _ if self.result().is_some() => Vec::new(),
            Status::Place(cells) => cells.iter().filter_map(|it| label(*it, &self.board)).collect(),
            Status::Pass => vec!["pass".to_owned()],
            Status::Over(..) => Vec::new(),
        }
    }

    pub fn offer(&self) -> Option<&Offer> {
        self.offer.as_ref().filter(|it| (it.kind == "rematch") == self.result().is_some())
    }

    /// Returns the number of the event that began the turn or ended the game; 0 is the start.
    pub fn since_event(&self) -> usize {
        self.end_event.unwrap_or(self.position_event)
    }

    /// Returns the moves that a player chose and that were not taken back, with their places.
    pub fn own(&self, color: char) -> impl DoubleEndedIterator<Item = (usize, &Event)> {
        let plies = self.plies.iter().enumerate().skip(self.given);
        plies.filter(move |(_, ply)| ply.by == color && !ply.auto)
    }

    /// Returns the discs of a colour.
    pub fn discs(&self, color: char) -> usize {
        self.board.count(color)
    }

    fn apply(&mut self, number: usize, author: char, action: &str) -> Result<(), &'static str> {
        let (word, rest) = action.split_once(' ').unwrap_or((action, ""));
        self.events = number;
        if let Some(pass) = self.pass.take() {
            if (word, author) != ("auto-pass", pass.by) {
                return Err("an automatic pass was due");
            }
            self.add(pass);
            return Ok(());
        }
        let color = rest.chars().next().unwrap_or_default();
        match word {
            "say" | "note" | "away" | "back" | "settings" => Ok(()),
            "hint" | "outage" | "extend" => self.check_active(),
            "resign" => self.end(Some(opponent(author)), "resigned"),
            "claim" if author == self.board.turn => Err("the player to move claims nothing"),
            "claim" => self.end(Some(author), "claimed"),
            "flag" | "time-out" if color != self.board.turn => Err("it is not the player's turn"),
            "flag" => self.check_active(),
            "time-out" => self.end(Some(opponent(color)), "time"),
            "forfeit" => self.end(Some(opponent(color)), "forfeited"),
            "annul" if self.result().is_some_and(|(_, reason)| counts(&reason)) => {
                // Of a game that is over, only the result changes.
                self.ended = Some((None, "annulled".to_owned()));
                Ok(())
            }
            "annul" => self.end(None, "annulled"),
            "takeback" => self.take_back(author),
            "offer" => self.make_offer(author, rest),
            "accept" => self.accept(author),
            "decline" if self.offer().is_some() => {
                self.offer = None;
                Ok(())
            }
            "decline" if self.moved.contains(&author) => Err("nothing can be declined"),
            "decline" => self.end(None, "declined"),
            "unpause" if !self.paused => Err("the game is not paused"),
            "unpause" => {
                self.paused = false;
                Ok(())
            }
            "given" if self.given + 1 < number => Err("an opening is before all else"),
            "given" => {
                self.given += 1;
                self.make(author, rest)
            }
            _ => {
                self.moved.push(author);
                self.make(author, action)
            }
        }
    }

    fn check_active(&self) -> Result<(), &'static str> {
        self.turn().map(|_| ()).ok_or("the game is over")
    }

    fn end(&mut self, winner: Option<char>, reason: &str) -> Result<(), &'static str> {
        self.check_active()?;
        self.ended = Some((winner, reason.to_owned()));
        self.end_event = Some(self.events);
        Ok(())
    }

    fn add(&mut self, ply: Event) {
        self.plies.push(ply);
        self.made_at.push(self.events);
        self.position_event = self.events;
    }

    /// Returns the game after these moves, which nobody has made.
    pub fn after(&self, moves: &[String]) -> Self {
        let mut then = self.clone();
        for mv in moves {
            let made = then.play(place(mv));
            then.plies.extend(made);
        }
        then
    }

    /// Returns the game as it stood after so many moves; `None` if an automatic pass came with the last of them.
    pub fn at(&self, ply: usize) -> Option<Self> {
        let mut then = Self::start(self.start.clone());
        then.plies.extend(then.pass.take());
        then.given = self.given.min(ply);
        for made in self.plies.iter().take(ply).filter(|made| !made.auto) {
            let made = then.play(made.mv);
            then.plies.extend(made);
        }
        (then.plies.len() == ply).then_some(then)
    }

    /// Returns how many moves a game had when an event came, without those that were taken back.
    pub fn moves_before(&self, event: usize) -> usize {
        self.made_at.iter().filter(|made_at| **made_at < event).count()
    }

    fn make(&mut self, author: char, label: &str) -> Result<(), &'static str> {
        if self.turn() != Some(author) {
            return Err("it is not the player's turn");
        }
        let mv = if label == "pass" { None } else { Some(place(label).ok_or("not a move")?) };
        let mut made = self.play(mv).into_iter();
        self.add(made.next().ok_or("the move is illegal")?);
        self.pass = made.next();
        self.offer = self.offer.take().filter(|offer| offer.by == author);
        Ok(())
    }

    /// Goes back to before the last move of a player.
    fn take_back(&mut self, player: char) -> Result<(), &'static str> {
        self.check_active()?;
        let last = self.own(player).next_back().map(|(at, _)| at);
        let at = last.ok_or("nothing can be taken back")?;
        let (plies, made_at) = (self.plies.split_off(at), self.made_at.split_off(at));
        let taken = Taken { by: player, event: self.events, before: at, plies, made_at };
        self.taken.push(taken);
        (self.board, self.status) = (self.begun(), OnceCell::new());
        for ply in self.plies.iter().filter(|ply| !ply.auto) {
            self.board.play(ply.mv);
        }
        (self.position_event, self.offer) = (self.events, None);
        Ok(())
    }

    fn make_offer(&mut self, by: char, kind: &str) -> Result<(), &'static str> {
        if (kind == "rematch") != self.result().is_some() {
            return Err("it is not the time for this offer");
        }
        if self.offer().is_some_and(|offer| offer.by != by) {
            return Err("the opponent's offer is open");
        }
        self.offer = Some(Offer { by, kind: kind.to_owned(), event: self.events });
        Ok(())
    }

    fn accept(&mut self, by: char) -> Result<(), &'static str> {
        let offer = self.offer().cloned().filter(|offer| offer.by != by).ok_or("no open offer")?;
        match &*offer.kind {
            "draw" => self.end(None, "agreed")?,
            "takeback" => self.take_back(offer.by)?,
            "pause" => self.paused = true,
            _ => {}
        }
        self.offer = None;
        Ok(())
    }
}

/// Returns whether results with this reason count.
pub fn counts(reason: &str) -> bool {
    !matches!(reason, "annulled" | "declined")
}
