//! What is done about a mail, by who wrote it, and what is answered.

use std::io;
use std::sync::Arc;

use chrono::TimeDelta;

use super::super::notify::{Letter, Post, To};
use super::super::view::View;
use super::super::{
    Actor, At, Door, Error, Kind, PlayerCommand, Reply, Session, UseCase, line, signup,
};
use super::hear::{self, Ask, Wish};
use super::intake::{Fate, Mail};
use crate::command::{Address, PlayerRef};
use crate::game::GameId;
use crate::mail::read::Body;
use crate::mail::token::{Claims, Purpose};
use crate::store::{Event, HeldId, Player};

/// What came of one thing that was asked for.
struct Outcome {
    words: String,
    /// The game it was about.
    game: Option<GameId>,
    /// Whether it changed a game: that is told by the mails that it causes.
    is_silent: bool,
    done: Result<Reply, Error>,
}

/// How long a confirmation is waited for.
const PATIENCE: TimeDelta = TimeDelta::days(7);

const HOW: &str = "Write your move on a line of its own, like `d3`, or `pass` or `resign`. `help` \
                   tells what else can be said.";
const HOW_WITHOUT_GAME: &str = "Write a command on a line of its own, like `move 12 d3`, `show 12` \
                                or `games`. `help` tells what else can be said.";
const HOW_TO_SIGN_UP: &str = "\
This address is not signed up here. If you play here, write from the address that your mails come
to. If you want to, answer with a line that says what you want to be called:

  signup NAME";

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
            Some(code) => {
                let line = format!("unsubscribe {}", code.number);
                hear::in_lines(std::iter::once(line.as_str()), None)
            }
            None => hear::asks(self.incoming, at),
        };
        let outcomes = self.outcomes(reply, player, asks)?;
        self.tell(post, player, at, &outcomes, false)?;
        Ok(Fate::Done)
    }

    /// Carries out what is asked for, one after the other; what is refused keeps nothing else back.
    fn outcomes(
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
            .map(|at| asks[..at].iter().any(|earlier| earlier.wish.repeats(&asks[at].wish)))
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
    fn tell(
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
        self.answer(post, To::Player(player), scene, &said.join("\n\n"))
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
            Ok(reply) => Ok(format!("{words}\n\n{}", reply.to_text())),
            Err(error) => {
                let hint = error.hint().map_or(String::new(), |hint| format!("; {hint}"));
                let told = format!("Not done: {words}\n{error}{hint}.");
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

    /// Somebody says to be this player: the player is asked whether that is so.
    pub(super) fn hold(&self, post: &mut Post, player: &Player) -> Result<Fate, Error> {
        let asks = hear::asks(self.incoming, None);
        if asks.is_empty() {
            self.tell(post, player, None, &[], true)?;
            return Ok(Fate::Done);
        }
        let lines = asks.iter().map(|ask| self.as_of_now(player, ask));
        let commands = lines.collect::<Result<Vec<_>, _>>()?.join("\n");
        let held = self.db.hold(Some(player.id), &player.address, &commands, self.app.now())?;
        self.ask_whether(post, To::Player(player), &commands, held)
    }

    /// What is asked for, as a line that asks for the same later: a move that has no number gets
    /// that of the game's next one.
    fn as_of_now(&self, player: &Player, ask: &Ask) -> Result<String, Error> {
        let Wish::Command(command) = &ask.wish else { return Ok(ask.words.clone()) };
        let mut command = command.clone();
        if let Some(game) = command.game()
            && let Some((game, ply)) = self.as_it_stands(player, game)?
        {
            command.bind(game, ply);
        }
        Ok(command.line().unwrap_or_else(|| ask.words.clone()))
    }

    /// Somebody who does not play here may sign up, and may ask for help.
    pub(super) fn welcome(&self, post: &mut Post) -> Result<Fate, Error> {
        let to = To::Address(self.from);
        let address: Option<Address> = self.from.parse().ok();
        let signup = hear::asks(self.incoming, None).into_iter().find_map(|ask| match ask.wish {
            Wish::Signup(name) => Some(name),
            _ => None,
        });
        let (Some(name), Some(address)) = (signup, address) else {
            self.answer(post, to, None, HOW_TO_SIGN_UP)?;
            return Ok(Fate::Stranger);
        };
        if self.db.player_named(name.as_str())?.is_some() {
            self.answer(
                post,
                to,
                None,
                "That name is taken. Answer with a line that says another:\n\n  signup NAME",
            )?;
            return Ok(Fate::Stranger);
        }
        let commands = format!("signup {name}");
        let held = self.db.hold(None, address.as_str(), &commands, self.app.now())?;
        self.ask_whether(post, to, &commands, held)
    }

    fn ask_whether(
        &self,
        post: &mut Post,
        to: To,
        commands: &str,
        held: HeldId,
    ) -> Result<Fate, Error> {
        let (event, answer) = (Event::Confirm, Some(self.answered()));
        let held = Some(held);
        post.add(&Letter { event, to, game: None, said: Some(commands), held, answer })?;
        Ok(Fate::Held)
    }

    /// An answer to a mail that asked whether something was really meant.
    pub(super) fn confirmed(
        &self,
        post: &mut Post,
        reply: &mut Reply,
        code: &Claims,
    ) -> Result<Fate, Error> {
        let now = self.app.now();
        let id = HeldId(code.number);
        let Some(held) = self.db.held(id)? else { return Ok(Fate::Ignored("nothing held")) };
        let own = held.address.eq_ignore_ascii_case(self.from);
        if !own && !self.app.config.receive.token_only {
            return match held.player {
                Some(owner) => self.warn(post, &self.db.player(owner)?, None),
                None => Ok(Fate::Imposter),
            };
        }
        if held.is_done || now - held.created_at > PATIENCE {
            return Ok(Fate::Ignored("nothing held"));
        }
        self.db.release(id, now)?;
        if self.says_no() {
            return Ok(Fate::Done);
        }
        let asks = hear::in_lines(held.commands.lines(), None);
        match held.player {
            Some(player) => {
                let player = self.db.player(player)?;
                let outcomes = self.outcomes(reply, &player, asks)?;
                self.tell(post, &player, None, &outcomes, true)?;
            }
            None => self.sign_up(post, &held.address, asks)?,
        }
        Ok(Fate::Done)
    }

    /// Whether its first word takes back what is held.
    fn says_no(&self) -> bool {
        let Body::Lines { fresh, .. } = &self.incoming.body else { return false };
        let first =
            fresh.iter().map(|line| crate::command::plain(line)).find(|line| !line.is_empty());
        first.is_some_and(|line| ["no", "stop", "cancel"].contains(&line.to_lowercase().as_str()))
    }

    fn sign_up(&self, post: &mut Post, address: &str, asks: Vec<Ask>) -> Result<(), Error> {
        let Ok(address) = address.parse::<Address>() else { return Ok(()) };
        for ask in asks {
            let Wish::Signup(name) = ask.wish else { continue };
            match signup::sign_up(self.app, self.db, &name, &address) {
                Ok(player) => {
                    let said = format!(
                        "Welcome, {name}. You are signed up: mails about your games come to this \
                         address.\n\n{HOW_WITHOUT_GAME}"
                    );
                    self.answer(post, To::Player(&player), None, &said)?;
                }
                Err(error) if error.kind() == Kind::Fault => return Err(error),
                Err(error) => {
                    let hint = error.hint().map_or(String::new(), |hint| format!("; {hint}"));
                    let said = format!("Not done: {error}{hint}.");
                    self.answer(post, To::Address(address.as_str()), None, &said)?;
                }
            }
        }
        Ok(())
    }
}
