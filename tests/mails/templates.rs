//! The host's own templates.

use std::fs;
use std::path::Path;

use outflank::mail::LINE;
use outflank_model::mail::MessageKind;
use outflank_rules::Color;
use tempfile::TempDir;

use super::written::Sample;

/// Creates a folder with these templates for the text and the HTML of turn mails.
fn folder(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("turn.txt"), text).unwrap();
    fs::write(folder.path().join("turn.html"), "<p>your turn</p>\n").unwrap();
    folder
}

fn error(folder: &Path) -> String {
    Sample::default().composed(Some(folder.to_owned())).unwrap_err().to_string()
}

/// Returns the text of a mail with this template and these lines about the event.
fn text(template: &str, lines: &str) -> String {
    let folder = folder(template);
    let sample = Sample { text: Some(lines), ..Sample::default() };
    sample.written_with(Some(folder.path().to_owned())).text
}

#[test]
fn an_undefined_name_is_an_error_with_its_place() {
    let folder = folder("Hello\n{{ nobody }}\n");
    assert_eq!(error(folder.path()), "the template turn.txt line 2 fails: undefined value");
}

#[test]
fn files_outside_the_folder_are_not_read() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("secret"), "secret").unwrap();
    let inside = home.path().join("templates");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("turn.txt"), "{% include '../secret' %}").unwrap();
    let error = error(&inside);
    assert!(error.starts_with("the template turn.txt line 1 fails: "), "{error}");
}

#[test]
fn figures_and_tables_are_not_wrapped() {
    let row = format!("|{}\n+---+", "   |".repeat(26));
    let prose = text("{{ text | prose }}", &format!("{}\n\n{row}", "word ".repeat(40).trim()));
    assert!(prose.ends_with(&format!("{row}\n")), "{prose}");
    assert!(prose.lines().next().is_some_and(|line| line.len() <= LINE), "{prose}");
}

#[test]
fn long_text_is_wrapped() {
    let text = text("{{ text | wrap }}", &"c4\u{a0}/ d3\u{a0}/ ".repeat(40));
    assert!(text.lines().all(|line| line.len() <= LINE && line.ends_with("/")), "{text}");
}

#[test]
fn every_kind_of_mail_has_its_templates_and_a_row_in_the_docs() {
    let page = fs::read_to_string("docs/mail.md").unwrap();
    for event in MessageKind::ALL.iter().map(|kind| kind.word()) {
        assert!(page.contains(&format!("\n| `{event}` | ")), "docs/mail.md has no row for {event}");
        let resigned = event.ends_with("over").then_some(Color::Black);
        let text = Some("Good news.");
        let sample = Sample { event, text, moves: "d3", resigned, ..Sample::default() };
        // Some need more than a sample has.
        let problem = sample.composed(None).err().map(|error| error.to_string());
        assert!(
            problem.is_none_or(|it| !it.contains("does not exist")),
            "{event} has no templates"
        );
    }
}
