//! The headers of mails: docs/mail.md.

use chrono::DateTime;
use mail_parser::MessageParser;

use super::rows::{self, Game, Mail, name_of, of_new_mails, of_player};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::replay::Replayed;
use crate::simulator::server::Accepted;
use crate::simulator::tables::number;

/// Kinds of mail whose subject is that of their game.
const OF_GAME: [&str; 8] = [
    "turn",
    "started",
    "over",
    "receipt",
    "flagged",
    "watched",
    "watched-over",
    "watched-analysis",
];

/// Kinds of mail to which nobody replies.
const WITHOUT_REPLY: [&str; 2] = ["host", "moved"];

/// Kinds of mail that the "unsubscribe" button of a mail program stops, besides those about games that are watched.
const STOPPED: [&str; 4] = ["turn", "digest", "reminder", "letter"];

/// An accepted mail with its row in the outbox.
struct Headed<'a> {
    change: &'a Change<'a>,
    mail: &'a Accepted,
    row: &'a Mail,
}

/// The headers of accepted mails are as they should be.
pub fn mails_have_their_headers(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        let headed = Headed { change, mail, row: &row };
        for (of, check) in Headed::CHECKS {
            check(&headed)
                .or_else(|what| violated(of, format!("{} ({}): {what}", mail.id, row.kind)))?;
        }
    }
    Ok(())
}

type Check<'a> = fn(&Headed<'a>) -> Result<(), String>;

impl<'a> Headed<'a> {
    /// What holds of each, with its name.
    const CHECKS: [(&'static str, Check<'a>); 6] = [
        ("mails_go_to_the_present_address", Self::goes_to_the_present_address),
        ("mails_say_that_a_machine_sent_them", Self::says_that_a_machine_sent_it),
        ("mails_can_be_answered", Self::can_be_answered),
        ("mails_of_a_game_are_one_thread", Self::is_in_its_thread),
        ("subjects_name_the_game", Self::names_the_game),
        ("mails_have_the_date_of_their_first_try", Self::has_its_date),
    ];

    fn field(&self, name: &str) -> String {
        self.mail.field(name).unwrap_or_default()
    }

    fn column(&self, column: &str) -> Option<&str> {
        self.change.after.columns_of("outbox", self.row.id, [column]).next()?[0]
    }

    /// A mail goes to its reader's address at the time of the try, and names it.
    fn goes_to_the_present_address(&self) -> Result<(), String> {
        let is_it = |address: Option<&str>| {
            address.is_some_and(|it| it.eq_ignore_ascii_case(&self.mail.to))
        };
        let is_present = match (self.row.player, &self.row.address) {
            (_, Some(address)) => is_it(Some(address)),
            (Some(player), _) => [self.change.before, self.change.after]
                .iter()
                .any(|tables| is_it(of_player(tables, player, "address"))),
            _ => false,
        };
        let to = self.field("To").to_lowercase();
        match is_present && to.contains(&self.mail.to.to_lowercase()) {
            true => Ok(()),
            false => Err(format!("goes to {} with {to:?}", self.mail.to)),
        }
    }

    fn says_that_a_machine_sent_it(&self) -> Result<(), String> {
        let from = self.field("From");
        let domain = from.rsplit('@').next().unwrap_or_default().trim_end_matches('>');
        let list = format!("Outflank <outflank.{domain}>");
        let submitted = self.field("Auto-Submitted");
        let id = format!("<{}>", self.mail.id);
        match self.field("List-Id") == list && submitted.starts_with("auto-") {
            true if self.field("Message-ID") == id => Ok(()),
            _ => Err(format!(
                "{:?} {submitted:?} {:?}",
                self.field("List-Id"),
                self.field("Message-ID")
            )),
        }
    }

    fn has_its_date(&self) -> Result<(), String> {
        let now = self.change.now.timestamp();
        let date = DateTime::parse_from_rfc2822(&self.field("Date")).map(|it| it.timestamp());
        match self.row.first_try_at == Some(now) && date != Ok(now) {
            true => Err(format!("has the date {date:?}, now {now}")),
            false => Ok(()),
        }
    }

    /// Each mail has a reply address of its own, and those of a game can be stopped: turn mails of one who plays,
    /// and all of one who watches.
    fn can_be_answered(&self) -> Result<(), String> {
        let kind = &*self.row.kind;
        let reply_to = self.field("Reply-To");
        let has_token = reply_to.contains("outflank+") || reply_to.contains("games+");
        if !has_token && !WITHOUT_REPLY.contains(&kind) {
            return Err(format!("replies go to {reply_to:?}"));
        }
        let before = &self.change.accepted[..self.change.accepted_before];
        let is_same = |it: &&Accepted| {
            has_token
                && it.id != self.mail.id
                && it.field("Reply-To").is_some_and(|it| it == reply_to)
        };
        // Its reader may have had another address.
        let name = |mail: &Accepted| {
            mail.field("To").and_then(|to| Some(to.split_once(" <")?.0.to_owned()))
        };
        let is_of_other = |it: &&Accepted| it.to != self.mail.to && name(it) != name(self.mail);
        let other = before.iter().filter(is_of_other).find(is_same);
        if let Some(other) = other {
            return Err(format!("has the reply address of {} to {}", other.id, other.to));
        }
        let (stop, post) = (self.field("List-Unsubscribe"), self.field("List-Unsubscribe-Post"));
        let must_stop = STOPPED.contains(&kind) || kind.starts_with("watched");
        let is_right = match stop.is_empty() {
            true => !must_stop && post.is_empty(),
            false => {
                stop.contains("<mailto:")
                    && stop.contains("/unsubscribe/")
                    && post == "List-Unsubscribe=One-Click"
            }
        };
        if is_right { Ok(()) } else { Err(format!("has {stop:?} and {post:?}")) }
    }

    /// All mails of a game refer to its thread, also those about its challenge.
    fn is_in_its_thread(&self) -> Result<(), String> {
        let thread = |table, id: Option<i64>| {
            self.change.after.columns_of(table, id?, ["thread"]).next()?[0]
        };
        let thread =
            thread("game", self.row.game).or_else(|| thread("challenge", self.row.challenge));
        let (answers, refers) = (self.field("In-Reply-To"), self.field("References"));
        if let Some(thread) = thread.filter(|it| !refers.starts_with(&format!("<{it}>"))) {
            return Err(format!("refers to {refers:?}, not to {thread}"));
        }
        let answered = self.column("in_reply_to").or(thread);
        match answered.map(|it| format!("<{it}>")).unwrap_or_default() {
            answered if answered == answers => Ok(()),
            answered => Err(format!("answers {answers:?}, not {answered:?}")),
        }
    }

    /// The subject has the variant, the size if it is not the variant's own, and the number; and whose turn it is
    /// for those who want that.
    fn names_the_game(&self) -> Result<(), String> {
        let parsed = MessageParser::default().parse(self.mail.text.as_bytes());
        let subject = parsed.as_ref().and_then(|it| it.subject()).unwrap_or_default();
        if subject.is_empty() {
            return Err("has no subject".to_owned());
        }
        let tables = self.change.after;
        if let (Some(id), "challenge") = (self.row.challenge, &*self.row.kind) {
            let title = rows::title(tables, "challenge", id);
            return match title.filter(|it| subject != format!("{it} #{id}")) {
                Some(title) => Err(format!("{subject:?} is not {title} #{id}")),
                None => Ok(()),
            };
        }
        let Some(id) = self.row.game.filter(|_| OF_GAME.contains(&&*self.row.kind)) else {
            return Ok(());
        };
        let Some(game) = Game::of(tables, id) else { return Ok(()) };
        let name = |color: &str| game.person(color).and_then(|it| name_of(tables, it));
        let (title, rest) = subject.split_once(" #").unwrap_or_default();
        let expected = rows::title(tables, "game", id);
        let is_titled = expected.as_deref() == Some(title);
        let (number_of, turn) = rest.split_once(" (").unwrap_or((rest, ""));
        if !is_titled || number(Some(number_of)) != Some(id) {
            return Err(format!("{subject:?} is not {expected:?}, game {id}"));
        }
        let player = self.row.player.unwrap_or_default();
        let wants = |tables| of_player(tables, player, "subject") == Some("turn");
        let wants = [wants(self.change.before), wants(tables)];
        let known = Mail::of(self.change.before, self.row.id);
        let is_first = known.is_none_or(|it| it.first_try_at.is_none());
        let Ok(replayed) = Replayed::of(tables, id, self.row.events) else { return Ok(()) };
        if !is_first || wants[0] != wants[1] || name("b").is_none() || name("w").is_none() {
            return Ok(());
        }
        let mover = replayed.turn().map(String::from).filter(|_| wants[0]);
        let expected = match mover {
            Some(mover) if game.color_of(player) == Some(&*mover) => "your move)".to_owned(),
            Some(mover) => match name(&mover) {
                Some(name) => format!("{name}'s move)"),
                None => return Ok(()),
            },
            None => String::new(),
        };
        if turn == expected { Ok(()) } else { Err(format!("{subject:?} has not {expected:?}")) }
    }
}
