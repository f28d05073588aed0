//! What people seldom do with mails by chance: they answer a question that comes with words, no longer want quiet while
//! mail waits, answer by a plan within a grace, write mails without a command, or answer as watchers.

use std::slice;

use super::{Action, Active, PEOPLE, Planner, by, host};
use crate::simulator::pages::{self, Request};
use crate::simulator::replay::Replayed;
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::number;

/// What says yes or no and nothing else.
const PLAIN: [&str; 12] = [
    "yes",
    "yes",
    "no",
    "Ok",
    "Sure!",
    "I'd love to",
    "No, thanks",
    "Ja",
    "s\u{ed}, gracias",
    "nein",
    "yes, thanks",
    "decline",
];

/// What somebody writes who watches a game.
const OF_WATCHERS: [&str; 11] = [
    "unwatch",
    "unwatch",
    "games",
    "show",
    "set receipt on",
    "set mail none",
    "set grace 30m",
    "mute",
    "resign",
    "away off",
    "challenge anyone mini",
];

impl Planner<'_> {
    /// Returns a game between two people that is not paused, with the one whose turn it is and the other one.
    pub(super) fn pair(&mut self) -> Option<(Active, String, String)> {
        let all = self.games_where(|_, row| row[3] == Some("0"));
        let game = self.rng.choice(all)?;
        let (mover, waiting) = (game.mover()?.clone(), game.waiting()?.clone());
        Some((game, mover, waiting))
    }

    /// Returns the games in which it is a player's turn.
    fn own_turns(&self, player: &String) -> Vec<i64> {
        let own = self.games.iter().filter(|game| game.mover() == Some(player));
        own.map(|game| game.id).collect()
    }

    /// Somebody offers something, often with words, and the opponent answers the mail with a plain yes or no.
    pub(super) fn asks_with_words(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let (asks, other) = if self.rng.bool() { (mover, waiting) } else { (waiting, mover) };
        let id = game.id;
        self.writer.clone_from(&asks);
        let say = by(&asks, &format!("say {id} {}", self.value("TEXT")));
        let offer = self.one(&["draw", "draw", "pause", "takeback"]);
        let (kind, answer) = (self.one(&["notice", "notice", "turn"]), self.one(&PLAIN));
        let to = format!("newest:{kind}:{}", self.address_of(&other));
        let mut actions = vec![Action::Server(Mood::Good), by(&other, "set quiet off")];
        actions.extend(Some(say).filter(|_| self.rng.u8(..3) > 0));
        actions.extend([by(&asks, &format!("{offer} {id}")), host("send")]);
        actions.push(Action::Reply { to, text: answer.to_owned() });
        self.one_by_one(actions)
    }

    /// A mail waits for the end of quiet hours, which its reader then no longer wants, or wants at another time.
    pub(super) fn is_disturbed(&mut self) -> Option<Action> {
        let (game, mover, reader) = self.pair()?;
        let mv = self.rng.choice(self.legal(game.id))?;
        let hour = self.world.now().timestamp() / 3_600 % 24;
        let quiet = |from, until| format!("set quiet {:02}:00-{:02}:00", from % 24, until % 24);
        let other = match self.rng.u8(..5) {
            0 => quiet(hour, hour + 3),
            1 => quiet(hour + 8, hour + 12),
            2 => "set timezone Pacific/Chatham".to_owned(),
            _ => "set quiet off".to_owned(),
        };
        self.one_by_one(vec![
            by(&reader, "set timezone UTC"),
            by(&reader, &quiet(hour, hour + 9)),
            by(&reader, "set mail each"),
            by(&mover, &format!("move {} {mv}", game.id)),
            by(&reader, &other),
            host("send"),
        ])
    }

    /// A plan of somebody with a grace answers a move at once.
    pub(super) fn answers_within_grace(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let replayed = Replayed::of(self.world.tables(), game.id, usize::MAX).ok()?;
        let mv = self.rng.choice(replayed.legal())?;
        let answer = self.rng.choice(replayed.after(slice::from_ref(&mv)).legal())?;
        let grace = self.one(&["2h", "30m", "24h", "off", "off"]);
        let wants_receipts = if self.rng.bool() { &waiting } else { &mover };
        let actions = vec![
            by(wants_receipts, "set receipt on"),
            by(&waiting, &format!("set grace {grace}")),
            by(&waiting, &format!("plan {} {mv} {answer}", game.id)),
            by(&mover, &format!("move {} {mv}", game.id)),
            host("send"),
        ];
        self.one_by_one(actions)
    }

    /// Somebody writes several mails without a command, or with a move that names no game, and then one with a command.
    pub(super) fn writes_idly(&mut self) -> Action {
        let player = self.player();
        let own = self.own_turns(&player);
        let mv = self.rng.choice(own).and_then(|id| self.rng.choice(self.legal(id)));
        let count = self.rng.usize(1..6);
        let mut texts = vec!["hello".to_owned(); count];
        texts.extend([mv.unwrap_or_else(|| "hello".to_owned()), "games".to_owned()]);
        let about = self.address_of(&player);
        let mail = |text| Action::Mail { kind: MailKind::Verified, about: about.clone(), text };
        let actions = texts.into_iter().map(mail).collect();
        self.one_by_one(actions).unwrap_or_else(|| host("send"))
    }

    /// Somebody writes commands among other lines, some of which end the commands, or two moves for one turn.
    pub(super) fn writes_among_others(&mut self) -> Action {
        const LINES: [&str; 14] = [
            "Hi Bob",
            "Hi Bob",
            "How are you today?",
            "It is raining here.",
            "games",
            "games",
            "challenges",
            "next",
            "players",
            "set receipt on",
            "set receipt off",
            "--",
            "quit",
            "thanks",
        ];
        let player = self.player();
        let own = self.own_turns(&player);
        let moves = self.rng.choice(own).map(|id| (id, self.legal(id)));
        let text = match (moves, self.rng.u8(..6)) {
            (Some((id, legal)), 0 | 1) if legal.len() > 1 => {
                format!("move {id} {}\nmove {id} {}", legal[0], legal[1])
            }
            (_, 2) => {
                let (skipped, count) = (self.rng.usize(3..8), self.rng.usize(1..24));
                "Hi Bob\n".repeat(skipped) + &"next\n".repeat(count) + "games"
            }
            _ => {
                let count = self.rng.usize(2..12);
                (0..count).map(|_| self.one(&LINES)).collect::<Vec<_>>().join("\n")
            }
        };
        let about = self.address_of(&player);
        Action::Mail { kind: MailKind::Verified, about, text }
    }

    /// Somebody who is not signed up writes, often to be signed up, and answers what comes.
    pub(super) fn stranger_writes(&mut self) -> Option<Action> {
        let name = format!("{}{}", self.one(&PEOPLE), self.rng.u16(1_000..));
        let address = format!("{name}@people.example");
        let odd = self.one(&["games", "resign", "d3", "pass", "fay.example"]).to_owned();
        let wanted = match self.rng.u8(..4) {
            0 => self.player(),
            1 => odd,
            _ => name.clone(),
        };
        let text = match self.rng.u8(..9) {
            0 => "help".to_owned(),
            1 => "signup".to_owned(),
            2 => format!("Sign up: {wanted}"),
            3 => format!("join {wanted}"),
            4 => format!("I would like to sign up as {wanted}"),
            5 => wanted.clone(),
            _ => format!("signup {wanted}"),
        };
        let kind = self.one(&[MailKind::Letter, MailKind::Verified]);
        let again = self.one(&[&*name, &*wanted, "games", "d3"]).to_owned();
        let reply = |kind: &str, text: &str| {
            let to = format!("newest:{kind}:{address}");
            Action::Reply { to, text: text.to_owned() }
        };
        let actions = vec![
            Action::Server(Mood::Good),
            Action::Mail { kind, about: address.clone(), text },
            reply("answer", &again),
            reply("confirm", self.one(&["yes", "yes", "no"])),
        ];
        self.one_by_one(actions)
    }

    /// Somebody writes a command in the subject of a mail, or a move in a short form.
    pub(super) fn writes_briefly(&mut self) -> Option<Action> {
        let player = self.player();
        let own = self.own_turns(&player);
        let mv = self.rng.choice(own).and_then(|id| Some((id, self.rng.choice(self.legal(id))?)));
        let command = match (mv, self.rng.u8(..4)) {
            (Some((id, mv)), 0..3) => {
                let [begin, mark] =
                    self.one(&[["", ""], ["", ":"], ["#", ""], ["game ", ""], ["move ", ""]]);
                format!("{begin}{id}{mark} {mv}")
            }
            _ => self.one(&["games", "set receipt on", "set receipt off", "players"]).to_owned(),
        };
        let text = match self.rng.u8(..4) {
            0 => format!("Subject: {command}\n"),
            1 => format!("Subject: {command}\nHi Bob"),
            2 => format!("Subject: set receipt on\n{command}"),
            _ => command,
        };
        let color = self.one(&["", " --color black", " --color black"]);
        let first = format!("challenge bot:novice mini{color}\n{}", self.one(&["d3", "c4", "a2"]));
        let text = if self.rng.u8(..4) == 0 { first } else { text };
        let about = self.address_of(&player);
        Some(Action::Mail { kind: MailKind::Verified, about, text })
    }

    /// Somebody ends an absence from a page that showed another one.
    pub(super) fn ends_old_absence(&mut self) -> Option<Action> {
        let ends = self.world.tabs.iter().rev().take(6).find_map(|tab| {
            let mut forms =
                pages::forms(&tab.body).into_iter().filter(|_| tab.path.starts_with("/me/"));
            forms.find(|it| it.value("command") == Some("away") && it.value("text") == Some("off"))
        });
        let form = ends?;
        let reader = self.world.reader_of(&form.path);
        let player = self.players.iter().find(|it| it.eq_ignore_ascii_case(&reader))?.clone();
        let days = self.value("FROM TO");
        let encoded = Some(form.encoded(None, |_| 0));
        self.one_by_one(vec![
            by(&player, "away off"),
            by(&player, &format!("away {days}")),
            Action::Page(Request { path: form.path, form: encoded, is_foreign: false }),
        ])
    }

    /// Somebody answers a mail about a game that the reader watches.
    pub(super) fn answers_as_watcher(&mut self) -> Option<Action> {
        let to = self.about(|kind| kind.starts_with("watched"))?;
        Some(Action::Reply { to, text: self.one(&OF_WATCHERS).to_owned() })
    }

    /// Somebody asks for games as files by mail.
    pub(super) fn exports_by_mail(&mut self) -> Action {
        let (player, game) = (self.player(), self.rng.i64(1..=self.newest));
        let format = self.one(&["json", "pgn", "ggf", "moves"]);
        let more = if self.rng.u8(..3) == 0 { "\ngames" } else { "" };
        let text = format!("export {game} --format {format}{more}");
        let kind = self.one(&[MailKind::Verified, MailKind::Verified, MailKind::Letter]);
        Action::Mail { kind, about: self.address_of(&player), text }
    }

    /// The host tries to send a mail again: mostly one that is not sent.
    pub(super) fn tries_again(&mut self) -> Option<Action> {
        let all: Vec<_> = self.world.tables().columns("outbox", ["id", "state"]).collect();
        let unsent =
            all.iter().filter(|[_, it]| matches!(it, Some("queued" | "paused" | "failed")));
        let unsent: Vec<_> = unsent.copied().collect();
        let any = self.rng.choice(&all).copied().filter(|_| self.rng.u8(..6) == 0);
        let [id, _] = any.or_else(|| self.rng.choice(unsent))?;
        Some(host(&format!("mail retry {}", number(id)?)))
    }

    /// Somebody sends a move with words from a page that shows the game as it stands, but not a legal one.
    pub(super) fn refused_with_words(&mut self) -> Option<Action> {
        let tab = self.world.tabs.iter().rev().take(3).find_map(|tab| {
            let forms = pages::forms(&tab.body).into_iter();
            let mut moves = forms.filter(|it| it.is_post && it.text.as_deref() == Some("say"));
            moves.find(|it| it.value("command") == Some("move"))
        });
        let mut form = tab?;
        self.writer = self.world.reader_of(&form.path);
        let words = self.value("TEXT");
        let text = form.hidden.iter_mut().find(|(name, _)| name == "text")?;
        self.one(&["a1", "d4", "z9", "pass"]).clone_into(&mut text.1);
        let encoded = form.encoded(Some(&words), |_| 0);
        Some(Action::Page(Request { path: form.path, form: Some(encoded), is_foreign: false }))
    }
}
