use std::path::Path;

use clap::Args;

use super::notify::Seats;
use super::view::{self, View};
use super::{App, Error, Reply, Session, UseCase, look_up, play, signup, suggest};
use crate::command::{Address, MoveAt, Name, PlayerRef, RuleOptions};
use crate::config::{self, Config};
use crate::game::{Cell, Game, Lattice, Overrides, Position, Setup, Transcript, VARIANTS, Variant};
use crate::store::{Db, NewGame, Player};

/// Start a game, and tell both players by mail
#[derive(Debug, Clone, Args)]
#[command(after_help = "An address that nobody has signs a new player up.")]
pub struct New {
    #[arg(help = variants_in_words())]
    variant: String,
    /// Who moves first, by name or address
    black: PlayerRef,
    /// Who moves second, by name or address
    white: PlayerRef,
    #[command(flatten)]
    rules: RuleOptions,
    /// Begin here: the player to move, b or w, and the rows from the top
    #[arg(long, value_name = "(T row row ...)")]
    position: Option<Setup>,
    /// On the hex lattice, the first cell of the position [default: A1]
    #[arg(long, value_name = "CELL", requires = "position")]
    frame: Option<Cell>,
    /// Begin with these moves, like f5d6c3
    #[arg(long, value_name = "TRANSCRIPT")]
    moves: Option<Transcript>,
}

impl UseCase for New {
    fn founds(&self) -> bool {
        true
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let variant = self.variant()?;
        let mut game = Game::new(self.start(variant)?);
        let moves = self.moves.iter().flat_map(|transcript| &transcript.0);
        let moves: Vec<_> = moves.map(|&mv| MoveAt { mv, ply: None }).collect();
        play::all(&mut game, 0, &moves, |_| Ok(()))?;

        let app = session.app;
        app.act(|db, post| {
            let black = self.player(app, db, &self.black)?;
            let white = self.player(app, db, &self.white)?;
            if black.id == white.id {
                return Err(Error::SamePlayer(black.name));
            }
            let new = NewGame {
                variant,
                game: &game,
                own_start: self.position.is_some(),
                black: black.id,
                white: white.id,
            };
            let thread = post.thread()?;
            let id = db.add_game(&new, thread, app.now())?;
            let seats = Seats { id, black: &black, white: &white, game: &game };
            post.started(&seats)?;
            let view = View { id, variant, game: &game, names: view::names(&black, &white) };
            Ok(view.reply(false).text(next_steps(&seats, &app.config, app.store.path())))
        })
    }
}

/// What may stand for the variant, and what each is.
fn variants_in_words() -> String {
    let words = VARIANTS.iter().map(|variant| {
        let names: Vec<_> = variant.names().collect();
        format!("{}: {}", names.join(" or "), variant.summary)
    });
    words.collect::<Vec<_>>().join("\n")
}

/// What a host does after a game has begun.
fn next_steps(seats: &Seats, config: &Config, database: &Path) -> String {
    let mut said = Vec::new();
    if let Some(first) = seats.game.legal().first() {
        let played = seats.game.start().rules().lattice.move_label(*first);
        said.push(format!("To move: outflank move {} {played}", seats.id));
    }
    let both = format!("{} and {}", seats.black.name, seats.white.name);
    said.push(match config.transport {
        Some(_) => format!("Mail for {both} is in the outbox: outflank mail {}", seats.id),
        None => {
            format!("Mail for {both}: {}", config::display_path(&config::maildir_beside(database)))
        }
    });
    said.join("\n")
}

impl New {
    fn variant(&self) -> Result<&'static Variant, Error> {
        Variant::named(&self.variant).map_err(|error| {
            let names = VARIANTS.iter().flat_map(Variant::names);
            Error::NoVariant { near: suggest::near(&error.0, names), error }
        })
    }

    fn start(&self, variant: &Variant) -> Result<Position, Error> {
        let rules = variant.rules(&Overrides::from(&self.rules))?;
        let Some(setup) = &self.position else { return Ok(Position::start(rules)) };
        if self.frame.is_some() && rules.lattice != Lattice::Hex {
            return Err(Error::FrameOnRectangle);
        }
        let first = self.frame.unwrap_or(Cell::new(0, 1));
        let position = setup.position(&rules, first)?;
        match (self.rules.size, position.rules().lattice) {
            (Some(asked), Lattice::Rectangle(found)) if asked != found => {
                Err(Error::OtherSize { size: asked.to_string(), position: found.to_string() })
            }
            _ => Ok(position),
        }
    }

    /// The player named; an address that nobody has signs one up.
    fn player(&self, app: &App, db: &Db, named: &PlayerRef) -> Result<Player, Error> {
        let PlayerRef::Address(text) = named else { return look_up::player(db, named) };
        if let Some(known) = db.player_at(text)? {
            return Ok(known);
        }
        let address: Address = text.parse()?;
        let name = Name::from_local_part(address.local_part(), |name| {
            db.player_named(name.as_str()).map(|known| known.is_some())
        })?;
        signup::sign_up(app, db, &name, &address)
    }
}
