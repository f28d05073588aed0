use clap::{Args, ValueEnum};
use serde_json::json;

use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use outflank_model::preferences::Preferences;

/// Turn mail receipts for your own moves on or off
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: receipt on")]
pub struct Receipt {
    /// Whether you want receipts
    #[arg(value_name = "on|off", hide_possible_values = true, ignore_case = true)]
    wanted: Switch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl UseCase for Receipt {
    const TRAITS: Traits = Traits {
        on_own_page: true,
        done: Some("The setting was changed."),
        ..Traits::new("receipt", Heading::Settings).by("who gets receipts")
    };

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let receipt = self.wanted == Switch::On;
        session.write(|Writing { tx, actor, .. }| {
            let player = find::acting(tx, actor)?;
            tx.set_preferences(player.id, &Preferences { receipt, ..player.preferences })?;
            let player = player.name;
            let text = if receipt {
                format!("{player} gets mail receipts for all moves made.")
            } else {
                format!("{player} gets no mail receipts.")
            };
            Ok(Reply::new(&json!({ "player": player, "receipt": receipt })).text(text))
        })
    }
}
