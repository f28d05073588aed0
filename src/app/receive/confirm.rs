//! Commands that are held until their sender confirms them.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::commands::play::moves::taken_back;
use crate::app::effects::bounces;
use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::receive::intake::Disposition;
use crate::app::receive::intake::Inbound;
use crate::app::receive::parse;
use crate::app::receive::parse::Parsed;
use crate::app::receive::parse::Request;
use crate::app::receive::run::HOW_WITHOUT_GAME;
use crate::app::receive::run::already_signed_up;
use crate::app::receive::run::sentence;
use crate::app::receive::screen::digest;
use crate::app::receive::sender;
use crate::app::sign_up::sign_up;
use crate::app::{Error, PlayerCommand, Reply, UseCase};
use crate::command::{Address, CONFIRM_WORDS, Name, mailbox, normalize};
use crate::mail::read::Body;
use crate::mail::token::Claims;
use crate::store::{HeldId, MailContent, NewOutboxEntry, Player, Recipient};

/// How long commands wait for a confirmation.
const PATIENCE: TimeDelta = TimeDelta::days(7);

/// What a reply to a mail that asked for a confirmation says.
enum Answer {
    Yes,
    No,
    Unclear,
}

/// The clauses that cancel, if a line begins with one of them.
const NO: [&str; 14] = [
    "no",
    "no thanks",
    "cancel",
    "stop",
    "nein",
    "non",
    "nee",
    "nej",
    "nie",
    "não",
    "na\u{303}o",
    "нет",
    "いいえ",
    "不是",
];

/// What ends the first clause of a line.
const CLAUSE_ENDS: [&str; 6] = [",", "、", "，", "!", ";", " -"];

const UNCLEAR: &str = "\
The reply was neither a clear yes nor a clear no, so the commands still wait. To run them, reply with \
just \"yes\" on the first line. To cancel them, reply with \"no\". Without a clear answer they are \
dropped after a week.";
const HOW_TO_SIGN_UP: &str = "\
This address is not signed up here.

If you play here, write from the address that gets your mails. To sign up, reply with a name: \
one word of at most 32 letters, digits, \"_\" or \"-\" that begins with a letter, \
for example (signup NAME).";
const TAKEN: &str = "That name is taken. Reply with another, for example (signup NAME).";
const REVOKED: &str = "\
The reply token in the address that you wrote to is not valid any more, so nothing was done. Reply \
to a newer mail.";
const UNCLEAR_ANSWER: Disposition = Disposition::Ignored("neither yes nor no");
const LATE: &str = "\
The commands waited for more than a week, so they were not run. Please send them again.";

impl Inbound<'_> {
    /// Holds the commands of a mail that claims to come from this player, and asks the player.
    pub(crate) fn hold(&self, outbox: &mut Outbox, player: &Player) -> Result<Disposition, Error> {
        let mut lines = Vec::new();
        let mut wants_signup = false;
        for Parsed { words, request } in parse::commands(self.message, None) {
            match request {
                Request::Command(command) if matches!(*command, PlayerCommand::Say(_)) => {}
                // A stranger's own words must not reach the player, only plain commands.
                Request::Command(command) if is_plain(&words) || is_setting(&command) => {
                    lines.push(self.bound_to_now(player, *command, words)?);
                }
                Request::Signup(_) => wants_signup = true,
                Request::Command(_) | Request::Invalid(_) => {}
            }
        }
        let to = Recipient::Player(player);
        let mail = self.counted(&player.address, !lines.is_empty())?;
        if lines.is_empty() {
            if wants_signup {
                mail.reply(outbox, to, None, &sentence(&already_signed_up(player)))?;
            } else if sender::has_token(self.envelope, self.message) {
                mail.reply(outbox, to, None, &format!("{REVOKED}\n\n{HOW_WITHOUT_GAME}"))?;
            } else {
                mail.report(outbox, player, None, &[], true)?;
            }
            return Ok(Disposition::Done);
        }
        let commands = lines.join("\n");
        let now = self.env.now();
        let held = self.tx.hold(Some(player.id), &player.address, &commands, now)?;
        self.ask(outbox, to, held)
    }

    /// Returns a line with the same effect as the command has now: a move without a number gets
    /// the number of the game's next move.
    fn bound_to_now(
        &self,
        player: &Player,
        command: PlayerCommand,
        words: String,
    ) -> Result<String, Error> {
        let Some(play) = command.concerns().play().cloned() else { return Ok(words) };
        let Some(stored) = self.tx.game(play.game)? else { return Ok(words) };
        let is_own = stored.color_of(player.id).is_some();
        let ply = is_own.then(|| stored.game.plies().len() + 1);
        Ok(play.to_command(stored.game.start().rules().lattice, ply))
    }

    /// Processes a mail from somebody who is not signed up. Since its sender is often forged, only
    /// a mail that asks for `signup` or `help` is answered.
    pub(crate) fn welcome(&self, outbox: &mut Outbox) -> Result<Disposition, Error> {
        let to = Recipient::Address(self.from);
        let commands = parse::commands(self.message, None);
        if !parse::asks_to_join(self.message, &commands) {
            return Ok(Disposition::Stranger);
        }
        let has_command = commands.iter().any(|parsed| !parsed.is_invalid());
        let mail = self.counted(self.from, has_command)?;
        let address: Option<Address> = self.from.parse().ok();
        let signup = commands.into_iter().find_map(|parsed| match parsed.request {
            Request::Signup(name) => Some(name),
            _ => None,
        });
        // A mail program would show such a name as a link.
        let signup = signup.filter(|name| !looks_like_a_web_address(name));
        let (Some(name), Some(address)) = (signup, address) else {
            mail.reply(outbox, to, None, HOW_TO_SIGN_UP)?;
            return Ok(Disposition::Stranger);
        };
        if self.tx.player_named(name.as_str())?.is_some() {
            mail.reply(outbox, to, None, TAKEN)?;
            return Ok(Disposition::Stranger);
        }
        let commands = format!("signup {name}");
        let held = self.tx.hold(None, address.as_str(), &commands, self.env.now())?;
        self.ask(outbox, to, held)
    }

    /// Asks whether held commands are really the recipient's.
    fn ask(&self, outbox: &mut Outbox, to: Recipient, held: HeldId) -> Result<Disposition, Error> {
        let entry = self.about_held(to, MailContent::Confirm(held));
        if outbox.add(&entry, Cause::UNVERIFIED)? {
            return Ok(Disposition::Held);
        }
        self.tx.delete_held(held)?;
        Ok(Disposition::Flood)
    }

    /// Returns a mail to which the recipient can reply with a yes or no.
    fn about_held<'b>(&'b self, to: Recipient<'b>, content: MailContent) -> NewOutboxEntry<'b> {
        NewOutboxEntry { to, content, in_reply_to: Some(self.in_reply_to()) }
    }

    /// Processes the reply to a mail that asked for a confirmation.
    pub(crate) fn process_confirmation(
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
        let to = owner.as_ref().map_or(Recipient::Address(&held.address), Recipient::Player);
        let is_late = now - held.created_at > PATIENCE;
        let is_yes = match self.answer() {
            Answer::Unclear if is_late => return Ok(UNCLEAR_ANSWER),
            Answer::Unclear => return self.explain(outbox, to, id),
            Answer::Yes => true,
            Answer::No => false,
        };
        self.tx.release(id, now)?;
        self.counted(address, true)?;
        if !is_yes {
            return Ok(Disposition::Done);
        }
        if is_late {
            self.reply(outbox, to, None, LATE)?;
            return Ok(Disposition::Done);
        }
        let commands = parse::commands_in(held.commands.lines(), None);
        match owner {
            Some(mut player) => {
                bounces::record_sign_of_life(outbox, &mut player)?;
                let commands = self.without_taken_back(commands, held.created_at)?;
                let outcomes = self.run_all(reply, &player, commands)?;
                self.report(outbox, &player, None, &outcomes, true)?;
            }
            None => self.sign_up(outbox, &held.address, commands)?,
        }
        Ok(Disposition::Done)
    }

    /// Refuses those of the held moves that were meant for a position which was taken back since.
    fn without_taken_back(
        &self,
        mut commands: Vec<Parsed>,
        held_at: DateTime<Utc>,
    ) -> Result<Vec<Parsed>, Error> {
        for Parsed { request, .. } in &mut commands {
            let Request::Command(command) = request else { continue };
            let concerns = command.concerns();
            let Some(play) = concerns.play() else { continue };
            let Some(stored) = self.tx.game(play.game)? else { continue };
            let last = stored.game.taken_back().last();
            if last.is_some_and(|last| stored.times[last.event - 1] >= held_at) {
                *request = Request::Invalid(taken_back(stored.id));
            }
        }
        Ok(commands)
    }

    /// Explains how to confirm or cancel held commands, once.
    fn explain(
        &self,
        outbox: &mut Outbox,
        to: Recipient,
        id: HeldId,
    ) -> Result<Disposition, Error> {
        let explained = digest(&[b"unclear", &id.0.to_be_bytes()]);
        let content = MailContent::Answer { game: None, text: UNCLEAR.to_owned(), held: Some(id) };
        let entry = self.about_held(to, content);
        if self.tx.has_seen(&explained)? || !outbox.add(&entry, Cause::UNVERIFIED)? {
            return Ok(UNCLEAR_ANSWER);
        }
        self.tx.add_seen(&explained, &mailbox(self.from), self.env.now())?;
        Ok(Disposition::Held)
    }

    /// Returns what the first line says that its sender wrote.
    fn answer(&self) -> Answer {
        let Body::Lines { fresh, whole, .. } = &self.message.body else { return Answer::Unclear };
        let own = fresh.iter().map(String::as_str).find(|line| !normalize(line).is_empty());
        // A no counts even where it cannot be told from a quotation without marks.
        let Some(line) = own.or_else(|| whole.lines().rfind(|line| !line.trim().is_empty())) else {
            return Answer::Unclear;
        };
        let words = normalize(line).to_lowercase();
        // After a comma the sentence continues on the next line.
        if own.is_some() && !line.trim_end().ends_with(',') && CONFIRM_WORDS.contains(&&*words) {
            return Answer::Yes;
        }
        let end = CLAUSE_ENDS.iter().filter_map(|end| words.find(end)).min();
        let clause = words[..end.unwrap_or(words.len())].trim();
        if NO.contains(&clause) { Answer::No } else { Answer::Unclear }
    }

    fn sign_up(
        &self,
        outbox: &mut Outbox,
        address: &str,
        commands: Vec<Parsed>,
    ) -> Result<(), Error> {
        let Ok(address) = address.parse::<Address>() else { return Ok(()) };
        for command in commands {
            let Request::Signup(name) = command.request else { continue };
            match sign_up(self.env, self.tx, &name, &address) {
                Ok(player) => {
                    let text = format!(
                        "Welcome, {name}. You are signed up: mails about your games come to this \
                         address.\n\n{HOW_WITHOUT_GAME}"
                    );
                    self.reply(outbox, Recipient::Player(&player), None, &text)?;
                }
                Err(error) if error.is_fault() => return Err(error),
                Err(error) => {
                    let text = format!("Not done: {}", sentence(&error));
                    self.reply(outbox, Recipient::Address(address.as_str()), None, &text)?;
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

/// Returns whether a command sets a valid value, which can have other characters.
fn is_setting(command: &PlayerCommand) -> bool {
    matches!(command, PlayerCommand::Set(set) if set.is_valid())
}

/// Returns whether a name could be read as a web address, such as `evil.com`; `j.r` could not.
fn looks_like_a_web_address(name: &Name) -> bool {
    name.as_str().split('.').skip(1).any(|label| label.len() > 1)
}
