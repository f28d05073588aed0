use clap::ValueEnum;

/// The format of the log of a command that runs until stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// A line of text for each thing.
    #[default]
    Text,
    /// A line of JSON for each thing.
    Json,
}
