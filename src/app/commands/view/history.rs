use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::{Value, json};

use crate::app::access::signing;
use crate::app::commands::words::note;
use crate::app::run::session::Reading;
use crate::app::views::comments;
use crate::app::views::comments::Comment;
use crate::app::views::game::move_to_json;
use crate::app::views::game::names;
use crate::app::views::json::{array, json_time, merged, unless_empty};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase, find};
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId, Ply};
use outflank_model::render::words;
use outflank_rules::{Color, Move};

/// List the moves of a game
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: history 12")]
pub struct History {
    /// The number of the game
    game: GameId,
    /// Write it as a signed block of text, which can be imported elsewhere
    #[arg(long)]
    portable: bool,
}

/// Returns the hints of a game, oldest first.
fn hints(game: &Game) -> Vec<Listed<'_>> {
    // Moves that were taken back later count.
    let moves_before = |event: usize| {
        let taken = game.taken_back().iter().filter(|taken| taken.event > event);
        let taken = taken.flat_map(|taken| &taken.plies);
        game.plies().iter().chain(taken).filter(|ply| ply.event < event).count()
    };
    let hints = (1..).zip(game.events()).filter(|(_, it)| it.action == Action::Hint);
    let listed = |(event, it): (_, &Event)| Listed {
        event,
        number: moves_before(event),
        by: it.by,
        made: None,
    };
    hints.map(listed).collect()
}

/// Returns moves for scripts, numbered from `before + 1`.
fn plies_to_json(stored: &StoredGame, before: usize, plies: &[Ply]) -> Value {
    let lattice = stored.game.lattice();
    let json = |(number, ply): (usize, &Ply)| {
        let after = json!({
            "black": ply.black,
            "white": ply.white,
            "at": json_time(time_of(stored, ply.event)),
            "auto": ply.auto,
        });
        let given = ply.given.then(|| json!({ "given": true }));
        merged([json!({ "ply": number }), move_to_json(lattice, ply), after, given.into()])
    };
    array((before + 1..).zip(plies).map(json))
}

impl UseCase for History {
    const TRAITS: Traits = Traits::new("history", Heading::Look);

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.read(|Reading { db, env, actor, .. }| {
            let stored = find::game(db, self.game)?;
            if self.portable {
                let block = signing::portable(db, env, &stored)?;
                let json = json!({ "game": stored.id.0, "portable": block });
                return Ok(Reply::new(&json).text(block));
            }
            let own = find::actor(db, actor)?.and_then(|player| stored.color_of(player.id));
            let comments = comments::readable(db, actor, &stored)?;
            let hints = hints(&stored.game);
            let json = to_json(&stored, &hints, &comments);
            let reply = Reply::new(&json).table(table(&stored, &hints), "No move has been made.");
            let said = comments::by_move(&comments, &stored);
            let result = words::result(&stored.game, names(&stored));
            let signed = signing::about_game(db, env, &stored)?;
            let notes = note::notes(&stored, own);
            let notes = (!notes.is_empty()).then(|| note::shown(&notes));
            let texts = said.into_iter().chain(result).chain(signed).chain(notes);
            Ok(texts.fold(reply, Reply::text))
        })
    }
}

/// Returns the moves of a game as JSON, with these comments and without hints.
pub(crate) fn moves_to_json(stored: &StoredGame, comments: &[Comment]) -> Value {
    to_json(stored, &[], comments)
}

/// Returns the time of an event, which is counted from 1.
fn time_of(stored: &StoredGame, event: usize) -> DateTime<Utc> {
    stored.times.get(event - 1).copied().unwrap_or_default()
}

fn to_json(stored: &StoredGame, hints: &[Listed], comments: &[Comment]) -> Value {
    let at = |event| json_time(time_of(stored, event));
    let said = comments.iter().map(|comment| {
        json!({
            "ply": comment.ply(&stored.game),
            "by": comment.by.to_string(),
            "text": comment.text,
            "at": at(comment.event),
        })
    });
    let hints = hints.iter().map(|hint| {
        json!({ "ply": hint.number, "by": hint.by.map(|by| by.to_string()), "at": at(hint.event) })
    });
    let taken_back = stored.game.taken_back().iter().map(|taken| {
        let moves = plies_to_json(stored, taken.ply, &taken.plies);
        json!({ "by": taken.by.to_string(), "at": at(taken.event), "moves": moves })
    });
    let moves = plies_to_json(stored, 0, stored.game.plies());
    merged([
        json!({ "game": stored.id.0, "moves": moves }),
        unless_empty("taken_back", taken_back.collect()),
        unless_empty("said", said.collect()),
        unless_empty("hints", hints.collect()),
    ])
}

/// Returns the table of moves and hints in the order of their events, with the moves taken back.
fn table<'g>(stored: &'g StoredGame, hints: &[Listed<'g>]) -> Table {
    let names = names(stored);
    let lattice = stored.game.lattice();
    let listed = |number, ply: &'g Ply, remark| Listed {
        event: ply.event,
        number,
        by: Some(ply.by),
        made: Some((ply, remark)),
    };
    let made =
        (1..).zip(stored.game.plies()).map(|(number, ply)| listed(number, ply, words::remark(ply)));
    let taken_back = stored.game.taken_back().iter();
    let taken_back = taken_back.flat_map(|taken| (taken.ply + 1..).zip(&taken.plies));
    let taken_back = taken_back.map(|(number, ply)| listed(number, ply, " (taken back)"));
    let mut all: Vec<_> = made.chain(taken_back).chain(hints.iter().copied()).collect();
    all.sort_by_key(|it| it.event);
    let flipped = |ply: &Ply| match ply.mv {
        Move::Pass => String::new(),
        Move::Place(_) => words::list(lattice, ply.flipped.iter().map(Move::Place)),
    };
    Table::of(
        all,
        &[
            (Column::Number("#"), &|it| it.number.into()),
            (Column::Prose("By"), &|it| match it.by {
                Some(by) => names.with_color(by).into(),
                None => "the host".into(),
            }),
            (Column::Text("Played"), &|it| match it.made {
                Some((ply, remark)) => format!("{}{remark}", lattice.move_label(ply.mv)).into(),
                None => "hint".into(),
            }),
            (Column::Prose("Flipped"), &|it| Entry::of(it.made.map(|(ply, _)| flipped(ply)))),
            (Column::Number("Black"), &|it| Entry::of(it.made.map(|(ply, _)| ply.black))),
            (Column::Number("White"), &|it| Entry::of(it.made.map(|(ply, _)| ply.white))),
            (Column::Prose("When"), &|it| Entry::Time(time_of(stored, it.event))),
        ],
    )
}

/// A row of the table: a move with a remark, or a hint.
#[derive(Clone, Copy)]
struct Listed<'a> {
    event: usize,
    /// The number of the move; for a hint, of the one before it.
    number: usize,
    /// The player; `None` for the host.
    by: Option<Color>,
    made: Option<(&'a Ply, &'static str)>,
}
