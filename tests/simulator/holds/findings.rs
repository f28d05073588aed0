//! What an analysis has found, on the pages that replay a game: docs/analysis.md, docs/web.md.

use super::games::word;
use super::pages::game_on;
use super::rows::name_of;
use super::thoughts::Judged;
use super::views::{Asked, number};
use super::{Opened, violated};
use crate::simulator::Violation;
use crate::simulator::pages;
use crate::simulator::replay::Replayed;
use crate::simulator::tables::Tables;

/// A page that replays a game says after which move it is, the score then and whose turn it was. If the game is
/// analysed, it says what that move has cost, who can expect to win after it, and the same of each move in its list.
pub fn replays_have_the_findings(opened: &Opened) -> Result<(), Violation> {
    let &Opened { answer, tables, now, .. } = opened;
    let page = &answer.body;
    let ply = pages::of_main(page, "data-ply").and_then(|ply| ply.parse::<usize>().ok());
    let (Some(ply), Some(game)) = (ply, game_on(page)) else { return Ok(()) };
    let Ok(it) = Replayed::of(tables, game, usize::MAX) else { return Ok(()) };
    let all = Judged::all(tables, &it, game);
    let asked = Asked { game, ..Asked::by(tables, now, [""; 2]) };
    match wrong_head(page, ply, &it, &asked).or_else(|| wrong(page, ply, &all, tables, game)) {
        None => Ok(()),
        Some(wrong) => violated(
            "replays_have_the_findings",
            format!("move {ply} of game {game}, {} are analysed: {wrong}", all.len()),
        ),
    }
}

/// Returns what the head of the page says, if it does not say how the game stood after the move that it shows.
fn wrong_head(page: &str, ply: usize, it: &Replayed, asked: &Asked) -> Option<String> {
    let then = it.at(ply)?;
    let (entry, _) = asked.entry(asked.game)?;
    let all = it.plies.len();
    let after = match ply {
        0 => "Before the first move".to_owned(),
        _ => format!("After move {ply} of {all}"),
    };
    if ply == all && asked.may_be_over() {
        return None;
    }
    let mut expected = format!("{after}: black {}, white {}.", then.discs('b'), then.discs('w'));
    if let Some(turn) = then.turn().filter(|_| ply < all || it.turn().is_some()) {
        let color = word(turn);
        // Or must pass.
        expected += &format!(" {} ({color}) ", entry[color].as_str()?);
    }
    let said = pages::texts(page.split_once("</header>")?.0).join(" ");
    (!said.contains(&expected)).then(|| format!("{said:?}, not {expected:?}"))
}

fn wrong(page: &str, ply: usize, all: &[Judged], tables: &Tables, game: i64) -> Option<String> {
    let listed = pages::cells(page).into_iter();
    let listed = listed.filter(|row| row.len() >= 6 && row[0].class == "number");
    for row in listed {
        let at = row[0].text.parse::<usize>().ok()?.checked_sub(1)?;
        let expected = all.get(at).map(|it| {
            let loss = if it.loss() > 0 { it.loss().to_string() } else { String::new() };
            [format!("{:+}", it.scores()[1]), loss]
        });
        let found = (row.len() >= 8).then(|| [row[6].text.clone(), row[7].text.clone()]);
        if found != expected {
            return Some(format!("move {} has {found:?}, not {expected:?}", at + 1));
        }
    }
    let texts = pages::texts(page);
    let found: Vec<_> = texts.iter().filter(|it| it.contains(" can expect ")).collect();
    let expected = sentence(ply, all, tables, game);
    if found != expected.iter().collect::<Vec<_>>() {
        return Some(format!("it says {found:?}, not {expected:?}"));
    }
    let bars = |color: &str| page.matches(&format!("<rect class=\"{color}\"")).count();
    let lost = |color| all.iter().filter(|it| it.by == color && it.loss() > 0).count();
    let (found, expected) = ([bars("black"), bars("white")], [lost('b'), lost('w')]);
    (found != expected).then(|| format!("{found:?} losses are drawn, not {expected:?}"))
}

/// Returns the sentence about the move that a page shows.
fn sentence(ply: usize, all: &[Judged], tables: &Tables, game: i64) -> Option<String> {
    let (expected, cost) = match ply.checked_sub(1) {
        None => {
            let [value, _] = all.first()?.scores();
            (value, String::new())
        }
        Some(at) => {
            let it = all.get(at)?;
            let cost = match it.loss() {
                0 => "nothing".to_owned(),
                1 => "1 disc".to_owned(),
                loss => format!("{loss} discs"),
            };
            (it.scores()[1], format!("Move {ply} cost {cost}. "))
        }
    };
    let columns = ["black", "white", "black_bot", "white_bot"];
    let row = tables.columns_of("game", game, columns).next()?;
    let (side, color) = if expected > 0 { (0, "black") } else { (1, "white") };
    let name = row[side].and_then(|id| name_of(tables, number(Some(id))));
    let name = name.or(row[side + 2])?;
    Some(match expected {
        0 => format!("{cost}The players can expect a draw."),
        _ => format!("{cost}{name} ({color}) can expect to win by {}.", expected.abs()),
    })
}
