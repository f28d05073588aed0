//! Commands that are held until their sender confirms them.

use chrono::TimeDelta;

use super::super::notify::Outbox;
use super::super::{At, Error, PlayerCommand, Reply, UseCase, signup};
use super::intake::{Disposition, Inbound};
use super::parse::{self, Parsed, Request};
use super::run::{HOW_WITHOUT_GAME, already_signed_up, sentence};
use super::sender;
use crate::command::{Address, normalize};
use crate::mail::read::Body;
use crate::mail::token::Claims;
use crate::store::{HeldId, MessageKind, NewOutboxEntry, Player, Recipient};

/// How long commands wait for a confirmation.
const PATIENCE: TimeDelta = TimeDelta::days(7);

/// Words that cancel the held commands, in several languages. Without one of them the commands are
/// run, so the list errs on the side of no.
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

/// Words that confirm, whatever follows them.
const YES: [&str; 8] = ["yes", "ja", "oui", "si", "sí", "sim", "ok", "okay"];

/// The lines that are searched for a no: a greeting and the line after it.
const LINES_OF_NO: usize = 2;

/// In a line with more words, such as a company's disclaimer, only the first word is checked.
const WORDS_OF_NO: usize = 8;

const HOW_TO_SIGN_UP: &str = "\
This address is not signed up here. If you play here, write from the address \
that gets your mails. To sign up, reply with a name: \
one word of at most 32 letters, digits, \".\", \"_\" or \"-\" that begins with a letter, \
for example (signup NAME).";
const TAKEN: &str = "That name is taken. Reply with another, for example (signup NAME).";
const REVOKED: &str = "\
The reply token in the address that you wrote to is not valid any more, so nothing was done. Reply \
to a newer mail.";
const LATE: &str = "\
The commands waited for more than a week, so they were not run. Please send them again.";

impl Inbound<'_> {
    /// Holds the commands of a mail that claims to come from this player, and asks the player.
    pub(super) fn hold(&self, outbox: &mut Outbox, player: &Player) -> Result<Disposition, Error> {
        let mut lines = Vec::new();
        let mut wants_signup = false;
        for Parsed { words, request } in parse::commands(self.message, None) {
            match request {
                // A stranger's own words must not reach the player, only plain commands.
                Request::Command(command) if is_plain(&words) => {
                    lines.push(self.bound_to_now(player, *command, words)?);
                }
                Request::Signup(_) => wants_signup = true,
                Request::Command(_) | Request::Refused(_) => {}
            }
        }
        let to = Recipient::Player(player);
        if lines.is_empty() {
            if wants_signup {
                self.reply(outbox, to, None, &sentence(&already_signed_up(player)))?;
            } else if sender::has_token(self.envelope, self.message) {
                self.reply(outbox, to, None, &format!("{REVOKED}\n\n{HOW_WITHOUT_GAME}"))?;
            } else {
                self.report(outbox, player, None, &[], true)?;
            }
            return Ok(Disposition::Done);
        }
        let commands = lines.join("\n");
        let now = self.env.now();
        let held = self.tx.hold(Some(player.id), &player.address, &commands, now)?;
        self.ask(outbox, to, &commands, held)
    }

    /// Returns a line with the same effect as the command has now: a move without a number gets
    /// the number of the game's next move.
    fn bound_to_now(
        &self,
        player: &Player,
        mut command: PlayerCommand,
        words: String,
    ) -> Result<String, Error> {
        let Some(stored) =
            command.concerns().game().map(|id| self.tx.game(id)).transpose()?.flatten()
        else {
            return Ok(words);
        };
        if stored.color_of(player.id).is_some() {
            command.bind(stored.game.plies().len());
        }
        let lattice = stored.game.start().rules().lattice;
        Ok(command.concerns().play().map_or(words, |play| play.to_command(lattice)))
    }

    /// Processes a mail from somebody who is not signed up.
    pub(super) fn welcome(&self, outbox: &mut Outbox) -> Result<Disposition, Error> {
        let to = Recipient::Address(self.from);
        let address: Option<Address> = self.from.parse().ok();
        let mut requests = parse::commands(self.message, None).into_iter();
        let signup = requests.find_map(|parsed| match parsed.request {
            Request::Signup(name) => Some(name),
            _ => None,
        });
        let (Some(name), Some(address)) = (signup, address) else {
            self.reply(outbox, to, None, HOW_TO_SIGN_UP)?;
            return Ok(Disposition::Stranger);
        };
        if self.tx.player_named(name.as_str())?.is_some() {
            self.reply(outbox, to, None, TAKEN)?;
            return Ok(Disposition::Stranger);
        }
        let commands = format!("signup {name}");
        let held = self.tx.hold(None, address.as_str(), &commands, self.env.now())?;
        self.ask(outbox, to, &commands, held)
    }

    /// Asks whether held commands are really the recipient's.
    fn ask(
        &self,
        outbox: &mut Outbox,
        to: Recipient,
        commands: &str,
        held: HeldId,
    ) -> Result<Disposition, Error> {
        let entry = NewOutboxEntry {
            kind: MessageKind::Confirm,
            to,
            game: None,
            text: Some(commands),
            held: Some(held),
            in_reply_to: Some(self.in_reply_to()),
        };
        if outbox.add(&entry, false)? {
            return Ok(Disposition::Held);
        }
        self.tx.delete_held(held)?;
        Ok(Disposition::Flood)
    }

    /// Processes the reply to a mail that asked for a confirmation.
    pub(super) fn process_confirmation(
        &self,
        outbox: &mut Outbox,
        reply: &mut Reply,
        token: &Claims,
    ) -> Result<Disposition, Error> {
        const NOTHING: Disposition = Disposition::Ignored("nothing held");
        let now = self.env.now();
        let id = HeldId(token.number);
        let Some(held) = self.tx.held(id)? else { return Ok(NOTHING) };
        let owner = held.player.map(|id| self.tx.player(id)).transpose()?;
        // The player may have another address by now than the one that was asked.
        let address = owner.as_ref().map_or(&held.address, |owner| &owner.address);
        let is_own = address.eq_ignore_ascii_case(self.from);
        if !is_own && !self.env.config.receive.token_only {
            return match owner {
                Some(owner) => self.warn(outbox, &owner, None),
                None => Ok(Disposition::Mismatch),
            };
        }
        if held.is_done {
            return Ok(NOTHING);
        }
        if let Body::Encrypted | Body::Signed | Body::Calendar = self.message.body {
            return Ok(Disposition::Ignored("not readable"));
        }
        self.tx.release(id, now)?;
        if now - held.created_at > PATIENCE {
            let to = owner.as_ref().map_or(Recipient::Address(&held.address), Recipient::Player);
            self.reply(outbox, to, None, LATE)?;
            return Ok(Disposition::Done);
        }
        if self.says_no() {
            return Ok(Disposition::Done);
        }
        let commands = parse::commands_in(held.commands.lines(), None);
        match owner {
            Some(player) => {
                let outcomes = self.run_all(reply, &player, commands)?;
                self.report(outbox, &player, None, &outcomes, true)?;
            }
            None => self.sign_up(outbox, &held.address, commands)?,
        }
        Ok(Disposition::Done)
    }

    /// Returns whether its first words cancel the held commands.
    fn says_no(&self) -> bool {
        let (fresh, whole) = match &self.message.body {
            Body::Lines { fresh, whole, .. } => (fresh.as_slice(), whole.as_str()),
            _ => (&[][..], ""),
        };
        // A no counts even if it could be part of a quotation without marks.
        let last = whole.lines().rfind(|line| !line.trim().is_empty()).filter(|_| fresh.is_empty());
        let lines = fresh.iter().map(String::as_str).chain(last).chain([&*self.message.subject]);
        let lines = lines.map(|line| normalize(line).to_lowercase());
        let lines = lines.filter(|line| !line.is_empty());
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

    fn sign_up(
        &self,
        outbox: &mut Outbox,
        address: &str,
        commands: Vec<Parsed>,
    ) -> Result<(), Error> {
        const NO_GAME: At = None;
        let Ok(address) = address.parse::<Address>() else { return Ok(()) };
        for command in commands {
            let Request::Signup(name) = command.request else { continue };
            match signup::sign_up(self.env, self.tx, &name, &address) {
                Ok(player) => {
                    let text = format!(
                        "Welcome, {name}. You are signed up: mails about your games come to this \
                         address.\n\n{HOW_WITHOUT_GAME}"
                    );
                    self.reply(outbox, Recipient::Player(&player), NO_GAME, &text)?;
                }
                Err(error) if error.is_fault() => return Err(error),
                Err(error) => {
                    let text = format!("Not done: {}", sentence(&error));
                    self.reply(outbox, Recipient::Address(address.as_str()), NO_GAME, &text)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns whether words contain no more than a command needs: no links, no sentences.
fn is_plain(words: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "#-_.".contains(c);
    words.split(' ').count() <= 8
        && words.split(' ').all(|word| word.len() <= 32 && word.chars().all(fits))
}
