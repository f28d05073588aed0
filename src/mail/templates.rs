use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;

use super::Error;

/// Templates with their names, which are those of their files.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../templates/", $name)))),*]
    };
}

/// The built-in templates. Two for each event that sends mail, and the parts they share.
const BUILT_IN: &[(&str, &str)] = built_in![
    "answer.txt",
    "answer.html",
    "confirm.txt",
    "confirm.html",
    "over.txt",
    "over.html",
    "paused.txt",
    "paused.html",
    "receipt.txt",
    "receipt.html",
    "started.txt",
    "started.html",
    "mismatch.txt",
    "mismatch.html",
    "turn.txt",
    "turn.html",
    "board.txt",
    "board.html",
    "token.txt",
    "moves.txt",
    "moves.html",
    "page.txt",
    "page.html",
    "parts.html",
    "reply.txt",
    "reply.html",
];

/// The longest line of running text in a mail, in columns: within the 78 of RFC 5322, and short
/// enough for the text to go out as it is, without quoted-printable.
pub const LINE: usize = 76;

/// The templates: the operator's own where there is one, else the built-in.
#[derive(Debug)]
pub(super) struct Templates(Environment<'static>);

impl Templates {
    /// The templates of this folder before the built-in ones.
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
        environment.add_test("drawn", |block: &str| is_drawn(block));
        environment.set_loader(move |name| load(folder.as_deref(), name));
        Self(environment)
    }

    /// The text of this template for these facts; in one whose name ends in `.html`, what the facts
    /// say is escaped.
    pub(super) fn render(&self, name: &str, facts: &impl Serialize) -> Result<String, Error> {
        let rendered = self.0.get_template(name).and_then(|template| template.render(Serde(facts)));
        rendered.map_err(|error| {
            let line = error.line().map_or(String::new(), |line| format!(" line {line}"));
            let place = format!("{}{line}", error.name().unwrap_or(name));
            let what = error.detail().map_or_else(|| error.kind().to_string(), ToOwned::to_owned);
            Error::Template { place, what }
        })
    }
}

/// Text in lines of [`LINE`] columns. No-break spaces have done their work then.
fn wrap(text: &str) -> String {
    textwrap::fill(text, LINE).replace('\u{a0}', " ")
}

/// Text of several blocks, each wrapped unless it is drawn.
fn prose(text: &str) -> String {
    let blocks = text.split("\n\n").map(|block| match is_drawn(block) {
        true => block.to_owned(),
        false => wrap(block),
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// Whether a block of text is a figure or a table, which would break if it were wrapped: it has
/// gaps in its lines.
fn is_drawn(block: &str) -> bool {
    block.contains("  ") || block.contains("+--")
}

fn load(folder: Option<&Path>, name: &str) -> Result<Option<String>, minijinja::Error> {
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    // The operator's folder may hold other parts too, but nothing outside it is read.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undefined_name_is_an_error_that_says_where() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("turn.txt"), "Hello\n{{ nobody }}\n").unwrap();
        let templates = Templates::new(Some(folder.path().to_owned()));
        let error = templates.render("turn.txt", &()).unwrap_err();
        assert_eq!(error.to_string(), "the template turn.txt line 2 fails: undefined value");
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), "secret").unwrap();
        let inside = folder.path().join("templates");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("turn.txt"), "{% include '../secret' %}").unwrap();
        assert!(Templates::new(Some(inside)).render("turn.txt", &()).is_err());
    }

    #[test]
    fn figures_and_tables_are_not_wrapped() {
        let row = format!("|{}\n+---+", "   |".repeat(26));
        let text = format!("{}\n\n{row}", "word ".repeat(40).trim());
        let prose = prose(&text);
        assert!(prose.ends_with(&row), "{prose}");
        assert!(prose.lines().next().is_some_and(|line| line.len() <= LINE), "{prose}");
    }

    #[test]
    fn long_text_is_wrapped() {
        let text = wrap(&"c4\u{a0}/ d3\u{a0}/ ".repeat(40));
        assert!(text.lines().all(|line| line.len() <= LINE && line.ends_with("/")), "{text}");
    }
}
