//! What waits until it is said that it was really asked for.

use chrono::TimeDelta;

use super::super::notify::{Letter, Post, To};
use super::super::{Error, Kind, PlayerCommand, Reply, signup};
use super::carry_out::{HOW_WITHOUT_GAME, why};
use super::hear::{self, Ask, Wish};
use super::intake::{Fate, Mail};
use super::standing;
use crate::command::{Address, normalize};
use crate::mail::read::Body;
use crate::mail::token::Claims;
use crate::store::{Event, HeldId, Player};

/// How long a confirmation is waited for.
const PATIENCE: TimeDelta = TimeDelta::days(7);

/// Words that take back what is held. Whoever was asked in English may answer in another language,
/// and what was not taken back is done: better one word too many.
const NO: [&str; 20] = [
    "no",
    "not",
    "stop",
    "cancel",
    "wasn",
    "wasnt",
    "didn",
    "didnt",
    "never",
    "nein",
    "nicht",
    "non",
    "pas",
    "nee",
    "niet",
    "nej",
    "nie",
    "não",
    "нет",
    "いいえ",
];

/// Words that take nothing back, whatever follows.
const YES: [&str; 8] = ["yes", "ja", "oui", "si", "sí", "sim", "ok", "okay"];

/// A greeting, and what follows it.
const LINES_OF_NO: usize = 2;

/// In a longer line, such as the notice of a company below every mail, only the first word counts.
const WORDS_OF_NO: usize = 8;

const HOW_TO_SIGN_UP: &str = "\
This address is not signed up here. If you play here, write from the address \
that your mails come to. If you want to, answer with a line that says what you want to be called: \
one word of at most 32 letters, digits, `.`, `_` or `-`, and a letter first.

  signup NAME";
const TAKEN: &str = "\
That name is taken. Answer with a line that says another:

  signup NAME";
const VOID: &str = "The code in the address that you wrote to is worth nothing any more, so nothing \
                    was done. Answer a newer mail.";
const LATE: &str = "That has waited for more than a week, so it was not done. Say it again.";

impl Mail<'_> {
    /// Somebody says to be this player: the player is asked whether that is so.
    pub(super) fn hold(&self, post: &mut Post, player: &Player) -> Result<Fate, Error> {
        let mut lines = Vec::new();
        let mut signs_up = false;
        for ask in hear::asks(self.incoming, None) {
            match ask.wish {
                // Nobody is shown a stranger's own words: only what a command can be made of.
                Wish::Command(command) if is_harmless(&ask.words) => {
                    lines.push(self.as_of_now(player, *command, ask.words)?);
                }
                Wish::Signup(_) => signs_up = true,
                Wish::Command(_) | Wish::Refused(_) => {}
            }
        }
        if lines.is_empty() {
            let to = To::Player(player);
            if signs_up {
                self.answer(post, to, None, &why(&Error::SignedUp(player.name.clone())))?;
            } else if standing::has_code(self.envelope, self.incoming) {
                self.answer(post, to, None, &format!("{VOID}\n\n{HOW_WITHOUT_GAME}"))?;
            } else {
                self.tell(post, player, None, &[], true)?;
            }
            return Ok(Fate::Done);
        }
        let commands = lines.join("\n");
        let held = self.db.hold(Some(player.id), &player.address, &commands, self.app.now())?;
        self.ask_whether(post, To::Player(player), &commands, held)
    }

    /// A command, said in these words, as a line that asks for the same later: a move that has no
    /// number gets that of the game's next one.
    fn as_of_now(
        &self,
        player: &Player,
        mut command: PlayerCommand,
        words: String,
    ) -> Result<String, Error> {
        let Some(stored) = command.game().map(|id| self.db.game(id)).transpose()?.flatten() else {
            return Ok(words);
        };
        if stored.color_of(player.id).is_some() {
            command.bind(stored.id, stored.game.plies().len());
        }
        Ok(command.line(stored.game.start().rules().lattice).unwrap_or(words))
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
            self.answer(post, to, None, TAKEN)?;
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
        let is_asked = post.add(&Letter {
            event: Event::Confirm,
            to,
            game: None,
            said: Some(commands),
            held: Some(held),
            answer: Some(self.answered()),
            is_trusted: false,
        })?;
        if is_asked {
            return Ok(Fate::Held);
        }
        self.db.drop_held(held)?;
        Ok(Fate::Flood)
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
        let owner = held.player.map(|id| self.db.player(id)).transpose()?;
        // A player may have left the address that was asked.
        let address = owner.as_ref().map_or(&held.address, |owner| &owner.address);
        let own = address.eq_ignore_ascii_case(self.from);
        if !own && !self.app.config.receive.token_only {
            return match owner {
                Some(owner) => self.warn(post, &owner, None),
                None => Ok(Fate::Imposter),
            };
        }
        if held.is_done {
            return Ok(Fate::Ignored("nothing held"));
        }
        if let Body::Encrypted | Body::Signed | Body::Calendar = self.incoming.body {
            return Ok(Fate::Ignored("not readable"));
        }
        self.db.release(id, now)?;
        if now - held.created_at > PATIENCE {
            let to = owner.as_ref().map_or(To::Address(&held.address), To::Player);
            self.answer(post, to, None, LATE)?;
            return Ok(Fate::Done);
        }
        if self.says_no() {
            return Ok(Fate::Done);
        }
        let asks = hear::in_lines(held.commands.lines(), None);
        match owner {
            Some(player) => {
                let outcomes = self.outcomes(reply, &player, asks)?;
                self.tell(post, &player, None, &outcomes, true)?;
            }
            None => self.sign_up(post, &held.address, asks)?,
        }
        Ok(Fate::Done)
    }

    /// Whether its first words take back what is held, whatever follows.
    fn says_no(&self) -> bool {
        let (fresh, whole) = match &self.incoming.body {
            Body::Lines { fresh, whole, .. } => (fresh.as_slice(), whole.as_str()),
            _ => (&[][..], ""),
        };
        // Below a quote without marks nothing is told from it; a no is heard there, too.
        let last = whole.lines().rfind(|line| !line.trim().is_empty()).filter(|_| fresh.is_empty());
        let lines = fresh.iter().map(String::as_str).chain(last).chain([&*self.incoming.subject]);
        let lines =
            lines.map(|line| normalize(line).to_lowercase()).filter(|line| !line.is_empty());
        for (number, line) in lines.take(LINES_OF_NO).enumerate() {
            let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let words: Vec<_> = words.collect();
            let first = words.first().copied().unwrap_or_default();
            if number == 0 && YES.contains(&first) {
                return false;
            }
            let is_short = words.len() <= WORDS_OF_NO;
            if NO.contains(&first) || is_short && words.iter().any(|word| NO.contains(word)) {
                return true;
            }
        }
        false
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
                    let said = format!("Not done: {}", why(&error));
                    self.answer(post, To::Address(address.as_str()), None, &said)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether these words hold no more than a command needs: no links, no sentences.
fn is_harmless(words: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "#-_.".contains(c);
    words.split(' ').count() <= 8
        && words.split(' ').all(|word| word.len() <= 32 && word.chars().all(fits))
}
