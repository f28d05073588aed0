//! Fills a database with games of random legal moves.
//!
//! `cargo run --release --example grow -- big.db 100000`
//!
//! With `--tournaments 200`, the first 5,600 games belong to finished tournaments, and two others are named
//! `running` and `open`.
//!
//! The games begin twenty days ago, and their mails count as sent then and are deleted like those of
//! a server that has run for some time. Nothing is delivered, except the mails of the tournament that runs.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use clap::Parser;
use fastrand::Rng;
use outflank::app::{self, Actor, AnyCommand, App, FrontEnd, Session};
use outflank::clock::{Clock, FixedClock, SystemClock};
use outflank::command::PlayerRef;
use outflank::config::Config;
use outflank::store::{self, ClaimRequest, Listing, Settled, Store};
use outflank_model::PlayerId;
use outflank_model::log::{Game, GameId};
use outflank_model::tournament::{Fixture, Tournament, TournamentState, berger};
use outflank_rules::{FixedRules, Overrides, Position, UnknownVariant, Variant};

/// Fills a database with games of random legal moves
#[derive(clap::Parser)]
#[command(name = "grow")]
struct Arguments {
    /// The file of the database, which is created
    database: PathBuf,
    /// How many games to add
    games: usize,
    /// How many players to sign up
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..))]
    players: u32,
    /// The variant of all games
    #[arg(long, default_value = "othello")]
    variant: String,
    /// The most moves of each game [default: a random number up to 60]
    #[arg(long)]
    moves: Option<usize>,
    /// End each game with a resignation of the player to move
    #[arg(long)]
    resign: bool,
    /// Make this many finished round robins, of 28 games each, one that runs, and one that is open
    #[arg(long)]
    tournaments: Option<usize>,
    /// Keep the records of the mails
    #[arg(long)]
    keep_mail: bool,
    /// The seed of the random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Why the database could not be filled.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    App(#[from] app::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    #[error(transparent)]
    Rules(#[from] FixedRules),
    #[error("{0} has players already; give a new file")]
    NotNew(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A command of the host or of a player.
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

impl Line {
    fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        Self::parse_from(std::iter::once("outflank").chain(words))
    }
}

/// How many games are added in one transaction.
const GAMES_PER_BATCH: usize = 500;
/// More mails than a batch of games has.
const MAX_MAILS: usize = 10 * GAMES_PER_BATCH;
/// The most moves of a game by default.
const MAX_MOVES: usize = 60;
/// The players of a finished tournament.
const TOURNAMENT_PLAYERS: usize = 8;
/// How long ago the games began.
const AGO: TimeDelta = TimeDelta::days(20);

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("grow: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rng = Rng::with_seed(arguments.seed);
    let begun = Instant::now();
    let then = SystemClock.now() - AGO;
    let now = if arguments.keep_mail { then } else { SystemClock.now() };
    let mut app = open(arguments, then)?;
    if !Store::open(&arguments.database, false)?.read(|db| db.results(None, Some(1)))?.is_empty() {
        return Err(Failure::NotNew(arguments.database.display().to_string()));
    }
    for number in 1..=arguments.players {
        let (name, address) = (player(number), format!("player{number}@example.org"));
        app = run_command(app, Actor::Host, &Line::parse(["signup", name.as_str(), &address]))?;
    }
    let mut mails = Store::open(&arguments.database, false)?;
    let variant = Variant::named(&arguments.variant)?;
    let start = Game::new(Position::start(variant.rules(&Overrides::default())?));
    let schedule = Fixture::of_rounds(&berger(TOURNAMENT_PLAYERS));
    let tournaments = (0..arguments.tournaments.unwrap_or_default()).flat_map(|tournament| {
        let players = entrants(arguments, tournament);
        schedule.iter().map(move |fixture| fixture.players.map(|it| players[it]))
    });
    let pairs: Vec<_> = tournaments.collect();
    for first in (1..=arguments.games).step_by(GAMES_PER_BATCH) {
        let last = arguments.games.min(first + GAMES_PER_BATCH - 1);
        let games =
            (first..=last).flat_map(|id| game(arguments, id, &start, pairs.get(id - 1), &mut rng));
        for (actor, line) in games {
            app = run_command(app, actor, &line)?;
        }
        settle(&mut mails, then)?;
        send(arguments, now)?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(finished) = arguments.tournaments {
        add_tournaments(arguments, finished, &schedule, now)?;
    }
    let bytes = fs::metadata(&arguments.database)?.len();
    let games = arguments.games;
    writeln!(
        io::stdout(),
        "{games} games, {:.0} a second, {} bytes a game",
        games as f64 / seconds,
        bytes.checked_div(games as u64).unwrap_or_default(),
    )?;
    measure(arguments, now)
}

/// Prints how long commands take that concern one game, which should not depend on how many there are.
fn measure(arguments: &Arguments, now: DateTime<Utc>) -> Result<(), Failure> {
    let store = Store::open(&arguments.database, false)?;
    let Some(game) = store.read(|db| db.games(Listing::Active, Some(1)))?.pop() else {
        return Ok(());
    };
    // The player who has moved last waits.
    let player =
        if game.turn == Some(outflank_rules::Color::Black) { game.white } else { game.black };
    let id = game.id.to_string();
    let asking = Actor::Player(PlayerRef::Name(player));
    for (actor, words) in [(Actor::Host, ["mail", &id]), (asking, ["takeback", &id])] {
        let (app, line) = (open(arguments, now)?, Line::parse(words));
        let begun = Instant::now();
        // A game without a move has none to take back.
        let _ = run_command(app, actor, &line);
        let milliseconds = begun.elapsed().as_secs_f64() * 1000.0;
        writeln!(io::stdout(), "{}: {milliseconds:.1} ms", words.join(" "))?;
    }
    Ok(())
}

/// Opens the database at a time.
fn open(arguments: &Arguments, time: DateTime<Utc>) -> Result<App, app::Error> {
    let rng = app::Rng::seeded(arguments.seed ^ time.timestamp().unsigned_abs());
    let clock = Box::new(FixedClock(time));
    App::open(&arguments.database, false, Config::default(), clock, rng)
}

/// Runs a command in an application, and returns the application.
fn run_command(app: App, actor: Actor, line: &Line) -> Result<App, app::Error> {
    let mut app = Some(app);
    let mut open = || Ok(app.take().expect("a command opens the application once"));
    let mut session = Session::new(actor, FrontEnd::none(), &mut open);
    line.command.run(&mut session)?;
    Ok(session.into_app().expect("the command has opened the application"))
}

fn player(number: u32) -> String {
    format!("player{number}")
}

/// Returns the numbers of the players of a finished tournament.
fn entrants(arguments: &Arguments, tournament: usize) -> Vec<u32> {
    let all = (1..=arguments.players).cycle();
    all.skip(tournament * TOURNAMENT_PLAYERS).take(TOURNAMENT_PLAYERS).collect()
}

/// Makes finished tournaments of the first games, one that runs and one that is open.
fn add_tournaments(
    arguments: &Arguments,
    finished: usize,
    schedule: &[Fixture],
    now: DateTime<Utc>,
) -> Result<(), Failure> {
    let new = |name: &str| {
        let line = Line::parse(["tournament", "new", name, &arguments.variant]);
        run_command(open(arguments, now)?, Actor::Host, &line)
    };
    let mut store = Store::open(&arguments.database, false)?;
    let division @ [season, _] = [1, 1];
    for tournament in 0..finished {
        let name = format!("finished{tournament}");
        new(&name)?;
        let players = entrants(arguments, tournament);
        let players: Vec<_> = players.into_iter().map(|it| PlayerId(it.into())).collect();
        let games = (1..).skip(tournament * schedule.len()).map(GameId);
        store.write(|tx| {
            let Some(Tournament { id, .. }) = tx.tournament_named(&name)? else { return Ok(()) };
            players.iter().try_for_each(|&player| tx.add_entrant(id, season, player, now))?;
            tx.number_entrants(id, division, &players)?;
            for ((number, fixture), game) in (1..).zip(schedule).zip(games) {
                let players = fixture.players.map(|it| players[it]);
                tx.add_pairing(id, division, number, fixture.round, players)?;
                tx.set_pairing_game(id, division, number, game)?;
            }
            tx.begin_season(id, season, None, now)?;
            tx.end_tournament(id, TournamentState::Finished, now)
        })?;
    }
    for (name, players) in [("running", 16), ("open", 8)] {
        let mut app = new(name)?;
        for number in 1..=players {
            let joins = Actor::Player(PlayerRef::Name(player(number)));
            app = run_command(app, joins, &Line::parse(["join", name]))?;
        }
    }
    Ok(send(arguments, now)?)
}

/// Returns the commands that start a game and end it. A game of these players belongs to a finished tournament.
fn game(
    arguments: &Arguments,
    id: usize,
    start: &Game,
    players: Option<&[u32; 2]>,
    rng: &mut Rng,
) -> Vec<(Actor, Line)> {
    let [black, white] = players.copied().unwrap_or_else(|| {
        let black = rng.u32(1..=arguments.players);
        [black, (black + rng.u32(1..arguments.players) - 1) % arguments.players + 1]
    });
    let (black, white) = (player(black), player(white));
    let mut game = start.clone();
    let lattice = game.start().rules().lattice;
    let mut moves = Vec::new();
    let most = arguments.moves.unwrap_or_else(|| rng.usize(..=MAX_MOVES));
    while moves.len() < most
        && let Some(mv) = rng.choice(game.legal())
        && game.play(mv).is_ok()
    {
        moves.push(lattice.move_label(mv));
    }
    let moves = moves.join(" ");
    let mut new = vec!["new", arguments.variant.as_str(), black.as_str(), white.as_str()];
    if !moves.is_empty() {
        new.extend(["--moves", moves.as_str()]);
    }
    let mut commands = vec![(Actor::Host, Line::parse(new))];
    if let (true, Some(turn)) = (arguments.resign || players.is_some(), game.turn()) {
        let name = if turn == outflank_rules::Color::Black { black } else { white };
        let actor = Actor::Player(PlayerRef::Name(name));
        commands.push((actor, Line::parse(["resign", id.to_string().as_str()])));
    }
    commands
}

/// Marks all mails as sent.
fn settle(mails: &mut Store, now: DateTime<Utc>) -> Result<(), store::Error> {
    let longest = TimeDelta::minutes(1);
    let request = ClaimRequest { lease: "grow", now, until: now + longest, longest };
    mails.write(|tx| {
        let claims = tx.claim_mails(&request, &[], MAX_MAILS)?;
        claims.iter().try_for_each(|claim| tx.settle_mail(claim, &Settled::Sent, now))
    })
}

/// Runs `send`, which deletes old mails and moves the log into the database file.
fn send(arguments: &Arguments, now: DateTime<Utc>) -> Result<(), app::Error> {
    run_command(open(arguments, now)?, Actor::Host, &Line::parse(["send"])).map(drop)
}
