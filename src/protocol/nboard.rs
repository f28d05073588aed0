//! The NBoard protocol, version 2: between the board program NBoard and engines such as NTest and
//! Edax. A game is set in GGF; `ping` ends a search.

use std::io;
use std::time::Duration;

use super::definition::{Next, Protocol, Questioner, Responder, Unsuitable};
use super::ggf::{Ggf, label};
use super::notation::parse_move;
use super::record::Record;
use super::session::EngineSession;
use outflank_engine::{Evaluated, Proof};
use outflank_rules::{Goal, Lattice, Move, State};

pub(super) const PROTOCOL: Protocol = Protocol {
    name: "nboard",
    responder: || Box::new(Engine { record: Record::othello(), depth: None }),
    questioner: |depth| Box::new(Board { depth, pings: 0, is_synchronous: false }),
    interrupts: |line| matches!(line.split_whitespace().next(), Some("ping" | "quit")),
};

/// Our engine's side.
struct Engine {
    record: Record,
    depth: Option<u32>,
}

impl Responder for Engine {
    fn handle(&mut self, line: &str, session: &mut EngineSession) -> io::Result<Next> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "nboard" => session.say(format!("set myname Outflank{}", session.level))?,
            "set" => self.set(rest, session)?,
            "move" => self.make(rest, session)?,
            "hint" => self.hint(rest.parse().unwrap_or(1), session)?,
            "go" => self.go(session)?,
            "ping" => session.say(format!("pong {rest}"))?,
            "learn" => session.say("learned")?,
            "analyze" => self.analyze(session)?,
            "quit" => return Ok(Next::Quit),
            // Version 1 sends a move without `move`. The protocol says to ignore other lines.
            _ if rest.is_empty() && parse_move(word).is_some() => self.make(word, session)?,
            _ => {}
        }
        Ok(Next::Line)
    }
}

impl Engine {
    fn set(&mut self, setting: &str, session: &mut EngineSession) -> io::Result<()> {
        let (name, value) = setting.split_once(char::is_whitespace).unwrap_or((setting, ""));
        match name {
            "depth" => self.depth = value.trim().parse().ok().filter(|depth| *depth > 0),
            "game" => match value.parse::<Ggf>() {
                Ok(ggf) => self.record = ggf.record,
                Err(error) => session.say(format!("status cannot read the game: {error}"))?,
            },
            // Contempt is ignored: a draw is worth the same to both players.
            _ => {}
        }
        Ok(())
    }

    /// Makes a move `F5/eval/time`.
    fn make(&mut self, text: &str, session: &mut EngineSession) -> io::Result<()> {
        let text = text.split(['/', ' ']).next().unwrap_or_default();
        let Some(mv) = parse_move(text) else {
            return session.say("status cannot read the move");
        };
        match self.record.play(mv) {
            Ok(()) => Ok(()),
            Err(illegal) => session.say(format!("status {illegal}")),
        }
    }

    fn go(&mut self, session: &mut EngineSession) -> io::Result<()> {
        let Self { record, depth } = self;
        let lattice = record.rules().lattice;
        if record.position().state() == State::Passing {
            return session.say("=== PA");
        }
        session.say("status Thinking")?;
        match session.choose(&record.for_search(), record.len(), *depth, None) {
            (Some(found), time) => {
                session.say(search_line(lattice, &found))?;
                let (mv, time) = (label(lattice, found.mv()), time.as_secs_f64());
                session.say(format!("=== {mv}/{:.2}/{time:.2}", f64::from(found.value)))
            }
            // The game is over, but the other side still waits for an answer.
            (None, _) => session.say("=== PA"),
        }
    }

    fn hint(&mut self, count: usize, session: &mut EngineSession) -> io::Result<()> {
        let Self { record, depth } = self;
        let lattice = record.rules().lattice;
        session.say("status Analyzing")?;
        session.rank(&record.for_search(), *depth, |session, ranked| {
            let best = &ranked[..count.clamp(1, ranked.len().max(1)).min(ranked.len())];
            best.iter().try_for_each(|found| session.say(search_line(lattice, found)))
        })?;
        session.say("status")
    }

    /// Evaluates each position of the game, the last one first.
    fn analyze(&mut self, session: &mut EngineSession) -> io::Result<()> {
        let Self { record, depth } = self;
        session.say("status Analyzing")?;
        for stage in record.stages().rev() {
            let position = stage.for_search();
            let value = match position.state() {
                State::Over(outcome) => Some(position.rules().margin(&outcome, position.turn())),
                _ => session
                    .choose(&position, stage.len(), Some(depth.unwrap_or(u32::MAX)), None)
                    .0
                    .map(|found| found.value),
            };
            if session.inbox.is_interrupted() {
                break;
            }
            if let Some(value) = value {
                session.say(format!("analysis {} {:.2}", stage.len(), f64::from(value)))?;
            }
        }
        session.say("status")
    }
}

fn search_line(lattice: Lattice, found: &Evaluated) -> String {
    let line: String = found.line.iter().map(|mv| label(lattice, *mv)).collect();
    let depth = match found.proof {
        Proof::None => found.depth.to_string(),
        Proof::Winner => "100%W".to_owned(),
        Proof::Score => "100%".to_owned(),
    };
    format!("search {line} {:.2} 0 {depth}", f64::from(found.value))
}

/// The board program's side, which asks an engine.
struct Board {
    depth: u32,
    pings: u32,
    /// Whether the engine has answered the last ping. Earlier lines are about an earlier position.
    is_synchronous: bool,
}

impl Questioner for Board {
    fn question(&mut self, record: &Record, per_move: Duration) -> Result<Vec<String>, Unsuitable> {
        let unsuitable = Unsuitable { protocol: PROTOCOL.name, what: "this board or these rules" };
        // Engines divide the time of a game by the number of remaining moves.
        let left = record.position().cells().filter(|cell| record.position().disc(*cell).is_none());
        let moves = (left.count() as u64 / 2).max(1);
        let seconds = per_move.as_secs().max(1) * moves;
        // Engines play for more discs.
        if record.start().rules().goal != Goal::More {
            return Err(unsuitable);
        }
        let players = ["black", "white"];
        let ggf = Ggf::of(record, players, Some(seconds)).ok_or(unsuitable)?;
        let is_first = self.pings == 0;
        self.pings += 1;
        self.is_synchronous = false;
        let mut lines = Vec::new();
        if is_first {
            lines.push("nboard 2".to_owned());
            lines.push(format!("set depth {}", self.depth));
        }
        lines.extend([format!("set game {ggf}"), format!("ping {}", self.pings), "go".to_owned()]);
        Ok(lines)
    }

    fn answer(&mut self, line: &str) -> Result<Option<Move>, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "pong" if rest.trim().parse() == Ok(self.pings) => self.is_synchronous = true,
            // Edax separates with spaces where others use slashes.
            "===" if self.is_synchronous => {
                let text = rest.trim().split(['/', ' ', '\t']).next().unwrap_or_default();
                return parse_move(text).map(Some).ok_or_else(|| line.to_owned());
            }
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_line_says_what_is_proved() {
        let lattice = Record::othello().rules().lattice;
        let line = |proof| {
            let mv = "d3".parse().unwrap();
            let found = Evaluated { line: vec![mv], value: 6, depth: 20, proof };
            search_line(lattice, &found)
        };
        assert_eq!(line(Proof::None), "search D3 6.00 0 20");
        assert_eq!(line(Proof::Winner), "search D3 6.00 0 100%W");
        assert_eq!(line(Proof::Score), "search D3 6.00 0 100%");
    }
}
