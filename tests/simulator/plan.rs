//! Chooses the next step: what people, the host and the world do. Commands come from the registry, with
//! arguments by their value names, so that a new command takes part as soon as it is registered.

mod afterwards;
mod clubs_meet;
mod combinations;
mod company;
mod cups;
mod encounters;
mod front_ends;
mod letters;
mod letters_meet;
mod limits_meet;
mod mails;
mod novelty;
mod positions;
mod rare;
mod reactions;
mod repertoire;
mod scenes;
mod scripts;
mod settled;
mod situations;
mod taste;
mod time;

use std::collections::VecDeque;
use std::mem;

use chrono::TimeDelta;
use clap::ArgAction;
use outflank::app::{HostCommand, PlayerCommand};

use self::combinations::Met;
use self::novelty::Novelty;
use self::repertoire::Repertoire;
use self::settled::Settled;
use self::taste::{SAID, Taste};
use self::time::SETTINGS;
use super::holds::{HOST, MARK, name_of};
use super::pages::{self, Form, Request};
use super::replay::Replayed;
use super::server::Accepted;
use super::step::{Action, Command, Cut, MailKind, Step};
use super::tables::number;
use super::world::World;

/// The people of the club.
const PEOPLE: [&str; 7] = ["ann", "ben", "cat", "dan", "eve", "fay", "gus"];

/// Commands that are not chosen, with the reason.
const LEFT_OUT: [(&str, &str); 9] = [
    ("engine", "reads lines until its input ends"),
    ("solve", "takes long"),
    ("receive", "is what a reply runs"),
    ("backup", "is a step of its own"),
    ("import", "reads files"),
    ("handover", "is part of a step of its own"),
    ("takeover", "is part of the same step"),
    ("doctor", "checks this machine"),
    ("leave", "is chosen on its own, seldom"),
];

/// Options that are not chosen: they run until stopped, or use files.
const OPTIONS_LEFT_OUT: [&str; 8] =
    ["watch", "maildir", "log", "output", "write", "read", "svg", "png"];

/// After so many steps, most people have chosen their settings.
const SETTLED_AFTER: usize = 60;

/// So many members a club has before anything else happens: as many as take part in a scene, and one more.
const MEMBERS: usize = 5;

/// How many commands of players are remembered, to be undone or repeated.
const MAX_RECENT: usize = 10;

/// A game that is active.
#[derive(Clone)]
struct Active {
    id: i64,
    black: Option<String>,
    white: Option<String>,
    turn: String,
}

impl Active {
    fn mover(&self) -> Option<&String> {
        if self.turn == "black" { self.black.as_ref() } else { self.white.as_ref() }
    }

    fn waiting(&self) -> Option<&String> {
        if self.turn == "black" { self.white.as_ref() } else { self.black.as_ref() }
    }
}

/// A later step, which is chosen when its time comes; `None` if it cannot be done then.
type Later = Box<dyn Fn(&mut Planner) -> Option<Action>>;

/// What a plan knows of a world.
struct Planner<'a> {
    world: &'a World,
    rng: &'a mut fastrand::Rng,
    taste: &'a Taste,
    novelty: &'a mut Novelty,
    repertoire: &'a mut Repertoire,
    met: &'a mut Met,
    /// The last commands of players.
    recent: &'a [Command],
    /// What follows in the next steps.
    later: Vec<Later>,
    players: Vec<String>,
    games: Vec<Active>,
    /// Who writes the words of the step, for their marks.
    writer: String,
    /// The newest number of a game or challenge.
    newest: i64,
}

/// Chooses what happens in a world.
pub struct Plan {
    rng: fastrand::Rng,
    taste: Taste,
    novelty: Novelty,
    repertoire: Repertoire,
    met: Met,
    /// The last commands of players.
    recent: Vec<Command>,
    /// What follows in the next steps.
    script: VecDeque<Later>,
    settled: Settled,
    /// Whether nothing comes between these steps, and nothing fails in them.
    is_calm: bool,
    /// How many steps there were.
    done: usize,
}

impl Plan {
    pub fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let taste = Taste::new(&mut rng);
        let (novelty, met) = (Novelty::default(), Met::default());
        let (repertoire, recent, script) = (Repertoire::new(seed), Vec::new(), VecDeque::new());
        let settled = Settled::default();
        let (is_calm, done) = (false, 0);
        Self { rng, taste, novelty, repertoire, met, recent, script, settled, is_calm, done }
    }

    /// Returns the next step.
    pub fn next(&mut self, world: &World) -> Step {
        let seed = self.rng.u64(..);
        self.done += 1;
        if self.done == 1 {
            let action = Action::Wait { seconds: self.taste.begins_after };
            return Step { seed, cut: None, action, meanwhile: None };
        }
        let is_calm = self.is_calm && !self.script.is_empty();
        let cut = match self.rng.u8(..100) {
            _ if is_calm => None,
            0..9 => Some(Cut::Kill),
            9..16 => Some(Cut::Power),
            _ => None,
        };
        let is_new = self.done < SETTLED_AFTER;
        // Something else can come between.
        let is_scripted = is_calm || self.rng.u8(..10) > 0;
        let (mut script, mut settled) = (mem::take(&mut self.script), mem::take(&mut self.settled));
        let mut planner = Planner::new(world, self);
        let mut scripted = None;
        // What cannot be done, or has been done, is left out.
        while is_scripted
            && scripted.is_none()
            && let Some(later) = script.pop_front()
        {
            scripted = later(&mut planner).filter(|action| !settled.has(action));
        }
        let action = match planner.rng.u16(..150) {
            _ if scripted.is_some() => scripted.unwrap_or_else(|| host("send")),
            0..50 if is_new && planner.players.len() > 2 => planner.settle(),
            0 if planner.players.len() > 2 => Action::Away(Box::new(planner.without_database())),
            1 | 2 if planner.players.len() > 2 => {
                Action::Moved(Box::new(planner.without_database()))
            }
            _ => planner.action(),
        };
        let (action, then) = planner.in_some_front_end(action);
        let is_process = match action {
            Action::Mail { kind, .. } => kind != MailKind::Robot,
            _ => matches!(action, Action::Command(_) | Action::Reply { .. } | Action::Page(_)),
        };
        let cut = cut.filter(|_| is_process);
        let meanwhile = match cut {
            None if is_process && !is_calm && planner.players.len() > 2 => {
                (planner.rng.u8(..16) == 0).then(|| planner.meanwhile()).flatten()
            }
            _ => None,
        };
        settled.note(&action);
        let is_calm = if script.is_empty() { planner.rng.u8(..4) > 0 } else { is_calm };
        script.extend(mem::take(&mut planner.later));
        (self.script, self.settled, self.is_calm) = (script, settled, is_calm);
        then.into_iter().for_each(|then| self.script.push_front(then));
        if let Action::Command(command) = &action
            && command.actor.is_some()
        {
            self.recent.push(command.clone());
            let forgotten = self.recent.len().saturating_sub(MAX_RECENT);
            self.recent.drain(..forgotten);
        }
        Step { seed, cut, action, meanwhile }
    }
}

impl<'a> Planner<'a> {
    fn new(world: &'a World, plan: &'a mut Plan) -> Self {
        let tables = world.tables();
        let players = tables.columns("player", ["id", "name", "left_at"]);
        let players: Vec<_> = players.filter(|[_, _, left_at]| left_at.is_none()).collect();
        let name = |id: Option<&str>| {
            let [_, name, _] = players.iter().find(|[it, _, _]| id.is_some() && *it == id)?;
            name.map(str::to_owned)
        };
        let active = |[id, black, white, turn]: [Option<&str>; 4]| {
            let (id, turn) = (id?.parse().ok()?, turn?.to_owned());
            Some(Active { id, black: name(black), white: name(white), turn })
        };
        let mut games: Vec<_> =
            tables.columns("game", ["id", "black", "white", "turn"]).filter_map(active).collect();
        games.sort_unstable_by_key(|game| game.id);
        let ids = tables.columns("game", ["id"]).chain(tables.columns("challenge", ["id"]));
        let newest = ids.filter_map(|[id]| id?.parse().ok()).max().unwrap_or(1);
        let players = players.iter().filter_map(|[_, name, _]| name.map(str::to_owned)).collect();
        let writer = HOST.to_owned();
        let Plan { rng, taste, novelty, repertoire, met, recent, .. } = plan;
        let later = Vec::new();
        Self {
            world,
            rng,
            taste,
            novelty,
            repertoire,
            met,
            recent,
            later,
            players,
            games,
            writer,
            newest,
        }
    }

    fn action(&mut self) -> Action {
        if self.players.len() < MEMBERS {
            return self.sign_up();
        }
        if self.games.len() < 3 && self.rng.u8(..3) > 0 {
            return self.begin();
        }
        let mut action = match self.trouble() {
            Some(action) => return action,
            None => self.deed(),
        };
        // Some processes, and some hosts, have a configuration of their own.
        if let Action::Command(command) = &mut action
            && command.words[0] != "signup"
            && command.words.get(1).is_none_or(|it| it != "retry")
        {
            let odds = if command.words.starts_with(&["mail".to_owned()]) { 3 } else { 40 };
            command.is_elsewhere = self.rng.u8(..odds) == 0;
        }
        action
    }

    /// Returns what somebody does while the database is away.
    fn without_database(&mut self) -> Action {
        let player = self.player();
        match self.rng.u8(..6) {
            0 => host("new othello yan@people.example zed@people.example"),
            1 => self.sign_up(),
            2 => host("send"),
            3 => Action::Mail {
                kind: MailKind::Verified,
                about: self.address_of(&player),
                text: "games".to_owned(),
            },
            _ => self.any(),
        }
    }

    fn one<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.rng.usize(..values.len())]
    }

    /// Returns an active game, if there is one.
    fn active(&mut self) -> Option<Active> {
        let games = self.games.len();
        (games > 0).then(|| self.games[self.rng.usize(..games)].clone())
    }

    /// Returns one of the players of a game; `None` if it is a computer player.
    fn either(&mut self, game: &Active) -> Option<String> {
        let player = if self.rng.bool() { game.mover() } else { game.waiting() };
        player.cloned()
    }

    /// Returns the name of the player with this number, who may have left.
    fn name(&self, player: Option<&str>) -> Option<String> {
        name_of(self.world.tables(), number(player)?).map(str::to_owned)
    }

    fn player(&mut self) -> String {
        self.players[self.rng.usize(..self.players.len())].clone()
    }

    fn sign_up(&mut self) -> Action {
        let number = self.world.tables().columns("player", ["id"]).count();
        let name = match self.rng.u8(..3) {
            0 => self.one(&PEOPLE).to_owned(),
            _ => format!("{}{number}", self.one(&PEOPLE)),
        };
        // Some people sort their mail by a tag.
        let tag = self.one(&["", "", "", "", "+club"]);
        host(&format!("signup {name} {name}{tag}@people.example"))
    }

    fn leave(&mut self) -> Action {
        let player = self.player();
        by(&player, "leave --yes")
    }

    fn begin(&mut self) -> Action {
        let (black, white) = (self.player(), self.player());
        let black = self.busy_player().cloned().unwrap_or(black);
        let size = self.one(&self.taste.boards);
        let bot =
            self.one(&["bot:novice", "bot:beginner", "bot:learner", "bot:0", "bot:1", "bot:2"]);
        let clock = self.one(&self.taste.clocks);
        match self.rng.u8(..10) {
            0..2 => by(&black, &format!("challenge {white} {size} {clock}")),
            2..4 => by(&black, &format!("challenge anyone {size} {clock}")),
            4 => by(&black, &format!("challenge {bot} othello --size 4x4 {clock}")),
            _ => match self.rng.u8(..10) {
                0 => host(&format!("new othello {bot} {white} --size 4x4 {clock}")),
                1 => host(&format!("new othello {bot} bot:novice --size 4x4")),
                2..6 => host(&format!("new {size} {black} {white} --rated {clock}")),
                _ => host(&format!("new {size} {black} {white} {clock}")),
            },
        }
    }

    /// Returns the legal moves of the player to move. They are not asked of the program: a command about a game
    /// can record a flag, and a trail that is repeated has no such command.
    fn legal(&self, game: i64) -> Vec<String> {
        Replayed::of(self.world.tables(), game, usize::MAX)
            .map_or_else(|_| Vec::new(), |it| it.legal())
    }

    fn make_move(&mut self) -> Action {
        let Some(game) = self.active() else { return self.begin() };
        // Games wait for the one who has many.
        let is_busy = game.mover().is_some() && game.mover() == self.busy_player();
        if is_busy && self.rng.u8(..5) > 0 {
            return self.make_move();
        }
        let (id, legal) = (game.id, self.legal(game.id));
        let (Some(mover), false) = (game.mover(), legal.is_empty()) else { return host("send") };
        let mv = legal[self.rng.usize(..legal.len())].clone();
        if self.rng.u8(..3) == 0 {
            let about = format!(".{id}.");
            let state = self.world.server.state();
            let last = state.accepted.iter().rev().take(40).find(|mail| {
                mail.to.starts_with(mover) && format!(".{}", mail.id).contains(&about)
            });
            if let Some(to) = last.map(|mail| mail.id.clone()) {
                return Action::Reply { to, text: mv };
            }
        }
        by(mover, &format!("move {id} {mv}"))
    }

    /// Returns words in a game, or a look at those of others.
    fn talk(&mut self) -> Action {
        let Some(game) = self.active() else { return self.begin() };
        let (id, is_first) = (game.id, self.rng.bool());
        let [Some(one), Some(other)] = [game.mover(), game.waiting()] else { return host("send") };
        let (player, opponent) = if is_first { (one, other) } else { (other, one) };
        self.writer.clone_from(player);
        let stranger = self.player();
        match self.rng.u8(..10) {
            9 => by(player, &format!("hint {id}#{} --depth 2", self.rng.u8(..12))),
            0 => by(player, &format!("say {id} {}", self.value("TEXT"))),
            1 => by(player, &format!("say {id} --now {}", self.value("TEXT"))),
            2 | 3 => by(player, &format!("note {id} {}", self.value("TEXT"))),
            4 => by(player, &format!("note {id}")),
            5 => by(player, &format!("history {id}")),
            6 => by(&stranger, &format!("history {id}")),
            7 => host(&format!("history {id}")),
            _ => match self.rng.u8(..3) {
                0 => by(player, &format!("block {opponent}")),
                1 => by(player, &format!("unblock {opponent}")),
                _ => by(&stranger, &format!("show {id}")),
            },
        }
    }

    fn reply(&mut self) -> Action {
        let ids: Vec<_> = {
            let state = self.world.server.state();
            state.accepted.iter().rev().take(30).map(|mail| mail.id.clone()).collect()
        };
        if ids.is_empty() {
            return host("send");
        }
        let to = ids[self.rng.usize(..ids.len())].clone();
        let (reader, address) = {
            let state = self.world.server.state();
            let mail = state.accepted.iter().find(|mail| mail.id == to);
            let address = mail.and_then(|mail| mail.field("Reply-To"));
            (mail.map_or_else(String::new, |mail| mail.to.clone()), address.unwrap_or_default())
        };
        self.writer = self.world.name_at(&reader);
        let text = match self.rng.u8(..4) {
            0 => self
                .one(&["yes", "no", "accept", "decline", "resign", "help", "draw", "pass"])
                .to_owned(),
            1 => self.value("MOVE"),
            // Sometimes a token is among the words.
            2 if self.rng.bool() => format!("say --now see {address} {}", self.value("TEXT")),
            2 => format!("say {}", self.value("TEXT")),
            _ => {
                match self.any_of(&PlayerCommand::ALL.iter().map(|it| it.word).collect::<Vec<_>>())
                {
                    Action::Command(command) => command.words.join(" "),
                    _ => "games".to_owned(),
                }
            }
        };
        Action::Reply { to, text }
    }

    /// Opens a page from a link in a mail, or uses a page that is open: mostly the newest.
    fn page(&mut self) -> Action {
        if let Some(path) = self.world.sent_to.clone().filter(|_| self.rng.bool()) {
            return open(path);
        }
        let tabs = &self.world.tabs;
        let back = if self.rng.u8(..4) == 0 { self.rng.usize(..tabs.len().max(1)) } else { 0 };
        let Some(tab) = tabs.iter().rev().nth(back).filter(|_| self.rng.u8(..5) > 0) else {
            return self.linked_page();
        };
        let (path, body) = (tab.path.clone(), tab.body.clone());
        match self.rng.u8(..6) {
            0 => {
                let mut links = pages::links(&body);
                // A list has parts: those of a variant, and the rest of a long one.
                let own = path.split('?').next().unwrap_or_default();
                links.extend(pages::parts(&body).into_iter().map(|part| format!("{own}{part}")));
                match links.is_empty() {
                    true => open(path),
                    false => open(links[self.rng.usize(..links.len())].clone()),
                }
            }
            // A board is used most of all.
            1..4 => {
                let squares = pages::forms(&body).into_iter().find(|form| !form.buttons.is_empty());
                match squares {
                    Some(form) => {
                        let (name, value) = &form.buttons[self.rng.usize(..form.buttons.len())];
                        open(format!("{}?{name}={value}", form.path))
                    }
                    None => self.send_form(path, &body),
                }
            }
            _ => self.send_form(path, &body),
        }
    }

    /// Somebody asks for the own page, opens it, or goes on from there: to the calendar, mostly.
    fn own_page(&mut self) -> Action {
        let is_own = |path: &str| path.starts_with("/me/") && path.matches('/').count() == 2;
        let tabs = self.world.tabs.iter().rev().filter(|tab| is_own(&tab.path)).take(3);
        let tabs: Vec<_> = tabs.map(|tab| (tab.path.clone(), tab.body.clone())).collect();
        if let Some((path, body)) = self.rng.choice(tabs).filter(|_| self.rng.u8(..4) > 0) {
            let links = pages::links(&body);
            let calendar = links.iter().find(|it| it.starts_with("/calendar/")).cloned();
            return match (self.rng.u8(..6), calendar) {
                (0, Some(calendar)) => open(calendar),
                (0 | 1, _) => open(path),
                (2, _) => match self.rng.choice(links) {
                    Some(link) => open(link),
                    None => open(path),
                },
                _ => self.send_form(path, &body),
            };
        }
        let mut links = {
            let state = self.world.server.state();
            let mails = state.accepted.iter().filter(|mail| mail.id.starts_with("own-page."));
            mails.rev().take(3).flat_map(Accepted::links).collect::<Vec<_>>()
        };
        links.retain(|link| is_own(link));
        match self.rng.choice(links).filter(|_| self.rng.u8(..3) > 0) {
            Some(link) => open(link),
            None => by(&self.player(), "page"),
        }
    }

    /// Somebody presses the "unsubscribe" button of a mail program, once or twice.
    fn unsubscribe(&mut self) -> Option<Action> {
        let paths: Vec<(String, String)> = {
            let state = self.world.server.state();
            let last = state.accepted.iter().rev().take(80);
            let kind = |mail: &Accepted| mail.shown.as_ref().map(|it| it.kind.clone());
            let path = |mail: &Accepted| Some((kind(mail)?, mail.unsubscribes_at()?));
            last.filter_map(path).collect()
        };
        // Most mails are about one game.
        let is_rare = |kind: &str| matches!(kind, "digest" | "reminder" | "letter");
        let rare: Vec<_> = paths.iter().filter(|(kind, _)| is_rare(kind)).cloned().collect();
        let rare = if self.rng.bool() { rare } else { Vec::new() };
        let (_, path) = self.rng.choice(if rare.is_empty() { paths } else { rare })?;
        let form = Some("List-Unsubscribe=One-Click".to_owned()).filter(|_| self.rng.u8(..4) > 0);
        // A trail says of forms only who sends them.
        let is_foreign = self.rng.bool() && form.is_some();
        Some(Action::Page(Request { path, form, is_foreign }))
    }

    /// Opens a page from a link in a mail, or one for everybody.
    fn linked_page(&mut self) -> Action {
        if self.rng.u8(..6) == 0 {
            return open(pages::public_path(self.world.tables(), self.rng));
        }
        let back = self.rng.usize(..30);
        let links = {
            let state = self.world.server.state();
            state.accepted.iter().rev().nth(back).map(Accepted::links).unwrap_or_default()
        };
        match links.is_empty() {
            true => host("send"),
            false => open(links[self.rng.usize(..links.len())].clone()),
        }
    }

    /// Sends a form of a page.
    fn send_form(&mut self, path: String, page: &str) -> Action {
        let is_setting = |it: &Form| it.value("command").is_some_and(|it| it.starts_with("set "));
        // An own page has a form for each setting, and few others.
        let is_meant = |it: &Form, all: bool| it.is_post && (all || !is_setting(it));
        let all = self.rng.u8(..4) == 0;
        let forms = pages::forms(page).into_iter().filter(|form| is_meant(form, all));
        let forms: Vec<Form> = forms.collect();
        if forms.is_empty() {
            return open(path);
        }
        let form = &forms[self.rng.usize(..forms.len())];
        self.writer = self.world.reader_of(&form.path);
        let command = form.value("command").unwrap_or_default();
        let typed = match self.rng.u8(..3) {
            _ if command == "away" => self.value("FROM TO"),
            _ if command.starts_with("set ") => self.setting_of(command),
            0 => self.value("MOVE"),
            1 if form.choices.is_empty() => self.value("N"),
            1 => self.player(),
            _ => self.value("TEXT"),
        };
        let typed = form.text.is_some().then_some(&*typed);
        let request = Request {
            path: form.path.clone(),
            form: Some(form.encoded(typed, |values| self.rng.usize(..values))),
            is_foreign: self.rng.u8(..20) == 0,
        };
        Action::Page(request)
    }

    /// Returns a value for the setting that a command names.
    fn setting_of(&mut self, command: &str) -> String {
        let own = SETTINGS.iter().filter_map(|it| {
            let setting = command.strip_prefix("set ")?;
            it.strip_prefix(setting)?.strip_prefix(' ')
        });
        let own: Vec<_> = own.collect();
        self.rng.choice(own).map_or_else(|| self.value("TEXT"), str::to_owned)
    }

    fn offer(&mut self) -> Action {
        let Some(game) = self.active() else { return self.begin() };
        let Some(player) = self.either(&game) else { return host("send") };
        let id = game.id;
        let word = self.one(&[
            "takeback", "draw", "pause", "unpause", "accept", "accept", "decline", "claim",
            "resign", "abort",
        ]);
        let id = if self.rng.u8(..4) == 0 { self.rng.i64(1..=self.newest) } else { id };
        by(&player, &format!("{word} {id}"))
    }

    /// Returns any command of the registry.
    fn any(&mut self) -> Action {
        let words = PlayerCommand::ALL.iter().chain(HostCommand::ALL).map(|traits| traits.word);
        let words: Vec<_> = words.collect();
        self.any_of(&words)
    }

    fn any_of(&mut self, words: &[&'static str]) -> Action {
        let word = self.one(words);
        if LEFT_OUT.iter().any(|(it, _)| *it == word) {
            return host("send");
        }
        let (parser, is_player) = match PlayerCommand::parser(word) {
            Some(parser) => (Some(parser), true),
            None => (HostCommand::parser(word), false),
        };
        let actor = is_player.then(|| self.player()).filter(|_| self.rng.u8(..20) > 0);
        if self.writer == HOST {
            self.writer = actor.clone().unwrap_or_else(|| HOST.to_owned());
        }
        let mut line = vec![word.to_owned()];
        for argument in parser.iter().flat_map(clap::Command::get_arguments) {
            let id = argument.get_id().as_str();
            let is_chosen = argument.is_required_set()
                || matches!(id, "depth" | "count")
                || self.rng.u8(..if argument.is_positional() { 2 } else { 6 }) == 0;
            if !is_chosen || OPTIONS_LEFT_OUT.contains(&id) || matches!(id, "help" | "version") {
                continue;
            }
            line.extend(argument.get_long().map(|long| format!("--{long}")));
            if !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append) {
                continue;
            }
            let possible = argument.get_possible_values();
            if !possible.is_empty() {
                line.push(possible[self.rng.usize(..possible.len())].get_name().to_owned());
                continue;
            }
            for name in argument.get_value_names().unwrap_or_default().to_vec() {
                let value = self.value(&name);
                let is_many = matches!(&*name, "VALUE" | "TEXT" | "MOVES" | "COMMAND" | "FROM TO");
                match is_many {
                    true => line.extend(value.split(' ').map(str::to_owned)),
                    false => line.push(value),
                }
            }
        }
        Action::Command(Command { actor, words: line, is_elsewhere: false })
    }

    /// Returns a command that runs while the mail server takes a mail.
    fn meanwhile(&mut self) -> Option<(u64, Command)> {
        // Not whoever writes the words of the step.
        HOST.clone_into(&mut self.writer);
        let action = match self.rng.u8(..4) {
            0 => host("send"),
            1 => self.offer(),
            2 => self.any(),
            _ => self.make_move(),
        };
        let Action::Command(command) = action else { return None };
        Some((self.rng.u64(..), command))
    }

    /// Returns a value for an argument with this value name.
    fn value(&mut self, name: &str) -> String {
        // Sometimes it is not valid.
        if self.rng.u8(..30) == 0 {
            return self
                .one(&["x", "0", "999", "\u{fc}nknown", "-1", "a\"b", "d3", "  "])
                .to_owned();
        }
        let game = self.rng.i64(1..=self.newest);
        match value(name) {
            Some(Value::OneOf(values)) => self.one(values).to_owned(),
            Some(Value::Game) => game.to_string(),
            Some(Value::GameAtPly) if self.rng.bool() => format!("{game}#{}", self.rng.u8(..12)),
            Some(Value::GameAtPly) => game.to_string(),
            Some(Value::Move) => match self.legal(game) {
                legal if legal.is_empty() => "a1".to_owned(),
                legal => legal[self.rng.usize(..legal.len())].clone(),
            },
            Some(Value::Player) => self.player(),
            Some(Value::Opponent) => match self.rng.u8(..3) {
                0 => "bot:novice".to_owned(),
                1 => "anyone".to_owned(),
                _ => self.player(),
            },
            Some(Value::Address) => {
                let (name, number) = (self.player(), self.rng.u8(..9));
                match self.rng.u8(..3) {
                    0 => format!("{name}+{number}@people.example"),
                    _ => format!("{name}{number}@people.example"),
                }
            }
            Some(Value::Words) => {
                let writer = self.writer.to_lowercase();
                let words = self.one(&SAID);
                format!("{words} {MARK}{writer}_{:x}", self.rng.u32(..))
            }
            Some(Value::Days) => {
                let today = self.world.now().date_naive();
                let from = today + TimeDelta::days(self.rng.i64(-1..20));
                format!("{from} {}", from + TimeDelta::days(self.rng.i64(0..9)))
            }
            Some(Value::Number) => self.rng.u8(1..9).to_string(),
            None => "x".to_owned(),
        }
    }
}

/// What stands for a value name.
enum Value {
    OneOf(&'static [&'static str]),
    Game,
    GameAtPly,
    Move,
    Player,
    Opponent,
    Address,
    Words,
    Days,
    Number,
}

/// Returns what stands for a value name of the commands.
fn value(name: &str) -> Option<Value> {
    use Value::OneOf;
    Some(match name {
        "GAME" | "GAME|all" | "VARIANT|GAME" => Value::Game,
        "TOURNAMENT" => OneOf(&["cup", "open"]),
        "GAME#PLY" | "GAME[#PLY]" => Value::GameAtPly,
        "MOVE" | "MOVE[#PLY]" | "MOVES" => Value::Move,
        "NAME" | "PLAYER" | "BLACK" | "WHITE" => Value::Player,
        "NAME|bot:NAME|anyone" => Value::Opponent,
        "ADDRESS" => Value::Address,
        "TEXT" => Value::Words,
        "FROM TO" => Value::Days,
        "N" | "COUNT" => Value::Number,
        "PLIES" | "SECONDS" => OneOf(&["1"]),
        "SETTING" => OneOf(&SETTINGS),
        // The setting has it.
        "VALUE" => OneOf(&[""]),
        "SPEC" => OneOf(&["none", "3d", "5d+1d", "4d+12h,max=6d", "total=30d"]),
        "RULE" => OneOf(&["claim", "hard"]),
        "SPAN" => OneOf(&["2d", "12h", "1d12h"]),
        "ROWSxCOLUMNS" => OneOf(&["4x4", "6x6", "3x8", "8x8"]),
        "VARIANT" => OneOf(&["othello", "mini", "twente", "oddthello"]),
        "TRANSCRIPT" => OneOf(&["f5d6c3", "f5 d6"]),
        "(T row row ...)" => OneOf(&["(b ---- -wb- -bw- ----)", "(w bw wb)"]),
        "CELL" => OneOf(&["A1", "B2"]),
        "COMMAND" => OneOf(&["move", "set", "new"]),
        "COLOR" => OneOf(&["black", "white"]),
        "DISPOSITION" => OneOf(&["done", "refused"]),
        "on|off" => OneOf(&["on", "off"]),
        "auto|explicit" => OneOf(&["auto", "explicit"]),
        _ => return None,
    })
}

/// Returns the value names of a command that nothing stands for.
#[cfg_attr(not(test), expect(dead_code, reason = "a test asks"))]
pub fn unknown_value_names(word: &str) -> Vec<String> {
    if LEFT_OUT.iter().any(|(it, _)| *it == word) {
        return Vec::new();
    }
    let parser = PlayerCommand::parser(word).or_else(|| HostCommand::parser(word));
    let mut unknown = Vec::new();
    for argument in parser.iter().flat_map(clap::Command::get_arguments) {
        let is_flag = !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
        let id = argument.get_id().as_str();
        if is_flag || OPTIONS_LEFT_OUT.contains(&id) || !argument.get_possible_values().is_empty() {
            continue;
        }
        let names = argument.get_value_names().unwrap_or_default();
        let names = names.iter().filter(|name| value(name).is_none());
        unknown.extend(names.map(|name| format!("{word}: {name}")));
    }
    unknown
}

fn host(words: &str) -> Action {
    Action::Command(Command { actor: None, words: split(words), is_elsewhere: false })
}

fn open(path: String) -> Action {
    Action::Page(Request { path, form: None, is_foreign: false })
}

fn by(player: &str, words: &str) -> Action {
    let actor = Some(player.to_owned());
    Action::Command(Command { actor, words: split(words), is_elsewhere: false })
}

fn split(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}
