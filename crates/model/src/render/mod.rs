//! Positions as figures, drawn as in the rules.
//!
//! A [`Figure`] is text in pieces, each with a role, so a terminal can colour them. Formatted with
//! `{}`, it is plain text. [`html()`] draws a position as a table, and [`spoken`] says it in words.

mod arrows;
mod boxed;
#[cfg(feature = "png")]
mod card;
mod comment;
mod compact;
mod curve;
mod draw;
mod figure;
mod html;
mod mark;
pub mod news;
mod plan;
mod plot;
#[cfg(feature = "png")]
mod png;
pub mod rulebook;
mod sheared;
pub mod spoken;
mod svg;
pub mod words;
mod wrap;

pub use outflank_rules::Color;

pub use arrows::arrow_figures;
#[cfg(feature = "png")]
pub use card::card;
pub use comment::{COMMENT_WIDTH, comment};
pub use curve::curve;
pub use draw::{Scale, figure};
pub use figure::{Colors, Figure, Role, Span, palette};
pub use html::{Choice, HtmlBoard, Style, escape, html};
pub use mark::{LastMove, Mark};
pub use plan::plan_tree;
pub use plot::{Bars, bars, plot};
#[cfg(feature = "png")]
pub use png::png;
pub use svg::svg;
pub use wrap::{unhyphenated, wrapped};
