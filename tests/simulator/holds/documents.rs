//! Games as texts for other programs: docs/playing.md and docs/json.md.

use chrono::DateTime;
use serde_json::Value;

use super::commands::seconds;
use super::game_json;
use super::games::word;
use super::rows::rules;
use super::views::{Asked, difference, time};
use super::{tournaments, violated};
use crate::simulator::Violation;
use crate::simulator::naive::Shape;
use crate::simulator::process::Ran;
use crate::simulator::replay::{Replayed, move_label};
use crate::simulator::tables::{Tables, number};

/// What a text must hold.
pub enum Held {
    /// These words and numbers, whatever is between them.
    Words(String),
    /// These values in its last line.
    Json(Value),
    /// These values in its lines behind the first one.
    Lines(Vec<Value>),
    /// Nothing: the format cannot hold the game.
    Refused,
}

/// What must be in a text; `None` if it is not judged.
type Expected = fn(&Asked) -> Option<Held>;

/// Commands that print a game for other programs, with what they print.
pub const DOCUMENTS: [(&str, Expected); 15] = [
    ("export GAME --format json", |it| it.exported_json().map(Held::Json)),
    ("export GAME --format moves", |it| it.exported("moves", Asked::transcript)),
    ("export GAME --format pgn", |it| it.exported("pgn", Asked::pgn)),
    ("export GAME --format ggf", |it| it.exported("ggf", Asked::ggf)),
    ("export GAME --format csv", |it| it.csv().map(Held::Words)),
    ("export OTHER GAME --format pgn", |it| it.both_exported("pgn", Asked::pgn)),
    ("export OTHER GAME --format ggf", |it| it.both_exported("ggf", Asked::ggf)),
    ("export --player NAME --format json", |it| it.json_of_player()),
    ("export --player NAME --format moves", |it| it.exports_of_player("moves", Asked::transcript)),
    ("export --player NAME --format pgn", |it| it.exports_of_player("pgn", Asked::pgn)),
    ("export --player NAME --format ggf", |it| it.exports_of_player("ggf", Asked::ggf)),
    ("export --all --format csv", |it| it.all_as_csv()),
    ("show GAME --ggf", |it| it.exported("ggf", Asked::ggf)),
    ("show GAME --moves", |it| {
        let moves = it.replayed()?.plies;
        it.transcript(&it.replayed()?).filter(|_| !moves.is_empty()).map(Held::Words)
    }),
    ("show GAME --position", |it| Some(Held::Words(it.replayed()?.board.position_string()))),
];

/// A text for other programs holds the game as it stands, and a format that cannot hold it is refused.
pub fn documents_hold_what_stands(
    asked: &Asked,
    (words, expected): (&str, Expected),
    ran: &Ran,
) -> Result<(), Violation> {
    if asked.may_be_over() {
        return Ok(());
    }
    let expected = expected(asked);
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let wrong = match &expected {
        None => None,
        Some(Held::Refused) => (ran.status != 1).then(|| "is not refused".to_owned()),
        Some(_) if ran.status != 0 => Some(format!("is refused: {:?}", ran.sentences)),
        Some(Held::Words(text)) => (squeezed(&ran.document) != squeezed(text))
            .then(|| format!("prints {:?}, not {text:?}", ran.document)),
        Some(Held::Json(value)) => {
            let last = ran.document.lines().last().unwrap_or_default();
            let shown = serde_json::from_str(last).unwrap_or_default();
            difference(value, &shown, String::new())
        }
        Some(Held::Lines(values)) => {
            let lines = ran.document.lines().skip(1);
            let lines = lines.map(|line| serde_json::from_str(line).unwrap_or_default());
            let (expected, shown) = (Value::from(values.clone()), lines.collect::<Vec<Value>>());
            difference(&expected, &shown.into(), String::new())
        }
    };
    wrong.map_or(Ok(()), |wrong| {
        let reader = asked.reader.map_or("the host", |[_, name]| name);
        let found = format!("{words} of game {} for {reader}: {wrong}", asked.game);
        violated("documents_hold_what_stands", found)
    })
}

/// Returns moves that a game can go on with, and the numbers of two of its moves.
pub fn moves_to_ask_about(
    tables: &Tables,
    game: i64,
    rng: &mut fastrand::Rng,
) -> (Vec<String>, [usize; 2]) {
    let Ok(it) = Replayed::of(tables, game, usize::MAX) else { return (Vec::new(), [0; 2]) };
    let (mut line, mut then) = (Vec::new(), it.clone());
    for _ in 0..rng.usize(1..4) {
        let Some(mv) = rng.choice(then.legal()) else { break };
        then = then.after(std::slice::from_ref(&mv));
        line.push(mv);
    }
    let mut plies = [(); 2].map(|()| rng.usize(..=it.plies.len()));
    plies.sort_unstable();
    (line, plies)
}

/// Returns a game that each format can hold, for which `OTHER` stands.
pub fn other_game(tables: &Tables) -> Option<i64> {
    let mut games = tables.columns("game", ["id"]).filter_map(|[id]| number(id));
    games.find(|game| can_hold("pgn", tables, *game) && !tournaments::has(tables, *game))
}

/// Returns whether a format can hold a game.
pub fn can_hold(format: &str, tables: &Tables, game: i64) -> bool {
    let names = ["board_rows", "board_columns", "stuck", "start", "anywhere", "misere"];
    let row = tables.columns_of("game", game, names).next();
    let [rows, columns, stuck, start, anywhere, misere] = row.unwrap_or_default();
    let is_square = rows.is_some() && rows == columns;
    let is_plain = is_square && anywhere != Some("1") && stuck != Some("explicit");
    match format {
        "json" => true,
        "ggf" => is_plain,
        _ => is_plain && rows == Some("8") && misere != Some("1") && start.is_none(),
    }
}

/// A clock as GGF has it: the time of the game, and what a move adds.
fn ggf_clock(control: &str) -> Option<String> {
    let shown = |seconds: i64| format!("{:02}:{:02}", seconds / 60, seconds % 60);
    if let Some(total) = control.strip_prefix("total=") {
        return Some(format!("TI[{}]", shown(seconds(total)?)));
    }
    match control.split(',').next()?.split_once('+') {
        Some((bank, more)) => {
            Some(format!("TI[{}/{}]", shown(seconds(bank)?), shown(seconds(more)?)))
        }
        None => Some(String::new()),
    }
}

impl Asked<'_> {
    fn row<const N: usize>(&self, names: [&str; N]) -> Option<[Option<&str>; N]> {
        self.tables.columns_of("game", self.game, names).next()
    }

    /// Returns the names of the players, black first.
    fn names(&self) -> Option<[String; 2]> {
        let (entry, _) = self.entry(self.game)?;
        let name = |color| Some(entry[color].as_str()?.to_owned());
        Some([name("black")?, name("white")?])
    }

    /// Returns a text, unless the format cannot hold the game.
    fn exported(&self, format: &str, text: fn(&Self, &Replayed) -> Option<String>) -> Option<Held> {
        match can_hold(format, self.tables, self.game) {
            true => text(self, &self.replayed()?).map(Held::Words),
            false => Some(Held::Refused),
        }
    }

    /// Returns the texts of another game and this one, unless the format cannot hold this one.
    fn both_exported(
        &self,
        format: &str,
        text: fn(&Self, &Replayed) -> Option<String>,
    ) -> Option<Held> {
        let other = other_game(self.tables).filter(|it| *it != self.game)?;
        if !can_hold(format, self.tables, self.game) {
            return Some(Held::Refused);
        }
        let games = [&self.about_game(other), self];
        let texts = games.iter().map(|it| text(it, &it.replayed()?)).collect::<Option<Vec<_>>>()?;
        Some(Held::Words(texts.concat()))
    }

    /// Returns the same question about another game.
    fn about_game(&self, game: i64) -> Self {
        Self { game, line: Vec::new(), ..*self }
    }

    /// Returns all games, or those that the player who is asked about plays or has played, by their numbers.
    fn games_to_export(&self, is_all: bool) -> Vec<Self> {
        let about = Some(self.about[0]);
        let rows = self.tables.columns("game", ["id", "black", "white"]);
        let own = rows.filter(|[_, players @ ..]| is_all || players.contains(&about));
        let mut games: Vec<_> = own.filter_map(|[id, ..]| number(id)).collect();
        games.sort_unstable();
        games.into_iter().map(|game| self.about_game(game)).collect()
    }

    fn json_of_player(&self) -> Option<Held> {
        let games = self.games_to_export(false);
        let shown = games.iter().map(Self::exported_json).collect::<Option<Vec<_>>>()?;
        Some(if games.is_empty() { Held::Refused } else { Held::Lines(shown) })
    }

    /// Returns the texts of the games of a player, without those that the format cannot hold.
    fn exports_of_player(
        &self,
        format: &str,
        text: fn(&Self, &Replayed) -> Option<String>,
    ) -> Option<Held> {
        let mut games = self.games_to_export(false);
        if games.is_empty() {
            return Some(Held::Refused);
        }
        games.retain(|it| can_hold(format, it.tables, it.game));
        let texts = games.iter().map(|it| text(it, &it.replayed()?)).collect::<Option<Vec<_>>>()?;
        (!texts.is_empty()).then(|| Held::Words(texts.concat()))
    }

    /// Returns the table of all games, which only the host gets.
    fn all_as_csv(&self) -> Option<Held> {
        if self.reader.is_some() {
            return Some(Held::Refused);
        }
        let games = self.games_to_export(true);
        let texts = games.iter().map(Self::csv).collect::<Option<Vec<_>>>()?;
        let head = texts.first()?.lines().next()?;
        let rows = texts.iter().filter_map(|it| it.split_once('\n')).map(|(_, row)| row);
        Some(Held::Words([head].into_iter().chain(rows).collect()))
    }

    /// Returns the moves, without automatic passes.
    pub(super) fn transcript(&self, it: &Replayed) -> Option<String> {
        let own = it.plies.iter().filter(|ply| !ply.auto);
        own.map(|ply| move_label(ply, &it.board)).collect()
    }

    /// Returns when the game began.
    fn began(&self) -> Option<i64> {
        number(self.row(["created_at"])?[0])
    }

    fn exported_json(&self) -> Option<Value> {
        let (mut shown, it) = (self.history()?, self.replayed()?);
        // Hints are not in it.
        shown.as_object_mut()?.remove("hints");
        let of_show = self.show()?;
        for key in ["variant", "rules", "tournament"] {
            shown[key] = of_show[key].clone();
        }
        let [clock, rated, start, frame] = self.row(["clock", "rated", "start", "frame"])?;
        let [black, white] = self.names()?;
        (shown["black"], shown["white"]) = (black.into(), white.into());
        (shown["clock"], shown["rated"]) = (clock.into(), (rated == Some("1")).into());
        shown["began"] = time(self.began()?);
        shown["since"] = time(number(self.row(["since"])?[0])?);
        shown["result"] = game_json::result(&it);
        shown["start"] = start.into();
        if frame.is_some() {
            shown["frame"] = frame.into();
        }
        Some(shown)
    }

    /// Returns the comments that the reader may read, behind so many moves.
    fn comments(&self, it: &Replayed, moves: usize) -> Option<Vec<String>> {
        let names = self.names()?;
        let said = self.said(it).into_iter();
        let said = said.filter(|(event, ..)| it.moves_before(*event) == moves);
        let shown = said.map(|(_, by, text)| format!("{}: {text}", names[usize::from(by == 'w')]));
        Some(shown.collect())
    }

    fn pgn(&self, it: &Replayed) -> Option<String> {
        if tournaments::has(self.tables, self.game) {
            return None;
        }
        let began = DateTime::from_timestamp(self.began()?, 0)?;
        let [black, white] = self.names()?;
        let result = match it.result() {
            Some((_, reason)) if reason == "discs" => {
                format!("{}-{}", it.discs('b'), it.discs('w'))
            }
            Some((winner, reason)) if !matches!(&*reason, "annulled" | "declined") => {
                let points = [(Some('b'), "1-0"), (Some('w'), "0-1"), (None, "1/2-1/2")];
                points.iter().find(|(it, _)| *it == winner)?.1.to_owned()
            }
            _ => "*".to_owned(),
        };
        let tags = [
            ("Event", "?".to_owned()),
            ("Site", "Outflank".to_owned()),
            ("Date", began.format("%Y.%m.%d").to_string()),
            ("Time", began.format("%H:%M:%S").to_string()),
            ("Round", "?".to_owned()),
            ("Black", black),
            ("White", white),
            ("Result", result.clone()),
        ];
        let mut words: Vec<_> =
            tags.iter().map(|(tag, value)| format!("[{tag} \"{value}\"]")).collect();
        let said = |moves| {
            let comments = self.comments(it, moves)?.into_iter();
            // Braces would end a comment.
            let comments = comments.map(|it| it.replace('{', "(").replace('}', ")"));
            Some(comments.map(|it| format!("{{{it}}}")).collect::<Vec<_>>())
        };
        words.extend(said(0)?);
        for (at, ply) in it.plies.iter().enumerate() {
            words.extend((at % 2 == 0).then(|| format!("{}.", at / 2 + 1)));
            let label = move_label(ply, &it.board)?;
            words.push(if ply.mv.is_none() { "--".to_owned() } else { label });
            words.extend(said(at + 1)?);
        }
        Some([words.join(" "), result].join(" "))
    }

    fn ggf(&self, it: &Replayed) -> Option<String> {
        let began = DateTime::from_timestamp(self.began()?, 0)?;
        let names = self.names()?.map(|name| name.replace(['[', ']', '(', ')', ';'], ""));
        let start = it.at(0)?.board;
        let disc = |disc: Option<char>| match disc {
            Some('b') => '*',
            Some('w') => 'O',
            _ => '-',
        };
        let Shape::Rectangle { rows, columns } = start.options.shape else { return None };
        let cells = (1..=rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let cells: String = cells.map(|cell| disc(start.discs.get(&cell).copied())).collect();
        let misere = if start.options.misere { "a" } else { "" };
        let clock = ggf_clock(self.row(["clock"])?[0]?)?;
        let mut text = format!(
            "(;GM[Othello]PC[Outflank]DT[{}.UTC]PB[{}]PW[{}]RE[{}]{clock}TY[{rows}{misere}]\
             BO[{rows} {cells} {}]",
            began.format("%Y.%m.%d_%H:%M:%S"),
            names[0],
            names[1],
            ggf_result(it, rows * columns),
            disc(Some(start.turn)),
        );
        let said = |moves| {
            let comments = self.comments(it, moves)?.into_iter();
            Some(comments.map(|it| format!("C[{it}]")).collect::<String>())
        };
        let mut last = self.began()?;
        for (at, (ply, event)) in it.plies.iter().zip(&it.made_at).enumerate() {
            text += &said(at)?;
            let mut log = self.tables.columns_of("event", self.game, ["at"]).skip(event - 1);
            let made = number(log.next()?[0])?;
            let label = match move_label(ply, &it.board)? {
                _ if ply.mv.is_none() => "PA".to_owned(),
                label => label.to_uppercase(),
            };
            // A clock can be set back.
            let seconds = (made - last).max(0);
            text += &format!("{}[{label}//{seconds}]", ply.by.to_uppercase());
            last = made;
        }
        text += &said(it.plies.len())?;
        Some(text + ";)")
    }

    fn csv(&self) -> Option<String> {
        const HEAD: &str = "game,variant,rules,black,white,status,winner,reason,black discs,\
                            white discs,began,since,start,moves";
        let (it, [black, white]) = (self.replayed()?, self.names()?);
        let [variant, start, since] = self.row(["variant", "start", "since"])?;
        let result = it.result();
        let winner = result.as_ref().and_then(|(winner, _)| *winner).map_or("", word);
        let text = |at: Option<i64>| Some(time(at?).as_str()?.to_owned());
        let values = [
            self.game.to_string(),
            variant?.to_owned(),
            rules(self.tables, self.game)?.join("; "),
            black,
            white,
            if result.is_some() { "finished" } else { "active" }.to_owned(),
            winner.to_owned(),
            result.map_or_else(String::new, |(_, reason)| reason),
            it.discs('b').to_string(),
            it.discs('w').to_string(),
            text(self.began())?,
            text(number(since))?,
            start.unwrap_or_default().to_owned(),
            self.transcript(&it)?,
        ];
        let values = values.map(|value| match value.contains([',', '"']) {
            true => format!("\"{value}\""),
            false => value,
        });
        Some(format!("{HEAD}\n{}", values.join(",")))
    }
}

/// Returns the result in GGF: by how many discs Black has won, and why the game ended before the board decided it.
fn ggf_result(it: &Replayed, cells: i32) -> String {
    let Some((winner, reason)) = it.result() else { return "?".to_owned() };
    let flag = match &*reason {
        "resigned" | "forfeited" => ":r",
        "time" | "claimed" => ":t",
        "agreed" => ":s",
        "annulled" | "declined" => return "?".to_owned(),
        _ => "",
    };
    let margin = it.discs('b') as i32 - it.discs('w') as i32;
    let margin = match (flag, winner) {
        ("", _) if it.board.options.misere => -margin,
        ("", _) => margin,
        (_, None) => 0,
        (_, Some('b')) => cells,
        _ => -cells,
    };
    format!("{margin:+}.000{flag}")
}
