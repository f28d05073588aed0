//! The front end for browsers: pages on which players use the commands of the application.
//!
//! | file | contents |
//! |---|---|
//! | [`server`] | listens, limits connections, stops; `patient` closes connections that leave a response unread |
//! | [`routes`] | the routes; `visit` has those for tokens, `public` those for everybody, `parts` the parts below the page of a game |
//! | [`pages`] | the pages, as HTML |
//! | `shared` | the state that all requests share |
//! | `origin`, `limits`, `headers` | safety: who may change anything, how often, and how browsers may use a page |
//! | `pool` | the connections to the database, on blocking threads |
//! | `streams` | event streams, which notify open pages of changes |
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
