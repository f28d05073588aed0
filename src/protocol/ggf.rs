use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};

use super::notation::{parse_move, parse_time};
use super::record::Record;
use outflank_rules::{
    Cell, Color, Goal, Lattice, Move, Overrides, Placement, Position, Rules, Setup, Size, Stuck,
    Variant, quoted,
};

/// A game in the Generic Game Format, as the Generic Game Server and NBoard write Othello: a square
/// board, the moves, and passes as moves.
#[derive(Debug, Clone)]
pub struct Ggf {
    /// The game.
    pub record: Record,
    /// The names of the players, Black first.
    pub players: [String; 2],
    /// The time of each player for the game in seconds, if known.
    pub seconds: Option<u64>,
    /// What happened besides the moves.
    pub played: Played,
}

/// What happened in a game besides its moves.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// When it began.
    pub began: Option<DateTime<Utc>>,
    /// The seconds that each move adds to the time of its player.
    pub increment: u64,
    /// The discs by which Black has won, and why the game ended before the board decided it; `None` for a game
    /// that is active or counts for nobody.
    pub result: Option<(i64, Option<Ending>)>,
    /// How many seconds each move took.
    pub seconds: Vec<u64>,
    /// Comments, each with the number of moves before it.
    pub comments: Vec<(usize, String)>,
    /// The type that was read, such as `8` or `s8r20`. Writing makes it anew.
    pub kind: String,
}

/// Why a game ended before the board decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A player resigned.
    Resigned,
    /// A player ran out of time.
    Time,
    /// The players agreed on the result.
    Agreed,
}

impl Ending {
    /// Returns the flag of the result in GGF.
    const fn flag(self) -> &'static str {
        match self {
            Self::Resigned => ":r",
            Self::Time => ":t",
            Self::Agreed => ":s",
        }
    }

    /// All of them.
    const ALL: [Self; 3] = [Self::Resigned, Self::Time, Self::Agreed];
}

/// A text is not a game in GGF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadGgf {
    /// The text is not `(;TAG[value]TAG[value]…;)`.
    #[error("{} is not a game; use (;GM[Othello]BO[8 ...]...;)", quoted(.0))]
    Malformed(String),
    /// The game is not Othello.
    #[error("{} is not Othello", quoted(.0))]
    Game(String),
    /// The board is missing, or is not a square with its discs and the player to move.
    #[error("{} is not a board", quoted(.0))]
    Board(String),
    /// A text is not a move.
    #[error("{} is not a move", quoted(.0))]
    Move(String),
    /// A text is not a result.
    #[error("{} is not a result", quoted(.0))]
    Result(String),
    /// A move is illegal.
    #[error("{label}: {1}", label = quoted(.0))]
    Illegal(String, String),
}

/// Reads the first game in a text. Tags that do not matter are ignored.
impl FromStr for Ggf {
    type Err = BadGgf;

    fn from_str(text: &str) -> Result<Self, BadGgf> {
        let malformed = || BadGgf::Malformed(text.to_owned());
        let tags = tags(text).ok_or_else(malformed)?;
        let tag = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| *value);
        let is_othello = |game: &str| {
            ["othello", "reversi"].iter().any(|name| game.trim().eq_ignore_ascii_case(name))
        };
        if let Some(game) = tag("GM").filter(|game| !is_othello(game)) {
            return Err(BadGgf::Game(game.to_owned()));
        }
        let board = tag("BO").ok_or_else(malformed)?;
        // A type such as "8a" or "s8r20": the letter a stands for misère.
        let is_misere = tag("TY").is_some_and(|kind| kind.contains('a'));
        let mut record = Record::new(&position(board, is_misere)?);
        let mut played = Played::default();
        for (name, value) in &tags {
            let by = match name.as_str() {
                "B" => Color::Black,
                "W" => Color::White,
                "C" => {
                    played.comments.push((record.len(), (*value).to_owned()));
                    continue;
                }
                _ => continue,
            };
            let mut parts = value.split('/');
            let text = parts.next().unwrap_or_default().trim();
            let mv = parse_move(text).ok_or_else(|| BadGgf::Move(text.to_owned()))?;
            let made = record.pass_to(by).and_then(|()| record.play(mv));
            made.map_err(|illegal| BadGgf::Illegal(text.to_owned(), illegal.to_string()))?;
            // Behind the move are its value and its time. Passes that are left out take none.
            let time = parts.nth(1).and_then(|time| time.trim().split('.').next()?.parse().ok());
            played.seconds.resize(record.len().saturating_sub(1), 0);
            played.seconds.push(time.unwrap_or(0));
        }
        if played.seconds.iter().all(|seconds| *seconds == 0) {
            played.seconds.clear();
        }
        let name = |tag_name| tag(tag_name).unwrap_or_default().to_owned();
        let players = [name("PB"), name("PW")];
        let time = tag("TI").unwrap_or_default();
        played.increment = time.split('/').nth(1).and_then(seconds).unwrap_or(0);
        played.began = tag("DT").and_then(parse_time);
        played.result = result(tag("RE").unwrap_or("?"))?;
        played.kind = name("TY");
        Ok(Self { record, players, seconds: seconds(time), played })
    }
}

/// Reads a result such as `+12.000`, `-64.000:r` or `?`, which is none.
fn result(text: &str) -> Result<Option<(i64, Option<Ending>)>, BadGgf> {
    let text = text.trim();
    if ["", "?"].contains(&text) {
        return Ok(None);
    }
    let bad = || BadGgf::Result(text.to_owned());
    let (number, flag) = text.split_at(text.find(':').unwrap_or(text.len()));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let margin = whole.parse().ok().filter(|_| part.bytes().all(|digit| digit == b'0'));
    let ending = match flag {
        "" => None,
        _ => Some(Ending::ALL.into_iter().find(|it| it.flag() == flag).ok_or_else(bad)?),
    };
    Ok(Some((margin.ok_or_else(bad)?, ending)))
}

/// Splits `(;AB[value]C[value];)` into tags in upper case and values.
fn tags(text: &str) -> Option<Vec<(String, &str)>> {
    let mut rest = text.split_once("(;")?.1;
    let mut tags = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.starts_with(';') {
            return Some(tags);
        }
        let (name, after) = rest.split_once('[')?;
        let (value, after) = after.split_once(']')?;
        let is_name =
            !name.trim().is_empty() && name.trim().bytes().all(|b| b.is_ascii_alphabetic());
        tags.push((is_name.then(|| name.trim().to_ascii_uppercase())?, value));
        rest = after;
    }
}

/// Returns the position of a board such as `8 --…-- *`: the size, the cells row by row, the player
/// to move.
fn position(board: &str, is_misere: bool) -> Result<Position, BadGgf> {
    let bad = || BadGgf::Board(board.to_owned());
    let side: usize =
        board.split_whitespace().next().and_then(|it| it.parse().ok()).ok_or_else(bad)?;
    let size = Size::new(side, side).map_err(|_| bad())?;
    let setup: Setup = board.parse().map_err(|_| bad())?;
    let overrides = Overrides { size: Some(size), misere: is_misere, ..Overrides::default() };
    let rules = Variant::named("othello").ok().and_then(|it| it.rules(&overrides).ok());
    setup.position(&rules.ok_or_else(bad)?, Cell::new(0, 1)).map_err(|_| bad())
}

/// Returns the seconds of a time such as `15:00//02:00` or `01:00:00`.
fn seconds(time: &str) -> Option<u64> {
    let main = time.split('/').next()?;
    main.split(':').try_fold(0u64, |sum, part| {
        sum.checked_mul(60)?.checked_add(part.trim().parse::<u64>().ok()?)
    })
}

impl Ggf {
    /// Returns the game as GGF, or `None` if GGF cannot describe it: the board is not a square, or
    /// the rules differ in more than misère.
    pub fn of(record: &Record, players: [&str; 2], seconds: Option<u64>) -> Option<Self> {
        let is_plain = |rules: &Rules| {
            rules.placement == Placement::Outflanking
                && rules.stuck != Stuck::Loses
                && rules.supply.is_none()
        };
        let rules = record.start().rules();
        match rules.lattice {
            Lattice::Rectangle(size) if size.rows() == size.columns() && is_plain(rules) => {}
            _ => return None,
        }
        // A name must not end its tag.
        let plain = |name: &str| name.chars().filter(|c| !"[]();".contains(*c)).collect();
        let (record, players) = (record.clone(), players.map(plain));
        Some(Self { record, players, seconds, played: Played::default() })
    }

    /// Writes the comments that were made after so many moves. Brackets would end their tags, and `;)` the
    /// game.
    fn write_comments(&self, f: &mut fmt::Formatter<'_>, moves: usize) -> fmt::Result {
        for (_, comment) in self.played.comments.iter().filter(|(ply, _)| *ply == moves) {
            let comment = comment.replace('[', "(").replace(']', ")").replace(";)", "; )");
            write!(f, "C[{}]", comment.split_whitespace().collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }
}

/// Writes the game on one line.
impl fmt::Display for Ggf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.record.start();
        let side = start.frame().rows;
        let kind = if start.rules().goal == Goal::Fewer { "a" } else { "" };
        let [black, white] = &self.players;
        let Played { began, increment, result, seconds, .. } = &self.played;
        f.write_str("(;GM[Othello]PC[Outflank]")?;
        if let Some(began) = began {
            write!(f, "DT[{}]", began.format("%Y.%m.%d_%H:%M:%S.UTC"))?;
        }
        write!(f, "PB[{black}]PW[{white}]")?;
        match result {
            None => f.write_str("RE[?]")?,
            Some((margin, ending)) => {
                write!(f, "RE[{margin:+}.000{}]", ending.map_or("", Ending::flag))?;
            }
        }
        if let Some(seconds) = self.seconds {
            write!(f, "TI[{:02}:{:02}", seconds / 60, seconds % 60)?;
            if *increment > 0 {
                write!(f, "/{:02}:{:02}", increment / 60, increment % 60)?;
            }
            f.write_str("]")?;
        }
        let disc = |color| match color {
            None => '-',
            Some(Color::Black) => '*',
            Some(Color::White) => 'O',
        };
        let cells: String = start.cells().map(|cell| disc(start.disc(cell))).collect();
        write!(f, "TY[{side}{kind}]BO[{side} {cells} {}]", disc(Some(start.turn())))?;
        for (number, (by, mv)) in self.record.moves().enumerate() {
            self.write_comments(f, number)?;
            let label = label(start.rules().lattice, mv);
            write!(f, "{}[{label}", by.letter().to_ascii_uppercase())?;
            // Before the time would be the value of the move.
            seconds.get(number).map_or(Ok(()), |seconds| write!(f, "//{seconds}"))?;
            f.write_str("]")?;
        }
        self.write_comments(f, self.record.len())?;
        f.write_str(";)")
    }
}

/// Returns a move as GGF and NBoard write it.
pub(super) fn label(lattice: Lattice, mv: Move) -> String {
    match mv {
        Move::Pass => "PA".to_owned(),
        Move::Place(_) => lattice.move_label(mv).to_ascii_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

    fn parsed(text: &str) -> Result<String, BadGgf> {
        text.parse::<Ggf>().map(|ggf| ggf.record.position().to_string())
    }

    #[test]
    fn a_game_parses_to_its_last_position_and_back() {
        let text = format!(
            "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]\
             TY[8]{START}B[F5]W[F6/-1.5/0.3]B[d3//4.09]W[C5];)"
        );
        let ggf: Ggf = text.parse().unwrap();
        assert_eq!(
            (ggf.players[1].as_str(), ggf.seconds, ggf.record.len()),
            ("chris", Some(900), 4)
        );
        let again: Ggf = ggf.to_string().parse().unwrap();
        assert_eq!(again.record.position(), ggf.record.position());
        assert_eq!(again.to_string(), ggf.to_string());
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        // Black has no move after White's answer on this board.
        let board = "BO[4 *O-- ---- ---- --O* *]";
        let with = parsed(&format!("(;GM[Othello]{board}B[C1]W[PA]B[B4];)"));
        assert_eq!(with, parsed(&format!("(;GM[Othello]{board}B[C1]B[B4];)")));
        assert!(with.is_ok(), "{with:?}");
    }

    #[test]
    fn boards_of_other_sizes_and_misere_are_known() {
        let mini: Ggf = "(;GM[Othello]TY[4a]BO[4 ---- -O*- -*O- ---- *]B[b1];)".parse().unwrap();
        assert_eq!(mini.record.rules().goal, Goal::Fewer);
        assert!(mini.to_string().contains("TY[4a]BO[4 -----O*--*O----- *]B[B1]"), "{mini}");
        let ten = format!("(;GM[Othello]BO[10 {} O];)", "----------".repeat(9) + "--------*O");
        assert!(parsed(&ten).unwrap().starts_with("(w ---------- "));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "(;", "(;)", "(;GM[Othello];)", "(;BO[8 *];)", "(;BO[99 - *];)", "x(;[];)"]
        {
            assert!(parsed(text).is_err(), "{text}");
        }
        assert!(matches!(parsed(&format!("(;GM[Amazons]{START};)")), Err(BadGgf::Game(_))));
        assert!(matches!(parsed(&format!("(;{START}B[A1];)")), Err(BadGgf::Illegal(..))));
        assert!(matches!(parsed(&format!("(;{START}B[hello];)")), Err(BadGgf::Move(_))));
    }
}
