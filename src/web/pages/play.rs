//! The page of a game for one of its players or a watcher.

use minijinja::{Value, context};

use crate::app::{Link, LiveGame, Place, PlayerCommand};
use crate::web::pages::board::Marks;
use crate::web::pages::command::{Answer, capitalized, described};
use crate::web::pages::game::{moves, reader, shown, versus};
use crate::web::pages::plan::{branches, planning};
use crate::web::pages::templates::{render, value};
use crate::web::pages::{Message, PlayPage};
use outflank_model::render::{LastMove, spoken, words};
use outflank_rules::{Cell, Color, Move, Position};

/// Returns the page of a game.
pub fn play(page: &PlayPage) -> String {
    let PlayPage { live, visit, aside, .. } = *page;
    let (game, reader) = (&live.game, reader(live));
    let is_player = visit.kind != Link::Watch;
    let can_act = is_player && !visit.is_read_only;
    let is_own_turn = can_act && game.turn().is_some_and(|turn| live.owns(turn));
    let is_open = is_own_turn && !game.must_pass();
    let choices = is_open.then(|| game.position().placements());
    let is_choice = |cell| choices.as_ref().is_some_and(|choices| choices.contains(cell));
    let chosen = match page.chosen {
        Some(Move::Place(cell)) if is_choice(cell) => Some(cell),
        _ => None,
    };
    let last = LastMove::of(game);
    let marks = Marks { last: last.as_ref(), choices: choices.as_ref(), chosen, plan: None };
    let offer = live.offer.as_ref().filter(|_| is_player);
    let possible = live.possible.iter().filter(|_| can_act).filter_map(|word| described(word));
    let (answers, others): (Vec<_>, Vec<_>) =
        possible.partition(|it| offer.is_some() && it.place == Place::Answers);
    let acts: Vec<_> = others.into_iter().filter(|it| it.place != Place::Apart).collect();
    let command = |word: &str| described(word).filter(|_| can_act && live.can(word));
    let is_own_offer = reader.is_some() && live.offered_by == reader;
    let answers: Vec<_> = answers.into_iter().map(|it| Answer::to(it, is_own_offer)).collect();
    let (typed_in, typed) = page.typed.unwrap_or_default();
    let is_plan = page.branch.is_some();
    let (planning, board) = match page.branch {
        Some(branch) => planning(page, branch),
        None => (Value::from(()), shown(page.path, live, game, marks)),
    };
    let values = context! {
        title => title(live, reader),
        headline => if is_plan { "Your plan".to_owned() } else { headline(live, reader) },
        about => about(live, reader),
        history => &live.history,
        // After the end, a stream would hold a connection for little.
        is_live => game.turn().is_some(),
        says => says(live, reader, offer),
        message => page.message.and_then(|message| said_message(page, message)),
        offer => offer.map(|text| context! { text, answers => value(answers) }),
        is_open,
        must_pass => is_own_turn && game.must_pass(),
        chosen => chosen.map(|cell| described_choice(game.position(), cell)),
        ply => game.plies().len(),
        waits => game.turn().filter(|_| !is_own_turn).map(|turn| live.names().of(turn)),
        time => live.time.clone(),
        deadline => live.deadline.map(|deadline| deadline.to_rfc3339()),
        say => value(command("say")),
        typed_in,
        typed,
        notes => aside.notes.clone(),
        note => value(command("note")),
        plan => value(command("plan")),
        planning,
        planned => aside.plan.clone(),
        branches => aside.plan.as_ref().map(|plan| branches(plan)),
        acts => value(acts),
        is_player,
        leads => leads(page, is_own_turn || is_plan),
        talk => talk(page, is_player),
        ..board
    };
    render("play.html", page.site, values)
}

/// Returns the way to the own page, if the game was opened there, and to the next game that waits, unless
/// this one `is_first`.
fn leads(page: &PlayPage, is_first: bool) -> Value {
    let next = page.aside.next.as_ref().filter(|_| !is_first);
    context! {
        home => (page.visit.kind == Link::Me).then_some(page.home),
        next => next.map(|(game, opponent)| context! { game => game.0, opponent }),
    }
}

/// Returns what was said in a game, if the reader plays it, and how more can be said.
fn talk(page: &PlayPage, is_player: bool) -> Value {
    let PlayPage { live, aside, .. } = *page;
    let [later, at_once] = &aside.read_when;
    context! {
        words => said(&live.words).filter(|_| is_player),
        earlier => aside.earlier.as_ref().and_then(|it| said(&it.lines().collect::<Vec<_>>())),
        // After the end, every comment is mailed at once.
        can_mail => live.game.turn().is_some() && later != at_once,
    }
}

/// Returns the chosen cell, with the flips of a disc there in words.
fn described_choice(position: &Position, cell: Cell) -> Value {
    let lattice = position.rules().lattice;
    let labels: Vec<_> = position.flips(cell).iter().map(|cell| lattice.label(cell)).collect();
    let flips = match labels.len() {
        0 => "flips no discs".to_owned(),
        count => format!("flips {}: {}", spoken::discs(count), labels.join(", ")),
    };
    context! { label => lattice.label(cell), flips }
}

fn headline(live: &LiveGame, reader: Option<Color>) -> String {
    let names = live.names();
    let Some(own) = reader else { return versus(names) };
    match live.game.turn() {
        Some(turn) if turn == own => format!("Your turn, {}", names.of(own)),
        Some(turn) => format!("It is {}'s turn", names.of(turn)),
        None => words::verdict(&live.game, names, own).unwrap_or_default(),
    }
}

fn title(live: &LiveGame, reader: Option<Color>) -> String {
    let (names, id) = (live.names(), live.id);
    match (live.game.turn(), reader) {
        (Some(turn), Some(own)) if turn == own => {
            format!("Your turn in game {id} against {}", names.of(!own))
        }
        (Some(turn), _) => format!("{}'s turn in game {id}", names.of(turn)),
        (None, _) => format!("Game {id}: {}", headline(live, reader)),
    }
}

/// Describes the game, and the side that the reader plays.
fn about(live: &LiveGame, reader: Option<Color>) -> String {
    let (names, id, title) = (live.names(), live.id, &live.title);
    let made = live.game.plies().len();
    let mut about = match live.game.turn() {
        Some(_) => format!("Move {} of game {id}: {title}.", made + 1),
        None => format!("Game {id}: {title}, {}.", moves(made)),
    };
    about.push_str(&match reader {
        Some(own) => format!(" You are {own}, {} is {}.", names.of(!own), !own),
        None => words::turn(&live.game, names).map_or_else(String::new, |it| format!(" {it}.")),
    });
    match &live.result {
        Some(result) if reader.is_none() => format!("{about} {result}"),
        _ => about,
    }
}

/// Returns a message as the page shows it, if it does. A comment may reach the opponent later.
fn said_message(page: &PlayPage, message: &Message) -> Option<Value> {
    let [later, at_once] = &page.aside.read_when;
    let text = match message {
        Message::Done("say") => later,
        Message::Mailed => at_once,
        _ => return notice(message),
    };
    Some(context! { kind => "done", text, hint => () })
}

/// Returns the sentences that a screen reader says when the page changes.
fn says(live: &LiveGame, reader: Option<Color>, offer: Option<&String>) -> String {
    let mut says = spoken::last_move(&live.game, live.names());
    let last = live.game.plies().iter().rposition(|ply| ply.mv != Move::Pass);
    if last > Some(0) {
        // The line about the move before the last one.
        says.pop();
    }
    says.push(format!("{}.", headline(live, reader)));
    says.extend(offer.cloned());
    let said = said(&live.words).filter(|_| reader.is_some());
    says.extend(said.map(|words| format!("Said lately: {words}")));
    says.join(" ")
}

/// Returns comments without the marks of their lines; `None` if there are none.
fn said(lines: &[impl AsRef<str>]) -> Option<String> {
    let lines = lines.iter().map(AsRef::as_ref);
    let lines = lines.map(|line| line.strip_prefix('|').unwrap_or(line));
    let lines: Vec<_> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns a message as the page shows it, if it does: its kind, its text and a hint.
pub(super) fn notice(message: &Message) -> Option<Value> {
    Some(match message {
        Message::Done(word) => {
            let text = PlayerCommand::named(word)?.done?;
            context! { kind => "done", text, hint => () }
        }
        // Only the page of a game knows whom.
        Message::Mailed => return None,
        Message::Stale => context! {
            kind => "stale",
            text => "The page was no longer up to date, so nothing was done.",
            hint => "This is how the game stands now.",
        },
        Message::Refused(reason, hint) => context! {
            kind => "refused",
            text => sentence(reason),
            hint => hint.as_ref().map(|hint| sentence(hint)),
        },
    })
}

/// Returns a reason or a hint as a sentence.
fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{}{end}", capitalized(text))
}
