//! What is recorded of a game, pure: the log of its events, the state that follows from them, and the
//! plans and offers of its players.
//!
//! ```
//! use outflank_model::log::Game;
//! use outflank_rules::{Color, Overrides, Position, Transcript, Variant};
//!
//! let rules = Variant::named("mini")?.rules(&Overrides::default())?;
//! let mut game = Game::new(Position::start(rules));
//! let transcript: Transcript = "b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2".parse()?;
//! for mv in transcript.0 {
//!     game.play(mv)?;
//! }
//! // After d2, Black could not place a disc and passed automatically.
//! assert_eq!(game.plies().len(), 13);
//! let outcome = game.outcome().expect("the game is over");
//! assert_eq!((outcome.winner, outcome.black, outcome.white), (Some(Color::White), 4, 12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod event;
mod id;
mod illegal;
mod outcome;
mod plan;
mod replay;

pub use event::{Action, BadAction, Event, Offer, Ply};
pub use id::{BadGameId, GameId};
pub use illegal::IllegalEvent;
pub use outcome::{Outcome, Reason};
pub use plan::{BadPlan, Plan, Planned};
pub use replay::{Game, TakenBack};
