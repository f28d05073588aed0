//! What holds of secrets. Each address belongs to one person, each word of people has a mark, and each mail a
//! token of its own; nothing that leaves has one that its reader may not have.

use std::collections::{BTreeMap, BTreeSet};

use mail_parser::MessageParser;

use super::quotas::mailbox;
use super::rows::with_message_id;
use super::{Change, name_of, violated};
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// The domain of all people.
const DOMAIN: &str = "@people.example";

/// Begins a mark, which has the name of its writer, and a number: `mark_ann_5f`.
pub const MARK: &str = "mark_";

/// What is in front of a reply token, as it is and in a link.
const TOKENS: [&str; 2] = ["outflank+", "outflank%2b"];

/// What is in front of the token of a page.
const PAGES: [&str; 4] = ["/play/", "/watch/", "/me/", "/unsubscribe/"];

/// The name under which the host writes.
pub const HOST: &str = "host";

/// What the tables do not say, or not any more.
#[derive(Debug, Default)]
pub struct Secrets {
    /// The names of those who have had an address or have typed it.
    addresses: BTreeMap<String, BTreeSet<String>>,
    /// The addresses of players when they left, with their names.
    left: BTreeMap<String, String>,
    /// The addresses from which mail has come since.
    wrote: BTreeSet<String>,
    /// Whose mail had a token first; several names if they had its address.
    tokens: BTreeMap<String, BTreeSet<String>>,
    /// The marks in notes, with the names of their owners.
    notes: BTreeMap<String, String>,
}

impl Secrets {
    /// Records what a person writes, by mail with this header or otherwise.
    pub fn hear(&mut self, name: &str, text: &str, header: Option<&str>) {
        for address in addresses(&text.to_lowercase()) {
            self.addresses.entry(address.to_owned()).or_default().insert(name.to_owned());
        }
        let header = header.unwrap_or_default().to_lowercase();
        self.wrote.extend(addresses(&header).map(str::to_owned));
    }

    /// Records what the tables have.
    pub fn learn(&mut self, before: &Tables, after: &Tables) {
        if !after.is_same(before, "player") {
            for [name, address] in after.columns("player", ["name", "address"]) {
                let (Some(name), Some(address)) = (name, address) else { continue };
                let names = self.addresses.entry(address.to_lowercase()).or_default();
                names.insert(name.to_lowercase());
            }
            for [id, name, left_at] in after.columns("player", ["id", "name", "left_at"]) {
                let id = id.and_then(|id| id.parse().ok()).unwrap_or_default();
                let earlier = before.columns_of("player", id, ["address", "left_at"]).next();
                let (Some([Some(address), None]), Some(_)) = (earlier, left_at) else { continue };
                self.wrote.remove(&address.to_lowercase());
                let name = name.unwrap_or_default().to_lowercase();
                // A restore may have undone that the same player left, with another address.
                self.left.retain(|_, it| *it != name);
                self.left.insert(address.to_lowercase(), name);
            }
        }
        for game in after.changed(before, "event") {
            for [author, action] in after.columns_of("event", game, ["author", "action"]) {
                let Some(note) = action.and_then(|it| it.strip_prefix("note ")) else { continue };
                let owner = players_of(after, game)[usize::from(author == Some("w"))];
                let owner = owner.unwrap_or_default().to_lowercase();
                self.notes.extend(marks(note).map(|mark| (mark.to_owned(), owner.clone())));
            }
        }
    }

    /// Returns the addresses of players who have left, if nobody else has had them and no mail has come from them
    /// since.
    fn gone<'a>(&'a self, tables: &'a Tables) -> impl Iterator<Item = &'a String> {
        let players = tables.columns("player", ["name", "left_at"]);
        let left: BTreeSet<_> = players
            .filter_map(|[name, left_at]| left_at.and(name).map(str::to_lowercase))
            .collect();
        self.left.iter().filter_map(move |(address, name)| {
            // What is counted by mailboxes has them without what is behind a `+`.
            let own = mailbox(address);
            let same = self.addresses.iter().filter(|(it, _)| mailbox(it) == own);
            let is_only = same.flat_map(|(_, names)| names).all(|it| it == name);
            let has_written = self.wrote.iter().any(|it| mailbox(it) == own);
            (left.contains(name) && is_only && !has_written).then_some(address)
        })
    }

    /// Returns the name of the player whose page has this path; `None` if it is a page for everybody.
    pub fn reader_of(&self, path: &str) -> Option<&str> {
        let path = path.to_lowercase();
        tokens(&path, &PAGES).find_map(|token| self.tokens.get(token)?.first()).map(String::as_str)
    }

    /// Learns whose pages the links in new mails open.
    pub fn learn_links(&mut self, [before, after]: [&Tables; 2], mails: &[Accepted]) {
        for mail in mails {
            let mut tables = [after, before].into_iter();
            let row = tables.find_map(|it| with_message_id(it, &mail.id, ["player"]));
            let reader = row.and_then(|[player]| name_of(after, number(player)?));
            let Some(reader) = reader.map(str::to_lowercase) else { continue };
            for token in tokens(&decoded(mail).to_lowercase(), &PAGES) {
                let of = self.tokens.entry(token.to_owned());
                of.or_insert_with(|| BTreeSet::from([reader.clone()]));
            }
        }
    }

    fn knows(&self, address: &str, name: &str) -> bool {
        self.addresses.get(address).is_some_and(|names| names.contains(name))
    }
}

/// Returns the names of the players of a game.
fn players_of(tables: &Tables, game: i64) -> [Option<&str>; 2] {
    let row = tables.columns_of("game", game, ["black", "white"]).next().unwrap_or_default();
    row.map(|player| {
        let player = player?.parse().ok()?;
        tables.columns_of("player", player, ["name"]).next()?[0]
    })
}

/// Returns the number of a player.
fn number_of<'a>(tables: &'a Tables, name: &str) -> Option<&'a str> {
    let mut players = tables.columns("player", ["id", "name"]);
    players.find(|[_, it]| it.is_some_and(|it| it.eq_ignore_ascii_case(name)))?[0]
}

/// Returns the addresses of people in a text in lower case.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(DOMAIN).map(|(at, _)| {
        let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '+' | '-' | '_');
        let from = text[..at].rfind(|it| !is_part(it)).map_or(0, |at| at + 1);
        &text[from..at + DOMAIN.len()]
    })
}

/// Returns the marks in a text.
pub fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(MARK).map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Returns the tokens in a text in lower case that stand behind one of these.
fn tokens<'a>(text: &'a str, behind: &[&'static str]) -> impl Iterator<Item = &'a str> {
    let places = behind.iter().flat_map(|before| text.match_indices(before));
    let tokens = places.map(|(at, before)| {
        let rest = &text[at + before.len()..];
        let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
        &rest[..rest.find(|it| !is_part(it)).unwrap_or(rest.len())]
    });
    // Words in explanations are shorter.
    tokens.filter(|token| token.len() > 12)
}

/// Returns the writer of a mark.
fn writer(mark: &str) -> &str {
    mark.trim_start_matches(MARK).split('_').next().unwrap_or_default()
}

/// Where the words with a mark are.
enum Words<'a> {
    /// A comment or note in a game, with the names of its players.
    InGame { is_note: bool, author: usize, players: [Option<&'a str>; 2] },
    /// Words of the host in a game.
    OfHost,
    /// In no game.
    Elsewhere,
}

fn find_words<'a>(tables: &'a Tables, mark: &str) -> Words<'a> {
    let mut events = tables.columns("event", ["game", "author", "action"]);
    let has_mark = |action: &str| marks(action).any(|it| it == mark);
    let Some([game, author, action]) = events.find(|[_, _, action]| action.is_some_and(has_mark))
    else {
        return Words::Elsewhere;
    };
    let word = action.and_then(|it| it.split(' ').next());
    let (Some(is_note), Some(game)) =
        (word.map(|it| it == "note"), game.and_then(|it| it.parse().ok()))
    else {
        return Words::Elsewhere;
    };
    if !matches!(word, Some("note" | "say")) {
        return Words::OfHost;
    }
    let author = usize::from(author == Some("w"));
    Words::InGame { is_note, author, players: players_of(tables, game) }
}

/// Returns whether a player has blocked an author, before a step and after it.
fn has_blocked(change: &Change, reader: &str, author: &str) -> bool {
    [change.before, change.after].into_iter().all(|tables| {
        let (reader, author) = (number_of(tables, reader), number_of(tables, author));
        tables.columns("blocked", ["player", "author"]).any(|row| row == [reader, author])
    })
}

/// Returns whether somebody may read the words with a mark: what a player wrote, only its writer, except
/// comments, which the other player and the host may read, and words about a challenge, which its other person
/// may read.
fn may_read(change: &Change, mark: &str, reader: &str, is_retry: bool) -> bool {
    let writer = writer(mark);
    if writer == reader || writer == HOST {
        return true;
    }
    let tables = change.after;
    let is =
        |name: Option<&str>, other: &str| name.is_some_and(|it| it.eq_ignore_ascii_case(other));
    match find_words(tables, mark) {
        Words::OfHost => true,
        Words::InGame { is_note: true, author, players } => is(players[author], reader),
        Words::InGame { players, .. } if reader == HOST => !is(players[0], HOST),
        Words::InGame { author, players, .. } => {
            let other = players[1 - author];
            let author = players[author].unwrap_or_default();
            is(other, reader) && (is_retry || !has_blocked(change, reader, author))
        }
        Words::Elsewhere => {
            let (one, two) = (number_of(tables, reader), number_of(tables, writer));
            let mut challenges = tables.columns("challenge", ["challenger", "opponent"]);
            one.is_some()
                && challenges.any(|row| row == [one, two] || row == [two, one])
                && (is_retry || !has_blocked(change, reader, writer))
        }
    }
}

/// What a command prints has nothing that its reader may not have: no token, no address but the reader's own,
/// and no words of others but comments.
pub fn replies_keep_secrets(
    change: &Change,
    secrets: &Secrets,
    reader: &str,
    words: &[String],
    ran: &Ran,
) -> Result<(), Violation> {
    const OF: &str = "replies_keep_secrets";
    let reader = reader.to_lowercase();
    let typed = words.join(" ").to_lowercase();
    let page = ran.answer.as_ref().map(|answer| &answer.body);
    for text in ran.printed().chain(page) {
        let lower = text.to_lowercase();
        let is_foreign = |address: &&str| reader != HOST && !secrets.knows(address, &reader);
        let found = tokens(&lower, &TOKENS).find(|token| !typed.contains(token));
        let is_others =
            |token: &&str| secrets.tokens.get(*token).is_some_and(|it| !it.contains(&reader));
        let found = found.or_else(|| tokens(&lower, &PAGES).find(is_others));
        let found = found.or_else(|| addresses(&lower).find(is_foreign));
        let is_secret = |mark: &&str| !may_read(change, mark, &reader, false);
        let found = found.or_else(|| marks(&lower).find(is_secret));
        if let Some(found) = found {
            return violated(OF, format!("{reader} reads {found} after `{typed}`: {text}"));
        }
    }
    Ok(())
}

/// The log has no address, no token and no words of people.
pub fn the_log_keeps_secrets(words: &[String], ran: &Ran) -> Result<(), Violation> {
    let lower = ran.log.to_lowercase();
    let found = addresses(&lower).chain(marks(&lower)).next();
    let found = found.or_else(|| tokens(&lower, &TOKENS).chain(tokens(&lower, &PAGES)).next());
    found.map_or(Ok(()), |found| {
        let found = format!("`{}` logs {found}: {}", words.join(" "), ran.log);
        violated("the_log_keeps_secrets", found)
    })
}

/// A mail has nothing that its reader may not have: no address but the reader's own, no token of somebody
/// else, and no words of others but comments and those about challenges.
pub fn mails_keep_secrets(change: &Change, secrets: &mut Secrets) -> Result<(), Violation> {
    const OF: &str = "mails_keep_secrets";
    // An answer shows lines of the mail that it answers, such as a quotation.
    let incoming = change.incoming.map(|it| String::from_utf8_lossy(&it.bytes).to_lowercase());
    let incoming = incoming.unwrap_or_default();
    for mail in change.new_mails() {
        let to = mail.to.to_lowercase();
        let columns = ["message_id", "kind", "player", "tries", "text"];
        // The record of a mail that names one who has left goes with that address, perhaps in the same step.
        let row = [change.after, change.before].into_iter().find_map(|tables| {
            tables.columns("outbox", columns).find(|[id, ..]| *id == Some(&*mail.id))
        });
        let [_, kind, player, tries, words] = row.unwrap_or_default();
        // Somebody has written from there with the reader's token.
        let stranger = words.filter(|_| kind == Some("mismatch")).map(str::to_lowercase);
        let player = player.and_then(|player| player.parse().ok());
        let name = player
            .and_then(|player| change.after.columns_of("player", player, ["name"]).next()?[0])
            .map(str::to_lowercase);
        // A mail to nobody who is a player may be for any of those who had its address.
        let had = || secrets.addresses.get(&to).cloned().unwrap_or_default();
        let names = name.map_or_else(had, |name| BTreeSet::from([name]));
        let name = names.first().unwrap_or(&to).clone();
        let is_retry = tries != Some("1") || mail.may_come_again;
        let text = decoded(mail);
        let lower = text.to_lowercase();
        let is_foreign = |address: &&str| {
            *address != to
                && stranger.as_deref() != Some(address)
                && !(kind == Some("answer") && incoming.contains(*address))
                && (kind == Some("moved") || !secrets.knows(address, &name))
        };
        let found = addresses(&lower).find(is_foreign);
        // A question repeats what somebody has asked for in its reader's name.
        let is_secret =
            |mark: &&str| kind != Some("confirm") && !may_read(change, mark, &name, is_retry);
        if let Some(found) = found.or_else(|| marks(&lower).find(is_secret)) {
            return violated(OF, format!("{name} reads {found} in {}: {text}", mail.id));
        }
        // After a restore, the token of a last mail, which does nothing, comes again.
        let tokens = tokens(&lower, &TOKENS).chain(tokens(&lower, &PAGES));
        let is_last = mail.id.starts_with("farewell.");
        for token in tokens.filter(|_| !is_last) {
            let of = secrets.tokens.entry(token.to_owned()).or_insert_with(|| names.clone());
            if of.is_disjoint(&names) && !names.is_empty() && !of.is_empty() {
                let found = format!("{name} reads a token of {of:?} in {}: {text}", mail.id);
                return violated(OF, found);
            }
        }
    }
    Ok(())
}

/// Returns the header of a mail and its texts.
fn decoded(mail: &Accepted) -> String {
    let (header, body) = mail.text.split_once("\n\n").unwrap_or((&mail.text, ""));
    let header = header.replace("\n ", " ").replace("\n\t", " ");
    let Some(parsed) = MessageParser::default().parse(mail.text.as_bytes()) else {
        return format!("{header}\n{body}");
    };
    let texts = parsed.parts.iter().filter_map(|part| part.text_contents());
    format!("{header}\n{}", texts.collect::<Vec<_>>().join("\n"))
}

/// The words of the notes of a player who has left are erased at once.
pub fn notes_of_those_who_left_are_erased(change: &Change) -> Result<(), Violation> {
    let tables = change.after;
    if tables.is_same(change.before, "event") && tables.is_same(change.before, "player") {
        return Ok(());
    }
    let left = tables.columns("player", ["id", "left_at"]);
    let left: BTreeSet<_> = left.filter_map(|[id, left]| left.and(id)).collect();
    for [game, author, action] in tables.columns("event", ["game", "author", "action"]) {
        let Some(note) = action.and_then(|it| it.strip_prefix("note ")) else { continue };
        let number = game.and_then(|it| it.parse().ok()).unwrap_or_default();
        let sides = tables.columns_of("game", number, ["black", "white"]).next();
        let owner = sides.unwrap_or_default()[usize::from(author == Some("w"))];
        if marks(note).next().is_some() && owner.is_some_and(|owner| left.contains(owner)) {
            let found = format!("game {number} still has {note:?}");
            return violated("notes_of_those_who_left_are_erased", found);
        }
    }
    Ok(())
}

/// The address of a player who has left is in no table after the record of the last mail to it was deleted,
/// unless somebody has it again, or mail came from there since.
pub fn addresses_of_those_who_left_are_erased(
    tables: &Tables,
    secrets: &Secrets,
) -> Result<(), Violation> {
    for address in secrets.gone(tables) {
        let farewells = tables.columns("outbox", ["kind", "address"]);
        let is_farewell = |[kind, to]: [Option<&str>; 2]| {
            kind == Some("farewell") && to.is_some_and(|to| to.eq_ignore_ascii_case(address))
        };
        if farewells.into_iter().any(is_farewell) {
            continue;
        }
        if let Some(row) = tables.mentions(address) {
            let found = format!("{address} is still in {row}");
            return violated("addresses_of_those_who_left_are_erased", found);
        }
    }
    Ok(())
}

/// When some days have passed, the files have neither addresses nor notes of players who have left.
pub fn files_forget_those_who_left(
    tables: &Tables,
    secrets: &Secrets,
    files: &[Vec<u8>],
) -> Result<(), Violation> {
    let players = tables.columns("player", ["name", "left_at"]);
    let left: BTreeSet<_> =
        players.filter_map(|[name, left_at]| left_at.and(name).map(str::to_lowercase)).collect();
    let notes = secrets.notes.iter().filter(|(_, owner)| left.contains(*owner));
    let mut secret = notes.map(|(mark, _)| mark).chain(secrets.gone(tables));
    let is_there = |secret: &&String| files.iter().any(|file| has_word(file, secret.as_bytes()));
    let found = secret.find(is_there);
    found.map_or(Ok(()), |found| {
        violated("files_forget_those_who_left", format!("a file still has {found}"))
    })
}

/// Returns whether a file has a word that is no part of a longer one.
fn has_word(file: &[u8], word: &[u8]) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let is_here = |at: usize| {
        file[at..].starts_with(word)
            && !is_part(file.get(at + word.len()))
            && !is_part(at.checked_sub(1).and_then(|at| file.get(at)))
    };
    (0..file.len()).any(is_here)
}
