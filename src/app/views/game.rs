//! A game as commands show it: as JSON for scripts, and as text with a figure.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::app::Error;
use crate::app::views::json::{json_time, merged, unless_empty};
use crate::app::views::reply::Reply;
use crate::app::views::time::{self, Away, TimeView};
use crate::store::{Db, GameSummary};
use outflank_model::log::{Game, GameId, Offer, Outcome, Ply, Reason};
use outflank_model::render::words::{self, Names};
use outflank_model::render::{LastMove, news, spoken};
use outflank_model::time_control::{Clocks, TimeZone};
use outflank_model::tournament::InTournament;
use outflank_model::{PlayerId, StoredGame};
use outflank_rules::{Color, Goal, Lattice, Move, Placement, Rules, Variant};

/// A game at one moment.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub id: GameId,
    pub variant: &'a str,
    pub title: &'a str,
    pub game: &'a Game,
    pub names: Names<'a>,
    pub time: Option<TimeView>,
    pub away: Away,
    /// The names of those who watch, as far as the reader may know.
    pub watchers: Vec<String>,
    /// Whether the result counts for the players' ratings.
    pub rated: bool,
    /// Whether the game was imported.
    pub imported: bool,
    /// Its place in a tournament; `None` if it belongs to none.
    pub tournament: Option<&'a InTournament>,
    /// Whether the reader may know of open offers, as a player or the host.
    pub has_offers: bool,
    /// The colour of the reader; `None` for others than the players.
    pub reader: Option<Color>,
    /// Whether an open offer could be accepted now.
    pub can_accept: bool,
    /// The number of moves that the reader knows: later ones are listed above the board. `None` lists only
    /// the last move, below it.
    pub known: Option<usize>,
}

/// Returns the place of a game in a tournament, for scripts.
pub(crate) fn tournament_to_json(it: &InTournament) -> Value {
    let InTournament { name, league, round } = it;
    let league = league.map(|[season, division]| json!({ "season": season, "division": division }));
    json!({ "tournament": merged([json!({ "name": name, "round": round }), league.into()]) })
}

impl<'a> View<'a> {
    /// Returns a view of the stored game at the moment of `game`.
    pub(crate) fn new(stored: &'a StoredGame, game: &'a Game) -> Self {
        Self {
            id: stored.id,
            variant: &stored.agreement.variant,
            title: stored.agreement.title(),
            game,
            names: names(stored),
            time: None,
            away: Away::default(),
            watchers: Vec::new(),
            rated: stored.agreement.rated,
            imported: stored.is_imported(),
            tournament: stored.tournament.as_ref(),
            has_offers: true,
            reader: None,
            can_accept: true,
            known: None,
        }
    }

    /// Returns a view of a game as it stands: with clocks, and with who is away.
    pub(crate) fn present(
        db: &Db,
        stored: &'a StoredGame,
        game: &'a Game,
        now: DateTime<Utc>,
    ) -> Result<Self, Error> {
        // A guest may have the name of a player.
        let away = if stored.is_imported() { Away::default() } else { Away::at(db, now)? };
        let view = Self { away, ..Self::new(stored, game) };
        Ok(view.timed(stored, &stored.clocks_of(game, Some(now)), now))
    }

    /// Leaves out open offers, unless the reader is a player of the game or the host.
    pub(crate) fn read_by(self, reader: Option<PlayerId>, stored: &StoredGame) -> Self {
        let own = reader.and_then(|reader| stored.color_of(reader));
        Self { has_offers: reader.is_none() || own.is_some(), reader: own, ..self }
    }

    fn offer(&self) -> Option<(Color, Offer)> {
        self.game.offer().filter(|_| self.has_offers)
    }

    /// Adds the clocks, if players have limited time.
    pub(crate) fn timed(self, stored: &StoredGame, clocks: &Clocks, now: DateTime<Utc>) -> Self {
        Self { time: TimeView::new(stored, clocks, now), ..self }
    }

    /// Returns when the time of the player to move is over; `None` if no clock runs.
    pub(crate) fn deadline(&self) -> Option<DateTime<Utc>> {
        self.time.as_ref().and_then(TimeView::deadline).filter(|_| self.game.turn().is_some())
    }

    /// Shows deadlines in the time zone of a reader, with the time left until then.
    pub(crate) fn for_reader(mut self, zone: TimeZone) -> Self {
        self.time = self.time.map(|time| time.for_reader(zone));
        self
    }

    /// Returns the reply of `show`; `arrows` draws the last move as the rules do.
    pub(crate) fn reply(&self, arrows: bool) -> Reply {
        self.draw(Reply::new(&self.json()).text(self.head(true)), arrows)
    }

    /// Returns the reply of `show` for a mail that draws the board and has the score and the clocks.
    pub(crate) fn beside_board(&self) -> Reply {
        let lines: Vec<_> = self.away_lines().chain(self.watchers_line()).collect();
        let reply = Reply::new(&self.json()).text(self.head(false));
        if lines.is_empty() { reply } else { reply.text(lines.join("\n")) }
    }

    /// Returns the same without the title.
    pub(crate) fn untitled(&self) -> Reply {
        self.draw(Reply::new(&self.json()), false)
    }

    fn draw(&self, mut reply: Reply, arrows: bool) -> Reply {
        if let Some(known) = self.known {
            reply = reply.text(words::moves_after(self.game, self.names, known).join("\n"));
        }
        let last = LastMove::of(self.game);
        let position = self.game.position();
        match &last {
            Some(last) if arrows => {
                let before = self.game.plies().iter().rposition(|ply| ply.mv != Move::Pass);
                let before = before.and_then(|ply| self.game.at(ply));
                let before = before.as_ref().map_or(position, Game::position);
                let steps = self.captions(last).into_iter().zip([before, position]);
                reply = reply.steps(position, last, steps);
            }
            _ => reply = reply.board(self.game, &self.game.legal()),
        }
        reply.text(self.foot()).shown_as_game()
    }

    /// Returns a reply with one sentence, and the game for scripts.
    pub(crate) fn brief(&self, sentence: &str) -> Reply {
        Reply::new(&self.json()).said(sentence)
    }

    /// Returns the captions of the two figures with arrows.
    fn captions(&self, last: &LastMove) -> [String; 2] {
        let placed = self.game.position().rules().lattice.label(last.placed);
        let flipped = spoken::discs(last.flipped.len());
        [
            format!("Before flipping: {placed} by {}", self.names.with_color(last.by)),
            format!("After flipping: {flipped}"),
        ]
    }

    /// Returns the players and the number of moves, for a picture.
    pub(crate) fn caption(&self) -> String {
        let [black, white] = Color::BOTH.map(|color| self.names.with_color(color));
        let moves = self.game.plies().len();
        format!("Game {}: {}, {black} - {white}, after move {moves}", self.id, self.title)
    }

    fn head(&self, has_rules: bool) -> String {
        let lattice = self.game.position().rules().lattice;
        let side = |color| {
            format!("{} ({color}, {})", self.names.of(color), words::letter(color, lattice))
        };
        let players = format!("{} - {}", side(Color::Black), side(Color::White));
        let mut head = format!("Game {}: {}, {players}", self.id, self.title);
        let is_drawn = !self.game.given().is_empty();
        let special = words::rules(self.variant, self.game.position().rules(), is_drawn);
        if has_rules && !special.is_empty() {
            head.push_str(&format!("\nRules: {}", special.join("; ")));
        }
        if let Some(tournament) = self.tournament {
            head.push_str(&format!("\nTournament: {tournament}"));
        }
        if self.rated {
            head.push_str("\nRated.");
        }
        if self.imported {
            head.push_str("\nImported.");
        }
        head
    }

    fn foot(&self) -> String {
        let mut lines = Vec::new();
        if let Some(last) = words::last_move(self.game, self.names).filter(|_| self.known.is_none())
        {
            lines.push(format!("Last move: {last}"));
        }
        lines.push(format!("Score: {}", words::score(self.game)));
        if let Some(turn) = words::turn(self.game, self.names) {
            lines.push(format!("Turn: {turn} (move {})", self.game.plies().len() + 1));
            lines.push(format!("Legal: {}", words::legal(self.game)));
            lines.extend(self.time_lines());
        }
        if let Some(result) = words::result(self.game, self.names) {
            lines.push(format!("Result: {result}"));
        }
        if let Some((by, offer)) = self.offer() {
            let offer = news::offered(self.game, by, offer, self.names);
            lines.push(format!("Offer: {offer} {}", self.answers(by)));
        }
        lines.extend(self.pause_line());
        lines.extend(self.watchers_line());
        lines.join("\n")
    }

    /// Returns how the offer of this player can be answered or withdrawn.
    fn answers(&self, by: Color) -> String {
        let id = self.id;
        match self.can_accept {
            _ if self.reader == Some(by) => format!("`decline {id}` withdraws it"),
            true => format!("Answer with `accept {id}` or `decline {id}`"),
            false => {
                let why = news::lacks_time(by, self.names);
                format!("{why}, so `decline {id}` is the only answer")
            }
        }
    }

    fn watchers_line(&self) -> Option<String> {
        let is_watched = !self.watchers.is_empty();
        is_watched.then(|| format!("Watched by: {}", self.watchers.join(", ")))
    }

    fn away_lines(&self) -> impl Iterator<Item = String> {
        let names = [self.names.black, self.names.white].into_iter();
        names.filter_map(|name| {
            self.away.until(name).map(|until| format!("Away: {name} until {}", time::day(until)))
        })
    }

    /// Returns the lines about clocks and absences.
    pub(crate) fn time_lines(&self) -> Vec<String> {
        self.time.iter().flat_map(|it| it.lines(self.names)).chain(self.away_lines()).collect()
    }

    /// Returns whether the game is under way and paused. The log of one that ended in a pause stays paused.
    fn is_paused(&self) -> bool {
        self.game.is_paused() && self.game.turn().is_some()
    }

    /// Returns the line about a pause; `None` without one. Players and the host also read how to end it.
    pub(crate) fn pause_line(&self) -> Option<String> {
        let what = "Paused: the clocks stand still";
        self.is_paused().then(|| match self.has_offers {
            true => format!("{what}; `unpause {}`", self.id),
            false => what.to_owned(),
        })
    }

    /// Returns how the game ended, for scripts; null while it is active.
    pub(crate) fn result_to_json(&self) -> Value {
        let result = self.game.outcome().map(|Outcome { winner, reason, black, white }| {
            let winner = winner.map(|color| color.to_string());
            json!({ "winner": winner, "reason": reason.word(), "black": black, "white": white })
        });
        result.into()
    }

    fn json(&self) -> Value {
        let position = self.game.position();
        let lattice = position.rules().lattice;
        let first = position.frame().first;
        let time = self.time.as_ref();
        let side =
            |color| json!({ "player": self.names.of(color), "discs": position.count(color) });
        let plies = self.game.plies();
        let last = plies.last().map(|ply| {
            let auto = ply.auto.then(|| json!({ "auto": true }));
            let given = ply.given.then(|| json!({ "given": true }));
            let number = json!({ "ply": plies.len() });
            merged([number, move_to_json(lattice, ply), auto.into(), given.into()])
        });
        let game = json!({
            "game": self.id.0,
            "variant": self.variant,
            "rules": rules_to_json(position.rules()),
            "status": status(self.game.turn()),
            "ply": plies.len(),
            "turn": self.game.turn().map(|color| color.to_string()),
            "black": side(Color::Black),
            "white": side(Color::White),
            "position": position.to_string(),
            "frame": {
                "first_column": lattice.column_label(first),
                "first_row": first.row,
            },
            "legal": labels(lattice, self.game.legal()),
            "last": last,
            "result": self.result_to_json(),
            "offer": self.offer().map(offer_to_json),
            "paused": self.is_paused(),
            "away": self.away.json(self.names.black, self.names.white),
            "deadline": time.and_then(TimeView::deadline).map(json_time),
            "seconds_left": time.and_then(TimeView::seconds_left),
            "clock": time.map(TimeView::json),
        });
        let watchers = self.watchers.iter().map(|name| json!(name)).collect();
        let rated = self.rated.then(|| json!({ "rated": true }));
        let given = Some(self.game.given().len()).filter(|count| *count > 0);
        let given = given.map(|count| json!({ "given": count }));
        let tournament = self.tournament.map(tournament_to_json);
        let imported = self.imported.then(|| json!({ "imported": true }));
        let more = [rated.into(), imported.into(), given.into(), tournament.into()];
        merged([game, unless_empty("watchers", watchers), merged(more)])
    }
}

/// Returns the word for the status of a game with this turn.
pub(crate) const fn status(turn: Option<Color>) -> &'static str {
    if turn.is_some() { "active" } else { "finished" }
}

/// Returns the variant and the size of a game: `Othello 10x10`.
pub(crate) fn title(game: &GameSummary) -> String {
    match &game.rules {
        Some(rules) => words::title(&game.variant, rules),
        None => Variant::title_of(&game.variant).to_owned(),
    }
}

/// Returns whose turn it is in a game, or how it ended, in a few words.
pub(crate) fn state(game: &GameSummary) -> String {
    // A computer player can play both sides.
    let name = |color: Color| match game.black == game.white {
        true => color.to_string(),
        false => game.name(color).to_owned(),
    };
    let won = |winner| name(winner) + " won";
    let ended = game.winner.map_or_else(|| "drawn".to_owned(), won);
    match (game.turn, game.reason()) {
        (Some(color), _) => format!("{}'s turn", name(color)),
        (None, Some(reason @ (Reason::Annulled | Reason::Declined))) => reason.to_string(),
        (None, reason) => ended + reason.map_or("", manner),
    }
}

/// Returns how a game was decided, behind its result; empty if the discs were counted or it has none.
pub(crate) const fn manner(reason: Reason) -> &'static str {
    match reason {
        Reason::Discs | Reason::Annulled | Reason::Declined => "",
        Reason::Stuck => ": nothing to flip",
        Reason::Resigned => " by resignation",
        Reason::Agreed => " by agreement",
        Reason::Time => " on time",
        Reason::Claimed => " by claim",
        Reason::Forfeited => " by decision",
    }
}

/// Returns the names of the players of a game.
pub(crate) fn names(stored: &StoredGame) -> Names<'_> {
    Names { black: stored.black.name(), white: stored.white.name() }
}

/// Returns the labels of moves, sorted as strings.
fn labels(lattice: Lattice, moves: impl IntoIterator<Item = Move>) -> Vec<String> {
    let mut labels: Vec<_> = moves.into_iter().map(|mv| lattice.move_label(mv)).collect();
    labels.sort_unstable();
    labels
}

/// Returns an open offer for scripts, with the command that made it.
pub(crate) fn offer_to_json((by, offer): (Color, Offer)) -> Value {
    json!({ "by": by.to_string(), "offer": offer.word() })
}

/// Returns the rules of a game for scripts.
pub(crate) fn rules_to_json(rules: &Rules) -> Value {
    let size = match rules.lattice {
        Lattice::Rectangle(size) => Some(size),
        Lattice::Hex => None,
    };
    json!({
        "rows": size.map(|size| size.rows()),
        "columns": size.map(|size| size.columns()),
        "misere": rules.goal == Goal::Fewer,
        "anywhere": rules.placement == Placement::Anywhere,
        "pass": rules.stuck.pass_word(),
        "discs_each": rules.supply,
    })
}

/// Returns a move for scripts: its player and its flips.
pub(crate) fn move_to_json(lattice: Lattice, ply: &Ply) -> Value {
    let flipped = labels(lattice, ply.flipped.iter().map(Move::Place));
    json!({ "by": ply.by.to_string(), "move": lattice.move_label(ply.mv), "flipped": flipped })
}
