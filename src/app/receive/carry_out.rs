//! What a player asks for in a mail is carried out, and answered.

use std::io;
use std::sync::Arc;

use super::super::notify::{Post, To};
use super::super::view::View;
use super::super::{Actor, At, Door, Error, Kind, PlayerCommand, Reply, Session, UseCase, line};
use super::hear::{self, Ask, Wish};
use super::intake::{Fate, Mail};
use crate::command::PlayerRef;
use crate::game::GameId;
use crate::mail::read::Body;
use crate::mail::token::{Claims, Purpose};
use crate::store::Player;

/// What came of one thing that was asked for.
pub(super) struct Outcome {
    words: String,
    /// The game it was about.
    game: Option<GameId>,
    /// Whether it changed a game: that is told by the mails that it causes.
    is_silent: bool,
    done: Result<Reply, Error>,
}

/// The most bytes that an answer says besides the board.
const MOST_SAID: usize = 24 * 1024;

const HOW: &str = "\
Write your move on a line of its own, like `d3`, or `pass` or `resign`. `help` tells what else can \
be said.";
pub(super) const HOW_WITHOUT_GAME: &str = "\
Write a command on a line of its own, like `move 12 d3`, `show 12` or `games`. `help` tells what \
else can be said.";

impl Mail<'_> {
    /// Does what a player asks for.
    pub(super) fn carry_out(
        &self,
        post: &mut Post,
        reply: &mut Reply,
        player: &Player,
        code: Option<&Claims>,
    ) -> Result<Fate, Error> {
        let at = self.at(player, code)?;
        let asks = match code.filter(|code| code.purpose == Purpose::Unsubscribe) {
            Some(code) => vec![Ask::unsubscribe(GameId(code.number))],
            None => hear::asks(self.incoming, at),
        };
        let outcomes = self.outcomes(reply, player, asks)?;
        self.tell(post, player, at, &outcomes, false)?;
        Ok(Fate::Done)
    }

    /// Carries out what is asked for, one after the other; what is refused keeps nothing else back.
    pub(super) fn outcomes(
        &self,
        reply: &mut Reply,
        player: &Player,
        asks: Vec<Ask>,
    ) -> Result<Vec<Outcome>, Error> {
        let contradicted: Vec<_> = asks
            .iter()
            .map(|ask| asks.iter().any(|other| ask.wish.contradicts(&other.wish)))
            .collect();
        let repeated: Vec<_> = (0..asks.len())
            .map(|at| asks[..at].iter().any(|earlier| earlier.repeats(&asks[at])))
            .collect();
        let mut outcomes = Vec::new();
        for ((ask, contradicted), repeated) in asks.into_iter().zip(contradicted).zip(repeated) {
            if repeated && !contradicted {
                continue;
            }
            let Ask { words, wish } = ask;
            let (game, is_silent, done) = match wish {
                Wish::Command(command) => {
                    let changes = matches!(
                        *command,
                        PlayerCommand::Move(_) | PlayerCommand::Pass(_) | PlayerCommand::Resign(_)
                    );
                    let done = if contradicted {
                        Err(Error::Ambiguous)
                    } else {
                        self.run(&command, player)
                    };
                    (command.game(), changes, done)
                }
                Wish::Signup(_) => (None, false, Err(Error::SignedUp(player.name.clone()))),
                Wish::Refused(error) => (None, false, Err(error)),
            };
            match &done {
                // Nothing of the mail is done then, and it comes again.
                Err(error) if error.kind() == Kind::Fault => return done.map(|_| Vec::new()),
                Ok(done) => reply.mails.extend(&done.mails),
                Err(_) => {}
            }
            outcomes.push(Outcome { words, game, is_silent, done });
        }
        Ok(outcomes)
    }

    fn run(&self, command: &PlayerCommand, player: &Player) -> Result<Reply, Error> {
        let actor = Actor::Player(PlayerRef::Name(player.name.clone()));
        command.check(&actor)?;
        let door = Door {
            program: line::program,
            input: &mut io::empty(),
            stop: Arc::default(),
            report: &mut |_| {},
        };
        let mut session = Session::new(self.app, actor, door);
        session.answered = Some(self.answered());
        command.run(&mut session)
    }

    /// Answers a player, unless everything went as asked and its mails tell of it.
    pub(super) fn tell(
        &self,
        post: &mut Post,
        player: &Player,
        at: At,
        outcomes: &[Outcome],
        in_any_case: bool,
    ) -> Result<(), Error> {
        let signed = matches!(self.incoming.body, Body::Lines { signed: true, .. });
        let all_silent = outcomes.iter().all(|outcome| outcome.is_silent && outcome.done.is_ok());
        if all_silent && !outcomes.is_empty() && !signed && !in_any_case {
            return Ok(());
        }
        let asked = outcomes.iter().filter(|outcome| outcome.done.is_err());
        let shown = outcomes.iter().filter(|outcome| outcome.is_silent);
        let games = asked.chain(shown).filter_map(|outcome| outcome.game);
        let scene = match games.chain(at.map(|(id, _)| id)).next() {
            Some(id) => self.as_it_stands(player, id)?,
            None => None,
        };
        let mut said = Vec::new();
        if outcomes.is_empty() {
            said.push(self.nothing_asked(scene.is_some()));
        }
        for outcome in outcomes {
            said.push(self.told(outcome, scene)?);
        }
        if signed {
            let note = "Your mail is signed; the signature was not checked. Mail without one does.";
            said.push(note.to_owned());
        }
        let mut said = said.join("\n\n");
        if said.len() > MOST_SAID {
            said.truncate(said.floor_char_boundary(MOST_SAID));
            said.push_str("\n\nThis answer was too long for a mail, and ends here.");
        }
        self.answer(post, To::Player(player), scene, &said)
    }

    /// Why there was nothing to do in it, and how it would be right.
    fn nothing_asked(&self, has_game: bool) -> String {
        let why = match &self.incoming.body {
            Body::Encrypted => "Your mail is encrypted and cannot be read here. Write plain text.",
            Body::Signed => {
                "Your mail is wrapped in a signature that cannot be opened here. Write plain text."
            }
            Body::Calendar => "Your mail is an invitation, or an answer to one. Write plain text.",
            Body::AttachmentOnly => {
                "Your mail has no text of its own: attachments are not looked at."
            }
            Body::Empty => "Your mail is empty.",
            Body::Lines { .. } => "There is no command in what you wrote, so nothing was done.",
        };
        format!("{why}\n\n{}", if has_game { HOW } else { HOW_WITHOUT_GAME })
    }

    /// One outcome in words. A refusal in a game that is not the mail's scene shows that, too.
    fn told(&self, outcome: &Outcome, scene: At) -> Result<String, Error> {
        let Outcome { words, game, is_silent, done } = outcome;
        match done {
            Ok(_) if *is_silent => Ok(format!("Done: {words}")),
            Ok(reply) => Ok(format!("Done: {words}\n\n{}", reply.to_text())),
            Err(error) => {
                let why = match error {
                    // The number is not the player's, but that of the mail.
                    Error::OtherPly { .. } if !words.contains('#') => {
                        format!("{error}; you have answered an older mail.")
                    }
                    _ => why(error),
                };
                let told = format!("Not done: {words}\n{why}");
                let elsewhere = game.filter(|game| scene.is_none_or(|(shown, _)| shown != *game));
                let Some(stored) = elsewhere.map(|id| self.db.game(id)).transpose()?.flatten()
                else {
                    return Ok(told);
                };
                let board = View::new(&stored, &stored.game).reply(false).to_text();
                Ok(format!("{told}\n\n{board}"))
            }
        }
    }
}

/// Why something was refused, and what would be right.
pub(super) fn why(error: &Error) -> String {
    match error.hint() {
        Some(hint) => format!("{error}; {hint}."),
        None => format!("{error}."),
    }
}
