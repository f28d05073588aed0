use clap::Args;

use crate::app::effects::change::{Change, Decision};
use crate::app::views::reply::Drawing;
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Shown, Traits, UseCase};
use crate::command::{GameAt, MoveAt, Play};
use outflank_rules::Move;

/// Pass, where passes are not automatic
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: pass 12")]
pub struct Pass {
    /// The number of the game; #PLY is the number that it must have
    #[arg(value_name = "GAME[#PLY]")]
    game: GameAt,
    /// Mail a receipt to the player who passes
    #[arg(long)]
    receipt: bool,
    #[arg(skip)]
    position: Option<usize>,
    #[command(flatten)]
    drawing: Drawing,
}

impl Pass {
    fn play(&self) -> Play {
        let GameAt { game, ply } = self.game;
        let moves = vec![MoveAt { mv: Move::Pass, ply }];
        Play { game, moves, receipt: self.receipt, position: self.position }
    }
}

impl UseCase for Pass {
    const TRAITS: Traits = Traits {
        done: Some("You have passed."),
        ..Traits::offered("pass", Heading::Play).button(Place::Apart, "Pass", "")
    };

    fn concerns(&self) -> Concerns {
        Concerns::Plays(self.play())
    }

    fn bind(&mut self, to: Shown) {
        if let Some(at) = to.position_for(self.game.ply) {
            self.game.ply = Some(at.ply.saturating_add(1));
            self.position = Some(at.events);
        }
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        self.play().decide(change)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        Ok(self.play().run(session)?.drawn(self.drawing))
    }
}
