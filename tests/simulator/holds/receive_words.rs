//! What `receive` says of a mail, as a pipe: docs/json.md, docs/receiving.md, What happened to it.

use serde_json::json;

use super::{Change, violated};
use crate::simulator::Violation;

/// `receive` says what the record of the mail says, for people and for scripts, and ends with 0.
pub fn receipts_say_what_is_recorded(change: &Change) -> Result<(), Violation> {
    const OF: &str = "receipts_say_what_is_recorded";
    let is_pipe = change.words.first().is_some_and(|it| it == "receive");
    let (Some(ran), Some(mail)) = (change.ran.filter(|_| is_pipe), change.incoming) else {
        return Ok(());
    };
    // A mail that cannot be read is kept, and not recorded.
    let [new] = change.after.added("received", change.before)[..] else { return Ok(()) };
    let record = change.after.columns_of("received", new, ["disposition", "why"]).next();
    let Some([Some(disposition), why]) = record else { return Ok(()) };
    let why = why.unwrap_or_default();
    // A reason that was too long ends elsewhere.
    if disposition == "ignored" && why.ends_with("...") {
        return Ok(());
    }
    let word = match disposition {
        "ignored" => format!("ignored: {}", why.rsplit("; ").next().unwrap_or_default()),
        word => word.to_owned(),
    };
    let sentence = format!("The mail was processed: {word}.");
    let is_said = !ran.has_sentences() || ran.sentences.first() == Some(&sentence);
    match ran.status == 0 && ran.shown() == json!({ "disposition": word }) && is_said {
        true => Ok(()),
        false => {
            let found = format!("{:?} ended with {} {:?}", mail.id, ran.status, ran.json);
            violated(OF, format!("{found}: {:?}, not {sentence:?}", ran.sentences))
        }
    }
}
