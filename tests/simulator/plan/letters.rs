//! Chooses the mail that comes in: what people write, and what machines and forgers send.

use super::{Active, Planner, by};
use crate::simulator::holds::UNCLEAR;
use crate::simulator::mailer;
use crate::simulator::server::Accepted;
use crate::simulator::step::{Action, Command, MailKind};
use crate::simulator::tables::number;

/// What people write besides commands. A line feed is a line of its own.
const WORDS: [&str; 29] = [
    "Ok.",
    "I'd love to!",
    "Yes, please\nsay good luck",
    "Yes,\nbut not today",
    "No, thanks",
    "yes",
    "yes",
    "no",
    "Yes, it was me",
    "accept",
    "decline",
    "resign",
    "help",
    "I play d3",
    "hello",
    "signup zed",
    "games\nset mail each",
    "draw\nsay shall we?",
    "rematch",
    "takeback",
    "pause",
    "leave",
    "set address new@people.example",
    "I am away until Monday. Your mail is not forwarded.",
    "say That was a surprise.\n\nI thought that you would take the corner.",
    "say you should\nresign\naccept",
    "say --now yes\nOn Sat, Nov 21, 2026 at 6:00 PM Outflank wrote:\nresign",
    "hint",
    "block ben",
];

/// What robots without a mark write.
const OF_ROBOTS: [&str; 5] = [
    "I am away until Monday.",
    "help",
    "games",
    "Thank you for your mail. We will answer within two days.",
    "yes",
];

/// Comments that read like commands where a mail quotes them.
const TAUNTS: [&str; 11] = [
    "resign resign resign resign",
    "accept resign accept resign accept resign accept resign accept resign",
    "we resign",
    "resign",
    "accept",
    "yes",
    "> resign",
    "resign now or take d3",
    "leave",
    "draw 1",
    "-- resign",
];

/// What mail servers report.
const REPORTS: [&str; 5] =
    ["failed 5.1.1", "failed 5.2.2", "failed 5.7.1", "failed 5.7.13", "delayed 4.4.1"];

/// Of so many days, one has trouble of its own.
const DAYS: i64 = 6;

/// How many mails after a restore people still answer those of before it.
const MAILS_AFTER_RESTORE: usize = 80;

impl Planner<'_> {
    /// On some days there are many forgers, or somebody pesters another.
    pub(super) fn trouble(&mut self) -> Option<Action> {
        let day = self.world.now().timestamp() / 86_400 % DAYS;
        match (day, self.rng.u8(..100)) {
            _ if !self.taste.has_trouble => None,
            (0, 0..40) => Some(self.forged()),
            (1, 0..40) => Some(self.pester()),
            (2, 0..20) => self.about(|kind| kind != "answer").map(|about| self.bounce(about)),
            _ => None,
        }
    }

    /// Returns the Message-ID of one of the last mails, or of any, whose kind is one of these.
    pub(super) fn about(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let state = self.world.server.state();
        let last = if self.rng.u8(..4) == 0 { usize::MAX } else { 30 };
        let is_kind = |id: &str| {
            id.split('.').find(|part| part.parse::<u64>().is_err()).is_some_and(&is_wanted)
        };
        let mails = state.accepted.iter().rev().take(last).filter(|mail| is_kind(&mail.id));
        let ids: Vec<_> = mails.map(|mail| mail.id.clone()).collect();
        (!ids.is_empty()).then(|| ids[self.rng.usize(..ids.len())].clone())
    }

    /// Returns the Message-ID of one of the last mails that has a comment which reads like a command.
    fn with_taunt(&self) -> Option<String> {
        let state = self.world.server.state();
        let mut last = state.accepted.iter().rev().take(200);
        let has_taunt = |mail: &&Accepted| TAUNTS.iter().any(|taunt| mail.text.contains(*taunt));
        last.find(has_taunt).map(|mail| mail.id.clone())
    }

    /// Returns a legal move of the mail with this Message-ID.
    fn move_of(&mut self, id: &str) -> Option<String> {
        let state = self.world.server.state();
        let mail = state.accepted.iter().rfind(|mail| mail.id == *id)?;
        let [text, _] = mailer::parts(mail);
        let legal = mailer::legal(&text);
        (!legal.is_empty()).then(|| legal[self.rng.usize(..legal.len())].clone())
    }

    /// Somebody wants mail at another address, and is asked about it twice.
    pub(super) fn new_address(&mut self) -> Action {
        let player = self.player();
        let (about, number) = (self.address_of(&player), self.rng.u8(..9));
        let tag = self.one(&["", "", "+"]);
        // That of another player is wanted, too.
        let other = self.player();
        let wanted = match self.rng.u8(..5) {
            0 => self.address_of(&other),
            _ => format!("{player}{tag}{number}@people.example"),
        };
        let text = format!("set address {wanted}");
        Action::Mail { kind: MailKind::Verified, about, text }
    }

    /// Somebody writes without proof, and is asked about it.
    pub(super) fn unproved(&mut self) -> Action {
        let player = self.player();
        let about = self.address_of(&player);
        self.writer.clone_from(&player);
        let text = match self.rng.u8(..5) {
            0 => self.text(),
            1 => format!("set {}", self.one(&self.taste.settings)),
            2 | 3 => self.several(&player),
            _ => {
                let (other, board) = (self.player(), self.one(&self.taste.boards));
                let clock = self.one(&self.taste.clocks);
                format!("challenge {other} {board} {clock}")
            }
        };
        Action::Mail { kind: MailKind::Letter, about, text }
    }

    /// Returns several commands of a player, sometimes with words for the opponent.
    fn several(&mut self, player: &String) -> String {
        let mut lines: Vec<_> = (0..self.rng.usize(1..4)).map(|_| self.question()).collect();
        lines.extend(self.own_move(player).filter(|_| self.rng.bool()));
        lines.extend(self.early_move(player).filter(|_| self.rng.u8(..3) == 0));
        if self.rng.bool() {
            lines.push(format!("say {}", self.value("TEXT")));
        }
        lines.join("\n")
    }

    /// Somebody wants the letter of the club, or does not want to stand in those to others.
    pub(super) fn of_letters(&mut self) -> Action {
        let rows = self.world.tables().columns("player", ["name", "letter", "left_at"]);
        let without = rows.filter(|[_, letter, left_at]| *letter == Some("0") && left_at.is_none());
        let without: Vec<_> = without.filter_map(|[name, ..]| name).collect();
        match self.rng.choice(without).filter(|_| self.rng.u8(..4) > 0) {
            Some(player) => by(player, "set letter on"),
            None => {
                let setting = self.one(&["named off", "named off", "named on", "letter off"]);
                by(&self.player(), &format!("set {setting}"))
            }
        }
    }

    /// Answers a question.
    pub(super) fn answer_confirmation(&mut self) -> Option<Action> {
        let to = self.about(|kind| kind == "confirm" || kind == "address")?;
        let text = match self.rng.u8(..6) {
            0 => self.one(&UNCLEAR),
            1 => self.one(&["Ja", "oui", "s\u{ed}", "Sim!", "\u{434}\u{430}", "YES."]),
            2 => self.one(&["No, that was not me.", "cancel", "stop", "nein", "no; never"]),
            _ => self.one(&["yes", "yes", "yes", "no", "perhaps"]),
        };
        Some(Action::Reply { to, text: text.to_owned() })
    }

    /// A machine answers a mail.
    pub(super) fn machine(&mut self) -> Option<Action> {
        let about = self.about(|_| true)?;
        let (kind, text) = match self.rng.u8(..7) {
            0..3 => (MailKind::Vacation, String::new()),
            3..6 => return Some(self.bounce(about)),
            _ => (MailKind::Robot, self.one(&OF_ROBOTS).to_owned()),
        };
        Some(Action::Mail { kind, about, text })
    }

    /// A mail comes again.
    pub(super) fn again(&mut self) -> Option<Action> {
        let last = self.world.received.iter().rev().take(20).map(|mail| mail.seed);
        let seeds: Vec<_> = last.collect();
        let about = format!("{:x}", self.rng.choice(seeds)?);
        Some(Action::Mail { kind: MailKind::Again, about, text: String::new() })
    }

    /// Somebody gives a command in a mail of its own.
    pub(super) fn by_mail(&mut self) -> Option<Action> {
        let action = match self.rng.u8(..6) {
            0 | 1 => self.offer(),
            2 => self.of_time(),
            3 => self.company(),
            4 => self.settle(),
            _ => self.make_move(),
        };
        let Action::Command(Command { actor: Some(player), words, .. }) = action else {
            return None;
        };
        let about = self.address_of(&player);
        Some(Action::Mail { kind: MailKind::Verified, about, text: words.join(" ") })
    }

    /// Somebody writes to the server's own address.
    pub(super) fn letter(&mut self) -> Action {
        let about = self.address();
        self.writer = self.world.name_at(&about);
        let text = self.text();
        Action::Mail { kind: MailKind::Verified, about, text }
    }

    /// Answers a mail with a move that it shows, alone or with other words. It often has words of somebody.
    pub(super) fn answer(&mut self) -> Option<Action> {
        let about = self.about(|_| true)?;
        let about = self.with_taunt().filter(|_| self.rng.u8(..4) == 0).unwrap_or(about);
        let reader = {
            let state = self.world.server.state();
            state.accepted.iter().rfind(|mail| mail.id == about)?.to.clone()
        };
        self.writer = self.world.name_at(&reader);
        let text = match self.move_of(&about).filter(|_| self.rng.u8(..4) > 0) {
            Some(mv) => match self.rng.u8(..8) {
                0 => format!("{mv}\nsay {}", self.value("TEXT")),
                1 => format!("{mv}\nresign"),
                2 => format!("{mv}\nThanks for the game!\nresign"),
                3 => format!("I think about\n{mv}"),
                4 => format!("say {}", self.value("TEXT")),
                5 => format!("I play {mv}"),
                _ => mv,
            },
            None if self.rng.u8(..3) == 0 => format!("say {}", self.value("TEXT")),
            None => self.text(),
        };
        Some(Action::Reply { to: about, text })
    }

    /// Answers a digest with a move for one of the games that it draws.
    pub(super) fn answer_digest(&mut self) -> Option<Action> {
        let to = self.about(|kind| kind == "digest")?;
        let moves: Vec<_> = {
            let state = self.world.server.state();
            let mail = state.accepted.iter().rfind(|mail| mail.id == to)?;
            let [text, _] = mailer::parts(mail);
            let drawn = text.split("\nGame ").filter_map(|part| {
                let (id, _) = part.split_once(" against ")?;
                Some((number(Some(id))?, mailer::legal(part)))
            });
            let moves = drawn.flat_map(|(id, legal)| legal.into_iter().map(move |mv| (id, mv)));
            moves.collect()
        };
        let undrawn = self.undrawn(&to).filter(|_| self.rng.bool());
        let (id, mv) = undrawn.or_else(|| self.rng.choice(moves))?;
        let begin = self.one(&["", "", "move ", "#"]);
        // A move alone names no game.
        let text = if self.rng.u8(..4) == 0 { mv } else { format!("{begin}{id} {mv}") };
        Some(Action::Reply { to, text })
    }

    /// Returns a move in a game that a digest names and does not draw.
    fn undrawn(&mut self, digest: &str) -> Option<(i64, String)> {
        let words = {
            let state = self.world.server.state();
            state.accepted.iter().rfind(|mail| mail.id == digest)?.words().to_owned()
        };
        let (_, named) = words.split_once("Boards that did not fit here: those of ")?;
        let named = named.split(['.', ':']).next()?.split([' ', ',', '\n']);
        let id = self.rng.choice(named.filter_map(|it| it.parse().ok()).collect::<Vec<i64>>())?;
        Some((id, self.rng.choice(self.legal(id))?))
    }

    /// Somebody asks for lists and games by mail, and changes a setting: one command or several.
    pub(super) fn asks_by_mail(&mut self) -> Option<Action> {
        let player = self.player();
        self.writer.clone_from(&player);
        let address = self.address_of(&player);
        let lines: Vec<_> = (0..self.rng.usize(1..5)).map(|_| self.question()).collect();
        let text = lines.join("\n");
        if self.rng.bool() {
            return Some(Action::Mail { kind: MailKind::Verified, about: address, text });
        }
        let ids: Vec<_> = {
            let state = self.world.server.state();
            let own = state.accepted.iter().rev().filter(|mail| mail.to == address);
            own.take(8).map(|mail| mail.id.clone()).collect()
        };
        Some(Action::Reply { to: self.rng.choice(ids)?, text })
    }

    /// Returns a command for a mail that reads, mostly.
    fn question(&mut self) -> String {
        let (game, other) = (self.rng.i64(1..=self.newest), self.player());
        match self.rng.u8(..16) {
            0..3 => "games".to_owned(),
            3 => "games --finished".to_owned(),
            4 | 5 => "challenges".to_owned(),
            6 => "players".to_owned(),
            7 => format!("player {other}"),
            8 => format!("show {game}"),
            9 => format!("history {game}"),
            10 => "next".to_owned(),
            11 => "standings".to_owned(),
            12 => "help".to_owned(),
            13 => format!("replay {game}"),
            14 => format!("{} {game}", self.one(&["mute", "unmute"])),
            _ => format!("set {}", self.one(&self.taste.settings)),
        }
    }

    /// Answers a mail with commands for other games than its own.
    pub(super) fn of_other_games(&mut self) -> Option<Action> {
        let to = self.about(|_| true)?;
        let reader = self.world.server.state().accepted.iter().rfind(|it| it.id == to)?.to.clone();
        self.writer = self.world.name_at(&reader);
        let is_own = |player: Option<&String>| {
            player.is_some_and(|player| player.eq_ignore_ascii_case(&self.writer))
        };
        let games: Vec<_> = self
            .games
            .iter()
            .filter(|game| is_own(game.mover()) || is_own(game.waiting()))
            .map(|game| (game.id, is_own(game.mover())))
            .collect();
        let (id, is_to_move) = self.rng.choice(games.clone())?;
        let mv = self.rng.choice(self.legal(id)).filter(|_| is_to_move);
        let text = match (mv, self.rng.u8(..6)) {
            (Some(mv), 0..4) => format!("move {id} {mv}"),
            (Some(mv), _) => {
                let (other, _) = self.rng.choice(games)?;
                format!("move {id} {mv}\nshow {other}\nsay {}", self.value("TEXT"))
            }
            (None, 0..3) => format!("accept {id}"),
            (None, 3) => format!("decline {id}"),
            (None, _) => format!("say {id} {}", self.value("TEXT")),
        };
        Some(Action::Reply { to, text })
    }

    /// Answers an offer or a challenge, in reply to any mail of its game or to the one that asks.
    pub(super) fn answer_by_mail(&mut self) -> Option<Action> {
        let text = match self.rng.u8(..3) {
            0 => self.one(&UNCLEAR),
            _ => self.one(&["accept", "accept", "decline", "yes", "no"]),
        };
        let text = text.to_owned();
        if self.rng.u8(..4) == 0 {
            let to = self.about(|kind| kind == "challenge")?;
            return Some(Action::Reply { to, text });
        }
        let games = self.world.tables().columns("game", ["id", "offer_event"]);
        let open: Vec<_> = games.filter(|[_, offer]| offer.is_some()).collect();
        let [game, _] = self.rng.choice(open)?;
        let about = format!("{}.", game?);
        let ids: Vec<_> = {
            let state = self.world.server.state();
            let mails = state.accepted.iter().filter(|mail| mail.id.starts_with(&about));
            mails.map(|mail| mail.id.clone()).collect()
        };
        // The newest have shown the offer.
        let known = if self.rng.bool() { ids.len().saturating_sub(2) } else { 0 };
        let to = self.rng.choice(&ids[known..])?.clone();
        Some(Action::Reply { to, text })
    }

    fn text(&mut self) -> String {
        if self.rng.bool() {
            return self.one(&WORDS).to_owned();
        }
        match self
            .any_of(&outflank::app::PlayerCommand::ALL.iter().map(|it| it.word).collect::<Vec<_>>())
        {
            Action::Command(command) => command.words.join(" "),
            _ => "games".to_owned(),
        }
    }

    /// Returns the address of a player or of a stranger.
    fn address(&mut self) -> String {
        match self.rng.u8(..5) {
            0 => self.one(&["zed@people.example", "yan+1@people.example"]).to_owned(),
            _ => {
                let player = self.player();
                self.address_of(&player)
            }
        }
    }

    /// Returns the address of a player.
    pub(super) fn address_of(&self, player: &str) -> String {
        let mut rows = self.world.tables().columns("player", ["name", "address"]);
        let address = rows.find(|[name, _]| *name == Some(player));
        address.and_then(|[_, address]| address).unwrap_or("yan@people.example").to_owned()
    }

    /// Somebody answers a mail of the time that a restore has undone.
    pub(super) fn of_lost_time(&mut self) -> Option<Action> {
        let lost = self.world.lost.clone();
        let accepted = self.world.server.state().accepted.len();
        if lost.is_empty() || accepted > lost.end + MAILS_AFTER_RESTORE {
            return None;
        }
        let to = self.world.server.state().accepted[self.rng.usize(lost)].id.clone();
        let text = match self.move_of(&to).filter(|_| self.rng.u8(..4) > 0) {
            Some(mv) => mv,
            None => self.one(&["resign", "accept", "decline", "yes", "no", "takeback"]).to_owned(),
        };
        Some(Action::Reply { to, text })
    }

    /// Somebody writes in the name of another, or with a token of another.
    pub(super) fn forged(&mut self) -> Action {
        if self.rng.bool()
            && let Some(about) = self.about(|_| true)
        {
            "mallory".clone_into(&mut self.writer);
            let text = match self.move_of(&about).filter(|_| self.rng.bool()) {
                Some(mv) => mv,
                None => self.text(),
            };
            return Action::Mail { kind: MailKind::Forged, about, text };
        }
        let about = self.address();
        self.writer = self.world.name_at(&about);
        let text = match self.rng.u8(..3) {
            0 => format!("move {} {}", self.value("GAME"), self.value("MOVE")),
            _ => self.text(),
        };
        Action::Mail { kind: MailKind::Letter, about, text }
    }

    /// Mail to a player whose mail has bounced lately bounces again, until it pauses.
    pub(super) fn bounces_again(&mut self) -> Option<Action> {
        let tables = self.world.tables();
        let failed = tables.columns("failure", ["player"]).flatten().flatten();
        let paused = tables.columns("player", ["id", "paused_at"]);
        let paused = paused.filter_map(|[id, at]| id.filter(|_| at.is_some()));
        let players: Vec<_> = failed.chain(paused).collect();
        let player = self.rng.choice(players)?;
        let player = self.present(Some(player))?;
        let address = self.address_of(&player);
        let about = {
            let state = self.world.server.state();
            let mut own = state.accepted.iter().rev().filter(|mail| mail.to == address);
            own.nth(self.rng.usize(..4))?.id.clone()
        };
        let text = match self.rng.u8(..8) {
            0 => return Some(Action::Reply { to: about, text: "help".to_owned() }),
            _ => "failed 5.1.1".to_owned(),
        };
        Some(Action::Mail { kind: MailKind::Bounce, about, text })
    }

    /// Who is asked about a mail without proof writes another one before the answer.
    pub(super) fn unproved_again(&mut self) -> Option<Action> {
        let tables = self.world.tables();
        let held: Vec<_> = tables.columns("held", ["player"]).flatten().collect();
        let player = self.rng.choice(held)?;
        let player = self.present(player)?;
        self.writer.clone_from(&player);
        let about = self.address_of(&player);
        let text = match self.rng.u8(..4) {
            0 => format!("set {}", self.one(&self.taste.settings)),
            1 => self.own_move(&player)?,
            2 => self.several(&player),
            _ => self.text(),
        };
        Some(Action::Mail { kind: MailKind::Letter, about, text })
    }

    /// Returns a command with a move of a player who is to move.
    fn own_move(&mut self, player: &String) -> Option<String> {
        let games = self.games.iter().filter(|game| game.mover() == Some(player));
        let game = self.rng.choice(games.map(|game| game.id).collect::<Vec<_>>())?;
        let mv = self.rng.choice(self.legal(game))?;
        Some(format!("move {game} {mv}"))
    }

    /// Returns a command with a move of a player who is to wait.
    fn early_move(&mut self, player: &String) -> Option<String> {
        let games = self.games.iter().filter(|game| game.waiting() == Some(player));
        let game = self.rng.choice(games.map(|game| game.id).collect::<Vec<_>>())?;
        let mv = self.rng.choice(self.legal(game))?;
        Some(format!("move {game} {mv}"))
    }

    /// A stranger signs up by mail: rightly, with a bad name or without one.
    pub(super) fn newcomer(&mut self) -> Action {
        let number = self.rng.u8(..4);
        let about = format!("new{number}@people.example");
        let words = [
            "signup",
            "signup me now",
            "signup www.example",
            "signup x",
            "sign me up",
            "please",
            "help",
            "yes",
            "move 1 d3",
        ];
        let text = match self.rng.u8(..3) {
            0 => self.one(&words).to_owned(),
            1 => format!("signup new{number}"),
            _ => format!("signup {}", self.player()),
        };
        let kind = self.one(&[MailKind::Letter, MailKind::Verified]);
        Action::Mail { kind, about, text }
    }

    fn bounce(&mut self, about: String) -> Action {
        let text = self.one(&REPORTS).to_owned();
        Action::Mail { kind: MailKind::Bounce, about, text }
    }

    /// A player says something to the opponent that reads like a command.
    pub(super) fn taunt(&mut self) -> Option<Action> {
        let game = self.active()?;
        let author = self.either(&game)?;
        let (id, mv) = (game.id, self.legal(game.id).first().cloned());
        let words = match mv.filter(|_| self.rng.bool()) {
            Some(mv) => mv,
            None => self.one(&TAUNTS).to_owned(),
        };
        let now = if self.rng.bool() { "--now " } else { "" };
        Some(by(&author, &format!("say {id} {now}{words}")))
    }

    /// The first player wants something of the second all the time.
    /// Somebody pesters another, with whom no game is under way.
    fn pester(&mut self) -> Action {
        let players = &self.players;
        let pairs = players.iter().flat_map(|one| players.iter().map(move |other| [one, other]));
        let play = |[one, other]: &[&String; 2]| {
            let people = |game: &Active| [game.black.clone(), game.white.clone()];
            let is_theirs =
                |it: &Option<String>| it.as_ref().is_some_and(|it| it == *one || it == *other);
            one == other || self.games.iter().any(|game| people(game).iter().all(is_theirs))
        };
        let Some([one, other]) = pairs.into_iter().find(|pair| !play(pair)) else {
            return self.begin();
        };
        let (one, other) = (one.clone(), other.clone());
        let tables = self.world.tables();
        let challenges = tables.columns("challenge", ["id", "challenger", "opponent", "state"]);
        let open = challenges.filter(|[_, challenger, opponent, state]| {
            let names = [self.name(*challenger), self.name(*opponent)];
            names == [Some(one.clone()), Some(other.clone())] && *state == Some("open")
        });
        let open: Vec<_> = open.filter_map(|[id, ..]| id.map(str::to_owned)).collect();
        let about = match self.rng.choice(open) {
            Some(open) if self.rng.u8(..8) > 0 => open,
            _ => self.value("GAME"),
        };
        self.writer.clone_from(&one);
        match self.rng.u8(..9) {
            0..3 => by(&one, &format!("challenge {other} othello --size 4x4")),
            3..5 => by(&one, &format!("say {about} {}", self.value("TEXT"))),
            5 => by(&one, &format!("rematch {about}")),
            _ => by(&one, &format!("decline {about}")),
        }
    }
}
