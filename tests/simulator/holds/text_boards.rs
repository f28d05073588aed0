//! The boards that commands and mails draw in text: docs/commands.md, docs/settings.md, docs/mail.md.

use serde_json::Value;

use super::figures::{Figure, Scale};
use super::mail_texts::{Letter, flat};
use super::views::{ANALYZE, Asked};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::process::Ran;
use crate::simulator::replay::Replayed;
use crate::simulator::tables::Tables;

/// Commands that draw the board of their game when they are done.
const DRAWING: [&str; 9] =
    ["move", "pass", "resign", "new", "challenge", "claim", "show", "next", "preview"];

/// Arrows of figures.
const ARROWS: [char; 4] = ['⇨', '⇩', '⇧', '⇦'];

/// How somebody sees boards.
struct Reader {
    /// The scales of each figure; none: in words.
    scales: &'static [Scale],
}

/// Returns the setting `style` of a player with this value in a column.
fn style<'a>(tables: &'a Tables, column: &str, value: &str) -> Option<&'a str> {
    let mut players = tables.columns("player", [column, "style"]);
    players.find(|[it, _]| it.is_some_and(|it| it.eq_ignore_ascii_case(value)))?[1]
}

impl Reader {
    /// Returns one with this setting; the host has none.
    fn of(style: Option<&str>, is_compact: bool) -> Self {
        let scales = match style {
            Some("words") => &[],
            Some("compact") => &Scale::ALL[1..],
            _ if is_compact => &Scale::ALL[1..],
            _ => &Scale::ALL[..],
        };
        Self { scales }
    }

    /// Returns what is wrong if all that is drawn must be these boards, one of each group, in their order.
    fn misdrawn(&self, ran: &Ran, drawn: &[String], boards: &[Vec<Figure>]) -> Option<String> {
        if self.scales.is_empty() {
            let said = flat(&ran.sentences.join("\n"));
            let is_said = |figures: &Vec<Figure>| {
                let mut spoken = figures.iter().filter(|it| !it.is_hex());
                spoken.next().is_none()
                    || figures.iter().filter_map(Figure::spoken).any(|it| said.contains(&it))
            };
            let missing = boards.iter().find(|figures| !is_said(figures))?;
            let spoken: Vec<_> = missing.iter().filter_map(Figure::spoken).collect();
            return Some(format!("{said:?} has none of {spoken:?}"));
        }
        if drawn.len() != boards.len() * self.scales.len() {
            return Some(format!("{} boards, not {}: {drawn:?}", drawn.len(), boards.len()));
        }
        for (drawn, figures) in drawn.chunks(self.scales.len()).zip(boards) {
            let mut pairs = drawn.iter().zip(self.scales);
            let is_right = |figure: &Figure| pairs.clone().all(|(it, at)| figure.is_drawn(it, *at));
            if !figures.iter().any(is_right) {
                let is_wrong = |(it, at): &(&String, &Scale)| {
                    !figures.iter().any(|figure| figure.is_drawn(it, **at))
                };
                let (drawn, scale) = pairs.find(is_wrong)?;
                return Some(format!("at scale {scale:?}, it draws\n{drawn}"));
            }
        }
        None
    }
}

/// A command that shows a game draws its whole board as it stands then, with the marks of the last move, at each scale
/// that the reader wants: the numbers and letters, the lines between, and each disc.
pub fn commands_draw_the_board(change: &Change) -> Result<(), Violation> {
    let (Some(ran), Some(word)) = (change.ran, change.words.first()) else { return Ok(()) };
    let has = |it: &str| change.words.iter().any(|word| word == it);
    // Arrows, pictures and text for other programs are judged elsewhere.
    let is_option = |it: &&String| it.starts_with("--") && *it != "--compact";
    let is_other = word == "show" && change.words.iter().any(|it| is_option(&it));
    if change.status != 0 || is_other || !ran.has_sentences() || !DRAWING.contains(&&**word) {
        return Ok(());
    }
    // The host, who has no style, gives this one.
    let style = style(change.after, "name", change.actor).filter(|_| word != "new");
    let reader = Reader::of(style, has("--compact"));
    match wrong_game(change.after, ran, &reader) {
        Some(what) => {
            violated("commands_draw_the_board", format!("`{}`: {what}", change.words.join(" ")))
        }
        None => Ok(()),
    }
}

/// Returns what is wrong with the board of the game that the JSON shows: the one at its number of moves, or a later one
/// if a computer player has replied.
fn wrong_game(tables: &Tables, ran: &Ran, reader: &Reader) -> Option<String> {
    let shown = ran.shown();
    let (game, position) = (shown["game"].as_i64()?, shown["position"].as_str()?);
    let ply = usize::try_from(shown["ply"].as_i64()?).ok()?;
    let replayed = Replayed::of(tables, game, usize::MAX).ok()?;
    Figure::after(&replayed, ply).filter(|it| it.is_at(position))?;
    let since = (ply..=replayed.plies.len()).filter_map(|ply| Figure::after(&replayed, ply));
    reader.misdrawn(ran, &ran.drawn, &[since.collect()])
}

/// The views of a game draw its boards: `show` and `next` the present one, `show GAME#PLY` an earlier one, `preview` a
/// later one, `replay` one after each move, `rules` the start and the figures of the printed rules, and `analyze` the
/// one before the move that turned the game.
pub fn views_draw_the_boards(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    if ran.status != 0 || !ran.has_sentences() {
        return Ok(());
    }
    let style = asked.reader.and_then(|[id, _]| style(asked.tables, "id", id));
    let reader = Reader::of(style, words.ends_with("--compact"));
    let wrong = match words.split(' ').next().unwrap_or_default() {
        "show" | "next" => wrong_game(asked.tables, ran, &reader),
        "preview" => wrong_boards(asked, ran, &reader, |it, _| {
            let then = it.after(&asked.line);
            let is_whole = then.plies.len() >= it.plies.len() + asked.line.len();
            Some(vec![Figure::after(&then, then.plies.len()).filter(|_| is_whole)?])
        }),
        "replay" => wrong_boards(asked, ran, &reader, |it, shown| {
            let boards = shown["boards"].as_array()?.iter();
            let ply = |board: &Value| usize::try_from(board["ply"].as_i64()?).ok();
            boards.map(|board| Figure::after(it, ply(board)?)).collect()
        }),
        "rules" => wrong_boards(asked, ran, &reader, |it, _| {
            let mut boards = vec![Figure::at_start(it)];
            // In words, these have no arrows.
            boards.extend(
                Figure::printed(&it.start).into_iter().filter(|_| !reader.scales.is_empty()),
            );
            Some(boards)
        }),
        _ if words == ANALYZE => wrong_turn(asked, ran, &reader),
        _ => None,
    };
    match wrong {
        Some(what) => {
            violated("views_draw_the_boards", format!("{words} of game {}: {what}", asked.game))
        }
        None => Ok(()),
    }
}

/// Returns what is wrong if just these boards must be drawn. The figures with arrows on the hex lattice are left out.
fn wrong_boards(
    asked: &Asked,
    ran: &Ran,
    reader: &Reader,
    boards: impl Fn(&Replayed, &Value) -> Option<Vec<Figure>>,
) -> Option<String> {
    let replayed = asked.replayed()?;
    let boards = boards(&replayed, &ran.shown())?;
    let is_judged = !boards.iter().any(Figure::is_hex) || boards.iter().all(Figure::is_hex);
    let boards = if is_judged { &boards[..] } else { &boards[..1] };
    let count = boards.len() * reader.scales.len();
    let drawn = if is_judged { &ran.drawn[..] } else { ran.drawn.get(..count)? };
    let boards: Vec<_> = boards.iter().map(|it| vec![it.clone()]).collect();
    reader.misdrawn(ran, drawn, &boards)
}

/// Returns what is wrong with the board below `Before move N`.
fn wrong_turn(asked: &Asked, ran: &Ran, reader: &Reader) -> Option<String> {
    let lines = ran.sentences.iter().flat_map(|text| text.lines());
    let mut before = lines.filter_map(|line| line.strip_prefix("Before move ")?.split_once(", "));
    let number: usize = before.rfind(|(_, it)| it.ends_with(" to move:"))?.0.parse().ok()?;
    let figure = Figure::after(&asked.replayed()?, number.checked_sub(1)?)?;
    // Tables and a plot come first.
    let from = ran.drawn.len().checked_sub(reader.scales.len())?;
    reader.misdrawn(ran, &ran.drawn[from..], &[vec![figure]])
}

impl Letter<'_> {
    /// The text draws the whole board as the mail knew it, with the marks of the last move, or reads it if its reader
    /// wants words.
    pub fn draws_the_whole_board(&self) -> Result<(), String> {
        let plies = self.replayed.plies.len();
        let Some(figure) = Figure::after(&self.replayed, plies) else { return Ok(()) };
        let reader = self.row.player.map(|it| it.to_string()).unwrap_or_default();
        let styles =
            [self.change.before, self.change.after].map(|tables| style(tables, "id", &reader));
        // A setting can change in the step. A mail that comes again can be from before it.
        let is_known = self.is_first_try() && styles[0] == styles[1];
        let is_in = |style: &str| match style {
            "words" => figure.spoken().is_none_or(|it| flat(&self.text).contains(&it)),
            "compact" => figure.is_in(&self.text, Scale::Compact),
            _ => figure.is_in(&self.text, Scale::Full),
        };
        let is_right = match styles[1].filter(|_| is_known) {
            Some(style) => is_in(style),
            None => ["figure", "compact", "words"].into_iter().any(is_in),
        };
        match is_right {
            true => Ok(()),
            false => Err(format!("does not draw move {plies} for {:?}: {}", styles[1], self.text)),
        }
    }
}

/// Each board in the text of a mail is whole: all rows with their numbers, the lines between them and the letters.
pub fn boards_in_mails_are_whole(change: &Change) -> Result<(), Violation> {
    for mail in change.new_mails() {
        let [text, _] = mailer::parts(mail);
        for part in text.split("\n\n").filter(|it| !it.contains(ARROWS)) {
            let lines: Vec<_> = part.lines().filter(|line| !line.is_empty()).collect();
            if lines.iter().any(|line| line.starts_with("+---+")) && !is_whole_boxed(&lines) {
                return violated("boards_in_mails_are_whole", format!("{}: {part}", mail.id));
            }
            if lines.iter().any(|line| is_small_row(line)) && !is_whole_small(&lines) {
                return violated("boards_in_mails_are_whole", format!("{}: {part}", mail.id));
            }
        }
    }
    Ok(())
}

/// Returns the letters of so many columns.
fn letters(columns: usize) -> Vec<String> {
    (b'a'..=b'z').take(columns).map(|it| char::from(it).to_string()).collect()
}

fn is_whole_boxed(lines: &[&str]) -> bool {
    let (border, columns) = (lines[0], lines[0].len() / 4);
    let Some((below, lines)) = lines.split_last() else { return false };
    let is_cell =
        |cell: &str| matches!(cell, "   " | " B " | " W " | "[B]" | "[W]" | "(B)" | "(W)");
    let is_row = |line: &str, row: usize| {
        let cells = line.strip_prefix('|').and_then(|it| it.strip_suffix(&format!("| {row}")));
        cells.is_some_and(|it| it.split('|').count() == columns && it.split('|').all(is_cell))
    };
    let is_right = |(at, line): (usize, &&str)| match at % 2 {
        0 => *line == border,
        _ => is_row(line, at / 2 + 1),
    };
    border == "+---".repeat(columns) + "+"
        && lines.len() >= 3
        && lines.len() % 2 == 1
        && lines.iter().enumerate().all(is_right)
        && *below == format!("  {}", letters(columns).join("   "))
        && lines.iter().map(|line| line.matches('[').count()).sum::<usize>() <= 1
}

/// Returns the cells of a row of a small board with its number twice.
fn small_row(line: &str) -> Option<(usize, &str)> {
    let (cells, row) = line.rsplit_once(' ')?;
    let cells = cells.trim_start().strip_prefix(row)?.strip_prefix(' ')?;
    let is_board = |it: char| " .bwBW[]".contains(it);
    let has_cells = cells.chars().filter(|it| !" []".contains(*it)).count() >= 3;
    Some((row.parse().ok()?, cells)).filter(|_| has_cells && cells.chars().all(is_board))
}

fn is_small_row(line: &str) -> bool {
    small_row(line).is_some()
}

/// Returns whether lines are a small board, or one of the hex lattice, whose empty rows look alike.
fn is_whole_small(lines: &[&str]) -> bool {
    let is_hex = |line: &&str| line.contains(|it: char| "oxOX".contains(it));
    let [above, rows @ .., below] = lines else { return false };
    if rows.iter().any(is_hex) {
        return true;
    }
    let found = above.trim().replace(' ', "");
    let count = |cells: &str| cells.chars().filter(|it| !" []".contains(*it)).count();
    let is_right = |(row, line): (usize, &&str)| {
        small_row(line).is_some_and(|(number, cells)| number == row && count(cells) == found.len())
    };
    found == letters(found.len()).concat() && above == below && (1..).zip(rows).all(is_right)
}
