//! Rows of the tables, as the checks of mails read them.

use std::collections::{BTreeMap, BTreeSet};

use super::Change;
use crate::simulator::DAY;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// How long a challenge is open, in seconds.
pub const OPEN_FOR: i64 = 14 * DAY;

/// A mail in the outbox.
#[derive(Debug, Clone)]
pub struct Mail {
    pub id: i64,
    pub kind: String,
    pub player: Option<i64>,
    pub address: Option<String>,
    pub game: Option<i64>,
    pub events: usize,
    pub occasion: String,
    pub challenge: Option<i64>,
    pub state: String,
    pub created_at: i64,
    pub first_try_at: Option<i64>,
}

impl Mail {
    /// Returns whether its first try was in this step, and not in an earlier one of the same second.
    pub fn is_tried_first(&self, change: &Change) -> bool {
        let was = Self::of(change.before, self.id);
        self.first_try_at == Some(change.now.timestamp())
            && was.is_none_or(|was| was.first_try_at.is_none())
    }

    pub fn of(tables: &Tables, id: i64) -> Option<Self> {
        let columns = ["kind", "player", "address", "game", "events", "occasion", "challenge"];
        let [kind, player, address, game, events, occasion, challenge] =
            tables.columns_of("outbox", id, columns).next()?;
        let times = ["state", "created_at", "first_try_at"];
        let [state, created_at, first_try_at] = tables.columns_of("outbox", id, times).next()?;
        Some(Self {
            id,
            kind: kind?.to_owned(),
            player: number(player),
            address: address.map(str::to_owned),
            game: number(game),
            events: events.and_then(|it| it.parse().ok()).unwrap_or_default(),
            occasion: occasion.unwrap_or_default().to_owned(),
            challenge: number(challenge),
            state: state?.to_owned(),
            created_at: number(created_at)?,
            first_try_at: number(first_try_at),
        })
    }

    /// Returns the player whose absences it is about.
    pub fn absent(&self) -> Option<i64> {
        let (what, player) = self.occasion.split_once(' ')?;
        player.parse().ok().filter(|_| ["away", "absence", "absences"].contains(&what))
    }
}

/// A game as its row has it.
#[derive(Debug, Clone)]
pub struct Game {
    pub id: i64,
    /// The people who play it, by colour.
    pub people: [Option<i64>; 2],
    pub to_move: Option<i64>,
    pub reason: Option<String>,
    pub events: usize,
    pub is_local: bool,
}

impl Game {
    pub fn of(tables: &Tables, id: i64) -> Option<Self> {
        let columns = ["black", "white", "to_move", "reason", "events", "local"];
        let [black, white, to_move, reason, events, local] =
            tables.columns_of("game", id, columns).next()?;
        Some(Self {
            id,
            people: [number(black), number(white)],
            to_move: number(to_move),
            reason: reason.map(str::to_owned),
            events: events?.parse().ok()?,
            is_local: local == Some("1"),
        })
    }

    /// Returns the colour of a player: `b` or `w`.
    pub fn color_of(&self, player: i64) -> Option<&'static str> {
        let at = self.people.iter().position(|it| *it == Some(player))?;
        Some(["b", "w"][at])
    }

    pub fn person(&self, color: &str) -> Option<i64> {
        self.people[usize::from(color == "w")]
    }

    pub fn opponent(&self, color: &str) -> Option<i64> {
        self.people[usize::from(color == "b")]
    }
}

/// Returns the name of a variant for people.
pub fn variant_name(variant: &str) -> &'static str {
    match variant {
        "othello" => "Othello",
        "mini" => "Mini Othello",
        "twente" => "Twente Othello",
        _ => "Oddthello",
    }
}

/// Returns the rules of a game that differ from those of Othello on 8x8, in words.
pub fn rules(tables: &Tables, game: i64) -> Option<Vec<String>> {
    let columns = ["variant", "board_rows", "board_columns", "stuck", "anywhere", "misere"];
    let [variant, rows, columns, stuck, anywhere, misere] =
        tables.columns_of("game", game, columns).next()?;
    let mut rules = Vec::new();
    match (rows, columns) {
        (Some("8"), Some("8")) => {}
        (Some(rows), Some(columns)) => rules.push(format!("{rows} rows, {columns} columns")),
        _ => rules.extend(
            ["a hex lattice without edges", "32 discs each", "players who cannot flip lose"]
                .map(str::to_owned),
        ),
    }
    if anywhere == Some("1") {
        rules.push("discs go on any empty cell".to_owned());
    } else if stuck == Some("explicit") {
        rules.push("players must pass explicitly".to_owned());
    } else if variant == Some("twente") {
        rules.push("players pass automatically".to_owned());
    }
    rules.extend((misere == Some("1")).then(|| "fewer discs win".to_owned()));
    Some(rules)
}

/// Returns how a game or a challenge is called: by its variant, and the rules that are not the variant's own.
pub fn title(tables: &Tables, table: &str, id: i64) -> Option<String> {
    let columns = ["variant", "board_rows", "board_columns", "misere", "anywhere", "stuck"];
    let [variant, rows, columns, misere, anywhere, stuck] =
        tables.columns_of(table, id, columns).next()?;
    let name = variant_name(variant?);
    let (own_size, own_stuck) = match variant? {
        "othello" => ("8x8", "auto"),
        "mini" => ("4x4", "auto"),
        "twente" => ("8x8", "explicit"),
        _ => return Some(name.to_owned()),
    };
    let size = format!("{}x{}", rows?, columns?);
    let is = |it: Option<&str>| it == Some("1");
    let rules = [
        (size != own_size, &*size),
        (is(misere), "misère"),
        (is(anywhere), "anywhere"),
        (
            !is(anywhere) && stuck? != own_stuck,
            if own_stuck == "auto" { "explicit pass" } else { "auto pass" },
        ),
    ];
    let rules = rules.into_iter().filter(|(is_other, _)| *is_other).map(|(_, rule)| rule);
    Some([name].into_iter().chain(rules).collect::<Vec<_>>().join(" "))
}

/// Returns these columns of the mail with this Message-ID.
pub fn with_message_id<'a, const N: usize>(
    tables: &'a Tables,
    id: &str,
    names: [&str; N],
) -> Option<[Option<&'a str>; N]> {
    let ids = tables.columns("outbox", ["message_id"]);
    let is_it = |it: Option<&str>| it.is_some_and(|it| it.trim_matches(['<', '>']) == id);
    let mut rows = ids.zip(tables.columns("outbox", names));
    rows.find(|([it], _)| is_it(*it)).map(|(_, row)| row)
}

/// Returns how the game of a challenge or of a tournament is called, with its opening.
pub fn title_with_opening(tables: &Tables, table: &str, id: i64) -> Option<String> {
    let title = title(tables, table, id)?;
    Some(match tables.columns_of(table, id, ["opening"]).next()?[0] {
        Some(opening) => format!("{title} with a {opening} opening"),
        None => title,
    })
}

/// Returns a value of a player's row.
pub fn of_player<'a>(tables: &'a Tables, player: i64, column: &str) -> Option<&'a str> {
    tables.columns_of("player", player, [column]).next()?[0]
}

pub fn has_blocked(tables: &Tables, player: i64, author: i64) -> bool {
    tables.columns_of("blocked", player, ["author"]).any(|[it]| number(it) == Some(author))
}

/// Returns those who watch a game while both players allow it.
pub fn watchers(tables: &Tables, game: &Game) -> BTreeSet<i64> {
    let watchers = tables.columns_of("watcher", game.id, ["player"]).filter_map(|[it]| number(it));
    let may_watch = |watcher: &i64| {
        game.people.iter().flatten().all(|&player| {
            of_player(tables, player, "watchers") == Some("all")
                && !has_blocked(tables, player, *watcher)
        })
    };
    watchers.filter(may_watch).collect()
}

/// Returns the name of a player.
pub fn name_of(tables: &Tables, player: i64) -> Option<&str> {
    of_player(tables, player, "name")
}

/// Returns the name of the player of a colour in a game, who can be a computer player.
pub fn called(tables: &Tables, game: i64, color: char) -> Option<&str> {
    let columns = if color == 'b' { ["black", "black_bot"] } else { ["white", "white_bot"] };
    let [person, bot] = tables.columns_of("game", game, columns).next()?;
    number(person).and_then(|it| name_of(tables, it)).or(bot)
}

/// Returns the mails that were accepted in a step with their rows, if they still have one.
pub fn of_new_mails<'a>(change: &Change<'a>) -> Vec<(&'a Accepted, Mail)> {
    let new = change.new_mails();
    if new.is_empty() {
        return Vec::new();
    }
    let rows = change.after.columns("outbox", ["message_id", "id"]);
    let rows: BTreeMap<_, _> =
        rows.collect::<Vec<_>>().into_iter().map(|[id, row]| (id, row)).collect();
    let row = |mail: &Accepted| Mail::of(change.after, number(*rows.get(&Some(&*mail.id))?)?);
    new.iter().filter_map(|mail| Some((mail, row(mail)?))).collect()
}
