use serde::Serialize;
use serde_json::json;

use crate::app::Reply;
use crate::app::views::json::merged;

/// How a check ended, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Ok,
    Warning,
    Wrong,
}

impl Outcome {
    /// Judges a value that should be small: more than `good` is a warning, and more than `warning` is wrong.
    pub(super) fn of<T: PartialOrd>(value: T, good: T, warning: T) -> Self {
        if value > warning {
            Self::Wrong
        } else if value > good {
            Self::Warning
        } else {
            Self::Ok
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Wrong => "wrong",
        }
    }

    /// Returns the exit status of a command with this as its worst outcome.
    const fn status(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Warning => 1,
            Self::Wrong => 3,
        }
    }
}

/// The finding of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    check: Check,
    pub(super) outcome: Outcome,
    #[serde(rename = "found")]
    text: String,
    /// The advice about it.
    #[serde(rename = "do")]
    advice: Option<String>,
}

/// The name of a check.
type Check = &'static str;

impl Finding {
    pub(super) fn ok(check: Check, text: impl Into<String>) -> Self {
        Self { check, outcome: Outcome::Ok, text: text.into(), advice: None }
    }

    pub(super) fn warning(
        check: Check,
        text: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::judged(check, Outcome::Warning, text, advice)
    }

    pub(super) fn wrong(check: Check, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::judged(check, Outcome::Wrong, text, advice)
    }

    /// Returns a finding with this outcome; the advice is for one that is not good.
    pub(super) fn judged(
        check: Check,
        outcome: Outcome,
        text: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        let advice = (outcome != Outcome::Ok).then(|| advice.into());
        Self { check, outcome, text: text.into(), advice }
    }

    /// Returns it with advice, although it is good.
    pub(super) fn advising(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    fn line(&self) -> String {
        let advice = self.advice.as_ref().map_or(String::new(), |advice| format!("; {advice}"));
        format!("{:<7}  {}: {}{advice}", self.outcome.word(), self.check, self.text)
    }
}

/// Returns the reply with a line for each finding. Its exit status is that of the worst one. `station` is
/// where a test mail has stopped.
pub(crate) fn reply(findings: &[Finding], station: Option<&'static str>) -> Reply {
    let outcome = findings.iter().map(|finding| finding.outcome).max().unwrap_or(Outcome::Ok);
    let lines: Vec<_> = findings.iter().map(Finding::line).collect();
    let json = merged([
        json!({ "outcome": outcome }),
        station.map(|station| json!({ "station": station })).into(),
        json!({ "checks": findings }),
    ]);
    let reply = Reply::new(&json).text(lines.join("\n"));
    Reply { status: outcome.status(), ..reply }
}
