//! What holds of pages.

use super::violated;
use crate::simulator::Violation;
use crate::simulator::pages::{self, Answer, Request};
use crate::simulator::tables::Tables;

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

/// Returns the events that both players know of the game that a page shows.
pub fn known_events(page: &str, tables: &Tables) -> Vec<String> {
    let Some(game) = game_of(page) else { return Vec::new() };
    let events = tables.columns("event", ["game", "at", "author", "action"]);
    let of_game = events.filter(|[id, _, _, action]| {
        *id == Some(&*game) && !action.is_some_and(|action| action.starts_with("note "))
    });
    of_game.map(|event| format!("{event:?}")).collect()
}

/// Returns whether these events are still all that happened in the game of a page, but for a flag that fell.
pub fn still_holds(known: &[String], page: &str, tables: &Tables) -> bool {
    let now = known_events(page, tables);
    let is_flag = |event: &String| event.contains("Some(\"h\")");
    now.starts_with(known) && now[known.len()..].iter().all(is_flag)
}

/// A page of a game shows the discs and whose turn it is; its player can choose exactly when it is the player's
/// turn.
pub fn pages_show_what_stands(answer: &Answer, tables: &Tables) -> Result<(), Violation> {
    let page = &answer.body;
    let Some(game) = game_of(page) else { return Ok(()) };
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
    if is_shown && (can_choose || must_pass) == is_to_move {
        return Ok(());
    }
    let found = format!(
        "game {game}: turn {turn:?}, discs {black:?} {white:?}; the page has {:?} {:?}, a choice: {can_choose}",
        discs("black"),
        discs("white"),
    );
    violated("pages_show_what_stands", found)
}

/// Returns the number of the game that a page shows as it stands; `None` if it shows an earlier moment or none.
fn game_of(page: &str) -> Option<String> {
    let (_, main) = page.split_once("<main class=\"game")?;
    let (tag, main) = main.split_once('>')?;
    let (head, _) = main.split_once("</header>").filter(|_| tag.contains("data-shown"))?;
    let mut numbers =
        head.split("ame ").skip(1).filter(|rest| rest.starts_with(|it: char| it.is_ascii_digit()));
    Some(numbers.next()?.chars().take_while(char::is_ascii_digit).collect())
}
