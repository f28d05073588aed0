//! Mails as the library composes them, without a database: text and HTML as snapshots, which are
//! read before they are accepted.

mod commands;
mod html;
mod over;
mod preview;
mod rules;
mod styles;
mod templates;
pub mod wrapped;
pub mod written;
