//! One JSON object a line. The first has the version of the format.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::format::{Exported, Format, Peculiarity, Writer};
use super::reading::{Builder, Claim, Imported, Piece, Reader, Source, is_not, rules_of};
use crate::app::commands::view::history;
use crate::app::views::game::{View, rules_to_json, tournament_to_json};
use crate::app::views::json::{json_time, merged};
use crate::portable::PublicKey;
use outflank_model::log::Reason;
use outflank_rules::{Cell, Color, Move, Overrides, Position, Rules, Setup, Size, Stuck};

pub(super) const FORMAT: Format = Format {
    word: "json",
    about: "JSON for scripts, a game a line",
    media_type: "application/json",
    holds: Peculiarity::ALL,
    writer: Some(Writer { head, write }),
    reader: Some(Reader { is_binary: false, split, read }),
};

/// Returns the version of the format, which every first line has.
fn version() -> Value {
    json!({ "format": "outflank-games", "version": 1 })
}

fn head(club: &str, key: Option<PublicKey>) -> String {
    let club = json!({ "club": club, "key": key.map(|key| key.to_string()) });
    format!("{}\n", merged([version(), club]))
}

fn write(Exported { stored, comments }: &Exported) -> String {
    let (agreement, start) = (&stored.agreement, stored.game.start());
    let own_start = agreement.custom_start.then(|| {
        let frame = start.rules().lattice.label(start.frame().first);
        json!({ "start": start.to_string(), "frame": frame })
    });
    let game = json!({
        "game": stored.id.0,
        "variant": agreement.variant,
        "rules": rules_to_json(start.rules()),
        "black": stored.name(Color::Black),
        "white": stored.name(Color::White),
        "began": json_time(stored.started),
        "since": json_time(stored.since()),
        "clock": agreement.terms.control.to_string(),
        "rated": agreement.rated,
        "result": View::new(stored, &stored.game).result_to_json(),
    });
    let imported = stored.is_imported().then(|| json!({ "imported": true }));
    let tournament = stored.tournament.as_ref().map(tournament_to_json);
    let moves = history::moves_to_json(stored, comments);
    format!("{}\n", merged([game, own_start.into(), imported.into(), tournament.into(), moves]))
}

fn split(bytes: &[u8]) -> Result<Vec<Piece<'_>>, String> {
    let mut lines = Piece::lines(bytes).into_iter();
    let first = lines.next().and_then(|line| serde_json::from_slice::<Value>(line.content).ok());
    match first {
        Some(first) if merged([first.clone(), version()]) == first => Ok(lines.collect()),
        _ => Err(format!("the first line is not {}", version())),
    }
}

/// A line. Keys that do not matter for a finished game are ignored.
#[derive(Deserialize)]
struct Line {
    variant: String,
    rules: RulesOfLine,
    black: String,
    white: String,
    began: String,
    since: String,
    clock: String,
    result: Option<ResultOfLine>,
    start: Option<String>,
    frame: Option<String>,
    tournament: Option<Value>,
    moves: Vec<MoveOfLine>,
    #[serde(default)]
    said: Vec<Said>,
}

#[derive(Deserialize)]
struct RulesOfLine {
    rows: Option<usize>,
    columns: Option<usize>,
    misere: bool,
    anywhere: bool,
    pass: Option<String>,
}

#[derive(Deserialize)]
struct ResultOfLine {
    winner: Option<String>,
    reason: String,
    black: u32,
    white: u32,
}

#[derive(Deserialize)]
struct MoveOfLine {
    by: String,
    #[serde(rename = "move")]
    label: String,
    at: String,
    #[serde(default)]
    given: bool,
}

#[derive(Deserialize)]
struct Said {
    ply: usize,
    by: String,
    text: String,
    at: String,
}

fn read(piece: &Piece, source: &Source) -> Result<Imported, String> {
    let line: Line = serde_json::from_str(piece.text()).map_err(|error| error.to_string())?;
    let result = line.result.as_ref().ok_or("the game is not over")?;
    let began = time(&line.began)?;
    let since = |at: &str| Ok::<_, String>((time(at)? - began).num_seconds());
    let mut builder = Builder::new(&line.variant.to_lowercase(), start(&line)?);
    builder.terms().control = line.clock.parse().map_err(|error| format!("the clock: {error}"))?;
    let mut said = line.said.iter().peekable();
    for (made, mv) in line.moves.iter().enumerate() {
        while let Some(it) = said.next_if(|it| it.ply <= made) {
            builder.set_time(since(&it.at)?);
            builder.say(color(&it.by)?, &it.text)?;
        }
        builder.set_time(since(&mv.at)?);
        let made: Move = mv.label.parse().map_err(|error| format!("{error}"))?;
        builder.play_by(color(&mv.by)?, made, mv.given)?;
    }
    for it in said {
        builder.set_time(since(&it.at)?);
        builder.say(color(&it.by)?, &it.text)?;
    }
    builder.set_time(since(&line.since)?);
    if Color::BOTH.map(|color| builder.position().count(color)) != [result.black, result.white] {
        return Err("the result contradicts the moves".to_owned());
    }
    let reason: Reason = result.reason.parse().map_err(|_| is_not(&result.reason, "a reason"))?;
    let winner = result.winner.as_deref().map(color).transpose()?;
    let claim = Claim { winner, margin: None, reason: Some(reason) };
    let event = line.tournament.as_ref().map_or(String::new(), Value::to_string);
    builder.finish(Some(claim), [&line.black, &line.white], Some(began), event, source)
}

/// Returns the position that the game begins in.
fn start(line: &Line) -> Result<Position, String> {
    let rules = rules(&line.variant, &line.rules)?;
    let Some(start) = &line.start else { return Ok(Position::start(rules)) };
    let setup: Setup = start.parse().map_err(|error| format!("{error}"))?;
    let frame = line.frame.as_deref().unwrap_or("a1");
    let frame: Cell = frame.parse().map_err(|error| format!("{error}"))?;
    setup.position(&rules, frame).map_err(|faults| format!("invalid position: {faults}"))
}

fn rules(variant: &str, of_line: &RulesOfLine) -> Result<Rules, String> {
    let size = of_line.rows.zip(of_line.columns);
    let Some((rows, columns)) = size else { return rules_of(variant, &Overrides::default()) };
    let size = Size::new(rows, columns).map_err(|error| error.to_string())?;
    let stuck = [Stuck::AutoPass, Stuck::MustPass];
    let stuck = stuck.into_iter().find(|it| it.pass_word() == of_line.pass.as_deref());
    let &RulesOfLine { misere, anywhere, .. } = of_line;
    rules_of(variant, &Overrides { size: Some(size), misere, anywhere, stuck })
}

fn color(word: &str) -> Result<Color, String> {
    let found = Color::BOTH.into_iter().find(|color| color.to_string() == word);
    found.ok_or_else(|| is_not(word, "black or white"))
}

fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let time = DateTime::parse_from_rfc3339(text).map_err(|_| is_not(text, "a time"))?;
    Ok(time.to_utc())
}
