//! What holds of pages.

use std::collections::{BTreeMap, BTreeSet};

use super::lists::ending;
use super::rows::{self, Game, name_of};
use super::{Opened, has_flag_fallen, violated};
use crate::simulator::Violation;
use crate::simulator::naive::Status;
use crate::simulator::pages::{self, Answer, Request};
use crate::simulator::replay::{Replayed, place};
use crate::simulator::tables::{Tables, number};

/// A request gets a page or a refusal of the contract, and the host is told of no problem but of the mail. What a
/// page of another site sends is refused.
pub fn pages_are_answered(request: &Request, answer: &Answer) -> Result<(), Violation> {
    let of = "pages_are_answered";
    let Answer { status, problems, .. } = answer;
    let is_unsubscribing = request.path.starts_with("/unsubscribe/");
    let is_right = match (&request.form, request.is_foreign) {
        (None, _) => matches!(status, 200 | 404),
        (Some(_), true) if !is_unsubscribing => matches!(status, 403),
        (Some(_), _) => matches!(status, 200 | 303 | 403 | 404 | 409 | 422),
    };
    if !is_right {
        return violated(of, format!("{request:?} got {status}: {problems:?}"));
    }
    match problems.iter().find(|problem| !problem.contains("mail")) {
        Some(problem) => violated(of, format!("{request:?}: {problem}")),
        None => Ok(()),
    }
}

/// A link or a button of a page works as long as nothing has changed since the page was opened.
pub fn fresh_pages_work(request: &Request, answer: &Answer) -> Result<(), Violation> {
    let is_right = match &request.form {
        None => answer.status == 200,
        Some(_) => matches!(answer.status, 200 | 303),
    };
    if is_right {
        return Ok(());
    }
    let texts = pages::texts(&answer.body);
    let found = format!("{request:?} got {}: {:?}", answer.status, &texts[..texts.len().min(6)]);
    violated("fresh_pages_work", found)
}

/// A form does nothing if its page showed another state of the game than the present one.
pub fn stale_pages_do_nothing(request: &Request, answer: &Answer) -> Result<(), Violation> {
    match answer.status {
        303 => violated("stale_pages_do_nothing", format!("{request:?} was done")),
        _ => Ok(()),
    }
}

/// Returns the events that both players know of the game that a page shows, without times and words: a restored
/// backup can go on with the same ones.
pub fn known_events(page: &str, tables: &Tables) -> Vec<String> {
    let Some(game) = game_of(page).and_then(|game| game.parse().ok()) else { return Vec::new() };
    let events = tables.columns_of("event", game, ["author", "action"]);
    let known = events.filter_map(|[author, action]| match action?.split_once(' ') {
        Some(("note", _)) => None,
        Some(("say", _)) => Some(format!("{author:?} say")),
        _ => Some(format!("{author:?} {action:?}")),
    });
    known.collect()
}

/// Returns whether these events are still all that happened in the game of a page, but for a flag that fell.
pub fn still_holds(known: &[String], page: &str, tables: &Tables) -> bool {
    let now = known_events(page, tables);
    let is_flag = |event: &String| event.starts_with("Some(\"h\")");
    now.starts_with(known) && now[known.len()..].iter().all(is_flag)
}

/// A link of a game is for those who play it, and for those who watch it as long as both players allow it.
pub fn links_are_for_players_and_watchers(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, reader, answer, tables, .. } = opened;
    let shown = game_of(&answer.body).filter(|_| !request.path.starts_with("/game/"));
    let game = shown.and_then(|game| Game::of(tables, game.parse().ok()?));
    let mut players = tables.columns("player", ["name", "id"]);
    let is_reader = |name: Option<&str>| name.is_some_and(|it| it.eq_ignore_ascii_case(reader));
    let reader = players.find(|[name, _]| is_reader(*name)).and_then(|[_, id]| number(id));
    let (Some(game), Some(reader)) = (game, reader) else { return Ok(()) };
    match game.color_of(reader).is_some() || rows::watchers(tables, &game).contains(&reader) {
        true => Ok(()),
        false => violated(
            "links_are_for_players_and_watchers",
            format!("{} shows game {} to player {reader}", request.path, game.id),
        ),
    }
}

/// The most finished games that a player's own page lists at once.
const FINISHED_IN_A_PART: usize = 50;

/// A page of a game shows the discs and whose turn it is; its player can choose exactly when it is the player's
/// turn. When the deadline has passed, the page may show that the game is lost before that is recorded.
pub fn pages_show_what_stands(opened: &Opened) -> Result<(), Violation> {
    let &Opened { answer, tables, now, .. } = opened;
    let now = now.timestamp();
    let page = &answer.body;
    // A page that plans shows a later position.
    let is_planning = page.contains("aria-label=\"Plan\"");
    let Some(game) = game_of(page).filter(|_| !is_planning) else { return Ok(()) };
    let columns = ["id", "turn", "black_discs", "white_discs"];
    let mut rows = tables.columns("game", columns);
    let Some([_, turn, black, white]) = rows.find(|[id, ..]| *id == Some(&*game)) else {
        return violated("pages_show_what_stands", format!("there is no game {game}"));
    };
    let texts = pages::texts(page);
    let at = texts.iter().position(|text| text == "black");
    let discs = |color: &str| {
        let at = texts.iter().position(|text| text == color)?;
        texts.get(at + 1).map(String::as_str)
    };
    let is_own = |color: &str| {
        page.split("<p class=\"side ").any(|side| {
            let side = side.split("</p>").next().unwrap_or_default();
            side.starts_with(color) && side.contains("(you)")
        })
    };
    let can_choose = page.contains("name=\"choose\" value=");
    let must_pass = page.contains("You cannot place a disc.");
    let is_to_move = turn.is_some_and(is_own);
    let is_shown = at.is_some() && discs("black") == black && discs("white") == white;
    let deadline = super::deadline(tables, &game);
    let wrong = deadline.and_then(|it| super::wrong_deadline(&texts.join(" "), it));
    if let Some(wrong) = wrong {
        let found = format!("game {game} ends on {wrong}, and the deadline is {deadline:?}");
        return violated("pages_show_what_stands", found);
    }
    let offered: BTreeSet<_> = choices(page).into_iter().filter_map(|it| place(&it)).collect();
    let replayed = Replayed::of(tables, game.parse().unwrap_or_default(), usize::MAX);
    if let (Ok(Status::Place(legal)), true) = (replayed.as_ref().map(Replayed::status), can_choose)
        && *legal != offered
    {
        let found = format!("game {game}: {offered:?} can be chosen, and {legal:?} is legal");
        return violated("pages_show_what_stands", found);
    }
    let has_choice = can_choose || must_pass;
    let rule = tables.columns_of("game", game.parse().unwrap_or_default(), ["flag"]).next();
    let may_be_over = rule == Some([Some("hard")])
        && deadline.is_some_and(|it| has_flag_fallen(tables, it, now) != Some(false));
    if is_shown && (has_choice == is_to_move || !has_choice && may_be_over) {
        return Ok(());
    }
    let found = format!(
        "game {game}: turn {turn:?}, discs {black:?} {white:?}; the page has {:?} {:?}, a choice: {can_choose}",
        discs("black"),
        discs("white"),
    );
    violated("pages_show_what_stands", found)
}

/// The lists of games and of players on a page say what is stored, and somebody's own page has all games of the
/// player that are under way.
pub fn lists_show_what_stands(opened: &Opened) -> Result<(), Violation> {
    let &Opened { answer, tables, .. } = opened;
    const OF: &str = "lists_show_what_stands";
    let rows = pages::rows(&answer.body);
    let members: Vec<_> =
        tables.columns("player", ["id", "name", "active", "won", "lost", "drawn"]).collect();
    for row in &rows {
        let wrong = match (row.get("Game"), row.get("Name")) {
            (Some(game), _) => wrong_game(row, game.trim(), tables),
            (None, Some(name)) if row.contains_key("Active") => {
                let member = members.iter().find(|member| member[1] == Some(name.trim()));
                let values = member.map_or(&[][..], |member| &member[2..]);
                let titles = ["Active", "Won", "Lost", "Drawn"].iter();
                let is_right = |(title, value): (&&str, &Option<&str>)| {
                    row.get(*title).map(|it| it.trim()) == *value
                };
                (!titles.zip(values).all(is_right)).then(|| format!("{member:?}"))
            }
            _ => None,
        };
        if let Some(expected) = wrong {
            return violated(OF, format!("{row:?}, not {expected}"));
        }
    }
    let owner = answer.body.split("<h1>Games of ").nth(1).and_then(|rest| rest.split('<').next());
    let Some(owner) = owner else { return Ok(()) };
    let id = members.iter().find(|member| member[1] == Some(owner)).and_then(|member| member[0]);
    let games = tables.columns("game", ["turn", "black", "white"]);
    let own = games.filter(|[_, players @ ..]| players.contains(&id));
    let (active, finished): (Vec<_>, Vec<_>) = own.partition(|[turn, ..]| turn.is_some());
    let own = active.len() + finished.len().min(FINISHED_IN_A_PART);
    // A tournament has a game and a state, too.
    let is_game = |row: &&BTreeMap<_, _>| {
        ["Game", "State", "Score"].iter().all(|title| row.contains_key(*title))
    };
    let listed = rows.iter().filter(is_game).count();
    match listed == own {
        true => Ok(()),
        false => violated(OF, format!("{listed} of the {own} games of {owner} are on the page")),
    }
}

/// Returns what a row of a list of games should say, if it says something else.
fn wrong_game(row: &BTreeMap<String, String>, game: &str, tables: &Tables) -> Option<String> {
    let id = game.parse().ok()?;
    let names =
        ["black", "white", "black_bot", "white_bot", "ply", "black_discs", "white_discs", "turn"];
    let found = tables.columns_of("game", id, names).next();
    // A challenge has the number of its game.
    let Some([black, white, black_bot, white_bot, ply, black_discs, white_discs, turn]) = found
    else {
        return row.contains_key("Score").then(|| "there is no such game".to_owned());
    };
    let name = |player: Option<&str>, bot: Option<&str>| {
        let name = number(player).and_then(|player| name_of(tables, player));
        name.or(bot).unwrap_or_default().to_owned()
    };
    let (black, white) = (name(black, black_bot), name(white, white_bot));
    let to_move = match turn {
        // A computer player plays against itself.
        Some(turn) if black == white => turn,
        Some("black") => &black,
        _ => &white,
    };
    let discs = [black_discs, white_discs].map(Option::unwrap_or_default).join("-");
    let says = |title: &str, value: &str| row.get(title).is_none_or(|it| it.trim() == value);
    // Pauses and absences stand behind it.
    let state = row.get("State").and_then(|state| state.trim().split(", ").next()).unwrap_or("");
    let title = rows::title(tables, "game", id).unwrap_or_default();
    let [winner, reason] = tables.columns_of("game", id, ["winner", "reason"]).next()?;
    let winner = winner.map(|color| match color {
        _ if black == white => color,
        "black" => &*black,
        _ => &*white,
    });
    let expected = match turn {
        Some(_) => format!("{to_move}'s turn"),
        None => ending(winner, reason.unwrap_or_default()),
    };
    let is_right = says("Black", &black)
        && says("Variant", &title)
        && says("White", &white)
        && says("Moves", ply.unwrap_or_default())
        && says("Score", &discs)
        && (state.is_empty() || state == expected);
    (!is_right).then(|| format!("{black}, {white}, {ply:?}, {discs}, {expected}"))
}

/// Returns the moves that can be chosen on a page.
fn choices(page: &str) -> BTreeSet<String> {
    let buttons = pages::forms(page).into_iter().flat_map(|form| form.buttons);
    buttons.filter(|(name, _)| name == "choose").map(|(_, value)| value).collect()
}

/// Returns the number of the game that a page shows as it stands; `None` if it shows an earlier moment or none.
pub fn game_of(page: &str) -> Option<String> {
    let (_, main) = page.split_once("<main class=\"game")?;
    let (tag, main) = main.split_once('>')?;
    let (head, _) = main.split_once("</header>").filter(|_| tag.contains("data-shown"))?;
    let mut numbers =
        head.split("ame ").skip(1).filter(|rest| rest.starts_with(|it: char| it.is_ascii_digit()));
    Some(numbers.next()?.chars().take_while(char::is_ascii_digit).collect())
}

/// Returns the number of the game that a page shows, as it stands or stood.
pub fn game_on(page: &str) -> Option<i64> {
    let (_, main) = page.split_once("<main class=\"game")?;
    let (head, _) = main.split_once("</header>")?;
    let mut numbers = head
        .split("ame ")
        .skip(1)
        .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    numbers.find_map(|number| number.parse().ok())
}
