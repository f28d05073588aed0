use chrono::TimeDelta;
use clap::Args;
use serde_json::json;

use crate::app::commands::offers::respond;
use crate::app::effects::change::{ACTOR, Change, Decision, change_in, write_after_flag};
use crate::app::effects::mails;
use crate::app::effects::outbox::Cause;
use crate::app::effects::quota::{self, Quota};
use crate::app::run::session::Writing;
use crate::app::text::echo::is_invisible;
use crate::app::views::comments;
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase, Words, find};
use crate::mail::token::Token;
use crate::store::{Db, NewOutboxEntry};
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_model::mail::Occasion;
use outflank_rules::Color;

/// Say something to the opponent, with the next mail of the game or at once
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: say 12 \"Good game!\"")]
pub struct Say {
    /// The number of the game
    game: GameId,
    /// Your words
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Mail it to the opponent at once
    #[arg(long)]
    now: bool,
}

/// The most lines of a comment.
pub(crate) const MAX_COMMENT_LINES: usize = 40;
/// The most characters of a comment.
const MAX_COMMENT_CHARACTERS: usize = 4000;
/// The most comments of a player in a game and a day.
const MAX_COMMENTS_A_DAY: u32 = 20;
/// The most comments of a player in a game and a day that are mailed at once.
const MAX_MAILED_AT_ONCE: u32 = 5;

impl Say {
    /// Returns the command for a comment in a mail.
    pub(crate) fn new(game: GameId, text: String, now: bool) -> Self {
        Self { game, text: vec![text], now }
    }
}

impl UseCase for Say {
    const TRAITS: Traits = Traits {
        synonyms: &["chat"],
        words: Some(Words::ForOthers),
        on_board: true,
        ..Traits::new("say", Heading::Talk).by("who says it").button(
            Place::Apart,
            "Send",
            "What you say to your opponent",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        let (own, text) = (change.author()?, self.cleaned());
        refuse_repetition(change.db, change.stored, own, &text)?;
        self.check_reader(change, own, self.now || change.stored.game.outcome().is_some())?;
        change.decide(Event::by(own, Action::Say(text)))
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let text = self.cleaned();
        check_length(&text)?;
        if let Some(reply) = respond::say(session, self.game, &text)? {
            return Ok(reply);
        }
        write_after_flag(session, self.game, |writing| {
            let (stored, Decision { game, .. }) =
                change_in(writing, self.game, ACTOR, |change| self.decide(change))?;
            let own = find::acting_color(writing.tx, &stored, writing.actor)?;
            let is_over = game.outcome().is_some();
            let at_once = self.now || is_over;
            self.pass_on(writing, &stored, &game, own, at_once)?;
            let (player, answer) = (stored.name(own), answer(&stored, own, self.now, is_over));
            let json =
                json!({ "game": self.game.0, "player": player, "said": text, "at_once": at_once });
            Ok(Reply::new(&json).text(answer))
        })
    }
}

/// Returns the sentence that says when the opponent reads a comment of this player.
pub(crate) fn answer(stored: &StoredGame, own: Color, at_once: bool, is_over: bool) -> String {
    let (id, other) = (stored.id, stored.name(!own));
    let has_address = stored.player(!own).is_some_and(|it| it.address.is_some());
    match (at_once, is_over) {
        _ if stored.local => format!("{other} reads it with `show {id}`."),
        _ if !has_address => format!("{other} gets no mail, and reads it with `show {id}`."),
        (true, _) => format!("{other} is mailed what you said in game {id}."),
        (false, true) => format!("Game {id} is over, so {other} is mailed what you said."),
        (false, false) => format!("{other} reads it with the next mail of game {id}."),
    }
}

impl Say {
    /// Returns the comment as it is passed on.
    fn cleaned(&self) -> String {
        cleaned(&self.text.join(" "))
    }

    /// Refuses the comment if the opponent cannot read it, or if the player has said too much. With
    /// `at_once`, it is mailed.
    fn check_reader(&self, change: &Change, own: Color, at_once: bool) -> Result<(), Error> {
        let Change { db, env, stored, .. } = *change;
        let (Some(author), Some(reader)) = (stored.player(own), stored.player(!own)) else {
            let message = format!("{} is a computer player and reads nothing", stored.name(!own));
            let hint = format!("`outflank note {} TEXT` keeps words for yourself", stored.id);
            return Err(Error::refused(message).with_hint(hint));
        };
        find::refuse_left(reader)?;
        quota::refuse_unread(db, reader, author)?;
        let day_ago = env.now() - TimeDelta::days(1);
        let said = db.comments_since(day_ago, stored.id, reader.id)?;
        let refused = |limit: String, hint| {
            let message = format!("limit of {limit} reached in game {}", stored.id);
            Err(Error::refused(message).with_hint(hint))
        };
        if said.all >= MAX_COMMENTS_A_DAY {
            return refused(format!("{MAX_COMMENTS_A_DAY} comments a day"), "try again tomorrow");
        }
        if at_once && stored.game.outcome().is_some() {
            let quota = Quota { db, by: author.id, to: reader.id, now: env.now() };
            return quota.check(&reader.name);
        }
        if at_once && said.at_once >= MAX_MAILED_AT_ONCE {
            let limit = format!("{MAX_MAILED_AT_ONCE} comments a day mailed at once");
            return refused(limit, "without --now it goes with the next mail of the game");
        }
        Ok(())
    }

    /// Records the comment for the opponent, and mails it with `at_once`.
    fn pass_on(
        &self,
        writing: &mut Writing,
        stored: &StoredGame,
        game: &Game,
        own: Color,
        at_once: bool,
    ) -> Result<(), Error> {
        let Writing { tx, env, .. } = *writing;
        let (Some(author), Some(reader)) = (stored.player(own), stored.player(!own)) else {
            return Ok(());
        };
        tx.add_comment(self.game, game.events().len(), reader.id, at_once, env.now())?;
        if !at_once {
            return Ok(());
        }
        let after = stored.after(game.clone(), env.now());
        let news = format!("{} says something to you.", author.name);
        let content = mails::notice_about(&after, !own, &news, Some(Occasion::Comment));
        let entry = NewOutboxEntry::to(reader, content);
        writing.outbox.add(&entry, Cause::of(author.id)).map(drop)
    }
}

/// Refuses a comment that repeats the player's last one before that was mailed, as a copied mail does.
fn refuse_repetition(db: &Db, stored: &StoredGame, own: Color, text: &str) -> Result<(), Error> {
    let last = comments::all(&stored.game).filter(|comment| comment.by == own).last();
    let Some(last) = last.filter(|last| last.text == text) else { return Ok(()) };
    let Some(reader) = stored.player(!own).filter(|_| !stored.local) else { return Ok(()) };
    if db.is_comment_waiting(stored.id, last.event, reader.id)? {
        let message = format!("you have said this already in game {}", stored.id);
        let hint = format!("{} reads it with the next mail of the game", reader.name);
        return Err(Error::refused(message).with_hint(hint));
    }
    Ok(())
}

/// Refuses a comment that is empty or too long.
pub(crate) fn check_length(text: &str) -> Result<(), Error> {
    let (lines, characters) = (text.lines().count(), text.chars().count());
    let (count, most, what) = if lines > MAX_COMMENT_LINES {
        (lines, MAX_COMMENT_LINES, "lines")
    } else if characters > MAX_COMMENT_CHARACTERS {
        (characters, MAX_COMMENT_CHARACTERS, "characters")
    } else if text.is_empty() {
        return Err(Error::refused("there are no words to pass on")
            .with_hint("write them behind `say`, on the same line or below"));
    } else {
        return Ok(());
    };
    Err(Error::refused(format!("your text has {count} {what}; {most} at most can be passed on")))
}

/// Removes reply tokens, control characters, invisible characters and superfluous blank lines from
/// a comment.
pub(crate) fn cleaned(text: &str) -> String {
    let text = Token::redact(text);
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.replace('\t', " ");
        let line: String = line.chars().filter(|&c| !is_invisible(c)).collect();
        let line = line.trim_end().to_owned();
        // One blank line is enough.
        if !(line.is_empty() && lines.last().is_none_or(String::is_empty)) {
            lines.push(line);
        }
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn a_comment_loses_control_characters_and_tokens() {
        for (text, passed_on) in [
            ("  Good game! ", "Good game!"),
            ("\n\na\n\n\n\nb \u{200b}\n\n", "a\n\nb"),
            ("a\u{202e}b\u{1b}[2Jc\td", "ab[2Jc d"),
            ("write to outflank+aecqeaibxiw2z7gbdnockb2r@x", "write to outflank+...@x"),
        ] {
            assert_eq!(cleaned(text), passed_on);
        }
    }
}
