//! Steps that go on with what is under way: an offer, a challenge, a pause, an absence, a flag, the end of a game, or
//! what somebody has just done.

use super::time::SETTINGS;
use super::{Action, Active, Planner, by, host};
use crate::simulator::holds::MARK;
use crate::simulator::tables::number;

/// Commands, and those that undo them in the same game or for the same name.
const UNDOINGS: [(&str, &str); 15] = [
    ("mute", "unmute"),
    ("unmute", "mute"),
    ("block", "unblock"),
    ("unblock", "block"),
    ("watch", "unwatch"),
    ("unwatch", "watch"),
    ("pause", "unpause"),
    ("unpause", "pause"),
    ("pause", "decline"),
    ("draw", "decline"),
    ("takeback", "decline"),
    ("move", "takeback"),
    ("join", "withdraw"),
    ("rematch", "decline"),
    ("accept", "takeback"),
];

impl Planner<'_> {
    /// Undoes one of the last commands, or repeats it: the same player with the same words.
    pub(super) fn undoes(&mut self) -> Option<Action> {
        let recent = self.rng.choice(self.recent)?;
        let player = recent.actor.clone().filter(|actor| self.players.contains(actor))?;
        let word = &*recent.words[0];
        let undoings: Vec<_> = UNDOINGS.iter().filter(|(it, _)| *it == word).collect();
        if let Some((_, undoing)) = self.rng.choice(undoings).filter(|_| self.rng.u8(..8) > 0) {
            let about = recent.words.get(1)?;
            return Some(by(&player, &format!("{undoing} {about}")));
        }
        match word {
            "set" => {
                let key = recent.words.get(1)?;
                let is_same = |it: &&&str| it.split(' ').next() == Some(key);
                let others: Vec<_> = SETTINGS.iter().filter(is_same).collect();
                Some(by(&player, &format!("set {}", self.rng.choice(others)?)))
            }
            "away" => Some(by(&player, "away off")),
            "challenge" => {
                let challenges = self.world.tables().columns("challenge", ["id"]);
                let newest = challenges.filter_map(|[id]| number(id)).max()?;
                Some(by(&player, &format!("decline {newest}")))
            }
            "plan" => Some(by(&player, &format!("plan {} off", recent.words.get(1)?))),
            // Nobody says the same words twice: a word is a mark.
            _ if recent.words.iter().any(|it| it.contains(MARK)) => None,
            _ => Some(by(&player, &recent.words.join(" "))),
        }
    }

    /// Something changes for a mail that waits, perhaps after a try that failed: its reader blocks the other player,
    /// no longer wants it or wants it at another time, or what it is about goes on.
    pub(super) fn while_mail_waits(&mut self) -> Option<Action> {
        let columns = ["player", "game", "challenge", "state"];
        let rows = self.world.tables().columns("outbox", columns);
        let waiting: Vec<_> = rows.filter(|row| row[3] == Some("queued")).collect();
        let [reader, game, challenge, _] = self.rng.choice(waiting)?;
        let reader = self.present(reader)?;
        if let Some(id) = challenge {
            let word = self.one(&["decline", "accept", "say", "show"]);
            let people = self.players_of_challenge(id);
            let player = self.rng.choice(people)?;
            self.writer.clone_from(&player);
            let words = if word == "say" { self.value("TEXT") } else { String::new() };
            return Some(by(&player, &format!("{word} {id} {words}")));
        }
        let Some(game) = self.game(game) else {
            let setting = self.one(&SETTINGS);
            return Some(by(&reader, &format!("set {setting}")));
        };
        let players = [game.black.clone(), game.white.clone()];
        let other = players.into_iter().flatten().find(|it| *it != reader);
        let other = other.unwrap_or_else(|| self.player());
        let setting = self.one(&SETTINGS);
        let id = game.id;
        Some(match self.rng.u8(..14) {
            0 | 1 => by(&reader, &format!("block {other}")),
            2 => by(&reader, &format!("{} {id}", self.one(&["mute", "unwatch"]))),
            3 => by(&other, &format!("set {}", self.one(&["watchers none", "named off"]))),
            4 => by(&reader, &format!("set {setting}")),
            5 => by(&other, &format!("set {setting}")),
            6 => host(&format!("annul {id}")),
            7 => host(&format!("extend {id} 1d")),
            8 => by(&other, &format!("{} {id}", self.one(&["resign", "abort", "decline"]))),
            9 => by(&reader, &format!("say {id} {}", self.words_of(&reader))),
            10 => by(&other, &format!("say {id} {}", self.words_of(&other))),
            11 | 12 => by(&other, &format!("takeback {id}")),
            _ => self.move_in(&game)?,
        })
    }

    /// Returns words of a player.
    fn words_of(&mut self, player: &str) -> String {
        player.clone_into(&mut self.writer);
        self.value("TEXT")
    }

    /// Returns the players of an open challenge who have not left.
    fn players_of_challenge(&self, id: &str) -> Vec<String> {
        let id = number(Some(id)).unwrap_or_default();
        let rows = self.world.tables().columns_of("challenge", id, ["challenger", "opponent"]);
        rows.flatten().filter_map(|player| self.present(player)).collect()
    }

    /// Returns an active game with this number.
    fn game(&self, id: Option<&str>) -> Option<Active> {
        self.games.iter().find(|game| Some(game.id) == number(id)).cloned()
    }

    /// Returns the name of a player who has not left.
    pub(super) fn present(&self, player: Option<&str>) -> Option<String> {
        self.name(player).filter(|name| self.players.contains(name))
    }

    /// Answers an open offer: mostly the one who can accept it does.
    pub(super) fn answer_offer(&mut self) -> Option<Action> {
        let tables = self.world.tables();
        let open: Vec<_> = tables.columns("game", ["id", "offer_event"]).collect();
        let open =
            open.into_iter().filter(|[id, event]| event.is_some() && self.game(*id).is_some());
        let open: Vec<_> = open.collect();
        let [id, event] = self.rng.choice(open)?;
        let game = self.game(id)?;
        let mut events = tables.columns_of("event", game.id, ["number", "author"]);
        let [_, author] = events.find(|[number, _]| *number == event)?;
        let [offerer, other] = match author {
            Some("b") => [&game.black, &game.white],
            _ => [&game.white, &game.black],
        };
        let (offerer, other) = (offerer.clone()?, other.clone()?);
        Some(match self.rng.u8(..10) {
            0..6 => by(&other, &format!("accept {}", game.id)),
            6 => by(&other, &format!("decline {}", game.id)),
            7 => by(&offerer, &format!("decline {}", game.id)),
            8 => self.move_in(&game)?,
            _ => by(&other, &format!("{} {}", self.one(&["takeback", "pause", "draw"]), game.id)),
        })
    }

    /// Takes a move back, or asks for it: mostly the player who has moved last.
    pub(super) fn takes_back(&mut self) -> Option<Action> {
        let game = self.active()?;
        let player = if self.rng.u8(..3) == 0 { game.mover() } else { game.waiting() };
        Some(by(player?, &format!("takeback {}", game.id)))
    }

    /// Makes a move in a game.
    pub(super) fn move_in(&mut self, game: &Active) -> Option<Action> {
        let legal = self.legal(game.id);
        let mv = self.rng.choice(legal)?;
        Some(by(game.mover()?, &format!("move {} {mv}", game.id)))
    }

    /// Does something with one of the games that have ended last.
    pub(super) fn after_end(&mut self) -> Option<Action> {
        let rows = self.world.tables().columns("game", ["since", "id", "turn", "black", "white"]);
        let mut ended: Vec<_> = rows.filter(|[_, _, turn, ..]| turn.is_none()).collect();
        ended.sort_unstable_by_key(|[since, id, ..]| (number(*since), number(*id)));
        let back = self.rng.usize(..3);
        let [_, id, _, black, white] = *ended.iter().rev().nth(back)?;
        let id = number(id)?;
        let players = [black, white].map(|player| self.present(player));
        let player = players[self.rng.usize(..2)].clone()?;
        Some(match self.rng.u8(..16) {
            12 | 13 => by(&player, &format!("analyze {id} --depth 1")),
            14 => host(&format!("analyze {id} --depth 2")),
            0..6 => by(&player, &format!("rematch {id}")),
            6 => by(&player, &format!("say {id} well played")),
            7 => host(&format!("annul {id}")),
            8 => self.rematch(id),
            9 => by(&player, &format!("note {id} a good game")),
            10 => by(&player, &format!("replay {id}")),
            _ => by(&self.player(), &format!("show {id}")),
        })
    }

    /// Goes on in a game in which a flag has fallen.
    pub(super) fn after_flag(&mut self) -> Option<Action> {
        let tables = self.world.tables();
        let is_flagged = |game: &&Active| {
            let began = tables.columns_of("game", game.id, ["position_event"]).next();
            let began = began.and_then(|[event]| number(event));
            let mut events = tables.columns_of("event", game.id, ["number", "action"]);
            events.any(|[event, action]| {
                number(event) > began && action.is_some_and(|it| it.starts_with("flag "))
            })
        };
        let flagged: Vec<_> = self.games.iter().filter(is_flagged).cloned().collect();
        let game = self.rng.choice(flagged)?;
        let player = self.either(&game)?;
        Some(match self.rng.u8(..9) {
            0..4 => by(&player, &format!("takeback {}", game.id)),
            4 => host(&format!("extend {} 3h", game.id)),
            5 | 6 => by(&player, &format!("claim {}", game.id)),
            _ => self.move_in(&game)?,
        })
    }

    /// Goes on in a paused game, or ends the pause.
    pub(super) fn in_pause(&mut self) -> Option<Action> {
        let rows = self.world.tables().columns("game", ["id", "paused"]);
        let paused: Vec<_> = rows.filter(|[_, paused]| *paused == Some("1")).collect();
        let [id, _] = self.rng.choice(paused)?;
        let game = self.game(id)?;
        let player = self.either(&game)?;
        Some(match self.rng.u8(..6) {
            0..3 => by(&player, &format!("unpause {}", game.id)),
            3 => self.move_in(&game)?,
            4 => host(&format!("extend {} 5h", game.id)),
            _ => by(&player, &format!("takeback {}", game.id)),
        })
    }

    /// Moves against somebody who is away, or ends the absence.
    pub(super) fn in_absence(&mut self) -> Option<Action> {
        let now = self.world.now().timestamp();
        let rows = self.world.tables().columns("absence", ["player", "from_at", "until_at"]);
        let away: Vec<_> = rows
            .filter(|[_, from, until]| number(*from) <= Some(now) && number(*until) > Some(now))
            .collect();
        let [player, ..] = self.rng.choice(away)?;
        let player = self.present(player)?;
        if self.rng.u8(..4) == 0 {
            return Some(by(&player, "away off"));
        }
        let against = |game: &&Active| game.waiting() == Some(&player);
        let games: Vec<_> = self.games.iter().filter(against).cloned().collect();
        let game = self.rng.choice(games)?;
        self.move_in(&game)
    }

    /// Challenges a player again who has answered.
    pub(super) fn asks_again(&mut self) -> Option<Action> {
        let columns = ["closed_at", "state", "challenger", "opponent"];
        let rows = self.world.tables().columns("challenge", columns);
        let mut closed: Vec<_> =
            rows.filter(|it| matches!(it[1], Some("accepted" | "declined"))).collect();
        closed.sort_unstable_by_key(|[at, ..]| number(*at));
        let back = self.rng.usize(..4);
        let [_, _, challenger, opponent] = *closed.iter().rev().nth(back)?;
        let (challenger, opponent) = (self.present(challenger)?, self.present(opponent)?);
        let board = self.one(&self.taste.boards);
        Some(by(&challenger, &format!("challenge {opponent} {board}")))
    }

    /// Moves in a muted game, or lets its mail come again.
    pub(super) fn in_muted_game(&mut self) -> Option<Action> {
        let muted: Vec<_> =
            self.world.tables().columns("unsubscribed", ["game", "player"]).collect();
        let [id, player] = self.rng.choice(muted)?;
        let (game, player) = (self.game(id)?, self.present(player)?);
        match self.rng.bool() {
            true => Some(by(&player, &format!("unmute {}", game.id))),
            false => self.move_in(&game),
        }
    }

    /// Goes on in a game against a computer player: mostly moves, and offers of a draw.
    pub(super) fn against_computer(&mut self) -> Option<Action> {
        let rows = self.world.tables().columns("game", ["id", "black_bot", "white_bot", "turn"]);
        let with_bot = rows
            .filter(|[_, black, white, turn]| turn.is_some() && black.is_some() != white.is_some());
        let with_bot: Vec<_> = with_bot.collect();
        let Some([id, ..]) = self.rng.choice(with_bot) else {
            let (player, bot) = (self.player(), self.one(&["novice", "beginner", "learner", "1"]));
            let clock = self.one(&self.taste.clocks);
            return Some(by(&player, &format!("challenge bot:{bot} othello --size 4x4 {clock}")));
        };
        let game = self.game(id)?;
        let person = game.black.clone().or(game.white.clone())?;
        Some(match self.rng.u8(..10) {
            0..6 => self.move_in(&game)?,
            6 | 7 => by(&person, &format!("draw {}", game.id)),
            8 => by(&person, &format!("takeback {}", game.id)),
            _ => by(&person, &format!("pause {}", game.id)),
        })
    }

    /// Makes a move that a plan may answer.
    pub(super) fn planned_move(&mut self) -> Option<Action> {
        let plans: Vec<_> = self.world.tables().columns("plan", ["game", "branches"]).collect();
        let [id, branches] = self.rng.choice(plans)?;
        let game = self.game(id)?;
        let first = branches?.split(['/', ' ']).next()?;
        Some(by(game.mover()?, &format!("move {} {first}", game.id)))
    }
}
