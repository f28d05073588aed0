//! The front end for browsers: pages on which players use the commands of the application.
//!
//! | file | contents |
//! |---|---|
//! | [`server`] | listens, limits connections, stops; `patient` gives up clients that take no response |
//! | [`routes`] | which request is answered by which page; `visit` has those for tokens, `public` those for everybody, `parts` what is below the page of a game |
//! | [`pages`] | the pages, as HTML |
//! | `shared` | what all requests share |
//! | `origin`, `limits`, `headers` | what makes the pages safe: who may change anything, how often, and what browsers may do with a page |
//! | `pool` | the connections to the database, which wait off the async threads |
//! | `streams` | event streams, which tell open pages of changes |
//! | `background` | mails and computer players, after a command |
//! | `report` | problems of the server, for the host |

mod background;
mod headers;
mod limits;
mod origin;
pub mod pages;
mod parts;
mod patient;
mod pool;
mod public;
mod report;
pub mod routes;
pub mod server;
mod shared;
mod streams;
mod visit;

pub use report::Printer;
pub use routes::{Connection, Web};
pub use server::serve;
