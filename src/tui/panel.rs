//! The panel beside the board: the players, the state of the game, the moves, the comments.

use outflank_rules::{Cell, Color};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::app::LiveGame;
use crate::tui::board::{disc, signed};
use crate::tui::keys::{Act, KEYS, key_of};
use crate::tui::look::{BOLD, DIM, Look};
use crate::tui::text::{apart, lines};

/// The panel beside the board.
pub(super) struct Panel<'a> {
    /// The game as it stands.
    pub live: &'a LiveGame,
    /// The game at the position on the screen.
    pub shown: &'a LiveGame,
    /// The values of the legal moves, the best first.
    pub values: &'a [(Cell, i32)],
    pub look: Look,
}

/// The width of a move in the list of moves.
const MOVE_WIDTH: usize = 6;

impl Panel<'_> {
    /// Returns the lines for a place beside the board.
    pub(super) fn beside(&self, width: u16, height: u16) -> Vec<Line<'static>> {
        let mut top: Vec<_> = Color::BOTH.map(|color| self.player(color, width)).into();
        top.push(Line::default());
        top.extend(self.standing(width));
        let values = self.values_in_lines(width);
        if !values.is_empty() {
            top.push(Line::default());
            top.extend(values);
        }
        let rest = usize::from(height).saturating_sub(top.len());
        let words = self.words(width, rest / 2);
        let of_words = if words.is_empty() { 0 } else { words.len() + 1 };
        let moves = self.moves(rest.saturating_sub(of_words + 1));
        for part in [moves, words] {
            if !part.is_empty() {
                top.push(Line::default());
                top.extend(part);
            }
        }
        top
    }

    /// Returns the lines for a place below the board: the players in one line, then as much of the rest as
    /// fits.
    pub(super) fn below(&self, width: u16, height: u16) -> Vec<Line<'static>> {
        let mut players = Line::default();
        for color in Color::BOTH {
            if color == Color::White {
                players.push_span("  ");
            }
            players.push_span(self.disc(color));
            let count = self.shown.game.position().count(color);
            let name = format!(" {} {count}", self.live.names().of(color));
            players.push_span(Span::styled(name, self.emphasis(color)));
        }
        let mut all = vec![players];
        all.extend(self.standing(width));
        let rest = usize::from(height).saturating_sub(all.len());
        all.extend(self.words(width, rest));
        all
    }

    fn disc(&self, color: Color) -> Span<'static> {
        disc(self.look, color, self.live.game.lattice())
    }

    /// Returns the style of a player's name.
    fn emphasis(&self, color: Color) -> Style {
        if self.shown.game.turn() == Some(color) { BOLD } else { Style::new() }
    }

    fn player(&self, color: Color, width: u16) -> Line<'static> {
        let turn = if self.shown.game.turn() == Some(color) { "> " } else { "  " };
        let is_reader = self.live.owns(color) && self.live.own != [true; 2];
        let you = if is_reader { " (you)" } else { "" };
        let name = format!(" {}{you}", self.live.names().of(color));
        let name = Span::styled(name, self.emphasis(color));
        let count = self.shown.game.position().count(color).to_string();
        apart(Line::from(vec![turn.into(), self.disc(color), name]), count.into(), width)
    }

    /// Returns the state of the game: the result or the player to move, the time, the open offer.
    fn standing(&self, width: u16) -> Vec<Line<'static>> {
        let live = self.live;
        if self.shown.game.plies().len() != live.game.plies().len() {
            let (at, of) = (self.shown.game.plies().len(), live.game.plies().len());
            return styled(&format!("Move {at} of {of}"), width, BOLD);
        }
        let mut all = match (&live.result, live.game.turn()) {
            (Some(result), _) => {
                let mut all = styled(result, width, BOLD);
                all.extend(styled(&next_games(live), width, Style::new()));
                all
            }
            (None, Some(turn)) => styled(&self.turn(turn), width, Style::new()),
            (None, None) => Vec::new(),
        };
        all.extend(live.time.iter().flat_map(|line| styled(line, width, Style::new())));
        if let Some(offer) = &live.offer {
            all.extend(styled(offer, width, BOLD));
            let by_reader = live.offered_by.is_some_and(|by| live.owns(by));
            let declines = if by_reader { "withdraws it" } else { "declines" };
            let answers = [("accept", "accepts"), ("decline", declines)];
            let can = answers.into_iter().filter(|(word, _)| live.can(word));
            let can: Vec<_> = can.map(|(word, does)| format!("{} {does}", key_of(word))).collect();
            if !can.is_empty() {
                all.extend(styled(&format!("{}.", can.join(", ")), width, Style::new()));
            }
        }
        all
    }

    /// Returns a sentence about the player to move.
    fn turn(&self, turn: Color) -> String {
        let live = self.live;
        let name = live.names().of(turn);
        let is_bot = live.bots[usize::from(turn == Color::White)];
        let must_pass = live.game.must_pass();
        let (is_shared, pass) = (live.own == [true; 2], key_of("pass"));
        match live.owns(turn) {
            true if must_pass && is_shared => format!("{name} must pass: {pass}."),
            true if must_pass => format!("You must pass: {pass}."),
            true if !is_shared => "Your move.".to_owned(),
            false if is_bot && live.bot_is_due => format!("{name} is thinking."),
            _ => format!("{name} is to move."),
        }
    }

    /// Returns the moves around the one on the screen, two in a line.
    fn moves(&self, height: usize) -> Vec<Line<'static>> {
        let plies = self.live.game.plies();
        let lattice = self.live.game.lattice();
        let at = self.shown.game.plies().len();
        let rows = plies.len().div_ceil(2);
        // The row behind the last one shown; the move on the screen is in the middle, if others follow.
        let last = (at.div_ceil(2) + height / 2).max(height).min(rows);
        let first = last.saturating_sub(height);
        let row = |row: usize| {
            let number = 2 * row + 1;
            let mut line = Line::from(Span::styled(format!("{number:>3}. "), DIM));
            for (number, ply) in (number..).zip(plies.iter().skip(2 * row).take(2)) {
                let label = format!("{:<MOVE_WIDTH$}", lattice.move_label(ply.mv));
                line.push_span(Span::styled(label, if number == at { BOLD } else { Style::new() }));
            }
            line
        };
        (first..last).map(row).collect()
    }

    /// Returns the last comments.
    fn words(&self, width: u16, height: usize) -> Vec<Line<'static>> {
        let mut said: Vec<_> =
            self.live.words.iter().flat_map(|line| styled(line, width, Style::new())).collect();
        said.drain(..said.len().saturating_sub(height));
        said
    }

    /// Returns the values of the best moves.
    fn values_in_lines(&self, width: u16) -> Vec<Line<'static>> {
        const MAX_LINES: usize = 3;
        if self.values.is_empty() {
            return Vec::new();
        }
        const NO_BREAK: &str = "\u{a0}";
        let lattice = self.live.game.lattice();
        let value = |&(cell, value): &(Cell, i32)| lattice.label(cell) + NO_BREAK + &signed(value);
        let values: Vec<_> = self.values.iter().map(value).collect();
        let hint = format!("Hint, discs at the end: {}", values.join(", "));
        let hint = lines(&hint, width).into_iter().take(MAX_LINES);
        hint.map(|line| line.replace(NO_BREAK, " ").into()).collect()
    }
}

/// Returns the keys that lead to another game after one against a computer player, such as
/// `G again, B stronger, L list`; nothing after another game.
fn next_games(live: &LiveGame) -> String {
    if !live.bots.contains(&true) {
        return String::new();
    }
    let keys = [(Act::Run("rematch"), "again"), (Act::Stronger, "stronger"), (Act::List, "list")];
    let key = |(act, word)| {
        let key = KEYS.iter().find(|key| key.act == act && key.is_possible(live))?;
        Some(format!("{} {word}", key.key))
    };
    keys.into_iter().filter_map(key).collect::<Vec<_>>().join(", ")
}

/// Returns a text as lines in this style.
fn styled(text: &str, width: u16, style: Style) -> Vec<Line<'static>> {
    lines(text, width).into_iter().map(|line| Line::styled(line, style)).collect()
}
