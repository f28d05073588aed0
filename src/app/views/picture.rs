//! A board as a picture.

use std::fs;
use std::path::PathBuf;

use crate::app::views::game::View;
use crate::app::{Error, Reply};
use crate::config;
use outflank_model::render::{LastMove, svg};
use outflank_rules::Position;

/// Whether a command draws the board as a picture, for the host's shell.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Picture {
    /// Print the board as a picture in SVG; in the shell only
    #[arg(long, group = "picture", conflicts_with = "arrows")]
    svg: bool,
    /// Print it as a picture in PNG; in the shell only
    #[arg(long, group = "picture", conflicts_with = "arrows")]
    png: bool,
    /// How many pixels wide the PNG is [default: 40 a column]
    #[arg(
        long,
        value_name = "N",
        requires = "png",
        conflicts_with = "svg",
        value_parser = clap::value_parser!(u32).range(1..=4096)
    )]
    width: Option<u32>,
    /// Write the picture to this file
    #[arg(long, value_name = "FILE", requires = "picture")]
    output: Option<PathBuf>,
}

impl Picture {
    /// Returns whether the command asks for a picture.
    pub(crate) const fn is_wanted(&self) -> bool {
        self.svg || self.png
    }

    /// Refuses a picture outside of the shell: a mail or a line over ssh cannot hold it.
    pub(crate) fn check(&self, is_shell: bool) -> Result<(), Error> {
        if !self.is_wanted() || is_shell {
            return Ok(());
        }
        let error = Error::refused("a picture can be drawn in the host's shell only");
        Err(error.with_hint("leave out --svg and --png"))
    }

    /// Returns the picture of a game, or a sentence about the file that it was written to.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn reply(&self, view: &View) -> Result<Reply, Error> {
        let (position, last) = (view.game.position(), LastMove::of(view.game));
        let document = match self.png {
            true => png(position, last.as_ref(), self.width)?,
            false => svg(position, last.as_ref(), &view.caption()).into_bytes(),
        };
        let Some(file) = &self.output else {
            return Ok(Reply { document: Some(document), ..Reply::default() });
        };
        let name = config::display_path(file);
        match fs::write(file, document) {
            Ok(()) => Ok(view.brief(&format!("The picture is in {name}."))),
            Err(error) => Err(Error::fault(format!("cannot write {name}: {error}"))),
        }
    }
}

#[cfg(feature = "png")]
fn png(board: &Position, last: Option<&LastMove>, width: Option<u32>) -> Result<Vec<u8>, Error> {
    let png = outflank_model::render::png(board, last, width);
    png.ok_or_else(|| {
        Error::refused("the picture is too large").with_hint("choose a smaller --width")
    })
}

#[cfg(not(feature = "png"))]
fn png(_: &Position, _: Option<&LastMove>, _: Option<u32>) -> Result<Vec<u8>, Error> {
    let error = Error::refused("this program was built without pictures in PNG");
    Err(error.with_hint("use --svg, or build it with the feature `png`"))
}
