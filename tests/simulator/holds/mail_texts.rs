//! What mails say is true: docs/mail.md, docs/words.md, docs/settings.md. The games are replayed by the slow second
//! rules, up to the event that the mail knew.

use std::collections::BTreeSet;

use super::rows::{Game, Mail, name_of};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::naive::{Place, Status};
use crate::simulator::pages;
use crate::simulator::replay::{Replayed, place};
use crate::simulator::server::Accepted;
use crate::simulator::tables::{self, Tables, number};

/// Kinds of mail about a game that show its board.
const WITH_BOARD: [&str; 8] =
    ["turn", "started", "over", "receipt", "flagged", "notice", "watched", "watched-over"];

/// Stands at the begin of a line about a board.
const LABELS: [&str; 5] =
    ["Transcript: ", "Last moves: ", "Legal moves: ", "Time control: ", "Score: "];

/// The most legal moves that a mail lists with what they flip, and those beside a board in words.
const MAX_LISTED: usize = 6;
const MAX_LISTED_IN_WORDS: usize = 20;

/// An accepted mail about a game.
pub(super) struct Letter<'a> {
    pub change: &'a Change<'a>,
    pub mail: &'a Accepted,
    pub row: Mail,
    pub text: String,
    pub html: String,
    pub game: Game,
    pub replayed: Replayed,
    /// The colour of its reader: `b` or `w`; `None` for one who watches.
    pub color: Option<&'static str>,
}

/// What accepted mails say is true.
pub fn mails_say_what_is_true(change: &Change) -> Result<(), Violation> {
    for (mail, row) in super::rows::of_new_mails(change) {
        let found = |what: String| format!("{} ({}): {what}", mail.id, row.kind);
        if row.kind == "digest" {
            digests_list_the_games_that_wait(change, mail, &row)
                .or_else(|what| violated("digests_list_the_games_that_wait", found(what)))?;
        }
        for letter in Letter::of_several_games(change, mail, &row) {
            for (of, check) in Letter::OF_EACH_GAME {
                let of_game = |what| found(format!("game {}: {what}", letter.game.id));
                check(&letter).or_else(|what| violated(of, of_game(what)))?;
            }
        }
        let Some(letter) = Letter::of(change, mail, row.clone()) else { continue };
        for (of, check) in Letter::CHECKS {
            check(&letter).or_else(|what| violated(of, found(what)))?;
        }
    }
    Ok(())
}

/// Returns the words of a text with one space between them.
pub(super) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the words of a text with one space between them, without the signs around commands.
pub(super) fn plain(text: &str) -> String {
    flat(&text.replace(['\u{2039}', '\u{203a}'], ""))
}

/// Returns the letters and digits of a text.
pub(super) fn bare(text: &str) -> String {
    text.chars().filter(|it| it.is_ascii_alphanumeric()).collect()
}

/// Returns the whole line of a text behind this, joined again.
fn line_behind(text: &str, label: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(label));
    let first = lines.next()?.strip_prefix(label)?;
    let is_next =
        |line: &&str| !line.trim().is_empty() && !LABELS.iter().any(|it| line.starts_with(it));
    let rest = lines.take_while(is_next);
    Some(flat(&std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" ")))
}

/// A digest that is tried for the first time lists exactly the games that wait for its reader.
fn digests_list_the_games_that_wait(
    change: &Change,
    mail: &Accepted,
    row: &Mail,
) -> Result<(), String> {
    let Some(player) = row.player.filter(|_| row.is_tried_first(change)) else {
        return Ok(());
    };
    let listed =
        mail.words().lines().filter(|line| line.starts_with("Game ") && line.contains(": "));
    let listed = listed.filter_map(|line| line[5..].split(':').next()?.parse().ok());
    let watched =
        |id: &i64| Game::of(change.after, *id).is_some_and(|game| game.color_of(player).is_none());
    let in_order: Vec<i64> = listed.filter(|id| !watched(id)).collect();
    let listed: BTreeSet<i64> = in_order.iter().copied().collect();
    let waiting = |tables: &Tables| -> BTreeSet<i64> {
        let muted = tables.columns("unsubscribed", ["game", "player"]);
        let muted: BTreeSet<_> = muted
            .filter_map(|[game, it]| number(game).filter(|_| number(it) == Some(player)))
            .collect();
        let games = tables.columns("game", ["id", "to_move"]);
        let games = games.filter(|[_, it]| number(*it) == Some(player));
        let games = games.filter_map(|[id, _]| Game::of(tables, number(id)?));
        let games = games.filter(|game| !game.is_local && !muted.contains(&game.id));
        games.map(|game| game.id).collect()
    };
    // It has the games that waited when it was queued, also longer than any grace.
    let is_old = |game: &i64| {
        let columns = ["since", "deadline", "absences"];
        let values = change.after.columns_of("game", *game, columns).next();
        let [since, deadline, absences] = values.unwrap_or_default().map(number);
        // Games whose deadline an outage moves are left out until it has moved.
        let was = change.before.columns_of("game", *game, ["deadline"]).next();
        if was.is_none_or(|[was]| number(was) != deadline) {
            return false;
        }
        // In an absence, there are only games whose clocks run on.
        let is_away = super::turn_mails::away_until(change.after, player, row.created_at).is_some();
        !(absences == Some(1) && is_away)
            && since.is_some_and(|it| it + 86_400 < row.created_at)
            && deadline > row.first_try_at
    };
    // One that replaces a digest which was tried has the games of that one.
    let replaces = || {
        let mut rows = change.before.columns("outbox", ["player", "kind", "state", "first_try_at"]);
        rows.any(|[it, kind, state, first_try_at]| {
            number(it) == Some(player)
                && (kind, state) == (Some("digest"), Some("queued"))
                && first_try_at.is_some()
        })
    };
    let (before, after) = (waiting(change.before), waiting(change.after));
    // The most urgent one comes first. A deadline can move in the same step.
    let deadline = |tables: &Tables, id: i64| {
        let row = tables.columns_of("game", id, ["deadline"]).next();
        row.and_then(|[deadline]| tables::deadline(deadline)).unwrap_or(i64::MAX)
    };
    let stays = |id: &&i64| {
        after.contains(*id) && deadline(change.before, **id) == deadline(change.after, **id)
    };
    let ends = in_order.iter().filter(stays).map(|id| deadline(change.after, *id));
    let ends: Vec<_> = ends.take(listed.len()).collect();
    if !ends.is_sorted() {
        return Err(format!("lists {in_order:?}, which end at {ends:?}"));
    }
    let missing = before.intersection(&after).find(|it| !listed.contains(it) && is_old(it));
    let wrong = listed.iter().find(|it| !before.contains(it) && !after.contains(it));
    match (missing.filter(|_| !replaces()), wrong) {
        (None, None) => Ok(()),
        _ => Err(format!("lists {listed:?}; {before:?} waited, and then {after:?}")),
    }
}

pub(super) type Check<'a> = fn(&Letter<'a>) -> Result<(), String>;

impl<'a> Letter<'a> {
    /// What holds of each, with its name.
    const CHECKS: [(&'static str, Check<'a>); 18] = [
        ("mails_show_the_position", Self::draws_the_position),
        ("mails_draw_the_whole_board", Self::draws_the_whole_board),
        ("mails_show_the_score", Self::shows_the_score),
        ("mails_say_who_won", Self::says_who_won),
        ("mails_list_the_legal_moves", Self::lists_the_legal_moves),
        ("mails_list_what_moves_flip", Self::lists_what_moves_flip),
        ("mails_name_the_last_move", Self::names_the_last_move),
        ("transcripts_replay", Self::has_the_transcript),
        ("mails_say_who_can_claim", Self::says_who_can_claim),
        ("mails_show_the_open_offer", Self::shows_the_open_offer),
        ("comments_come_once_and_whole", Self::has_the_comments),
        ("mails_say_what_ratings_are", Self::says_what_the_rating_is),
        ("mails_say_who_is_who", Self::says_who_is_who),
        ("links_are_for_one_reader", Self::has_the_link_of_its_reader),
        ("both_parts_say_the_same", Self::has_the_same_twice),
        ("notices_say_what_is_new", Self::says_what_is_new),
        ("squares_are_links_to_moves", Self::links_to_legal_moves),
        ("mails_say_all_that_holds", Self::has_its_sentences),
    ];

    /// What holds of each board that a mail shows.
    pub(super) const OF_BOARDS: [Check<'a>; 4] = [
        Self::draws_the_position,
        Self::shows_the_score,
        Self::lists_the_legal_moves,
        Self::names_the_last_move,
    ];

    /// What holds of each game in a mail about several.
    const OF_EACH_GAME: [(&'static str, Check<'a>); 7] = [
        ("mails_show_the_position", Self::draws_the_position),
        ("mails_draw_the_whole_board", Self::draws_the_whole_board),
        ("mails_show_the_score", Self::shows_the_score),
        ("mails_list_the_legal_moves", Self::lists_the_legal_moves),
        ("mails_name_the_last_move", Self::names_the_last_move),
        ("mails_give_an_example", Self::gives_an_example),
        ("games_in_lists_have_their_heads", Self::has_its_head),
    ];

    /// Returns the games in a digest or a reminder that is tried for the first time, each with its part of the text.
    /// Games that changed in this step are left out.
    fn of_several_games(change: &'a Change<'a>, mail: &'a Accepted, row: &Mail) -> Vec<Self> {
        if !matches!(&*row.kind, "digest" | "reminder")
            || !row.is_tried_first(change)
            || change.words.is_empty()
        {
            return Vec::new();
        }
        let [text, _] = mailer::parts(mail);
        let mut parts: Vec<(i64, String)> = Vec::new();
        for line in text.lines() {
            let head = line.strip_prefix("Game ").and_then(|it| it.split_once(" against "));
            if let Some(id) = head.and_then(|(id, _)| id.parse().ok()) {
                parts.push((id, String::new()));
            }
            if let Some((_, part)) = parts.last_mut() {
                part.extend([line, "\n"]);
            }
        }
        let letter = |(id, text)| {
            let game = Game::of(change.after, id)?;
            let is_same = Game::of(change.before, id).is_some_and(|it| it.events == game.events);
            let replayed = Replayed::of(change.after, id, usize::MAX).ok().filter(|_| is_same)?;
            let color = game.color_of(row.player?);
            let (row, html) = (row.clone(), String::new());
            Some(Self { change, mail, row, text, html, game, replayed, color })
        };
        parts.into_iter().filter_map(letter).collect()
    }

    fn of(change: &'a Change<'a>, mail: &'a Accepted, row: Mail) -> Option<Self> {
        let game = Game::of(change.after, row.game?)?;
        let is_with_board = WITH_BOARD.contains(&&*row.kind);
        let replayed =
            Replayed::of(change.after, game.id, row.events).ok().filter(|_| is_with_board)?;
        let [text, html] = mailer::parts(mail);
        let html = pages::texts(&html).join(" ");
        let color = game.color_of(row.player?);
        Some(Self { change, mail, row, text, html, game, replayed, color })
    }

    /// Returns the name of the player of a colour; `None` if it is a computer player.
    fn name(&self, color: &str) -> Option<&'a str> {
        name_of(self.change.after, self.game.person(color)?)
    }

    pub fn is_own_turn(&self) -> bool {
        self.color.is_some() && self.replayed.turn().map(String::from).as_deref() == self.color
    }

    pub fn is_first_try(&self) -> bool {
        self.row.is_tried_first(self.change)
    }

    /// The board is that after the last event that the mail knew.
    fn draws_the_position(&self) -> Result<(), String> {
        let position = self.replayed.board.position_string();
        let expected = position.trim_matches(['(', ')']).split_once(' ').map_or("", |(_, it)| it);
        match super::figure(&self.text).filter(|shown| shown != expected) {
            Some(shown) => Err(format!("shows {shown}, not {expected}")),
            None => Ok(()),
        }
    }

    fn shows_the_score(&self) -> Result<(), String> {
        let [black, white] = ['b', 'w'].map(|color| self.replayed.discs(color));
        let score = format!("black {black}, white {white}");
        match line_behind(&self.text, "Score: ") {
            Some(line) if !line.starts_with(&score) => Err(format!("{line:?}, not {score:?}")),
            None => Err("has no score".to_owned()),
            _ => Ok(()),
        }
    }

    /// The mail about the end says for its reader how the game has ended.
    fn says_who_won(&self) -> Result<(), String> {
        let (Some(color), "over") = (self.color, &*self.row.kind) else { return Ok(()) };
        let Some((winner, reason)) = self.replayed.result() else {
            return Err("the game is not over".to_owned());
        };
        let own = color.chars().next().unwrap_or_default();
        let other = if own == 'b' { 'w' } else { 'b' };
        let score = format!("{}-{}", self.replayed.discs(own), self.replayed.discs(other));
        let has_won = winner == Some(own);
        let by_whom = |verb: &str| match (has_won, self.name(&other.to_string())) {
            (false, _) => format!("you {verb}"),
            (true, name) => match name {
                Some(name) => {
                    format!("{name} ({}) {verb}", if other == 'b' { "black" } else { "white" })
                }
                None => verb.to_owned(),
            },
        };
        let begin = match winner {
            Some(_) if has_won => "You won",
            Some(_) => "You lost",
            None => "",
        };
        let rest = match &*reason {
            "discs" if winner.is_none() => format!("Draw, {score}"),
            "discs" => format!(", {score}"),
            "agreed" => format!("Draw by agreement, {score}"),
            "resigned" => by_whom("resigned"),
            "time" => by_whom("ran out of time"),
            "claimed" => by_whom("did not move in time"),
            "annulled" => "Annulled".to_owned(),
            "declined" => "declined the game".to_owned(),
            "forfeited" => "host decided the game".to_owned(),
            _ => String::new(),
        };
        let text = flat(&self.text);
        let text = text.split("Answer above this line").next().unwrap_or_default();
        match text.contains(begin) && text.contains(&rest) {
            true => Ok(()),
            false => Err(format!("{text:?} has not {begin:?} and {rest:?}")),
        }
    }

    fn legal(&self) -> BTreeSet<Place> {
        match self.replayed.status() {
            Status::Place(cells) if self.is_own_turn() => cells.clone(),
            _ => BTreeSet::new(),
        }
    }

    /// A mail to the player to move lists the legal moves, and no other mail does.
    fn lists_the_legal_moves(&self) -> Result<(), String> {
        let legal = self.legal();
        let line = line_behind(&self.text, "Legal moves: ").unwrap_or_default();
        let (labels, count) = line.split_once(" (").unwrap_or((&line, ""));
        let listed: BTreeSet<_> = labels.split([' ', '/']).filter_map(place).collect();
        let is_any = labels == "any empty cell" && self.replayed.board.options.anywhere;
        let shown = count.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0);
        if listed != legal && !is_any || shown != legal.len() {
            return Err(format!("{line:?}, not {legal:?}"));
        }
        Ok(())
    }

    /// A mail to the player to move says what moves flip.
    fn lists_what_moves_flip(&self) -> Result<(), String> {
        let legal = self.legal();
        let rows: Vec<_> = self.text.lines().filter_map(flip_row).collect();
        let is_in_words = self.text.contains("\nRow");
        let all = legal.len().min(if is_in_words { MAX_LISTED_IN_WORDS } else { MAX_LISTED });
        if rows.iter().map(|row| row.0).collect::<BTreeSet<_>>().len() != all || rows.len() != all {
            return Err(format!("lists {rows:?} of {legal:?}"));
        }
        let flips = |cell: Place| self.replayed.board.check(Some(cell)).map(|it| it.len());
        let least = rows.iter().map(|row| row.1[0]).min().unwrap_or_default();
        for (cell, shown) in &rows {
            let mut board = self.replayed.board.clone();
            let flips = flips(*cell);
            board.play(Some(*cell));
            if flips != Some(shown[0]) || [board.count('b'), board.count('w')] != shown[1..] {
                return Err(format!("{cell:?} {shown:?}, not {flips:?}"));
            }
        }
        let better = legal.iter().find(|&&cell| {
            let is_listed = rows.iter().any(|row| row.0 == cell);
            !is_listed && flips(cell) > Some(least)
        });
        better.map_or(Ok(()), |it| Err(format!("{it:?} flips more than those listed")))
    }

    /// The move that is named as an example is legal, and has the number of the next move.
    fn gives_an_example(&self) -> Result<(), String> {
        let text = flat(&self.text);
        let Some((_, example)) = text.split_once("for example \u{2039}move ") else {
            return match self.legal().is_empty() {
                true => Ok(()),
                false => Err("has no example of a move".to_owned()),
            };
        };
        let example = example.split('\u{203a}').next().unwrap_or_default();
        let (game, next) = (self.game.id.to_string(), self.replayed.plies.len() + 1);
        let is_right = example.split_once(' ').is_some_and(|(id, named)| {
            let (label, number) = named.split_once('#').unwrap_or((named, ""));
            let legal = self.legal();
            let is_legal = match place(label) {
                Some(cell) => legal.contains(&cell),
                None => label == "pass" && legal.is_empty(),
            };
            id == game && is_legal && number == next.to_string()
        });
        if is_right { Ok(()) } else { Err(format!("{example:?} is not legal as move {next}")) }
    }

    /// The last move and what it has flipped, and who has made it.
    fn names_the_last_move(&self) -> Result<(), String> {
        let Some(last) = self.replayed.plies.last() else { return Ok(()) };
        let text = flat(&self.text);
        if let Some((_, rest)) = text.split_once("Your turn, ")
            && self.row.kind == "turn"
            && self.replayed.plies.len() > self.replayed.given
            && let Some(made) = rest.split_once(" (").and_then(|(_, it)| it.split(").").next())
            && let Some(name) = self.name(&last.by.to_string())
        {
            let is_right = match last.mv {
                None => made == format!("{name} passed"),
                Some(cell) => made
                    .split_once(" by ")
                    .is_some_and(|(label, by)| place(label) == Some(cell) && by == name),
            };
            if !is_right {
                return Err(format!("{made:?}, not {last:?}"));
            }
        }
        // Squares at the beginning of a wrapped line have marks.
        let text = self.text.replace(['‹', '›'], "");
        let Some(line) = line_behind(&text, "Last move: ") else { return Ok(()) };
        let placed = self.replayed.plies.iter().rposition(|ply| ply.mv.is_some());
        let Some(placed) = placed else { return Ok(()) };
        let ply = &self.replayed.plies[placed];
        let is_given = placed < self.replayed.given;
        let before = if is_given { " (given, flipped " } else { " (flipped " };
        let shown = line.split_once(before).and_then(|(_, it)| it.split(')').next());
        let shown: BTreeSet<_> =
            shown.unwrap_or_default().split([' ', ',']).filter_map(place).collect();
        match line.starts_with(&format!("{}. ", placed + 1)) && shown == ply.flipped {
            true => Ok(()),
            false => Err(format!("{line:?}, not move {} {ply:?}", placed + 1)),
        }
    }

    /// A mail about a claim is sent only before the late player moves, and only the opponent reads "you can claim".
    fn says_who_can_claim(&self) -> Result<(), String> {
        let ends_pause = self.row.occasion == "answer"
            && plain(&self.text).contains("The time of ")
            && plain(&self.text).contains(" so you can claim the game.");
        let is_about_claim =
            self.row.kind == "flagged" || self.row.occasion == "claim" || ends_pause;
        if !is_about_claim || !self.is_first_try() || self.change.words.is_empty() {
            return Ok(());
        }
        let Ok(now) = Replayed::of(self.change.after, self.game.id, usize::MAX) else {
            return Ok(());
        };
        if now.position_event > self.row.events || now.result().is_some() {
            return Err("the game has gone on".to_owned());
        }
        if now.paused {
            return Err("the game is paused".to_owned());
        }
        match flat(&self.text).to_lowercase().contains("you can claim") {
            says if says == self.is_own_turn() => Err("tells the wrong one".to_owned()),
            _ => Ok(()),
        }
    }

    /// The mail about the end has all moves but automatic passes.
    fn has_the_transcript(&self) -> Result<(), String> {
        let line = line_behind(&self.text, "Transcript: ");
        let plies = self.replayed.plies.iter().filter(|ply| !ply.auto).collect::<Vec<_>>();
        let Some(line) = line else {
            let is_missing = self.row.kind == "over" && !plies.is_empty();
            return if is_missing { Err("has no transcript".to_owned()) } else { Ok(()) };
        };
        // The rows of a hex lattice can be below zero.
        let joined = line.replace([' ', '(', ')'], "");
        let mut rest = &joined[..];
        for ply in plies {
            if let (None, Some(left)) = (ply.mv, rest.strip_prefix("pass")) {
                rest = left;
                continue;
            }
            let letters = rest.find(|it: char| !it.is_ascii_alphabetic()).unwrap_or(rest.len());
            let digits = rest[letters..].find(|it: char| it.is_ascii_alphabetic());
            let end = digits.map_or(rest.len(), |it| letters + it);
            if place(&rest[..end]) != ply.mv {
                return Err(format!("{line:?} has {:?}, not {ply:?}", &rest[..end]));
            }
            rest = &rest[end..];
        }
        if rest.is_empty() { Ok(()) } else { Err(format!("{line:?} goes on with {rest:?}")) }
    }
}

/// Returns a legal move with what it flips and the score after it, from a line of the list.
pub(super) fn flip_row(line: &str) -> Option<(Place, [usize; 3])> {
    let is_row = line.starts_with("  ") || line.contains(": flips ");
    let mut words = line.split([' ', ',', ':', '.', '(', ')']).filter(|it| !it.is_empty());
    let cell = words.next().filter(|_| is_row).and_then(place)?;
    let numbers: Vec<_> = words.filter_map(|it| it.parse().ok()).collect();
    Some((cell, numbers.try_into().ok()?))
}
