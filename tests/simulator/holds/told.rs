//! Each event is told to those whom docs/mail.md names, and to nobody else.

use std::collections::BTreeSet;

use super::rows::{Game, Mail, has_blocked, of_player, watchers};
use super::{Change, changed, violated};
use crate::simulator::holds::replies::is_chosen;
use crate::simulator::shown::is_move;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// What a step has told, and what there was to tell.
pub(super) struct Told<'a> {
    pub change: &'a Change<'a>,
    /// The mails that are new in the outbox.
    pub new: Vec<Mail>,
    /// Those that are superseded or deleted since.
    pub replaced: Vec<Mail>,
    /// The games that are new or others than before.
    pub games: BTreeSet<i64>,
}

/// Each event is told to those whom it concerns, with a mail of the kind that is meant for it. Nobody else gets
/// one. Turn mails are judged elsewhere.
pub fn events_are_told(change: &Change) -> Result<(), Violation> {
    const TABLES: [&str; 6] = ["outbox", "event", "game", "challenge", "player", "analysis"];
    let is_same = || TABLES.iter().all(|it| change.after.is_same(change.before, it));
    if change.words.is_empty() || is_same() {
        return Ok(());
    }
    let told = Told::of(change);
    told.games_are_told()?;
    told.challenges_are_told()?;
    told.words_about_challenges_are_kept()?;
    told.answers_in_start_mails_are_kept()?;
    told.people_are_told()?;
    told.nobody_is_told_twice()?;
    told.new.iter().try_for_each(|mail| match told.is_due(mail) {
        true => Ok(()),
        false => violated("nobody_else_is_told", format!("{:?}: {mail:?}", change.words)),
    })
}

impl<'a> Told<'a> {
    fn of(change: &'a Change<'a>) -> Self {
        let (before, after) = (change.before, change.after);
        let rows = after.new_rows("outbox", before).into_iter();
        let rows = rows.filter_map(|id| Some((Mail::of(before, id), Mail::of(after, id)?)));
        let (new, changed_rows): (Vec<_>, Vec<_>) = rows.partition(|(old, _)| old.is_none());
        let replaced = changed_rows.into_iter().filter(|(old, mail)| {
            mail.state == "superseded" && old.as_ref().is_some_and(|old| old.state != mail.state)
        });
        // The record of one that was due long ago is deleted at once.
        let numbers = before.changed(after, "outbox").into_iter();
        let gone = numbers.filter(|id| Mail::of(after, *id).is_none());
        let gone = gone.filter_map(|id| Mail::of(before, id));
        let gone = gone.filter(|mail| matches!(&*mail.state, "queued" | "paused"));
        let mut games = changed(before, after);
        games.extend(after.changed(before, "analysis"));
        Self {
            change,
            new: new.into_iter().map(|(_, mail)| mail).collect(),
            replaced: replaced.map(|(_, mail)| mail).chain(gone).collect(),
            games,
        }
    }

    /// A step does not queue the same mail twice.
    fn nobody_is_told_twice(&self) -> Result<(), Violation> {
        let about = |mail: &Mail| {
            let row = self.change.after.columns_of("outbox", mail.id, ["text", "held"]).next();
            let row = row.map(|row| row.map(|value| value.map(str::to_owned)));
            let Mail { kind, player, address, game, events, occasion, challenge, .. } =
                mail.clone();
            (kind, player, address, game, (events, occasion, challenge, row))
        };
        // Somebody can ask for a hint again while the first one is still worked out.
        let is_hint = |mail: &&Mail| {
            let row = self.change.after.columns_of("outbox", mail.id, ["text"]).next();
            let text = row.and_then(|[text]| text).unwrap_or_default();
            let mut jobs = self.change.before.columns("job", ["kind", "game", "player"]);
            let is_it = |[kind, game, player]: [Option<&str>; 3]| {
                kind == Some("hint") && [number(game), number(player)] == [mail.game, mail.player]
            };
            text.starts_with("The hint that you asked for") && jobs.any(is_it)
        };
        let mut seen = Vec::new();
        let mails = self.new.iter().filter(|it| it.state != "superseded");
        for mail in mails.filter(|it| !is_hint(it)) {
            let about = about(mail);
            if seen.contains(&about) {
                return violated(
                    "nobody_is_told_twice",
                    format!("{:?}: {mail:?}", self.change.words),
                );
            }
            seen.push(about);
        }
        Ok(())
    }

    /// Returns the new events of a game with their authors: `b`, `w` or `h`.
    pub fn events(&self, game: i64) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let known = Game::of(self.change.before, game).map_or(0, |it| it.events);
        let rows = self.change.after.columns_of("event", game, ["author", "action"]);
        rows.skip(known).filter_map(|[author, action]| Some((author?, action?)))
    }

    /// Returns whether mail can go to a player.
    fn is_reachable(&self, player: i64) -> bool {
        let tables = self.change.after;
        of_player(tables, player, "address").is_some()
            && of_player(tables, player, "left_at").is_none()
    }

    /// Returns whether somebody has said something, in a shell, in a mail or on a page.
    pub fn says(&self, word: &str) -> bool {
        let written = self.change.incoming.is_some_and(|it| it.written.contains(word));
        written || self.change.words.iter().any(|it| it.contains(word))
    }

    /// Returns whether a comment goes at once. In a mail, a word within the comment is part of it.
    pub fn says_at_once(&self) -> bool {
        match self.change.incoming {
            Some(_) => self.says("say --now"),
            // A form has a box for it.
            None => self.says("--now") || self.says("&now=yes"),
        }
    }

    /// Returns how many mails to a player there were lately that meet this.
    fn recent(&self, player: i64, is_meant: impl Fn(&Mail) -> bool) -> usize {
        let all = self.change.after.columns("outbox", ["id", "player"]);
        let ids =
            all.filter(|[_, it]| number(*it) == Some(player)).filter_map(|[id, _]| number(id));
        let mails = ids.filter_map(|id| Mail::of(self.change.after, id));
        let is_recent = |mail: &Mail| mail.created_at > self.change.now.timestamp() - 2 * DAY;
        mails.filter(|mail| is_recent(mail) && is_meant(mail)).count()
    }

    /// Returns whether a player may have got the five mails a day that another one can cause.
    fn is_quota_used(&self, player: i64, by: i64) -> bool {
        let after = self.change.after;
        if self.play_together(player, by) {
            return false;
        }
        let is_between = |challenge: Option<&str>| {
            let people = ["challenger", "opponent"];
            let mut rows = number(challenge)
                .into_iter()
                .flat_map(|id| after.columns_of("challenge", id, people));
            rows.any(|people| people.map(number).contains(&Some(by)))
        };
        let rows = after.columns("outbox", ["player", "caused_by", "challenge"]);
        let rows = rows.filter(|[it, cause, challenge]| {
            number(*it) == Some(player) && (number(*cause) == Some(by) || is_between(*challenge))
        });
        rows.count() >= 5
    }

    /// Returns whether two players have a game under way, before and after the step.
    fn play_together(&self, one: i64, other: i64) -> bool {
        [self.change.before, self.change.after].into_iter().all(|tables| {
            let mut games = tables.columns("game", ["black", "white", "turn", "local"]);
            games.any(|[black, white, turn, local]| {
                let pair = [number(black), number(white)];
                turn.is_some()
                    && local != Some("1")
                    && pair.contains(&Some(one))
                    && pair.contains(&Some(other))
            })
        })
    }

    /// Returns whether a challenge or its end is told in a mail that gathers them, and waits or was just sent.
    fn is_gathered(&self, player: i64, challenge: i64) -> bool {
        let columns = ["player", "state", "challenge", "text", "first_try_at"];
        self.change.after.columns("outbox", columns).any(|[it, state, of, text, first_try_at]| {
            let was_just_sent = || number(first_try_at) == Some(self.change.now.timestamp());
            number(it) == Some(player)
                && (state == Some("queued") || state == Some("sent") && was_just_sent())
                && of.is_none()
                && text.is_some_and(|text| {
                    text.contains(&format!("It was number {challenge}."))
                        || text.contains(&format!("It is number {challenge}:"))
                })
        })
    }

    /// A reachable player has a new mail of this kind, about this game if one is named.
    fn demand(
        &self,
        kind: &str,
        player: i64,
        game: Option<i64>,
        of: &str,
    ) -> Result<(), Violation> {
        let is_it = |mail: &Mail| {
            mail.kind == kind
                && mail.player == Some(player)
                && (game.is_none() || mail.game == game)
        };
        match self.is_reachable(player) && !self.new.iter().any(is_it) {
            true => violated(
                "events_are_told",
                format!(
                    "{:?}: player {player} gets no {kind} of {of} in game {game:?}",
                    self.change.words
                ),
            ),
            false => Ok(()),
        }
    }

    fn games_are_told(&self) -> Result<(), Violation> {
        for game in self.games.iter().filter_map(|id| Game::of(self.change.after, *id)) {
            if game.is_local {
                continue;
            }
            let before = Game::of(self.change.before, game.id);
            let people = game.people.into_iter().flatten();
            let demand = |kind, of| {
                people.clone().try_for_each(|it| self.demand(kind, it, Some(game.id), of))
            };
            if before.is_none() {
                demand("started", "the start")?;
            }
            let was = before.as_ref().and_then(|it| it.reason.clone());
            let has_ended = game.reason.is_some() && game.reason != was;
            if has_ended {
                demand("over", "the end")?;
            }
            if !has_ended && self.events(game.id).any(|(_, action)| action.starts_with("flag ")) {
                demand("flagged", "the flag")?;
            }
            let is_extended = self.events(game.id).any(|(_, action)| action.starts_with("extend "));
            if is_extended && !has_ended {
                // A player is told once of all games.
                let is_all = self.change.words.get(1).is_some_and(|it| it == "all");
                let about = Some(game.id).filter(|_| !is_all);
                people.clone().try_for_each(|it| self.demand("notice", it, about, "more time"))?;
            }
            for (author, action) in self.events(game.id) {
                self.event_is_told(&game, was.is_some(), has_ended, author, action)?;
            }
            self.moves_are_told(&game, before.is_some(), has_ended)?;
        }
        Ok(())
    }

    fn event_is_told(
        &self,
        game: &Game,
        was_over: bool,
        has_ended: bool,
        author: &str,
        action: &str,
    ) -> Result<(), Violation> {
        let (Some(by), Some(to)) = (game.person(author), game.opponent(author)) else {
            return Ok(());
        };
        if author == "h" {
            return Ok(());
        }
        let is_full = || was_over && self.is_quota_used(to, by);
        let is_of_offers = |it: &Mail| {
            it.game == Some(game.id)
                && (it.occasion.starts_with("offer ") || it.occasion == "answer")
        };
        let is_comment = |it: &Mail| it.game == Some(game.id) && it.occasion == "comment";
        let word = action.split(' ').next().unwrap_or_default();
        match word {
            "decline" if !has_ended && self.has_heard_of_offer(game, author, to) => {
                // Beyond five mails a day, the end of an offer is not mailed.
                match self.recent(to, is_of_offers) >= 5 || is_full() {
                    true => Ok(()),
                    false => self.demand("notice", to, Some(game.id), action),
                }
            }
            "offer" if !has_ended && (self.recent(to, is_of_offers) > 5 || is_full()) => Ok(()),
            // Beyond five mails a day, what has come of an offer is mailed all the same.
            "offer" | "unpause" | "accept" if !(has_ended || was_over && word == "accept") => {
                self.demand("notice", to, Some(game.id), action)
            }
            "away" | "back" if Game::of(self.change.before, game.id).is_some() && !has_ended => {
                self.demand("notice", to, None, action)
            }
            "say" if was_over || self.says_at_once() => {
                let is_told = |it: &Mail| it.player == Some(to) && it.game == Some(game.id);
                let is_told = has_blocked(self.change.after, to, by)
                    || has_blocked(self.change.before, to, by)
                    || self.recent(to, is_comment) > 5
                    || is_full()
                    || self.new.iter().any(is_told);
                if is_told { Ok(()) } else { self.demand("notice", to, Some(game.id), action) }
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the open offer is known to a player: it is the player's own, or a mail about it was sent.
    fn has_heard_of_offer(&self, game: &Game, author: &str, player: i64) -> bool {
        let before = self.change.before;
        let offer = before.columns_of("game", game.id, ["offer_event"]).next();
        let Some(offer) = offer.and_then(|[it]| number(it)) else { return false };
        let mut rows = before.columns_of("event", game.id, ["number", "author"]);
        let by = rows.find(|[it, _]| number(*it) == Some(offer)).and_then(|[_, by]| by);
        let occasion = format!("offer {offer}");
        let is_sent = |mail: &Mail| {
            let is_it = mail.game == Some(game.id) && mail.occasion == occasion;
            is_it && mail.created_at < self.change.now.timestamp() && mail.state == "sent"
        };
        by != Some(author) || self.recent(player, is_sent) > 0
    }

    /// Those who watch are told of moves and of the end, and those who want one get a receipt.
    fn moves_are_told(
        &self,
        game: &Game,
        is_known: bool,
        has_ended: bool,
    ) -> Result<(), Violation> {
        let Change { before, after, .. } = *self.change;
        let watching = watchers(after, game);
        let events: Vec<_> = self.events(game.id).collect();
        let taken_back = events.iter().rposition(|(_, it)| *it == "takeback");
        let stands = events.iter().skip(taken_back.map_or(0, |at| at + 1));
        let made: Vec<_> = stands.filter(|(_, it)| is_move(it)).collect();
        for &watcher in watching.intersection(&watchers(before, game)) {
            let wants_none = of_player(after, watcher, "mail_mode") == Some("none");
            if has_ended {
                self.demand("watched-over", watcher, Some(game.id), "the end")?;
            } else if !made.is_empty() && game.to_move.is_some() && !wants_none {
                self.demand("watched", watcher, Some(game.id), "a move")?;
            }
            let [was_analysed, is_analysed] = [before, after]
                .map(|it| it.columns_of("analysis", game.id, ["game"]).next().is_some());
            match self.analyses(watcher, game.id) {
                // Who has asked for it gets it as an answer, in a shell without a mail.
                0 if is_analysed
                    && !was_analysed
                    && of_player(after, watcher, "name") != Some(self.change.actor) =>
                {
                    self.demand("watched-analysis", watcher, Some(game.id), "the analysis")?;
                }
                // It is mailed to those who watch when there is the first one.
                0 | 1 if !was_analysed || !self.is_mailed("watched-analysis", watcher, game.id) => {
                }
                count => {
                    let found = format!("player {watcher} gets {count} analyses of {}", game.id);
                    return violated("nobody_is_told_twice", found);
                }
            }
        }
        let own = made.iter().filter(|(_, action)| is_chosen(action)).collect::<Vec<_>>();
        let [(author, action)] = own[..] else { return Ok(()) };
        let Some(mover) = game.person(author).filter(|_| is_known && !has_ended) else {
            return Ok(());
        };
        let wants_receipt =
            [before, after].iter().all(|it| of_player(it, mover, "receipt") == Some("1"));
        // The mail about the start that is made again shows the move.
        let is_start = |it: &Mail| {
            it.kind == "started" && it.player == Some(mover) && it.game == Some(game.id)
        };
        let is_told = game.to_move == Some(mover) || self.new.iter().any(is_start);
        match wants_receipt && !is_told {
            true => self.demand("receipt", mover, Some(game.id), action),
            false => Ok(()),
        }
    }

    /// Returns whether a player has a new mail of this kind about a game.
    fn is_mailed(&self, kind: &str, player: i64, game: i64) -> bool {
        let is_it = |it: &Mail| (&*it.kind, it.player, it.game) == (kind, Some(player), Some(game));
        self.new.iter().any(is_it)
    }

    /// Returns how many new mails to a player have the analysis of a game.
    fn analyses(&self, player: i64, game: i64) -> usize {
        let is_it = |mail: &&Mail| {
            let row = self.change.after.columns_of("outbox", mail.id, ["text"]).next();
            let text = row.and_then(|[text]| text).unwrap_or_default();
            mail.player == Some(player) && text.contains(&format!("analysis of game {game}:"))
        };
        self.new.iter().filter(is_it).count()
    }

    fn challenges_are_told(&self) -> Result<(), Violation> {
        let Change { before, after, .. } = *self.change;
        let columns = ["challenger", "opponent", "state"];
        for id in after.changed(before, "challenge") {
            let Some([challenger, opponent, state]) =
                after.columns_of("challenge", id, columns).next()
            else {
                continue;
            };
            let old = before.columns_of("challenge", id, ["state"]).next().and_then(|[it]| it);
            let (Some(challenger), opponent) = (number(challenger), number(opponent)) else {
                continue;
            };
            let created_at = after.columns_of("challenge", id, ["created_at"]).next();
            let created_at = created_at.and_then(|[at]| number(at)).unwrap_or_default();
            // Who has not heard of a challenge need not hear of its end. After a restore, a number is used again, and
            // the mail that asks can wait once more.
            let is_unasked =
                |mail: &Mail| mail.challenge == Some(id) && mail.occasion == "challenge";
            let has_heard = || {
                !self.replaced.iter().any(is_unasked)
                    && self.change.accepted[..self.change.accepted_before].iter().any(|mail| {
                        let shown = mail.shown.as_ref();
                        shown.is_some_and(|it| it.kind == "challenge" && it.at >= created_at)
                            && mail.words().contains(&format!("Challenge {id}\n"))
                            && opponent.is_some_and(|it| {
                                of_player(after, it, "address")
                                    .is_some_and(|it| it.eq_ignore_ascii_case(&mail.to))
                            })
                    })
            };
            let told: &[Option<i64>] = match (old, state) {
                (None, Some("open")) => &[opponent],
                (Some("open"), Some("declined")) => &[Some(challenger)],
                (Some("open"), Some("withdrawn")) if has_heard() => &[opponent],
                (Some("open"), Some("expired")) if has_heard() => &[Some(challenger), opponent],
                (Some("open"), Some("expired")) => &[Some(challenger)],
                _ => &[],
            };
            for &player in told.iter().flatten() {
                let by = if player == challenger { opponent } else { Some(challenger) };
                let may_gather =
                    old.is_some() || by.is_none_or(|by| !self.play_together(player, by));
                if by.is_some_and(|by| self.is_quota_used(player, by))
                    || may_gather && self.is_gathered(player, id)
                {
                    continue;
                }
                self.demand("challenge", player, None, &format!("challenge {id}, {state:?}"))?;
            }
        }
        Ok(())
    }

    /// Words about a challenge that wait are in the mail that replaces theirs.
    fn words_about_challenges_are_kept(&self) -> Result<(), Violation> {
        let Change { before, after, .. } = *self.change;
        // One mail can say something and answer.
        let at_once = self.new.iter().filter(|it| it.state == "superseded");
        for old in self.replaced.iter().chain(at_once).filter(|it| it.kind == "challenge") {
            let (Some(player), Some(challenge)) = (old.player, old.challenge) else { continue };
            let text = |tables: &Tables, id| {
                let row = tables.columns_of("outbox", id, ["text"]).next();
                row.and_then(|[text]| text.map(str::to_owned)).unwrap_or_default()
            };
            let people = after.columns_of("challenge", challenge, ["challenger", "opponent"]);
            let people: Vec<_> = people.flatten().filter_map(|it| number(it)).collect();
            let is_blocked = people.iter().any(|it| has_blocked(after, player, *it));
            let known = Mail::of(before, old.id).map_or(after, |_| before);
            let words = text(known, old.id);
            let Some((_, words)) = words.split_once("\n\n") else { continue };
            let state = after.columns_of("challenge", challenge, ["state"]).next();
            let rows = after.columns("outbox", ["player", "state", "text"]);
            let mut rows =
                rows.filter(|it| number(it[0]) == old.player && it[1] != Some("superseded"));
            let is_there = rows.any(|[.., text]| text.is_some_and(|text| text.contains(words)));
            let begins = state == Some([Some("accepted")]);
            if self.is_reachable(player) && !is_blocked && !begins && !is_there {
                let found = format!("{words:?} about challenge {challenge} are lost: {old:?}");
                return violated("words_about_challenges_are_kept", found);
            }
        }
        Ok(())
    }

    /// The answer to a mail that the mail about a start carries is in the one that replaces it.
    fn answers_in_start_mails_are_kept(&self) -> Result<(), Violation> {
        let at_once = self.new.iter().filter(|it| it.state == "superseded");
        let starts = self.replaced.iter().chain(at_once).filter(|it| it.kind == "started");
        for old in starts.filter(|it| it.first_try_at.is_none()) {
            let carried = |id| {
                let columns = ["in_reply_to", "text"];
                let [before, after] = [self.change.before, self.change.after];
                let rows = [after, before].map(|it| it.columns_of("outbox", id, columns).next());
                rows.into_iter().flatten().next().unwrap_or_default()
            };
            let [Some(message), Some(text)] = carried(old.id) else { continue };
            let is_next = |it: &&Mail| {
                let is_same = (it.player, it.game) == (old.player, old.game);
                is_same && it.kind == old.kind && it.id > old.id && it.state != "superseded"
            };
            let Some(next) = self.new.iter().find(is_next) else { continue };
            let [to, words] = carried(next.id);
            if to != Some(message) || words.is_none() {
                let found = format!("{text:?} to {message} is lost: {old:?}, {next:?} {words:?}");
                return violated("answers_in_start_mails_are_kept", found);
            }
        }
        Ok(())
    }

    fn people_are_told(&self) -> Result<(), Violation> {
        let Change { before, after, .. } = *self.change;
        let found = |what: String| violated("events_are_told", what);
        for player in after.changed(before, "player") {
            let old_address = of_player(before, player, "address");
            let is_new = |column| {
                let value = of_player(after, player, column);
                value.is_some() && value != of_player(before, player, column)
            };
            let Some(old_address) = old_address else { continue };
            let is_to = |mail: &&Mail| {
                let is_theirs = |it: &str| it.eq_ignore_ascii_case(old_address);
                mail.player == Some(player) || mail.address.as_deref().is_some_and(is_theirs)
            };
            let has = |kind| self.new.iter().filter(is_to).any(|mail| mail.kind == kind);
            // Its record is deleted with the address when it was sent or has failed.
            let mut sent = self.change.accepted[self.change.accepted_before..].iter();
            let mut is_sent = || {
                self.change.has_mail_faults
                    || sent.any(|mail| mail.to.eq_ignore_ascii_case(old_address))
            };
            if is_new("left_at") && !has("farewell") && !is_sent() {
                return found(format!("player {player} gets no farewell"));
            }
            let is_confirmed = self.change.incoming.is_some() && is_new("address");
            if is_confirmed && !has("moved") {
                return found(format!("{old_address} is not told of the new address"));
            }
            if is_new("paused_at") {
                for opponent in opponents(after, player) {
                    self.demand("paused", opponent, None, "mail that fails")?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the opponents of a player in active games of which they are mailed.
pub(super) fn opponents(tables: &Tables, player: i64) -> BTreeSet<i64> {
    let games = tables.columns("game", ["id", "turn"]).filter(|[_, turn]| turn.is_some());
    let games = games.filter_map(|[id, _]| Game::of(tables, number(id)?));
    let games = games.filter(|game| !game.is_local);
    games.filter_map(|game| game.opponent(game.color_of(player)?)).collect()
}
