use std::str::FromStr;

use clap::Args;
use serde_json::json;

use crate::app::run::session::Reading;
use crate::app::views::game::rules_to_json;
use crate::app::views::json::array;
use crate::app::views::reply::{Block, Json};
use crate::app::{Concerns, Error, Heading, Reply, Session, Shown, Traits, UseCase, find};
use outflank_model::ChallengeState;
use outflank_model::log::{BadGameId, Game, GameId};
use outflank_model::render::{LastMove, rulebook, words};
use outflank_rules::{Overrides, Position, Stuck, Variant};

/// Explain how a variant or a game is played, and how moves are written
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: rules 12")]
pub struct Rules {
    /// A variant, such as oddthello, or the number of a game or challenge [default: othello]
    #[arg(value_name = "VARIANT|GAME")]
    of: Option<Topic>,
}

/// The variant or game of the rules.
#[derive(Debug, Clone, Copy)]
enum Topic {
    Game(GameId),
    Variant(&'static Variant),
}

impl FromStr for Topic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return text.parse().map(Self::Game).map_err(|bad: BadGameId| bad.to_string());
        }
        find::variant(text).map(Self::Variant).map_err(|error| error.in_full())
    }
}

impl UseCase for Rules {
    const TRAITS: Traits = Traits::new("rules", Heading::Look);

    fn concerns(&self) -> Concerns {
        match self.of {
            Some(Topic::Game(game)) => Concerns::About(game),
            Some(Topic::Variant(_)) | None => Concerns::NoGame,
        }
    }

    fn bind(&mut self, to: Shown) {
        if let (None, Some(at)) = (self.of, to.position_for(None)) {
            self.of = Some(Topic::Game(at.game));
        }
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let topic = self.of.map_or_else(|| find::variant("othello").map(Topic::Variant), Ok)?;
        match topic {
            Topic::Game(id) => {
                let (agreement, start, what) = session.read(|Reading { db, .. }| {
                    // The number of a challenge becomes that of its game.
                    let of = |agreement, game: &Game, what| (agreement, game.start().clone(), what);
                    match db.challenge(id)?.filter(|it| it.state == ChallengeState::Open) {
                        Some(open) => Ok(of(open.agreement, &open.game, "challenge")),
                        None => find::game(db, id).map(|it| of(it.agreement, &it.game, "game")),
                    }
                })?;
                let title = words::title(&agreement.variant, start.rules());
                let heading = format!("The rules of {what} {id}: {title}");
                let page = page(session, Some(id), heading, &start);
                Ok(reply(page, Some(id), &agreement.variant, &start))
            }
            Topic::Variant(variant) => {
                let start = Position::start(variant.rules(&Overrides::default())?);
                let page = page(session, None, format!("The rules of {}", variant.title), &start);
                let others = format!("All variants:\n\n{}", rulebook::variants());
                Ok(reply(page.text(others), None, variant.name, &start))
            }
        }
    }
}

/// Returns the rules in words and figures.
fn page(session: &Session, game: Option<GameId>, heading: String, start: &Position) -> Reply {
    let (rules, lattice) = (start.rules(), start.rules().lattice);
    let game_at_start = Game::new(start.clone());
    let mut page = Reply::default().text(heading).prose(rulebook::board(start));
    page = page.board(&game_at_start, &start.legal()).prose(rulebook::moves(rules));
    if let Some(example) = rulebook::example(rules)
        && let Some(last) = LastMove::of(&example)
    {
        let after = example.position();
        let shown = after.rules().lattice;
        let (flipped, is_other) = (last.flipped.len(), shown != lattice);
        let captions = rulebook::captions(shown, last.placed, last.by, flipped, is_other);
        page = page.steps(after, &last, captions.into_iter().zip([example.start(), after]));
    }
    page = page.prose(rulebook::end(rules));
    match rulebook::first_cell(start) {
        Some(cell) => {
            let label = lattice.label(cell);
            let how = how_to_move(session, game, &label, rules.stuck == Stuck::MustPass);
            page.prose(rulebook::labels(lattice, cell)).prose(how)
        }
        None => page,
    }
}

/// Explains how to write a move.
fn how_to_move(session: &Session, game: Option<GameId>, label: &str, passes: bool) -> String {
    let game = game.unwrap_or(GameId(12));
    if session.front_end.is_mail {
        // Short lines, since mail programs wrap long ones, which can leave a command alone on a line.
        let pass = if passes { "\nReply `pass` if you cannot flip a disc." } else { "" };
        return format!(
            "To move, reply with the cell, such as {label}, on a line of its own.{pass}"
        );
    }
    let program = session.front_end.program();
    let pass = if passes {
        format!(" Where you must pass, write `{program}pass {game}`.")
    } else {
        String::new()
    };
    format!("To take {label} in game {game}, write `{program}move {game} {label}`.{pass}")
}

/// Returns the page as a reply, with its texts for scripts.
fn reply(page: Reply, game: Option<GameId>, variant: &str, start: &Position) -> Reply {
    let lines = page.shown().filter_map(Block::text).flat_map(str::lines);
    let text = array(lines.filter(|line| !line.is_empty()));
    let rules = rules_to_json(start.rules());
    let game = game.map(|id| id.0);
    let json = json!({ "game": game, "variant": variant, "rules": rules, "text": text });
    Reply { json: Json::Value(json.to_string()), ..page }
}
