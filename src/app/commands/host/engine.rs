use std::io;

use clap::Args;

use crate::app::{Error, Heading, Reply, Session, Traits, UseCase};
use crate::clock::Stopwatch;
use crate::protocol::{EngineSession, Protocol};
use outflank_engine::Level;

/// Play inside another program, which speaks a protocol on standard input
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank engine --protocol nboard --level 9")]
pub struct Engine {
    /// The protocol: nboard or gtp
    #[arg(long, value_name = "nboard|gtp")]
    protocol: Protocol,
    /// How strong the engine plays: 0 to 10, novice, beginner or learner [default: 9]
    #[arg(long, value_name = "LEVEL", default_value = "9", hide_default_value = true)]
    level: Level,
    /// The size of the engine's table in megabytes [default: 64]
    #[arg(long, value_name = "MB", default_value_t = 64, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    memory: u16,
    /// The number of threads [default: 1]
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Another number gives other moves among those that are about as good
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    seed: u64,
}

impl UseCase for Engine {
    const TRAITS: Traits = Traits::new("engine", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let inbox = self.protocol.inbox();
        let pushed = inbox.clone();
        let shell = session.front_end.shell()?;
        (shell.lines)(Box::new(move |line| match line {
            Some(line) => pushed.push(line),
            None => pushed.close(),
        }));
        let watch = Stopwatch::start();
        let mut engine = EngineSession {
            engine: outflank_engine::Engine::new(
                usize::from(self.memory) << 20,
                self.threads.into(),
            ),
            level: self.level,
            seed: self.seed,
            inbox,
            now: &|| watch.elapsed(),
            print: &mut shell.print,
        };
        match self.protocol.respond(&mut engine) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::fault(format!("cannot write: {error}")))
            }
            _ => Ok(Reply::default()),
        }
    }
}
