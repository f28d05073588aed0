use clap::Args;
use serde_json::{Value, json};

use crate::app::run::session::Reading;
use crate::app::views::game::move_to_json;
use crate::app::views::game::names;
use crate::app::views::json::{array, merged};
use crate::app::views::reply::Drawing;
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase, find};
use outflank_model::log::{Game, GameId};
use outflank_model::render::words::{self, Names};

/// Show the board after each move of a game
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: replay 12")]
pub struct Replay {
    /// The number of the game
    game: GameId,
    /// The first move to show; 0 is the start
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    from: usize,
    /// The last move to show [default: the last one of the game]
    #[arg(long, value_name = "N")]
    to: Option<usize>,
    #[command(flatten)]
    drawing: Drawing,
}

/// The most figures of one reply.
const MAX_FIGURES: usize = 200;
/// The most figures of a mail.
const MAX_FIGURES_OF_A_MAIL: usize = 12;

impl UseCase for Replay {
    const TRAITS: Traits = Traits::new("replay", Heading::Look);

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let stored = session.read(|Reading { db, .. }| find::game(db, self.game))?;
        let is_mail = session.front_end.is_mail;
        let (id, made) = (stored.id, stored.game.plies().len());
        let names = names(&stored);
        let to = self.to.unwrap_or(made);
        if to > made {
            return Err(find::no_such_ply(&stored, to));
        }
        if self.from > to && made > 0 {
            let error = format!("--from {} is after the last move to show, {to}", self.from);
            return Err(Error::refused(error).with_hint(format!("give a number up to {to}")));
        }
        let most = if is_mail { MAX_FIGURES_OF_A_MAIL } else { MAX_FIGURES };
        let shown: Vec<_> = (self.from..=to)
            .take(most)
            .filter_map(|ply| Some((ply, stored.game.right_after(ply)?)))
            .collect();
        let boards = array(shown.iter().map(|(ply, game)| to_json(*ply, game)));
        let mut reply = Reply::new(&json!({ "game": id.0, "boards": boards }));
        if shown.is_empty() {
            reply = reply.text("No move has been made.");
        }
        for (_, game) in &shown {
            reply = reply.text(caption(game, names)).board(game, &[]);
        }
        let end = shown.last().map_or(to, |(ply, _)| *ply);
        let foot = if end < to {
            let next = end + 1;
            Some(format!("Moves {next} to {to} are left out; see `replay {id} --from {next}`."))
        } else {
            words::result(&stored.game, names).filter(|_| end == made)
        };
        if let Some(foot) = foot {
            reply = reply.text(foot);
        }
        Ok(reply.drawn(self.drawing))
    }
}

/// Returns the board after this number of moves.
fn to_json(ply: usize, game: &Game) -> Value {
    let lattice = game.lattice();
    let mv = ply.checked_sub(1).and_then(|before| game.plies().get(before));
    let mv = mv.map(|mv| move_to_json(lattice, mv));
    let position = json!({ "position": game.position().to_string() });
    merged([json!({ "ply": ply }), mv.into(), position])
}

/// Returns the line above a board: the last move and the score.
fn caption(game: &Game, names: Names) -> String {
    let last = words::last_move(game, names).unwrap_or_else(|| "Start".to_owned());
    format!("{last}; {}", words::score(game))
}
