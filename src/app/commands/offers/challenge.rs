use std::fmt;
use std::str::FromStr;

use clap::Args;

use crate::app::commands::offers::challenge_limits;
use crate::app::commands::play::begin::{Beginning, begin_challenged, has_begun};
use crate::app::commands::play::options::{GameOptions, check_suitable};
use crate::app::effects::challenges;
use crate::app::effects::outbox::Cause;
use crate::app::run::session::Writing;
use crate::app::views::challenge::{title, to_json};
use crate::app::views::game::View;
use crate::app::views::reply::Drawing;
use crate::app::views::time::{self, Away};
use crate::app::{ColorOption, Env, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::{PlayerRef, SideRef};
use crate::store::{Db, NewChallenge};
use outflank_model::bot::BadBot;
use outflank_model::{Agreement, Challenged, Player, StoredChallenge};
use outflank_rules::{VARIANTS, Variant};

/// Challenge a player, the computer or anyone to a game
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The game begins as soon as it is accepted, and against the computer at
once. After 14 days nobody can accept it any more.

Example: challenge bob --clock 3d")]
pub struct Challenge {
    /// A player's name, a computer player such as bot:novice, or anyone
    #[arg(value_name = "NAME|bot:NAME|anyone")]
    opponent: Opponent,
    #[arg(help = variants(), value_parser = variant)]
    #[arg(default_value = "othello", hide_default_value = true)]
    variant: &'static Variant,
    #[command(flatten)]
    options: Box<GameOptions>,
    /// Your colour: black, white or random [default: random]
    #[arg(long, value_name = "COLOR", default_value = "random", hide_default_value = true)]
    color: ColorOption,
    /// Do not count the result for the players' ratings
    #[arg(long)]
    unrated: bool,
    #[command(flatten)]
    drawing: Drawing,
}

/// Who is challenged.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Opponent {
    Anyone,
    Side(SideRef),
}

impl FromStr for Opponent {
    type Err = BadBot;

    fn from_str(text: &str) -> Result<Self, BadBot> {
        match text.eq_ignore_ascii_case("anyone") {
            true => Ok(Self::Anyone),
            false => text.parse().map(Self::Side),
        }
    }
}

/// Parses one of the names of a variant.
fn variant(name: &str) -> Result<&'static Variant, String> {
    let refused = |error: Error| format!("{error} ({})", error.hint().unwrap_or_default());
    find::variant(name).map_err(refused)
}

/// Returns the help for the variant.
fn variants() -> String {
    let names: Vec<_> = VARIANTS.iter().map(|variant| variant.name).collect();
    format!("{} [default: othello]", names.join(", "))
}

/// Writes the options of the command, with a space before each.
impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.options.fmt(f)?;
        if let Some(color) = self.color.wanted() {
            write!(f, " --color {color}")?;
        }
        f.write_str(if self.unrated { " --unrated" } else { "" })
    }
}

impl UseCase for Challenge {
    const TRAITS: Traits = Traits {
        on_own_page: true,
        done: Some("Your challenge was made."),
        ..Traits::new("challenge", Heading::Offers).by("who challenges")
    };

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let is_mail = session.front_end.is_mail;
        let beginning = self.options.beginning(session, self.variant, false)?;
        if beginning.game.turn().is_none() {
            return Err(Error::refused("this game would be over at its start")
                .with_hint("leave out the last move"));
        }
        session.write(|writing| {
            let player = find::acting(writing.tx, writing.actor)?;
            let to = self.challenged(writing.env, writing.tx, &beginning)?;
            challenge_limits::check(writing, &player, &to)?;
            let challenge = self.store(writing, &player, &to, &beginning)?;
            match &to {
                Challenged::Bot(bot) => {
                    let stored = begin_challenged(writing, &challenge, &bot.clone().into())?;
                    let now = writing.env.now();
                    let view = View::present(writing.tx, &stored, &stored.game, now)?;
                    let sentence = has_begun(&stored);
                    let brief = view.brief(&sentence);
                    let reply = if is_mail { brief } else { view.reply(false).drawn(self.drawing) };
                    Ok(Reply { begun: Some(stored.id), ..reply })
                }
                Challenged::Player(_) | Challenged::Anyone => {
                    challenges::ask(&mut writing.outbox, &challenge, Cause::of(player.id))?;
                    made(writing, &challenge, &player)
                }
            }
        })
    }
}

impl Challenge {
    /// Returns the colour that the player wants in a game against a computer player, which begins at once.
    pub(crate) fn color_against_bot(&self) -> Option<ColorOption> {
        matches!(self.opponent, Opponent::Side(SideRef::Bot(_))).then_some(self.color)
    }

    /// Returns the command in canonical form, with nothing in it that its author has made up; `None`
    /// if there is no such opponent.
    pub(crate) fn canonical(&self, env: &Env, db: &Db) -> Result<Option<String>, Error> {
        let opponent = match &self.opponent {
            Opponent::Anyone => Some("anyone".to_owned()),
            Opponent::Side(SideRef::Bot(bot)) => {
                find::known_program(env, bot).is_ok().then(|| bot.to_string())
            }
            Opponent::Side(SideRef::Person(PlayerRef::Name(name))) => {
                db.player_named(name)?.map(|player| player.name)
            }
            Opponent::Side(SideRef::Person(PlayerRef::Address(_))) => None,
        };
        let bound = Self { options: Box::new(self.options.bound(db)?), ..self.clone() };
        let words = |opponent| format!("challenge {opponent} {}{bound}", self.variant.name);
        Ok(opponent.map(words))
    }

    /// Returns who is challenged.
    fn challenged(&self, env: &Env, db: &Db, beginning: &Beginning) -> Result<Challenged, Error> {
        match &self.opponent {
            Opponent::Anyone => Ok(Challenged::Anyone),
            Opponent::Side(SideRef::Person(named)) => {
                let opponent = find::player_by_name(db, named)?;
                find::refuse_left(&opponent)?;
                Ok(Challenged::Player(Box::new(opponent)))
            }
            Opponent::Side(SideRef::Bot(bot)) => {
                find::known_program(env, bot)?;
                check_suitable(env, bot, &beginning.game)?;
                Ok(Challenged::Bot(bot.clone()))
            }
        }
    }

    /// Stores the challenge. Games that begin in a position of their own are never rated.
    fn store(
        &self,
        writing: &Writing,
        player: &Player,
        to: &Challenged,
        beginning: &Beginning,
    ) -> Result<StoredChallenge, Error> {
        let Beginning { agreement, game, .. } = beginning;
        let has_own_start = agreement.custom_start || !game.plies().is_empty();
        // Nor are those of players without an address.
        let can_be_rated = match to {
            Challenged::Player(opponent) => opponent.address.is_some(),
            Challenged::Anyone => true,
            Challenged::Bot(_) => false,
        };
        let rated = !self.unrated && !has_own_start && can_be_rated && player.address.is_some();
        let (challenger, color) = (player.id, self.color.wanted());
        let agreement = &Agreement { rated, ..agreement.clone() };
        let new = NewChallenge { challenger, to, agreement, game, color };
        let tx = writing.tx;
        let (mark, thread) = (writing.env.rng.mark(), writing.outbox.thread()?);
        let id = tx.add_challenge(&new, &mark, thread, writing.env.now())?;
        tx.challenge(id)?.ok_or_else(|| find::no_game(id))
    }
}

/// Returns the reply about a challenge that waits for an answer.
fn made(writing: &Writing, challenge: &StoredChallenge, player: &Player) -> Result<Reply, Error> {
    let (id, title) = (challenge.id, title(challenge));
    let until = player.preferences.clock.zone.shown(challenge.until());
    let mut lines = Vec::new();
    match &challenge.to {
        Challenged::Player(opponent) => {
            let name = &opponent.name;
            lines.push(format!("You challenged {name} to a game of {title}."));
            lines.push(format!("It is number {id}; {name} can accept it until {until}."));
            let away = Away::at(writing.tx, writing.env.now())?.until(name).map(time::day);
            lines.extend(away.map(|day| format!("{name} is away until {day}.")));
            let is_paused = opponent.paused_at.is_some();
            let paused =
                || format!("Mail to {name} fails at present, and waits until it does not.");
            lines.extend(is_paused.then(paused));
        }
        Challenged::Anyone | Challenged::Bot(_) => {
            lines.push(format!("You challenged anyone to a game of {title}."));
            lines.push(format!("It is number {id}; every player can accept it until {until}."));
        }
    }
    Ok(Reply::new(&to_json(challenge)).text(lines.join("\n")))
}
