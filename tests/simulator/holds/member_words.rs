//! What `signup` and `set` say of a player: docs/first-club.md, docs/settings.md.

use serde_json::json;

use super::commands::{Given, Member};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::process::Ran;

/// `signup` says where the mail of the new player goes, and `set` says whose setting has which value now.
pub fn settings_are_said(change: &Change) -> Result<(), Violation> {
    let (Some(given), Some(ran), 0) = (Given::of(change), change.ran, change.status) else {
        return Ok(());
    };
    let wrong = match given.word {
        "signup" => wrong_signup(change, given, ran),
        "set" => wrong_setting(given, ran),
        _ => None,
    };
    match wrong {
        None => Ok(()),
        Some(wrong) => {
            let found = format!("{} gave {:?}", change.actor, change.words.join(" "));
            violated("settings_are_said", format!("{found}: {wrong}: {:?}", ran.sentences))
        }
    }
}

fn wrong_signup(change: &Change, given: Given, ran: &Ran) -> Option<String> {
    let name = given.rest.iter().find(|it| !it.starts_with('-'))?;
    let new = Member::named(change.after, name)?;
    if ran.shown() != json!({ "player": new.name, "address": new.address }) {
        return Some(format!("{new:?} is shown as {:?}", ran.json));
    }
    let expected = match new.address {
        Some(address) => format!("{} is signed up; mail goes to {address}.", new.name),
        None => format!("{} is signed up and gets no mail.", new.name),
    };
    let is_said = !ran.has_sentences() || ran.sentences.contains(&expected);
    (!is_said).then(|| format!("does not say {expected:?}"))
}

fn wrong_setting(given: Given, ran: &Ran) -> Option<String> {
    let (word, value) = given.rest.split_first()?;
    let word = word.to_lowercase();
    // A new address must be confirmed first.
    if !ran.has_sentences() || word == "address" && !value.is_empty() {
        return None;
    }
    let shown = ran.shown();
    let value = shown["settings"][&word].as_str()?;
    let head = format!("Settings of {}", given.actor?.name);
    let expected = [head, format!("{word}: {value}")];
    let lines: Vec<_> = ran.sentences.iter().flat_map(|it| it.lines()).collect();
    let missing = expected.into_iter().find(|it| !lines.contains(&it.as_str()));
    missing.map(|it| format!("does not say {it:?}"))
}
