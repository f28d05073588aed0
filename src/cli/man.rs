//! `man`: the man pages, made from the help of the commands and from docs/configuration.md.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::args;
use super::failure::{Failure, check_written};

/// The man pages contain parts of this page.
const CONFIGURATION: &str = include_str!("../../docs/configuration.md");
/// The headings of these parts.
const VARIABLES: &str = "| other variable |";
const FILE: &str = "## The configuration file\n";

/// Writes the pages into the folders `man1` and `man5` of this one, where `man` looks for them.
pub(super) fn run(folder: &Path) -> Result<(), Failure> {
    let pages =
        pages().map_err(|error| Failure::fault(format!("cannot make the man pages: {error}")))?;
    for (name, page) in &pages {
        let path = folder.join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, page))
            .map_err(|error| Failure::fault(format!("cannot write {}: {error}", path.display())))?;
    }
    let done = format!("{} man pages are written to {}.\n", pages.len(), folder.display());
    check_written(io::stdout().write_all(done.as_bytes()), true)
}

/// Returns the pages with their paths: of the program, of each command, and of the configuration.
fn pages() -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut program = args::program();
    program.build();
    let mut pages = vec![("man5/outflank.toml.5".into(), configuration()?.into_bytes())];
    add_pages(&mut pages, &program, true)?;
    Ok(pages)
}

/// Adds the page of a command and those of its commands.
fn add_pages(
    pages: &mut Vec<(PathBuf, Vec<u8>)>,
    command: &clap::Command,
    is_program: bool,
) -> io::Result<()> {
    let remarks = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man = Man::new(command.clone()).source(source()).manual("Outflank");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut rest = Roff::new();
    add_remarks(&mut rest, &remarks);
    if is_program {
        rest.control("SH", ["ENVIRONMENT"]);
        add_markdown(&mut rest, variables()?);
        rest.control("SH", ["SEE ALSO"]);
        rest.text([bold("outflank.toml"), roman("(5)")]);
    } else {
        rest.control("SH", ["SEE ALSO"]);
        rest.text([bold("outflank"), roman("(1), "), bold("outflank.toml"), roman("(5)")]);
    }
    rest.to_writer(&mut page)?;
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    pages.push((format!("man1/{name}.1").into(), page));
    command.get_subcommands().try_for_each(|command| add_pages(pages, command, false))
}

fn source() -> String {
    format!("Outflank {}", env!("CARGO_PKG_VERSION"))
}

/// Adds the end of the help, below the options, line by line: the lines are short, and many are commands.
fn add_remarks(roff: &mut Roff, remarks: &str) {
    if remarks.is_empty() {
        return;
    }
    roff.control("SH", ["REMARKS"]);
    roff.control("nf", []);
    for line in remarks.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

/// Returns the page of the configuration file.
fn configuration() -> io::Result<String> {
    let (_, text) = CONFIGURATION
        .split_once(FILE)
        .ok_or_else(|| io::Error::other("docs/configuration.md has no such part"))?;
    let mut roff = Roff::new();
    roff.control("TH", ["outflank.toml", "5", "", &source(), "Outflank"]);
    roff.control("SH", ["NAME"]);
    roff.text([roman("outflank.toml - configuration of Outflank")]);
    roff.control("SH", ["DESCRIPTION"]);
    add_markdown(&mut roff, text);
    roff.control("SH", ["FILES"]);
    for (file, what) in [
        ("/etc/outflank.toml", "the configuration of the club whose services the package runs"),
        ("~/.config/outflank/config.toml", "the configuration of other commands, without --config"),
    ] {
        roff.control("TP", []);
        roff.text([bold(file)]);
        roff.text([roman(what)]);
    }
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold("outflank"), roman("(1)")]);
    Ok(roff.render())
}

/// Returns the table of the environment variables.
fn variables() -> io::Result<&'static str> {
    let begin = CONFIGURATION
        .find(VARIABLES)
        .ok_or_else(|| io::Error::other("docs/configuration.md has no such table"))?;
    let text = CONFIGURATION.get(begin..).unwrap_or_default();
    Ok(text.split("\n\n").next().unwrap_or_default())
}

/// Adds a text in Markdown. A row of a table becomes a paragraph that hangs below its first cell.
fn add_markdown(roff: &mut Roff, text: &str) {
    let mut line: Vec<Inline> = Vec::new();
    let mut rows: Vec<Vec<Vec<Inline>>> = Vec::new();
    let (mut is_bold, mut is_italic, mut is_code) = (false, false, false);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Strong) => is_bold = true,
            Event::End(TagEnd::Strong) => is_bold = false,
            Event::Start(Tag::Emphasis) => is_italic = true,
            Event::End(TagEnd::Emphasis) => is_italic = false,
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(code) if is_code => {
                roff.control("PP", []).control("RS", ["4"]).control("nf", []);
                for line in code.lines() {
                    roff.text([roman(line)]);
                }
                roff.control("fi", []).control("RE", []);
            }
            Event::Text(text) if is_bold => line.push(bold(text.into_string())),
            Event::Text(text) if is_italic => line.push(italic(text.into_string())),
            Event::Text(text) => line.push(roman(text.into_string())),
            Event::Code(code) => line.push(bold(code.into_string())),
            Event::SoftBreak | Event::HardBreak => line.push(roman(" ")),
            Event::End(TagEnd::Heading(_)) => {
                let title = plain(&std::mem::take(&mut line));
                roff.control("SS", [title.as_str()]);
            }
            Event::End(TagEnd::Paragraph) => {
                roff.control("PP", []).text(std::mem::take(&mut line));
            }
            Event::End(TagEnd::Item) if !line.is_empty() => {
                roff.control("IP", ["\\(bu", "2"]).text(std::mem::take(&mut line));
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut line);
                rows.last_mut().into_iter().for_each(|row| row.push(cell.clone()));
            }
            Event::End(TagEnd::Table) => add_table(roff, std::mem::take(&mut rows)),
            _ => {}
        }
    }
}

/// Adds a table; its first row has the titles of the columns. A title with code begins a separate table
/// within a section.
fn add_table(roff: &mut Roff, rows: Vec<Vec<Vec<Inline>>>) {
    let mut rows = rows.into_iter();
    let titles = rows.next().unwrap_or_default();
    if let Some([title @ Inline::Bold(_)]) = titles.first().map(Vec::as_slice) {
        roff.control("PP", []).text([title.clone(), roman(":")]);
    }
    for row in rows {
        let mut cells = row.into_iter();
        roff.control("TP", []).text(cells.next().unwrap_or_default());
        let mut cells: Vec<_> = cells.collect();
        let meaning = cells.pop().unwrap_or_default();
        roff.text(meaning);
        for (cell, title) in cells.into_iter().zip(titles.iter().skip(1)) {
            roff.control("br", [])
                .text([vec![roman(format!("{}: ", plain(title)))], cell].concat());
        }
    }
}

/// Returns text without its fonts.
fn plain(line: &[Inline]) -> String {
    let text = |part: &Inline| match part {
        Inline::Roman(text) | Inline::Bold(text) | Inline::Italic(text) => text.clone(),
        Inline::LineBreak => " ".to_owned(),
    };
    line.iter().map(text).collect()
}
