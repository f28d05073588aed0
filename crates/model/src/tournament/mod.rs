//! Tournaments, pure: pairings, scores and tables. Players are numbered from 0, in the order of their entry.
//!
//! | module | contents |
//! |---|---|
//! | `berger` | the pairings of a round robin: [`berger`], [`double_berger`] |
//! | `fixture` | a game of the schedule: [`Fixture`], [`Verdict`]; the games that may begin: [`next`]; players who leave early: [`Withdrawal`] |
//! | `format` | who meets whom: [`Format`], [`Divisions`] |
//! | `group` | players with a table of their own: [`Group`] |
//! | `league` | the next season of a league: [`promote`], [`cut`] |
//! | `news` | what mails about tournaments say: [`News`] |
//! | `score` | the [`Points`] and [`Discs`] of a game: [`Scoring`] |
//! | `stored` | tournaments as the database has them: [`Tournament`], [`Plan`], [`Entrant`], [`Pairing`] |
//! | `swiss` | the pairings of a Swiss round: [`swiss`] |
//! | `table` | the order of the players: [`table`], [`Row`] |
//!
//! ```
//! use outflank_model::log::{Outcome, Reason};
//! use outflank_model::tournament::{Fixture, Format, Scoring, State, berger, next, table};
//! use outflank_rules::{Color, Overrides, Variant};
//!
//! let mut fixtures = Fixture::of_rounds(&berger(3));
//! assert_eq!(next(&fixtures, &[]), [0, 1, 2], "all games can begin at once");
//!
//! let (winner, reason) = (Some(Color::White), Reason::Discs);
//! fixtures[0].state = State::Finished(Outcome { winner, reason, black: 20, white: 41 });
//! let rules = Variant::named("othello")?.rules(&Overrides::default())?;
//! let rows = table(3, Scoring::of(&rules, Format::RoundRobin), &fixtures, &[], &[]);
//! let [_, white] = fixtures[0].players;
//! assert_eq!((rows[0].player, rows[0].place), (white, Some(1)));
//! assert_eq!((&*rows[0].points.to_string(), &*rows[0].discs.to_string()), ("1", "44"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod berger;
mod fixture;
mod format;
mod group;
mod league;
mod news;
#[cfg(test)]
mod recount;
mod score;
mod stored;
mod swiss;
mod table;

pub use berger::{Round, berger, double_berger};
pub use fixture::{Fixture, MAX_AT_ONCE, State, Verdict, Withdrawal, next};
pub use format::{Divisions, Format, MAX_SWISS_PLAYERS, MAX_SWISS_ROUNDS};
pub use group::Group;
pub use league::{cut, promote};
pub use news::{News, NewsKind};
pub use score::{Discs, Points, Scoring};
pub use stored::{Entrant, InTournament, Pairing, Plan, Tournament, TournamentId, TournamentState};
pub use swiss::{SwissRound, swiss};
pub use table::{Participation, Row, table};
