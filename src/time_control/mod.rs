//! Time controls and clocks, pure: how much time players have, and when it runs out. Nothing ticks:
//! clocks follow from the log of a game and the times of its events.

mod settings;

pub use settings::{BadSettings, ClockSettings, QuietHours, TimeZone, Weekend};
