//! Games against computer players.

mod sides;
