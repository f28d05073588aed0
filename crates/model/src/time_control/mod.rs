//! Time controls and clocks, pure: how much time players have, and when it runs out. Nothing ticks:
//! clocks follow from the log of a game and the times of its events.

mod clocks;
mod control;
mod settings;
mod turn_start;
mod zone;

pub use clocks::{Clocks, respite_without_mail};
pub use control::{BadControl, FlagRule, Span, Terms, TimeControl};
pub use settings::{BadSettings, ClockSettings, QuietHours, Weekend};
pub use turn_start::{TurnStarts, turn_start};
pub use zone::{TimeZone, UnknownZone};
