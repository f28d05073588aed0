//! The application layer: a file per command, with its arguments and what it does, and the parts
//! that commands share. A command checks who may do it and does it in one transaction. The clock
//! and randomness are passed in.

mod actor;
mod application;
mod ban;
mod color_option;
mod commands;
mod complete;
mod contain;
mod delivery;
mod disarm;
mod doctor;
mod echo;
mod effects;
mod error;
mod find;
mod front_end;
mod guess;
mod jobs;
mod line;
mod link;
mod live;
mod log_format;
mod news;
mod progress;
mod receive;
mod redact;
mod retry;
mod rng;
mod searched;
mod session;
mod sign_up;
mod similar;
mod tokens;
mod unknown;
mod use_case;
mod views;
mod watch;
mod wrapped_plan;

pub use actor::Actor;
pub(crate) use application::Env;
pub use application::{App, load_config};
pub use color_option::ColorOption;
pub use commands::host::{AnyCommand, HostCommand};
pub use commands::player::PlayerCommand;
pub use commands::settings::set::ShownSetting;
pub use commands::view::help::{Headings, terminal_help};
pub use complete::Unfinished;
pub use contain::is_contained;
pub(crate) use contain::{contain, contain_part};
pub use delivery::mailed::{Mailed, Reader};
pub use disarm::disarm;
pub use echo::{clap_text, one_line, refused_value};
pub use error::{Error, Kind};
pub use front_end::{
    FrontEnd, LinePrinter, LineReader, Meter, Progress, Shell, Surroundings, Thinks,
};
pub use guess::guess;
pub use line::Line;
pub use link::{Link, UNSUBSCRIBE_PATH};
pub use live::board::LiveGame;
pub use live::open::{Play, User};
pub use live::seat::{OpenApp, Seat};
pub use live::served::{Analysis, PublicList, Record, Version};
pub use live::visit::{Aside, Desk, Unsubscription, Visit};
pub use log_format::LogFormat;
pub(crate) use redact::redacted;
pub use rng::{Rng, SEED_VARIABLE};
pub use searched::Searched;
pub use session::Session;
pub use unknown::unknown_command;
pub use use_case::{Concerns, Known, Shown, UseCase};
pub use views::reply::{Block, Part, Reply, Rest, fitting};
pub use views::table::{Column, Emphasis, Entry, Table, Zone};
