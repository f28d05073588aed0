//! The state of the screen, changed by events and updates.

use outflank_model::render::words;
use outflank_rules::{Cell, Cells};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use crate::app::{
    AtBoard, Block, Error, LEAVING, LiveGame, PlayerCommand, Reply, Typed, Values, Zone, one_line,
};
use crate::tui::board::{View, nearest};
use crate::tui::keys::{Act, KEYS, about};
use crate::tui::list::List;
use crate::tui::look::Look;
use crate::tui::page::TextPage;
use crate::tui::request::{Request, Update};

/// The state of the screen.
#[derive(Debug)]
pub struct Model {
    pub(super) live: LiveGame,
    pub(super) look: Look,
    suspendable: bool,
    pub(super) cursor: Cell,
    /// The position before the present one that is shown, as a game.
    pub(super) earlier: Option<Box<LiveGame>>,
    /// The values of the legal moves, the best first; empty without a hint.
    pub(super) values: Vec<(Cell, i32)>,
    /// The typed line below the board.
    pub(super) typed: String,
    pub(super) prompt: Option<Prompt>,
    pub(super) message: Option<Message>,
    /// The word of a command that takes long and has not been replied to.
    pub(super) working: Option<&'static str>,
    /// How far that command is; empty until it says so.
    pub(super) progress: String,
    pub(super) over: Option<Over>,
    pub(super) view: View,
}

/// A question below the board.
#[derive(Debug)]
pub(super) enum Prompt {
    /// Asks for a comment to the opponent, with the typed text.
    Say(String),
    /// Asks for confirmation of the command with this word.
    Confirm(String, &'static str, Box<PlayerCommand>),
}

/// A message below the board.
#[derive(Debug)]
pub(super) struct Message {
    pub text: String,
    pub is_refusal: bool,
}

/// A view in place of the board.
#[derive(Debug)]
pub(super) enum Over {
    Text(TextPage),
    List(List),
}

/// The most bytes of a typed text.
const MAX_TYPED: usize = 4000;

impl Model {
    /// Returns the screen that shows a game. `suspendable` says whether Ctrl-Z stops the program.
    pub fn new(live: LiveGame, look: Look, suspendable: bool) -> Self {
        let mut model = Self {
            cursor: Cell::new(0, 0),
            live,
            look,
            suspendable,
            earlier: None,
            values: Vec::new(),
            typed: String::new(),
            prompt: None,
            message: None,
            working: None,
            progress: String::new(),
            over: None,
            view: View::default(),
        };
        model.center();
        model
    }

    /// Puts the cursor on the legal square nearest to the middle of the board, or else into the middle.
    fn center(&mut self) {
        let frame = self.live.game.position().frame();
        let middle = |range: std::ops::Range<i32>| (range.start + range.end - 1) / 2;
        let middle = Cell::new(middle(frame.column_range()), middle(frame.row_range()));
        let distance =
            |cell: &Cell| (cell.column - middle.column).abs().max((cell.row - middle.row).abs());
        self.cursor = self.legal().iter().min_by_key(distance).unwrap_or(middle);
    }

    /// Returns the game at the position on the screen.
    pub(super) fn shown(&self) -> &LiveGame {
        self.earlier.as_deref().unwrap_or(&self.live)
    }

    /// Returns the cells where the reader can place a disc now, if the present position is on the screen.
    pub(super) fn legal(&self) -> Cells {
        let is_own = self.live.game.turn().is_some_and(|turn| self.live.owns(turn));
        match self.earlier {
            None if is_own => self.live.game.position().placements(),
            _ => Cells::NONE,
        }
    }

    /// Handles an event of the terminal, and returns the request that it makes.
    pub fn handle(&mut self, event: Event) -> Option<Request> {
        let request = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Paste(text) => {
                text.chars().for_each(|c| self.paste(if c.is_whitespace() { ' ' } else { c }));
                None
            }
            _ => None,
        };
        // A request ends the search of the one before it.
        match &request {
            Some(Request::Run(word, command)) => {
                self.working = command.traits().takes_long.then_some(word);
                self.progress.clear();
            }
            Some(_) => self.working = None,
            None => {}
        }
        request
    }

    fn key(&mut self, key: KeyEvent) -> Option<Request> {
        let is_control = key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::Char('c') if is_control => return Some(Request::Leave),
            KeyCode::Char('z') if is_control && self.suspendable => return Some(Request::Suspend),
            _ if key.modifiers.intersects(KeyModifiers::SHIFT.complement()) => return None,
            _ => {}
        }
        self.message = None;
        if key.code == KeyCode::Esc {
            self.working = None;
        }
        match self.prompt.take() {
            Some(prompt) => self.key_in_prompt(prompt, key.code),
            None => self.key_outside(key.code),
        }
    }

    /// Handles a key while a question is open.
    fn key_in_prompt(&mut self, prompt: Prompt, key: KeyCode) -> Option<Request> {
        self.prompt = match (prompt, key) {
            (_, KeyCode::Esc) | (Prompt::Confirm(..), KeyCode::Char('n' | 'N')) => None,
            (Prompt::Say(text), KeyCode::Enter) => return self.say(&text),
            (Prompt::Confirm(_, word, command), KeyCode::Char('y' | 'Y')) => {
                return Some(Request::Run(word, command));
            }
            (Prompt::Say(mut text), key) => {
                match key {
                    KeyCode::Backspace => drop(text.pop()),
                    KeyCode::Char(c) => type_in(&mut text, c),
                    _ => {}
                }
                Some(Prompt::Say(text))
            }
            (prompt, _) => Some(prompt),
        };
        None
    }

    fn key_outside(&mut self, key: KeyCode) -> Option<Request> {
        if let KeyCode::Char(c) = key
            && let Some(key) = KEYS.iter().find(|key| key.key == c)
            && (c.is_ascii_uppercase() || self.typed.is_empty())
        {
            self.over = None;
            return self.act(key.act);
        }
        match (&mut self.over, key) {
            (None, _) => return self.key_on_board(key),
            (Some(Over::List(list)), KeyCode::Enter) => {
                let number = list.selected()?;
                self.over = None;
                return Some(Request::Open(number));
            }
            (Some(_), KeyCode::Enter | KeyCode::Esc | KeyCode::Char('q')) => self.over = None,
            (Some(_), key) => self.scroll(key),
        }
        None
    }

    fn key_on_board(&mut self, key: KeyCode) -> Option<Request> {
        match key {
            KeyCode::Enter if self.earlier.is_some() => self.earlier = None,
            KeyCode::Enter if self.typed.trim().is_empty() => {
                let lattice = self.live.game.lattice();
                return self.run(&lattice.label(self.cursor));
            }
            KeyCode::Enter => {
                let typed = std::mem::take(&mut self.typed);
                return self.run(&typed);
            }
            KeyCode::Esc if !self.typed.is_empty() => self.typed.clear(),
            KeyCode::Esc => self.earlier = None,
            KeyCode::Backspace => drop(self.typed.pop()),
            KeyCode::Char(c) => {
                let begins = c.is_lowercase() || c.is_ascii_digit() || c == '-';
                if begins || !self.typed.is_empty() && !c.is_uppercase() {
                    type_in(&mut self.typed, c);
                }
            }
            KeyCode::Tab | KeyCode::BackTab => self.jump(key == KeyCode::Tab),
            _ => self.step(key),
        }
        None
    }

    /// Moves the cursor to a neighbour, in the directions of a number pad.
    fn step(&mut self, key: KeyCode) {
        let position = self.shown().game.position();
        let is_hex = position.rules().lattice == outflank_rules::Lattice::Hex;
        let (columns, rows) = match key {
            KeyCode::Left => (-1, 0),
            KeyCode::Right => (1, 0),
            KeyCode::Up => (0, -1),
            KeyCode::Down => (0, 1),
            KeyCode::Home if is_hex => (0, -1),
            KeyCode::Home => (-1, -1),
            KeyCode::PageUp => (1, -1),
            KeyCode::End => (-1, 1),
            KeyCode::PageDown if is_hex => (0, 1),
            KeyCode::PageDown => (1, 1),
            _ => return,
        };
        let next = Cell::new(self.cursor.column + columns, self.cursor.row + rows);
        let frame = position.frame();
        if nearest(&frame, next) == next {
            self.cursor = next;
        }
    }

    /// Moves the cursor to the next legal square, or to the one before it.
    fn jump(&mut self, forward: bool) {
        let mut cells: Vec<_> = self.legal().iter().collect();
        cells.sort_by_key(|cell| (cell.row, cell.column));
        let at = (self.cursor.row, self.cursor.column);
        let next = match forward {
            true => cells.iter().find(|cell| (cell.row, cell.column) > at).or(cells.first()),
            false => cells.iter().rfind(|cell| (cell.row, cell.column) < at).or(cells.last()),
        };
        self.cursor = next.copied().unwrap_or(self.cursor);
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Option<Request> {
        let at = Position::new(mouse.column, mouse.row);
        match (mouse.kind, &mut self.over) {
            _ if self.prompt.is_some() => {}
            (MouseEventKind::ScrollUp, _) => self.scroll(KeyCode::Up),
            (MouseEventKind::ScrollDown, _) => self.scroll(KeyCode::Down),
            (MouseEventKind::Down(MouseButton::Left), Some(Over::List(list))) => {
                let is_chosen = list.click(at);
                return is_chosen.then(|| self.key_outside(KeyCode::Enter))?;
            }
            (MouseEventKind::Down(MouseButton::Left), None) => {
                let cell = self.view.cell_at(at)?;
                self.message = None;
                if cell != self.cursor {
                    self.cursor = cell;
                } else if self.legal().contains(cell) {
                    self.typed.clear();
                    return self.key_on_board(KeyCode::Enter);
                }
            }
            _ => {}
        }
        None
    }

    /// Scrolls the view in place of the board.
    fn scroll(&mut self, key: KeyCode) {
        match &mut self.over {
            Some(Over::Text(text)) => text.scroll(key),
            Some(Over::List(list)) => list.select(key),
            None => {}
        }
    }

    fn paste(&mut self, c: char) {
        match &mut self.prompt {
            Some(Prompt::Say(text)) => type_in(text, c),
            Some(Prompt::Confirm(..)) => {}
            None if self.over.is_none() => type_in(&mut self.typed, c),
            None => {}
        }
    }

    fn act(&mut self, act: Act) -> Option<Request> {
        if let (Act::Run(_) | Act::Stronger | Act::Say, Some(earlier)) = (act, &self.earlier) {
            let at = earlier.game.plies().len();
            self.refuse(format!(
                "This is the position after move {at}; Enter returns to the present."
            ));
            return None;
        }
        match act {
            Act::Run(word) => return self.run(word),
            Act::Stronger => match self.live.stronger() {
                Some(bot) => return Some(Request::PlayAgainst(bot)),
                None => self.refuse("Here no computer player is stronger.".to_owned()),
            },
            Act::Say if self.live.can("say") => self.prompt = Some(Prompt::Say(String::new())),
            Act::Say => self.refuse("You cannot say anything in this game now.".to_owned()),
            Act::Next => return Some(Request::Next),
            Act::List => return Some(Request::List),
            Act::Leave => return Some(Request::Leave),
            Act::Keys => self.over = Some(Over::Text(TextPage::new("Keys", &about(), Zone::Utc))),
            Act::Back => {
                let at = self.shown().game.plies().len();
                self.show(at.saturating_sub(1));
            }
            Act::Forward => self.show(self.shown().game.plies().len() + 1),
        }
        None
    }

    /// Shows the position after this number of moves.
    fn show(&mut self, ply: usize) {
        let earlier = self.live.game.plies().len() > ply;
        let game = self.live.game.right_after(ply).filter(|_| earlier);
        self.earlier = game.map(|game| Box::new(LiveGame { game, ..self.live.clone() }));
        self.cursor = nearest(&self.shown().game.position().frame(), self.cursor);
    }

    /// Parses a line, and returns the request to run its command.
    fn run(&mut self, line: &str) -> Option<Request> {
        if LEAVING.contains(&line.trim().to_lowercase().as_str()) {
            return Some(Request::Leave);
        }
        let command = match self.live.typed(line) {
            Ok(Typed::Blank) => return None,
            Ok(Typed::Play(play)) => return Some(Request::Play(play)),
            Ok(Typed::Command(command)) => command,
            Err(error) => {
                self.refuse_with(&error);
                return None;
            }
        };
        let first = line.split_whitespace().next()?.to_lowercase();
        let word = PlayerCommand::words().find(|word| *word == first).unwrap_or("move");
        if word == "next" {
            return Some(Request::Next);
        }
        match self.question(&command) {
            Some(question) => self.prompt = Some(Prompt::Confirm(question, word, command)),
            None => return Some(Request::Run(word, command)),
        }
        None
    }

    /// Returns the question before a command, if it needs one.
    fn question(&self, command: &PlayerCommand) -> Option<String> {
        let id = command.concerns().game()?;
        let is_shown = id == self.live.id;
        if is_shown && self.live.game.turn().is_none() {
            // The application says that it is over.
            return None;
        }
        let is_shared = self.live.own == [true; 2];
        let turn = self.live.game.turn().filter(|_| is_shown && is_shared);
        let turn = turn.map(|turn| self.live.names().with_color(turn));
        let has_bot = self.live.bots.contains(&true);
        command.question(&AtBoard { turn: turn.as_deref(), is_shared, has_bot })
    }

    fn say(&self, text: &str) -> Option<Request> {
        let text = Some(text.trim()).filter(|text| !text.is_empty())?.to_owned();
        Some(Request::Run("say", Box::new(PlayerCommand::say(self.live.id, text))))
    }

    /// Handles an update, and returns the request that follows: after a rematch, to open the new game.
    pub fn update(&mut self, update: Update) -> Option<Request> {
        match update {
            Update::Game(live) => self.show_game(*live),
            Update::Reply(word, reply, zone) => {
                self.working = None;
                return self.reply(word, reply, zone);
            }
            Update::Progress(progress) => self.progress = progress,
            Update::List(reply, zone) => self.list(reply, zone),
            Update::Refused(error) => {
                self.working = None;
                self.refuse_with(&error);
            }
            Update::NoneWaits => self.report("No other game waits for you.".to_owned()),
        }
        None
    }

    fn show_game(&mut self, live: LiveGame) {
        let is_other = live.id != self.live.id;
        let known = self.live.game.plies().len();
        let passed = live.game.plies().get(known..).unwrap_or_default();
        let passed = passed.iter().rposition(|ply| ply.auto).filter(|_| !is_other);
        let is_moved = live.game.position_event() != self.live.game.position_event();
        self.live = live;
        if is_other {
            let message = self.message.take();
            *self = Self::new(self.live.clone(), self.look, self.suspendable);
            self.message = message;
            return;
        }
        if let Some(at) = passed {
            let passed = words::moves_after(&self.live.game, self.live.names(), known + at);
            // Until the next key: the computer player may move at once.
            self.report(passed.into_iter().take(1).map(|it| it + ".").collect());
        }
        if is_moved {
            self.values.clear();
            if self.prompt.take_if(|it| matches!(it, Prompt::Confirm(..))).is_some() {
                self.refuse("The position has changed.".to_owned());
            }
        }
        match self.earlier.take() {
            Some(earlier) => self.show(earlier.game.plies().len()),
            None => self.cursor = nearest(&self.live.game.position().frame(), self.cursor),
        }
    }

    fn reply(&mut self, word: &'static str, reply: Reply, zone: Zone) -> Option<Request> {
        match word {
            "hint" if self.take_values(&reply) => {}
            "games" => self.list(reply, zone),
            _ if PlayerCommand::named(word).is_some_and(|it| it.is_shown_by_board) => {
                let said: Vec<_> =
                    reply.said.iter().filter_map(Block::text).map(one_line).collect();
                if !said.is_empty() {
                    self.report(said.join(" "));
                }
                return Some(Request::Open(reply.begun?));
            }
            _ => match &reply.shown().collect::<Vec<_>>()[..] {
                [Block::Text(text)] if text.lines().count() == 1 => self.report(text.clone()),
                _ => {
                    let title = word[..1].to_uppercase() + &word[1..];
                    self.over = Some(Over::Text(TextPage::new(&title, &reply, zone)));
                }
            },
        }
        None
    }

    /// Takes the values of the moves from a hint. Returns whether it is for the present position.
    fn take_values(&mut self, reply: &Reply) -> bool {
        let (game, ply) = (self.live.id, self.live.game.plies().len());
        let values = reply.values.as_ref().filter(|it| it.game == game && it.ply == ply);
        let Some(Values { moves, .. }) = values else { return false };
        self.values.clone_from(moves);
        !moves.is_empty()
    }

    fn list(&mut self, mut reply: Reply, zone: Zone) {
        self.over = Some(match List::new(&mut reply, zone, self.live.id) {
            Some(list) => Over::List(list),
            None => Over::Text(TextPage::new("Games", &reply, zone)),
        });
    }

    fn report(&mut self, text: String) {
        self.message = Some(Message { text, is_refusal: false });
    }

    fn refuse(&mut self, text: String) {
        self.message = Some(Message { text, is_refusal: true });
    }

    fn refuse_with(&mut self, error: &Error) {
        let hint = error.hint().map(|hint| format!("; {}", hint.replace("`outflank ", "`")));
        self.refuse(format!("{error}{}", hint.unwrap_or_default()));
    }
}

/// Adds a character to a typed text, unless it is one that moves the cursor or the text is too long.
fn type_in(text: &mut String, c: char) {
    if text.len() < MAX_TYPED && !c.is_control() {
        text.push(c);
    }
}
