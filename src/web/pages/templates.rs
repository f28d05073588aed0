//! The templates of the pages, in `templates/web/`.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context, escape_formatter};
use serde::Serialize;

use crate::web::pages::Site;
use outflank_model::render::escape;

/// Templates with their names, which are those of their files.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../templates/web/", $name)))),*]
    };
}

const BUILT_IN: &[(&str, &str)] = built_in![
    "desk.html",
    "failure.html",
    "list.html",
    "page.html",
    "parts.html",
    "play.html",
    "replay.html",
    "unsubscribe.html",
];

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Nothing that a player wrote is ever HTML.
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    // Like the usual formatter, but a slash stays a slash, which keeps addresses short.
    environment.set_formatter(|output, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => Ok(output.write_str(&escape(text))?),
        _ => escape_formatter(output, state, value),
    });
    environment.add_filter("marked", |text: &str| Value::from_safe_string(marked(text)));
    // Most pages have neither.
    environment.add_global("menu", ());
    environment.add_global("preview", ());
    for (name, text) in BUILT_IN {
        // A template that cannot be parsed is reported when it is rendered.
        let _ = environment.add_template(name, text);
    }
    environment
});

/// Returns something as a value of a template.
pub(super) fn value(it: impl Serialize) -> Value {
    Value::from(Serde(it))
}

/// Renders a template. The templates are part of the program, so the page shows an error as it is.
pub(super) fn render(name: &str, site: &Site, values: Value) -> String {
    let values = context! { site => value(site), ..values };
    let rendered = ENVIRONMENT.get_template(name).and_then(|template| template.render(values));
    rendered.unwrap_or_else(|error| {
        let what = escape(&format!("{name}: {error}"));
        format!("<!DOCTYPE html>\n<title>Outflank</title>\n<p>{what}</p>\n")
    })
}

/// Returns text as HTML, with commands between backticks in bold.
fn marked(text: &str) -> String {
    let text = escape(text);
    let parts: Vec<_> = text.split('`').collect();
    if parts.len() % 2 == 0 {
        return text;
    }
    let part = |(number, part): (usize, &&str)| match number % 2 {
        0 => (*part).to_owned(),
        _ => format!("<b>{part}</b>"),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_can_be_parsed() {
        for (name, _) in BUILT_IN {
            assert!(ENVIRONMENT.get_template(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn commands_are_bold_and_nothing_is_html() {
        assert_eq!(marked("see `show 1` & <b>"), "see <b>show 1</b> &amp; &lt;b&gt;");
        assert_eq!(marked("a ` b <i>"), "a ` b &lt;i&gt;");
    }
}
