//! The Go Text Protocol, version 2, as Edax and tournament tools use it for Othello. Cells are named
//! as in Othello: a1 is the upper left corner, and no letter is left out.

use std::io;
use std::time::Duration;

use super::definition::{Next, Protocol, Questioner, Responder, Unsuitable};
use super::notation::parse_move;
use super::record::Record;
use super::session::EngineSession;
use outflank_engine::BadLevel;
use outflank_rules::{
    Cell, Color, Lattice, Move, Overrides, Placement, Position, Rules, Size, State, VARIANTS,
    Variant, quoted,
};

pub(super) const PROTOCOL: Protocol = Protocol {
    name: "gtp",
    responder: || Box::new(Engine::new()),
    questioner: |_| Box::new(Controller { id: 0, asked: 0 }),
    // A controller waits for each answer, so nothing ends a search.
    interrupts: |_| false,
};

const COMMANDS: &[&str] = &[
    "boardsize",
    "clear_board",
    "final_score",
    "genmove",
    "known_command",
    "komi",
    "level",
    "list_commands",
    "list_games",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "set_game",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// Our engine's side.
struct Engine {
    variant: &'static Variant,
    size: Option<Size>,
    record: Record,
    time: Time,
}

/// The time limits from the controller.
#[derive(Default)]
struct Time {
    main: Option<u64>,
    /// The seconds and the number of moves of each period after the main time.
    overtime: Option<(u64, u64)>,
    /// The remaining seconds of each player, Black first, and the number of moves they are for; 0
    /// means the rest of the game.
    left: [Option<(u64, u64)>; 2],
}

/// The part of the time for a move that the engine uses; the controller needs the rest.
const USED_PERCENT: u32 = 90;

impl Time {
    /// Returns the time for a player's next move, if at most `moves` more follow; `None` is no limit.
    fn for_move(&self, player: Color, moves: u64) -> Option<Duration> {
        let per_move = |seconds: u64, moves: u64| {
            let used = Duration::from_secs(seconds).saturating_mul(USED_PERCENT) / 100;
            used / u32::try_from(moves.max(1)).unwrap_or(u32::MAX)
        };
        let overtime = self.overtime.map(|(seconds, moves)| per_move(seconds, moves));
        match self.left[usize::from(player == Color::White)] {
            Some((seconds, 0)) => Some(per_move(seconds, moves).max(overtime.unwrap_or_default())),
            Some((seconds, stones)) => Some(per_move(seconds, stones)),
            None => {
                let main = self.main.map(|seconds| per_move(seconds, moves));
                main.into_iter().chain(overtime).max()
            }
        }
    }
}

fn start(variant: &Variant, size: Option<Size>) -> Option<Position> {
    variant.rules(&Overrides { size, ..Overrides::default() }).ok().map(Position::start)
}

type Answer = Result<String, String>;

impl Engine {
    fn new() -> Self {
        let record = Record::othello();
        Self { variant: &VARIANTS[0], size: None, record, time: Time::default() }
    }

    fn clear(&mut self) -> Answer {
        let start = start(self.variant, self.size).ok_or("unacceptable size")?;
        self.record = Record::new(&start);
        self.time.left = [None; 2];
        Ok(String::new())
    }

    fn answer(&mut self, command: &str, words: &[&str], session: &mut EngineSession) -> Answer {
        let first = words.first().copied().unwrap_or_default();
        match command {
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok("Outflank".to_owned()),
            "version" => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            "known_command" => Ok(COMMANDS.contains(&first).to_string()),
            "list_commands" => Ok(COMMANDS.join("\n")),
            "quit" | "komi" => Ok(String::new()),
            "list_games" => Ok(VARIANTS.iter().map(|it| it.title).collect::<Vec<_>>().join("\n")),
            "set_game" => self.set_game(&words.join(" ")),
            "boardsize" => self.set_size(words),
            "clear_board" => self.clear(),
            "level" => {
                let level = first.parse();
                session.level = level.map_err(|bad: BadLevel| format!("syntax error: {bad}"))?;
                Ok(String::new())
            }
            "play" => {
                let color = color(first)?;
                let text = words.get(1).copied().unwrap_or_default();
                let mv = parse_move(text).ok_or("syntax error: no move")?;
                self.play(color, mv)
            }
            "genmove" | "reg_genmove" => {
                let mv = self.generate(color(first)?, session)?;
                if command == "genmove" && !self.is_over() {
                    // The engine's moves are legal.
                    let _ = self.record.play(mv);
                }
                Ok(self.record.rules().lattice.move_label(mv))
            }
            "undo" if self.record.undo() => Ok(String::new()),
            "undo" => Err("cannot undo".to_owned()),
            "time_settings" => self.set_time(words),
            "time_left" => {
                let color = color(first)?;
                let [seconds, moves] = numbers(&words[1..])?;
                self.time.left[usize::from(color == Color::White)] = Some((seconds, moves));
                Ok(String::new())
            }
            "showboard" => Ok(format!("\n{}", drawn(self.record.position()))),
            "final_score" => self.score(),
            _ => Err("unknown command".to_owned()),
        }
    }

    fn set_game(&mut self, name: &str) -> Answer {
        let is_meant = |variant: &&Variant| {
            variant.title.eq_ignore_ascii_case(name)
                || variant.names().any(|known| known.eq_ignore_ascii_case(name))
        };
        self.variant = VARIANTS.iter().find(is_meant).ok_or("unsupported game")?;
        self.size = None;
        self.clear()
    }

    fn set_size(&mut self, words: &[&str]) -> Answer {
        let side = words.first().and_then(|word| word.parse().ok());
        let side = side.ok_or("syntax error: no size")?;
        let size = Size::new(side, side).map_err(|_| "unacceptable size")?;
        start(self.variant, Some(size)).ok_or("unacceptable size")?;
        self.size = Some(size);
        self.clear()
    }

    fn set_time(&mut self, words: &[&str]) -> Answer {
        let [main, overtime, moves] = numbers(words)?;
        // No moves in a positive overtime means no limit.
        let is_limited = overtime == 0 || moves > 0;
        self.time = Time {
            main: is_limited.then_some(main),
            overtime: (moves > 0).then_some((overtime, moves)),
            left: [None; 2],
        };
        Ok(String::new())
    }

    fn is_over(&self) -> bool {
        matches!(self.record.position().state(), State::Over(_))
    }

    fn play(&mut self, color: Color, mv: Move) -> Answer {
        if self.is_over() && mv == Move::Pass {
            return Ok(String::new());
        }
        let mut next = self.record.clone();
        next.pass_to(color).and_then(|()| next.play(mv)).map_err(|_| "illegal move")?;
        self.record = next;
        Ok(String::new())
    }

    fn generate(&mut self, color: Color, session: &mut EngineSession) -> Result<Move, String> {
        if self.is_over() {
            return Ok(Move::Pass);
        }
        self.record.pass_to(color).map_err(|_| "it is the other player's turn")?;
        let position = self.record.for_search();
        if position.state() == State::Passing {
            return Ok(Move::Pass);
        }
        let empty = position.cells().filter(|cell| position.disc(*cell).is_none()).count();
        let time = self.time.for_move(color, empty as u64 / 2 + 1);
        let (found, _) = session.choose(&position, self.record.len(), None, time);
        Ok(found.map_or(Move::Pass, |found| found.mv()))
    }

    fn score(&self) -> Answer {
        let position = self.record.position();
        let State::Over(outcome) = position.state() else {
            return Err("cannot score: the game is not over".to_owned());
        };
        let margin = position.rules().margin(&outcome, Color::Black);
        Ok(match margin {
            0 => "0".to_owned(),
            1.. => format!("B+{margin}"),
            _ => format!("W+{}", -margin),
        })
    }
}

impl Responder for Engine {
    fn handle(&mut self, line: &str, session: &mut EngineSession) -> io::Result<Next> {
        let line = line.split('#').next().unwrap_or_default().replace('\t', " ");
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let is_id = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
        let id = match words.first().copied().filter(is_id) {
            Some(_) => words.remove(0),
            None => "",
        };
        let Some((command, words)) = words.split_first() else { return Ok(Next::Line) };
        let (sign, text) = match self.answer(command, words, session) {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        let gap = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
        session.say(format!("{sign}{id}{gap}{text}"))?;
        session.say("")?;
        Ok(if *command == "quit" { Next::Quit } else { Next::Line })
    }
}

fn color(word: &str) -> Result<Color, String> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(format!("syntax error: {} is not a colour", quoted(word))),
    }
}

/// Parses exactly `N` numbers. Fractions of seconds are cut off.
fn numbers<const N: usize>(words: &[&str]) -> Result<[u64; N], String> {
    let mut numbers = [0; N];
    for (number, word) in numbers.iter_mut().zip(words) {
        let whole = word.split('.').next().unwrap_or_default();
        *number = whole.parse().map_err(|_| format!("syntax error: {}", quoted(word)))?;
    }
    if words.len() < N { Err("syntax error: a number is missing".to_owned()) } else { Ok(numbers) }
}

/// Draws a position, with X for Black.
fn drawn(position: &Position) -> String {
    let lattice = position.rules().lattice;
    let frame = position.frame();
    let disc = |color| match color {
        None => '.',
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
    };
    let label = |column| format!(" {}", lattice.column_label(Cell::new(column, frame.first.row)));
    let columns: String = frame.column_range().map(label).collect();
    let mut lines = vec![format!("   {columns}")];
    let cells: Vec<_> = position.cells().collect();
    for row in cells.chunks(frame.columns.max(1)) {
        let discs: String =
            row.iter().map(|cell| format!(" {}", disc(position.disc(*cell)))).collect();
        lines.push(format!("{:>3}{discs}", row[0].row));
    }
    lines.push(format!("{} to move", position.turn()));
    lines.join("\n")
}

/// The controller's side, which asks an engine.
struct Controller {
    id: u64,
    /// The number of the command that asks for the move.
    asked: u64,
}

impl Questioner for Controller {
    fn question(&mut self, record: &Record, per_move: Duration) -> Result<Vec<String>, Unsuitable> {
        let unsuitable = |what| Unsuitable { protocol: PROTOCOL.name, what };
        let rules = record.rules();
        let Lattice::Rectangle(size) = rules.lattice else {
            return Err(unsuitable("this board"));
        };
        let standard = VARIANTS[0].rules(&Overrides { size: Some(size), ..Overrides::default() });
        let is_known = |known: &Rules| Rules { stuck: rules.stuck, ..*known } == rules;
        if size.rows() != size.columns()
            || rules.placement != Placement::Outflanking
            || !standard.as_ref().is_ok_and(is_known)
        {
            return Err(unsuitable("this board or these rules"));
        }
        if Position::start(*record.start().rules()) != *record.start() {
            return Err(unsuitable("a game that began in another position"));
        }
        let mut commands = vec![format!("boardsize {}", size.rows()), "clear_board".to_owned()];
        for (by, mv) in record.moves() {
            commands.push(format!("play {} {}", by.letter(), rules.lattice.move_label(mv)));
        }
        commands.push(format!("time_settings 0 {} 1", per_move.as_secs().max(1)));
        commands.push(format!("genmove {}", record.position().turn().letter()));
        let numbered = commands.into_iter().map(|command| {
            self.id += 1;
            format!("{} {command}", self.id)
        });
        let lines = numbered.collect();
        self.asked = self.id;
        Ok(lines)
    }

    fn answer(&mut self, line: &str) -> Result<Option<Move>, String> {
        let line = line.trim();
        let Some(rest) = line.strip_prefix(['=', '?']) else { return Ok(None) };
        let mut words = rest.split_whitespace();
        let id = words.next().and_then(|id| id.parse::<u64>().ok());
        let (is_asked, is_error) = (id == Some(self.asked), line.starts_with('?'));
        match words.next() {
            // An engine need not support time limits.
            _ if is_error && id == Some(self.asked.saturating_sub(1)) => Ok(None),
            _ if is_error => Err(line.to_owned()),
            Some(word) if is_asked => parse_move(word).map(Some).ok_or_else(|| line.to_owned()),
            None if is_asked => Err(line.to_owned()),
            _ => Ok(None),
        }
    }
}
