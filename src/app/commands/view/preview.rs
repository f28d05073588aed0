use clap::Args;

use crate::app::commands::play::moves::make_all;
use crate::app::effects::change::refuse_finished;
use crate::app::run::session::Reading;
use crate::app::views::game::View;
use crate::app::views::game::names;
use crate::app::views::reply::Drawing;
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::MoveAt;
use outflank_model::log::GameId;

/// Show the board after a line of moves, without making them
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: preview 12 d3 c5")]
pub struct Preview {
    /// The number of the game
    game: GameId,
    /// Cells such as d3, or pass; the moves alternate by turn
    #[arg(required = true, value_name = "MOVE[#PLY]")]
    moves: Vec<MoveAt>,
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for Preview {
    const TRAITS: Traits = Traits::new("preview", Heading::Look);

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let stored = session.read(|Reading { db, .. }| find::game(db, self.game))?;
        refuse_finished(stored.id, names(&stored), &stored.game)?;
        let mut game = stored.game.clone();
        let known = game.plies().len();
        make_all(&mut game, known, &self.moves, |_| Ok(()))?;
        let reply = View::new(&stored, &game).reply(false).drawn(self.drawing);
        Ok(reply.text("This is only a preview: no move was made."))
    }
}
