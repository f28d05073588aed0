//! The application layer: a file per command, with its arguments and its use case, and the parts that
//! commands share. A command checks who may do it and does it in one transaction. The clock
//! and randomness are passed in.

mod access;
mod color_option;
mod commands;
mod delivery;
mod disarm;
mod doctor;
mod effects;
mod error;
mod find;
mod formats;
mod host_items;
mod jobs;
mod line;
mod live;
mod receive;
mod rng;
mod run;
mod text;
mod views;

pub use access::link::{Link, UNSUBSCRIBE_PATH};
pub use color_option::ColorOption;
pub use commands::host::{AnyCommand, HostCommand};
pub use commands::player::PlayerCommand;
pub use commands::settings::set::ShownSetting;
pub use commands::view::help::terminal_help;
pub use delivery::deliver::CLAIM_MAILS;
pub use delivery::mailed::{Mailed, Reader};
pub use disarm::DISARM;
pub use error::{Error, Kind};
pub use line::Line;
pub use line::complete::Unfinished;
pub use line::guess::guess;
pub use line::unknown::{LEAVING, unknown_command};
pub use live::board::LiveGame;
pub use live::open::{Play, User};
pub use live::seat::{OpenApp, Seat};
pub use live::served::{Analysis, PublicList, PublicPart, Record, Stage, Version};
pub use live::typed::Typed;
pub use live::visit::{
    Aside, CalendarEntry, Desk, OpenChallenge, PlayerCalendar, StoppedMails, Submitted,
    Unsubscription, Visit,
};
pub use receive::yes_no::says_yes;
pub use rng::{Rng, SEED_VARIABLE};
pub use run::actor::Actor;
pub(crate) use run::application::Env;
pub use run::application::{App, load_config};
pub use run::claimed::{ClaimMails, ClaimedMails};
pub use run::contain::is_contained;
pub(crate) use run::contain::{contain, contain_part};
pub use run::front_end::{
    FrontEnd, LinePrinter, LineReader, Meter, NO_PROGRESS, Progress, Shell, Surroundings, Thinks,
};
pub use run::log_format::LogFormat;
pub use run::searched::Searched;
pub use run::session::Session;
pub use run::traits::{Button, Heading, Place, Traits, Words};
pub(crate) use run::use_case::UseCase;
pub use run::use_case::{AtBoard, Concerns, Known, Shown};
pub use text::echo::{clap_text, one_line, refused_value};
pub(crate) use text::redact::redacted;
pub use views::reply::{Block, Json, Part, Reply, Rest, Values, fitting};
pub use views::table::{CUT, Column, Emphasis, Entry, Table, Zone};
