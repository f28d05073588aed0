//! The formats of games that other programs read and write, in a file each: for `export` and `import`.

pub(crate) mod club;
mod csv;
mod format;
mod ggf;
mod json;
mod moves;
mod pgn;
mod reading;
mod registry;
#[cfg(test)]
mod tests;
mod wthor;

pub(crate) use format::{Exported, Format};
pub(crate) use ggf::as_ggf;
pub(crate) use reading::{Imported, Piece, Reader, Source};
pub(crate) use registry::{help, parser, readers, writers};
pub(crate) use wthor::players;
