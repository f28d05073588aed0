//! The options that `new` and `challenge` share: rules, start and clock.

use std::fmt;
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;

use crate::app::commands::play::begin::Beginning;
use crate::app::commands::play::clock_options::ClockOptions;
use crate::app::commands::play::moves as play;
use crate::app::commands::play::start;
use crate::app::{Env, Error, Session, find};
use crate::command::{GameAt, MoveAt, RuleOptions, one_of};
use crate::protocol::{Protocol, Record};
use crate::store::Db;
use outflank_model::bot::Bot;
use outflank_model::log::Game;
use outflank_model::tournament::Format;
use outflank_model::{Agreement, Opening};
use outflank_rules::{Cell, Lattice, Move, Position, Setup, Transcript, Variant};

/// How a new game differs from its variant, and its clock.
#[derive(Debug, Clone, Args)]
pub(crate) struct GameOptions {
    #[command(flatten)]
    start: StartOptions,
    #[command(flatten)]
    clock: ClockOptions,
}

/// How the rules and the start of a new game differ from its variant.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct StartOptions {
    #[command(flatten)]
    rules: RuleOptions,
    /// Start under the rules of this game, from one of its positions
    #[arg(long, value_name = "GAME#PLY", conflicts_with_all = ["position", "size", "misere", "anywhere", "pass"])]
    from: Option<GameAt>,
    /// Start from this position: the player to move, b or w, then the rows from the top
    #[arg(long, value_name = "(T row row ...)", allow_hyphen_values = true)]
    position: Option<Setup>,
    /// On the hex lattice, the first cell of the position [default: A1]
    #[arg(long, value_name = "CELL", requires = "position")]
    frame: Option<Cell>,
    /// Start with these moves, such as f5d6c3
    #[arg(long, value_name = "TRANSCRIPT")]
    moves: Option<Transcript>,
    /// Begin with eight moves that are drawn by lot, after which neither side is better
    #[arg(long, value_name = "balanced", conflicts_with_all = ["from", "position", "moves"])]
    #[arg(hide_possible_values = true, value_parser = opening())]
    opening: Option<Opening>,
}

/// Returns the clock of the games of a tournament, and whether absences count, if the host says nothing.
fn usual_clock(format: Format) -> (&'static str, bool) {
    match format {
        Format::RoundRobin | Format::League => ("10d+1d", true),
        // A round lasts as long as its last game.
        Format::Swiss => ("total=20d", false),
    }
}

impl GameOptions {
    /// Returns the beginning of a game of this variant with these options.
    pub(crate) fn beginning(
        &self,
        session: &mut Session,
        variant: &'static Variant,
        rated: bool,
    ) -> Result<Beginning, Error> {
        let mut beginning = self.start.beginning(session, variant)?;
        beginning.agreement.terms = self.clock.terms()?;
        beginning.agreement.rated = rated;
        Ok(beginning)
    }

    /// Returns the beginning of the games of a tournament. Without `--clock` they have the usual one.
    pub(crate) fn of_tournament(
        &self,
        session: &mut Session,
        variant: &'static Variant,
        format: Format,
    ) -> Result<Beginning, Error> {
        let mut beginning = self.start.beginning(session, variant)?;
        let (clock, absences) = usual_clock(format);
        let usual = clock.parse().map_err(Error::fault)?;
        beginning.agreement.terms = self.clock.of_tournament(usual, absences)?;
        Ok(beginning)
    }

    /// Returns the same options, with `--from` bound to the present position of its game.
    pub(crate) fn bound(&self, db: &Db) -> Result<Self, Error> {
        let mut bound = self.clone();
        if let Some(GameAt { game, ply: ply @ None }) = &mut bound.start.from {
            *ply = db.game(*game)?.map(|stored| stored.game.plies().len());
        }
        Ok(bound)
    }
}

impl StartOptions {
    /// Returns the beginning of an unrated game of this variant without a clock.
    pub(crate) fn beginning(
        &self,
        session: &mut Session,
        variant: &'static Variant,
    ) -> Result<Beginning, Error> {
        let start = match self.from {
            Some(from) => session.read(|reading| position_of(reading.db, variant, from))?,
            None => start::position(variant, &self.rules, self.position.as_ref(), self.frame)?,
        };
        if let Some(opening) = self.opening.filter(|opening| !opening.suits(&start)) {
            let message = format!("--opening {opening} is for Othello on 8x8 by its usual rules");
            return Err(Error::refused(message).with_hint("leave out --opening"));
        }
        let mut game = Game::new(start);
        let moves = self.moves.iter().flat_map(|transcript| &transcript.0);
        let moves: Vec<_> = moves.map(|&mv| MoveAt { mv, ply: None }).collect();
        play::make_all(&mut game, 0, &moves, |_| Ok(()))?;
        let custom_start = self.position.is_some() || self.from.is_some();
        let opening = self.opening;
        let agreement = Agreement { custom_start, opening, ..Agreement::on(variant) };
        Ok(Beginning { agreement, game, local: false })
    }

    /// Returns whether the players do not make their first moves in the position of the rules.
    pub(crate) const fn has_start(&self) -> bool {
        let Self { from, position, moves, opening, .. } = self;
        from.is_some() || position.is_some() || moves.is_some() || opening.is_some()
    }
}

fn opening() -> impl TypedValueParser<Value = Opening> {
    one_of(Opening::ALL.iter().map(|opening| (opening.word(), *opening)))
}

/// Writes the options as they are typed, with a space before each.
impl fmt::Display for GameOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.start.fmt(f)?;
        self.clock.fmt(f)
    }
}

/// Writes the options as they are typed, with a space before each.
impl fmt::Display for StartOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules, from, position, frame, moves, opening } = self;
        rules.fmt(f)?;
        // Either case is read, and hex labels are written in upper case.
        let label = |mv: &Move| Lattice::Hex.move_label(*mv);
        let moves = moves.as_ref().map(|it| it.0.iter().map(label).collect::<String>());
        let options = [
            ("from", from.map(|from| from.to_string())),
            ("position", position.as_ref().map(ToString::to_string)),
            ("frame", frame.map(|frame| Lattice::Hex.label(frame))),
            ("moves", moves),
            ("opening", opening.map(|opening| opening.to_string())),
        ];
        for (option, value) in options {
            value.map_or(Ok(()), |value| write!(f, " --{option} {value}"))?;
        }
        Ok(())
    }
}

/// Returns a position of another game, which must be of the same variant.
fn position_of(db: &Db, variant: &Variant, from: GameAt) -> Result<Position, Error> {
    let stored = find::game(db, from.game)?;
    if stored.agreement.variant != variant.name {
        let message =
            format!("game {} is {}, not {}", from.game, stored.agreement.variant, variant.name);
        let hint = format!("write `outflank new {} ...`", stored.agreement.variant);
        return Err(Error::refused(message).with_hint(hint));
    }
    let Some(ply) = from.ply else { return Ok(stored.game.position().clone()) };
    match stored.game.right_after(ply) {
        Some(game) => Ok(game.position().clone()),
        None => Err(find::no_such_ply(&stored, ply)),
    }
}

/// Refuses an external program if its protocol cannot describe the game.
pub(crate) fn check_suitable(env: &Env, bot: &Bot, game: &Game) -> Result<(), Error> {
    let Bot::Program(name) = bot else { return Ok(()) };
    let Some(settings) = env.config.bots.get(name.as_str()) else { return Ok(()) };
    let protocol: Protocol = settings.protocol.get_ref().parse().map_err(Error::fault)?;
    let mut questioner = protocol.questioner(settings.depth);
    let record = Record::of(game.start(), game.moves());
    questioner.question(&record, Duration::ZERO).map(drop).map_err(|unsuitable| {
        let error = Error::refused(format!("{bot} cannot play this game: {unsuitable}"));
        error.with_hint("bot:0 to bot:10 play every game")
    })
}
