use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::app::commands::host::club;
use crate::app::commands::view::export::club::NAME;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase};
use crate::config::display_path;
use outflank_model::words::counted;

/// Make a new database from a club that `export --all --format json` wrote
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank --db new.db import club.json --format json")]
pub struct Import {
    /// The file; - is standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// The format of the file
    #[arg(long, value_name = "FORMAT", value_parser = ["json"])]
    format: String,
}

impl UseCase for Import {
    const TRAITS: Traits = Traits::new("import", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let name = display_path(&self.file);
        let failed = |error: std::io::Error| Error::fault(format!("cannot read {name}: {error}"));
        let input: Box<dyn Read> = match self.file.to_str() {
            Some("-") => Box::new(stdin().lock()),
            _ => Box::new(File::open(&self.file).map_err(failed)?),
        };
        let mut lines = BufReader::new(input);
        let mut first = Vec::new();
        lines.read_until(b'\n', &mut first).map_err(failed)?;
        let first: Value = serde_json::from_slice(&first).unwrap_or_default();
        if first["format"] != NAME {
            let error = Error::refused(format!("{name} is no club in the format {}", self.format));
            return Err(error.with_hint("`outflank export --all --format json` writes one"));
        }
        let games = club::read(session, &first, lines)?;
        let text = format!("The club is imported, with {}.", counted(games, "game"));
        Ok(Reply::new(&json!({ "games": games })).text(text))
    }
}
