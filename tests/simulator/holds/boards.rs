//! What the pages of games draw: the board, the last move, the players, and the list of moves.

use super::commands::Member;
use super::pages::game_on;
use super::rows::name_of;
use super::{Opened, violated};
use crate::simulator::Violation;
use crate::simulator::naive::{Event, Naive, Shape};
use crate::simulator::pages::{self, Cell, Request};
use crate::simulator::replay::{Replayed, label};
use crate::simulator::tables::{Tables, number};

/// A page of a game draws the board after the moves that it is about: as the game stands, or after the number in
/// its path (`docs/web.md`). It marks the last move, names the players, says whose turn it is, and lists the moves.
pub fn boards_are_drawn_as_they_stand(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, reader, answer, tables, .. } = opened;
    const OF: &str = "boards_are_drawn_as_they_stand";
    let page = &answer.body;
    let Some(game) = game_on(page) else { return Ok(()) };
    let Ok(replayed) = Replayed::of(tables, game, usize::MAX) else { return Ok(()) };
    let known = known_plan(opened, game);
    if let Some(what) = wrong_removals(page, &known) {
        return violated(OF, format!("{} of game {game}: {what}", request.path));
    }
    // A page that plans shows a later position.
    if page.contains("aria-label=\"Plan\"") {
        let wrong = wrong_plan(request, page, &replayed);
        return match wrong.or_else(|| wrong_branches(request, page, known)) {
            Some(what) => violated(OF, format!("{} of game {game}: {what}", request.path)),
            None => Ok(()),
        };
    }
    let made = replayed.plies.len();
    let shown = pages::of_main(page, "data-ply").and_then(|ply| ply.parse::<usize>().ok());
    let (path, _) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let ply = shown.unwrap_or(made);
    let wrong = |what: String| violated(OF, format!("{path} of game {game}: {what}"));
    if asked_ply(path).is_some_and(|asked| asked != ply) || ply > made {
        return wrong(format!("it shows the board after {ply} of {made} moves"));
    }
    let board = board_after(&replayed, ply);
    let cells = pages::cells(page);
    if let Some(what) = wrong_square(&board, &squares(&cells), last_move(&replayed, ply)) {
        return wrong(what);
    }
    if let Some(what) = wrong_move(&replayed, tables, game, &cells) {
        return wrong(what);
    }
    let is_public = path.starts_with("/game/") || path.starts_with("/watch/");
    let names = names(tables, game);
    for (color, name) in ["black", "white"].iter().zip(&names) {
        let texts = side(page, color);
        let is_own = !is_public && name.eq_ignore_ascii_case(reader);
        let first = if is_own { format!("{name} (you)") } else { name.clone() };
        let discs = board.count(color.chars().next().unwrap_or_default()).to_string();
        let expected = [&*first, color, &*discs];
        if texts.get(..3).is_none_or(|it| it != expected) {
            return wrong(format!("the side is {texts:?}, not {expected:?}"));
        }
        let is_next = replayed.turn().is_some_and(|turn| color.starts_with(turn));
        // A flag that has fallen can end the game on its page.
        if ply == made && texts.iter().any(|it| it == "to move") && !is_next {
            return wrong(format!("{name} is to move"));
        }
    }
    Ok(())
}

/// Returns the squares of a board.
fn squares(cells: &[Vec<Cell>]) -> Vec<Vec<&Cell>> {
    let rows = cells.iter().map(|row| row.iter().filter(|it| it.class.starts_with('q')));
    rows.map(Iterator::collect).collect()
}

/// Returns what is wrong on a page on which a plan is made: it draws the board after the moves in its address.
fn wrong_plan(request: &Request, page: &str, replayed: &Replayed) -> Option<String> {
    let (_, moves) = request.path.split_once("?plan=")?;
    let moves = moves.split([' ', '+']).filter(|it| !it.is_empty()).map(str::to_owned);
    let moves: Vec<_> = moves.collect();
    let then = replayed.after(&moves);
    if then.plies.len() < replayed.plies.len() + moves.len() {
        return None;
    }
    let last = then.plies.last().filter(|it| it.mv.is_some());
    wrong_square(&then.board, &squares(&pages::cells(page)), last)
}

/// Returns the branches of a plan, each in small letters.
fn branches(plan: &str) -> Vec<String> {
    let branches = plan.split('/').map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    branches.filter(|it| !it.is_empty()).map(|it| it.to_lowercase()).collect()
}

/// Returns the branches of the reader's plan in a game.
fn known_plan(opened: &Opened, game: i64) -> Vec<String> {
    let own = Member::named(opened.tables, opened.reader).and_then(|it| number(Some(it.id)));
    let mut rows = opened.tables.columns_of("plan", game, ["player", "branches"]);
    let row = rows.find(|[player, _]| own.is_some() && number(*player) == own);
    branches(row.and_then(|[_, plan]| plan).unwrap_or_default())
}

/// Returns what is wrong with the buttons that remove a branch of a plan: each keeps the others.
fn wrong_removals(page: &str, known: &[String]) -> Option<String> {
    // The button that keeps a branch stands in the notice.
    let notice =
        page.split_once("aria-label=\"Plan\"").and_then(|(_, it)| it.split_once("</section>"));
    let forms = pages::forms(notice.map_or(page, |(_, rest)| rest)).into_iter();
    let forms = forms.filter(|it| it.is_post && it.value("command") == Some("plan"));
    let found: Vec<_> = forms.filter_map(|it| Some(branches(it.value("text")?))).collect();
    let rest = |at: usize| match known.len() {
        1 => vec!["off".to_owned()],
        _ => [&known[..at], &known[at + 1..]].concat(),
    };
    let expected: Vec<_> = (0..known.len()).map(rest).collect();
    let has_plan = page.contains("<textarea id=\"plan\"") || !found.is_empty();
    (has_plan && found != expected).then(|| format!("branches can go: {found:?}, not {expected:?}"))
}

/// Returns what is wrong with the button that keeps a new branch: it keeps the ones before, too.
fn wrong_branches(request: &Request, page: &str, mut expected: Vec<String>) -> Option<String> {
    let (_, moves) = request.path.split_once("?plan=")?;
    let notice = page.split("aria-label=\"Plan\"").nth(1)?.split("</section>").next()?;
    let form = pages::forms(notice).into_iter().find(|it| it.value("command") == Some("plan"))?;
    expected.extend(branches(&moves.replace('+', " ")));
    let found = branches(form.value("text").unwrap_or_default());
    (found != expected).then(|| format!("it keeps {found:?}, not {expected:?}"))
}

/// Returns the number of moves at the end of a path.
fn asked_ply(path: &str) -> Option<usize> {
    let segments: Vec<_> = path.trim_start_matches('/').split('/').collect();
    let ply = match segments[..] {
        ["game" | "play" | "watch", _, ply] | ["me", _, _, ply] => ply,
        _ => return None,
    };
    ply.parse().ok()
}

fn names(tables: &Tables, game: i64) -> [String; 2] {
    let names = ["black", "white", "black_bot", "white_bot"];
    let row = tables.columns_of("game", game, names).next().unwrap_or_default();
    [0, 1].map(|side| {
        let name = number(row[side]).and_then(|player| name_of(tables, player));
        name.or(row[side + 2]).unwrap_or_default().to_owned()
    })
}

/// Returns the texts about the player of a colour.
fn side(page: &str, color: &str) -> Vec<String> {
    let sides = page.split("<p class=\"side ").skip(1);
    let side = sides.map(|it| it.split("</p>").next().unwrap_or_default());
    let own = side.filter(|it| it.starts_with(color)).map(|it| format!("<p class=\"{it}"));
    own.take(1).flat_map(|it| pages::texts(&it)).collect()
}

fn board_after(replayed: &Replayed, ply: usize) -> Naive {
    let mut board = replayed.begun();
    for made in replayed.plies[..ply].iter().filter(|ply| !ply.auto) {
        board.play(made.mv);
    }
    board
}

/// Returns the last disc that was placed, if the last move was not a pass.
fn last_move(replayed: &Replayed, ply: usize) -> Option<&Event> {
    let last = ply.checked_sub(1).map(|at| &replayed.plies[at])?;
    Some(last).filter(|it| it.mv.is_some())
}

/// Returns what is wrong on the squares of a board.
fn wrong_square(board: &Naive, rows: &[Vec<&Cell>], last: Option<&Event>) -> Option<String> {
    let Shape::Rectangle { rows: height, columns: width } = board.options.shape else {
        return None;
    };
    let rows: Vec<_> = rows.iter().filter(|row| !row.is_empty()).collect();
    let is_whole = usize::try_from(height) == Ok(rows.len())
        && rows.iter().all(|row| usize::try_from(width) == Ok(row.len()));
    if !is_whole {
        return Some(format!("the board has {} rows", rows.len()));
    }
    for (row, squares) in (1..).zip(rows) {
        for (column, square) in (0..).zip(squares) {
            let place = (column, row);
            let mut words = square.class.split(' ').skip(1);
            let drawn = words.next().filter(|it| matches!(*it, "b" | "w"));
            let disc = board.discs.get(&place).map(char::to_string);
            if drawn != disc.as_deref() {
                return Some(format!("{place:?} is {drawn:?}, not {disc:?}"));
            }
            let mark = words.next().filter(|it| matches!(*it, "last" | "turned"));
            let expected = last.and_then(|last| match () {
                () if last.mv == Some(place) => Some("last"),
                () => last.flipped.contains(&place).then_some("turned"),
            });
            if last.is_some() && mark != expected {
                return Some(format!("{place:?} is marked {mark:?}, not {expected:?}"));
            }
            let name = match disc.as_deref() {
                Some("b") => "black",
                Some(_) => "white",
                None => continue,
            };
            if !square.text.contains(name) {
                return Some(format!("{place:?} is called {:?}", square.text));
            }
        }
    }
    None
}

/// Returns what is wrong in the list of moves with their numbers.
fn wrong_move(
    replayed: &Replayed,
    tables: &Tables,
    game: i64,
    cells: &[Vec<Cell>],
) -> Option<String> {
    let names = names(tables, game);
    let listed: Vec<_> =
        cells.iter().filter(|row| row.len() >= 6 && row[0].class == "number").collect();
    for row in listed {
        let at: usize = row[0].text.parse().ok()?;
        let Some(made) = at.checked_sub(1).and_then(|at| replayed.plies.get(at)) else {
            return Some(format!("there is no move {at}"));
        };
        let label = match made.mv {
            Some(place) => label(place, &replayed.board)?,
            None => "pass".to_owned(),
        };
        let name = names[usize::from(made.by == 'w')].clone();
        let numbers = [made.flipped.len(), made.black, made.white].map(|it| it.to_string());
        let expected = [&*name, &*label, &*numbers[0], &*numbers[1], &*numbers[2]];
        let shown = [1, 2, 3, 4, 5].map(|at| &*row[at].text);
        if shown != expected {
            return Some(format!("move {at} is {shown:?}, not {expected:?}"));
        }
    }
    None
}
