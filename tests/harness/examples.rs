use clap::Subcommand;
use outflank::app::{PlayerCommand, Traits};

/// Returns the traits of the players' commands, each with the example in its help, about game 1.
pub fn examples() -> Vec<(&'static Traits, String)> {
    let parser = PlayerCommand::augment_subcommands(clap::Command::new("player"));
    let example = |traits: &&'static Traits| {
        let command = parser.find_subcommand(traits.word).unwrap();
        let remarks = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (_, example) = remarks.rsplit_once("Example: ").expect("an example");
        (*traits, example.replace("12", "1"))
    };
    PlayerCommand::ALL.iter().map(example).collect()
}
