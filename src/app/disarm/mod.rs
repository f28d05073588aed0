//! Keeps the lines of our mails from being read as commands.

mod armed;
mod comment;
mod html;
mod text;

use crate::mail::Disarm;

/// Marks the commands of a mail, so that none of its lines can be read as a command.
pub const DISARM: Disarm = Disarm { text: text::disarm, html: html::disarm };
