//! What somebody's own page, the calendar and the public pages of tournaments show.

use std::collections::BTreeSet;

use serde_json::Value;

use super::commands::Member;
use super::scores::{Division, shown_brightwell, shown_points};
use super::views::Asked;
use super::{Opened, rows, tournaments, violated};
use crate::simulator::Violation;
use crate::simulator::pages::{self, Form};
use crate::simulator::tables::{self, Tables, number};

/// The most finished games that a player's own page lists at once.
const FINISHED_IN_A_PART: usize = 50;
/// The most tournaments that have ended and are listed.
const MAX_ENDED: usize = 10;

/// The number and the name of the player with this name.
pub(super) fn player<'a>(tables: &'a Tables, name: &str) -> Option<[&'a str; 2]> {
    Member::named(tables, name).map(|it| [it.id, it.name])
}

/// Somebody's own page is that of the owner of its link. It lists the games, those that wait first, and has
/// exactly the buttons that `docs/web.md` promises: to join tournaments, to answer challenges and to end an
/// absence. Its settings are those that are stored.
pub fn own_pages_show_what_stands(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, reader, answer, tables, now } = opened;
    const OF: &str = "own_pages_show_what_stands";
    let page = &answer.body;
    let texts = pages::texts(page);
    let Some(owner) = texts.iter().find_map(|it| it.strip_prefix("Games of ")) else {
        return Ok(());
    };
    let Some(own) = player(tables, owner).filter(|_| request.path.starts_with("/me/")) else {
        return Ok(());
    };
    if !owner.eq_ignore_ascii_case(reader) {
        return violated(OF, format!("{} of {reader} is the page of {owner}", request.path));
    }
    let asked = Asked::by(tables, now, own);
    let games: Vec<_> = games_on(page);
    let numbers = |games: Vec<Value>| games.into_iter().map(|it| it["game"].to_string());
    let mut expected: Vec<_> = numbers(asked.active()).collect();
    if !request.path.contains('?') {
        expected.extend(numbers(asked.finished()).take(FINISHED_IN_A_PART));
        if games != expected {
            return violated(OF, format!("{owner}: the games are {games:?}, not {expected:?}"));
        }
    }
    let forms = pages::forms(page);
    let joinable: BTreeSet<_> = tournaments::joinable(tables, own[0]).into_iter().collect();
    let joins: BTreeSet<_> = forms.iter().filter_map(|it| text_of(it, "join")).collect();
    if joins != joinable {
        return violated(OF, format!("{owner} can join {joinable:?}, and finds {joins:?}"));
    }
    let expected = answers(&asked).unwrap_or_default();
    let found: BTreeSet<_> = ["accept", "decline"]
        .into_iter()
        .flat_map(|word| forms.iter().filter_map(move |it| Some((word, text_of(it, word)?))))
        .collect();
    if found != expected {
        return violated(OF, format!("{owner} can answer {expected:?}, and finds {found:?}"));
    }
    // The button cancels one that has not begun.
    let is_away = !asked.absences_of(own[0]).is_empty();
    let can_end = forms.iter().any(|it| text_of(it, "away").as_deref() == Some("off"));
    // It has buttons instead of commands.
    if let Some(text) = texts.iter().find(|it| it.contains('`') || it.contains("outflank ")) {
        return violated(OF, format!("{owner} is told of a command in {text:?}"));
    }
    if is_away != can_end {
        return violated(
            OF,
            format!("{owner} has an absence: {is_away}, and can end it: {can_end}"),
        );
    }
    let wrong = wrong_setting(&asked, &texts).or_else(|| wrong_picture(&asked, page));
    match wrong.or_else(|| wrong_opponents(tables, owner, page)) {
        Some(wrong) => violated(OF, format!("{owner}: {wrong}")),
        None => Ok(()),
    }
}

/// The most games that have a small board.
const MAX_PICTURES: usize = 24;

/// What fills the discs of a picture, black and white.
const FILLS: [&str; 2] = ["fill=\"#14181a\"", "fill=\"#f6f5ef\""];

/// Returns how many discs of each colour a picture has.
pub(super) fn discs_of(picture: &str) -> [i64; 2] {
    FILLS.map(|fill| {
        let circles = picture.split("<circle ").skip(1).filter_map(|it| it.split('>').next());
        i64::try_from(circles.filter(|it| it.contains(fill)).count()).unwrap_or_default()
    })
}

/// Returns a game whose small board is another one. The first active games have one each.
fn wrong_picture(asked: &Asked, page: &str) -> Option<String> {
    let active = page.split("<section aria-label=\"Games\">").nth(1)?.split("</section>").next()?;
    let pictures =
        active.split("class=\"picture\"").skip(1).filter_map(|it| it.split("</td>").next());
    for (at, (picture, game)) in pictures.zip(asked.active()).enumerate() {
        let id = game["game"].as_i64()?;
        let row = asked.tables.columns_of("game", id, ["black_discs", "white_discs"]).next()?;
        let expected = row.map(|discs| number(discs).unwrap_or_default());
        let expected = if at < MAX_PICTURES { expected } else { [0; 2] };
        let found = discs_of(picture);
        if found != expected {
            return Some(format!("the picture of game {id} has {found:?} discs, not {expected:?}"));
        }
    }
    None
}

/// Returns what is wrong in the list of those who can be challenged: the other members, and anyone.
fn wrong_opponents(tables: &Tables, owner: &str, page: &str) -> Option<String> {
    let list = page.split("<datalist id=\"players\">").nth(1)?.split("</datalist>").next()?;
    let named = list.split("value=\"").skip(1).filter_map(|it| it.split('"').next());
    let named: Vec<_> = named.collect();
    let members = Member::all(tables).filter(|it| !it.has_left && it.name != owner);
    let mut expected: Vec<_> = members.map(|it| it.name).collect();
    expected.sort_unstable_by_key(|it| it.to_lowercase());
    expected.insert(0, "anyone");
    (named != expected).then(|| format!("{named:?} can be challenged, not {expected:?}"))
}

/// Returns the numbers in the lists of games on a page.
pub(super) fn games_on(page: &str) -> Vec<String> {
    // Tournaments have a game and a state, too.
    let rows = pages::rows(page).into_iter();
    let games = rows.filter(|row| row.contains_key("State") && row.contains_key("Score"));
    games.filter_map(|row| Some(row.get("Game")?.trim().to_owned())).collect()
}

/// Returns the text that a form with this command sends.
fn text_of(form: &Form, command: &str) -> Option<String> {
    form.value("text").filter(|_| form.value("command") == Some(command)).map(str::to_owned)
}

/// Returns the answers to challenges that their reader can give, each with its challenge.
fn answers(asked: &Asked) -> Option<BTreeSet<(&'static str, String)>> {
    let name = asked.reader?[1];
    let shown = asked.challenges()?;
    let mut answers = BTreeSet::new();
    for challenge in shown["challenges"].as_array()? {
        let id = challenge["challenge"].to_string();
        let (is_own, is_mine) = (challenge["by"] == name, challenge["to"] == name);
        if !is_own {
            answers.insert(("accept", id.clone()));
        }
        if is_own || is_mine {
            answers.insert(("decline", id));
        }
    }
    Some(answers)
}

/// Returns a setting that a page shows with another value.
fn wrong_setting(asked: &Asked, texts: &[String]) -> Option<String> {
    let from = texts.iter().position(|it| it == "Settings")?;
    let shown = asked.settings()?;
    for (word, value) in shown["settings"].as_object()? {
        let title = word[..1].to_uppercase() + &word[1..];
        let Some(at) = texts[from..].iter().position(|it| *it == title) else { continue };
        let (found, value) = (texts.get(from + at + 1)?, value.as_str()?);
        if found != value {
            return Some(format!("{word} is {found:?}, not {value:?}"));
        }
    }
    None
}

/// A list of tournaments has the open ones, the running ones and the last ten that have ended, each with its
/// state and the number of its players (`docs/tournaments.md`).
pub fn tournaments_are_listed(opened: &Opened) -> Result<(), Violation> {
    let &Opened { answer, tables, .. } = opened;
    const OF: &str = "tournaments_are_listed";
    let page = &answer.body;
    let has_list =
        page.contains("<h2 id=\"tournaments\">") || page.contains("<h1>Tournaments</h1>");
    if !has_list {
        return Ok(());
    }
    let names = ["id", "name", "state", "season", "places", "ended_at"];
    let mut listed: Vec<Vec<String>> = Vec::new();
    for wanted in ["open", "running", "finished"] {
        let rows = tables.columns("tournament", names);
        let mut rows: Vec<_> = rows.filter(|row| row[2] == Some(wanted)).collect();
        if wanted == "finished" {
            rows.sort_by_key(|row| (number(row[5]), number(row[0])));
            rows.drain(..rows.len().saturating_sub(MAX_ENDED));
        }
        for [id, name, state, season, places, _] in rows {
            let season = number(season).unwrap_or_default();
            let next = season + i64::from(wanted == "open");
            let entrants = tables.columns_of("entrant", number(id).unwrap_or_default(), ["season"]);
            let players = entrants.filter(|[at]| number(*at) == Some(next)).count();
            let players = match (wanted, season) {
                ("open", 0) => format!("{players} of {}", places.unwrap_or_default()),
                _ => players.to_string(),
            };
            let row = [name.unwrap_or_default(), state.unwrap_or_default(), &*players];
            listed.push(row.map(str::to_owned).to_vec());
        }
    }
    let found = pages::rows(page).into_iter().filter_map(|row| {
        let title = |title: &str| row.get(title).map(|it| it.trim().to_owned());
        Some(vec![title("Tournament")?, title("State")?, title("Players")?])
    });
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    listed.sort_unstable();
    match found == listed {
        true => Ok(()),
        false => violated(OF, format!("the list has {found:?}, not {listed:?}")),
    }
}

/// The public page of a tournament has its table.
pub fn tournament_pages_have_the_table(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, answer, tables, .. } = opened;
    const OF: &str = "tournament_pages_have_the_table";
    let Some(name) = request.path.strip_prefix("/tournament/") else { return Ok(()) };
    let mut all = tables.columns("tournament", ["id", "name", "season"]);
    let own = all.find(|[_, own, _]| own.is_some_and(|own| own.eq_ignore_ascii_case(name)));
    let Some([id, _, season]) = own else {
        return violated(OF, format!("there is no tournament {name}"));
    };
    let ids = number(id).zip(number(season));
    let divisions = ids.map_or_else(Vec::new, |(id, season)| Division::all(tables, id, season));
    if !divisions.iter().all(Division::has_even_board) {
        return Ok(());
    }
    let mut expected = Vec::new();
    for row in divisions.iter().flat_map(Division::table) {
        let name = super::name_of(tables, row.player).unwrap_or_default();
        let place = row.place.map_or_else(String::new, |place| place.to_string());
        let values = [
            place,
            name.to_owned(),
            row.games.to_string(),
            shown_points(row.points),
            shown_brightwell(&row),
            row.discs.to_string(),
        ];
        expected.push(values);
    }
    let titles = ["#", "Name", "Played", "Points", "BQ", "Discs"];
    let found = pages::rows(&answer.body).into_iter().filter(|row| row.contains_key("BQ"));
    let found = found.map(|row| {
        titles.map(|title| row.get(title).map_or_else(String::new, |it| it.trim().to_owned()))
    });
    let found: Vec<_> = found.collect();
    match found == expected {
        true => Ok(()),
        false => violated(OF, format!("{name}: the table is {found:?}, not {expected:?}")),
    }
}

/// A calendar has an event at each deadline of its owner, and one for each absence.
pub fn calendars_have_what_is_due(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, answer, tables, now, .. } = opened;
    const OF: &str = "calendars_have_what_is_due";
    if !request.path.starts_with("/calendar/") {
        return Ok(());
    }
    let owner = answer.body.split("Games of ").nth(1).and_then(|it| it.lines().next());
    let Some(own) = owner.and_then(|owner| player(tables, owner.trim())) else {
        return violated(OF, format!("{} is nobody's: {}", request.path, answer.body));
    };
    let games = tables.columns("game", ["id", "to_move", "ply", "deadline"]);
    let due = games.filter(|[_, to_move, ..]| *to_move == Some(own[0]));
    let asked = Asked::by(tables, now, own);
    let due = due.filter_map(|[id, _, ply, deadline]| {
        let (at, ply, id) = (tables::deadline(deadline)?, number(ply)? + 1, number(id)?);
        let (entry, _) = asked.entry(id)?;
        let other = if entry["black"] == own[1] { &entry["white"] } else { &entry["black"] };
        let (title, other) = (rows::title(tables, "game", id)?, other.as_str()?);
        let summary = format!("{title} #{id}: your move against {other} is due");
        Some((format!("game-{id}-move-{ply}"), at, None, summary))
    });
    let absences = asked.absences_of(own[0]).into_iter();
    let absences = absences.map(|(from, until)| {
        let summary = "Away: your clocks stand still".to_owned();
        (format!("absence-{}-{from}", own[1]), from, Some(until), summary)
    });
    let expected: BTreeSet<_> = due.chain(absences).collect();
    let found: BTreeSet<_> = answer.body.split("BEGIN:VEVENT").skip(1).filter_map(event).collect();
    match found == expected {
        true => Ok(()),
        false => violated(OF, format!("{owner:?}: {found:?} is in it, not {expected:?}")),
    }
}

/// Reads what an event is about, when it begins and ends, and what it says.
fn event(text: &str) -> Option<(String, i64, Option<i64>, String)> {
    // Long lines go on in the next one, behind a space.
    let text = text.replace("\r\n ", "");
    let value = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)).map(|it| it.trim().to_owned())
    };
    let time = |name: &str| {
        let time = value(name)?;
        let time = chrono::NaiveDateTime::parse_from_str(&time, "%Y%m%dT%H%M%SZ").ok()?;
        Some(time.and_utc().timestamp())
    };
    let uid = value("UID:")?.split('@').next()?.to_owned();
    Some((uid, time("DTSTART:")?, time("DTEND:"), value("SUMMARY:")?))
}
