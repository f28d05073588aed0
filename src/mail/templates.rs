use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, ErrorKind, HtmlEscape, UndefinedBehavior, Value};

use super::error::Error;
use outflank_model::render::unhyphenated;

/// Includes templates by the names of their files: those of the first list in HTML and as text, then single
/// files.
macro_rules! built_in {
    ([$($both:literal),* $(,)?], [$($name:literal),*]) => {
        built_in!($($both, ".html"; $both, ".txt";)* $($name, "";)*)
    };
    ($($name:literal, $form:literal;)*) => {
        &[$((concat!($name, $form), include_str!(concat!("../../templates/", $name, $form)))),*]
    };
}

/// The built-in templates: two for each kind of mail, and the parts they share.
const BUILT_IN: &[(&str, &str)] = built_in!(
    [
        "address",
        "analyze",
        "answer",
        "board",
        "challenge",
        "confirm",
        "digest",
        "farewell",
        "flagged",
        "games",
        "host",
        "letter",
        "mismatch",
        "moved",
        "moves",
        "notice",
        "over",
        "own-page",
        "page",
        "paused",
        "portable",
        "probe",
        "receipt",
        "reminder",
        "reply",
        "said",
        "section",
        "started",
        "tournament",
        "turn",
        "watched",
        "watched-analysis",
        "watched-over",
        "watched-section",
        "watcher",
    ],
    ["parts.html", "pieces.html", "token.txt", "transcript.html"]
);

/// The width of running text in a mail, in columns. It is within the 78 of RFC 5322.
pub const LINE: usize = 76;

/// The marks around a command in our mails. No reader of commands takes them away.
pub const COMMAND_MARKS: (char, char) = ('\u{2039}', '\u{203a}');

/// Returns a command between its marks.
pub fn as_command(command: &str) -> String {
    let (open, close) = COMMAND_MARKS;
    format!("{open}{command}{close}")
}

/// The built-in templates, and those of a folder that replace them.
#[derive(Debug)]
pub(super) struct Templates(Environment<'static>);

impl Templates {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build();
        if let Ok(syntax) = syntax {
            environment.set_syntax(syntax);
        }
        environment.add_filter("wrap", |text: &str| wrap(text));
        environment.add_filter("prose", |text: &str| prose(text));
        environment.add_filter("unbroken", |text: &str| Value::from_safe_string(unbroken(text)));
        environment.add_filter("marked", |text: &str| Value::from_safe_string(marked(text)));
        environment.set_loader(move |name| load(folder.as_deref(), name));
        Self(environment)
    }

    /// Renders a template. If its name ends in `.html`, the values are escaped.
    pub(super) fn render(&self, name: &str, values: &Value) -> Result<String, Error> {
        let rendered = self.0.get_template(name).and_then(|template| template.render(values));
        rendered.map_err(|error| {
            let line = error.line().map_or(String::new(), |line| format!(" line {line}"));
            let place = format!("{}{line}", error.name().unwrap_or(name));
            let what = error.detail().map_or_else(|| error.kind().to_string(), ToOwned::to_owned);
            Error(format!("the template {place} fails: {what}"))
        })
    }
}

/// Wraps text at [`LINE`] columns, but not at hyphens, which labels of cells have. Then replaces
/// no-break spaces with spaces.
pub(super) fn wrap(text: &str) -> String {
    textwrap::fill(text, unhyphenated(LINE)).replace('\u{a0}', " ")
}

/// Wraps the blocks of a text, except figures and tables.
fn prose(text: &str) -> String {
    let blocks = text.split("\n\n").map(|block| match is_drawn(block) {
        true => block.to_owned(),
        false => wrap(block),
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// Returns whether a block of text is a figure or a table, which has gaps and must not be wrapped.
fn is_drawn(block: &str) -> bool {
    block.contains("  ") || block.contains("+--")
}

/// Returns text as HTML with bold commands between their marks, instead of two backticks of a line. Lines that
/// begin with `|` are somebody's words, in which a backtick is one.
fn marked(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let parts: Vec<_> = line.split('`').collect();
        if parts.len() % 2 == 0 || line.starts_with('|') {
            return HtmlEscape(line).to_string();
        }
        let part = |(number, part): (usize, &&str)| match number % 2 {
            0 => HtmlEscape(part).to_string(),
            _ => format!("<b>{}</b>", HtmlEscape(&as_command(part))),
        };
        parts.iter().enumerate().map(part).collect()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns text as HTML that does not break a label such as F-1 at its hyphen.
fn unbroken(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let has_label =
            word.split('-').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        match has_label {
            true => format!("<span style=\"white-space:nowrap\">{}</span>", HtmlEscape(word)),
            false => HtmlEscape(word).to_string(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn load(folder: Option<&Path>, name: &str) -> Result<Option<String>, minijinja::Error> {
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    // A template can include any file of the folder, but none outside it.
    let plain = !name.contains(['/', '\\']) && !name.starts_with('.');
    let Some(folder) = folder.filter(|_| plain) else { return Ok(built_in.map(str::to_owned)) };
    match std::fs::read_to_string(folder.join(name)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Ok(built_in.map(str::to_owned))
        }
        Err(error) => {
            let what = format!("cannot read {}: {error}", folder.join(name).display());
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, what))
        }
    }
}
