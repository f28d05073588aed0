//! Runs the commands of the README, of the pages in `docs/` and of the pages beside this file, and
//! compares their output. Each page has its own home folder and a fixed clock.
//!
//! `TRYCMD=overwrite cargo test --test main commands` writes the output into the pages; read it
//! before you accept it.

mod board;
mod completions;
mod dialogue;
mod docs;
mod examples;
mod identity;
mod mailed;
mod man;
mod markup;
mod refusals;
mod registered;
mod solving;
mod terminal;
mod unknown;
mod vocabulary;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::harness::{PROGRAM, skipped};

/// The pages that need a configuration, such as one for incoming mail. The others run without.
const CONFIGURED: [(&str, &str); 5] = [
    ("receiving.md", "[receive]\n"),
    ("json.md", "[receive]\n[web]\nurl = 'https://club.example'\n"),
    ("first-club.md", "[receive]\n"),
    ("inbox.trycmd", "[receive]\n"),
    ("page.trycmd", "[web]\nurl = 'https://club.example'\n"),
];

/// Runs the commands of a page, and with `TRYCMD=overwrite` writes their output into it. The page is
/// copied into a home folder of its own, so that its commands leave no files elsewhere.
fn run(page: &str) {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().to_str().unwrap();
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let name = original.file_name().unwrap();
    create_programs(folder);
    // trycmd runs the commands of `page.md` in the folder `page.in` if there is one.
    fill_maildir(&home.path().join("page.in/Mail/outflank"));
    if let Some((_, config)) = CONFIGURED.into_iter().find(|(page, _)| *page == name) {
        let folder = home.path().join(".config/outflank");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), config).unwrap();
    }
    let text = std::fs::read_to_string(&original).unwrap();
    let parts = board::parts(&text);
    if parts.len() > 1 {
        if cfg!(not(feature = "tui")) {
            return skipped(page, "this build has no board");
        }
        board::play_before(folder);
    }
    let mut changed = String::new();
    for (opens_board, part) in parts {
        if opens_board {
            board::play(folder, &part);
            changed.push_str(&part);
        } else {
            changed.push_str(&run_part(folder, &original, &part));
        }
    }
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        std::fs::write(&original, changed).unwrap();
    }
}

/// Runs the commands of a part of a page, and returns the part, which trycmd may have overwritten.
fn run_part(home: &str, original: &Path, text: &str) -> String {
    let page = Path::new(home).join("page").with_extension(original.extension().unwrap());
    let is_for_people = page.extension().is_some_and(|extension| extension == "md");
    let text = if is_for_people { markup::to_trycmd(text) } else { text.to_owned() };
    std::fs::write(&page, text).unwrap();
    let cases = trycmd::TestCases::new();
    for program in ["cargo", "outflank-club"] {
        cases.register_bin(program, Path::new(home).join(program));
    }
    for (name, value) in environment(home) {
        cases.env(name, value);
    }
    cases.insert_var("[HOME]", home.to_owned()).unwrap();
    cases.case(&page);
    cases.run();
    let text = std::fs::read_to_string(&page).unwrap();
    if is_for_people { markup::from_trycmd(&text) } else { text }
}

/// Returns the variables of a page's commands.
fn environment(home: &str) -> [(&'static str, String); 10] {
    [
        ("HOME", home.to_owned()),
        ("XDG_DATA_HOME", format!("{home}/.local/share")),
        ("XDG_CONFIG_HOME", format!("{home}/.config")),
        ("USER", "alice".to_owned()),
        ("OUTFLANK_NOW", "2026-11-21T10:00:00Z".to_owned()),
        ("OUTFLANK_SEED", "1".to_owned()),
        ("TZ", "UTC".to_owned()),
        ("COLUMNS", "80".to_owned()),
        ("TERM", "xterm-256color".to_owned()),
        // Root and other users see the same.
        ("OUTFLANK_AS", String::new()),
    ]
}

/// Creates a `cargo` that has only one command, `cargo run --release -- …`, and an `outflank-club`: both run the
/// binary.
fn create_programs(home: &str) {
    let cargo = "[ \"$1 $2 $3\" = 'run --release --' ] || exit 9\nshift 3\n";
    for (name, begin) in [("cargo", cargo), ("outflank-club", "")] {
        let path = Path::new(home).join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{begin}exec '{PROGRAM}' \"$@\"\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
}

/// Creates a Maildir with one new mail.
fn fill_maildir(folder: &Path) {
    for part in ["new", "cur", "tmp"] {
        std::fs::create_dir_all(folder.join(part)).unwrap();
    }
    let mail = "From: carol@example.org\nTo: outflank@localhost\n\nsignup carol\n";
    std::fs::write(folder.join("new/1"), mail).unwrap();
}

/// A test for each page.
macro_rules! pages {
    ($($name:ident: $page:literal),* $(,)?) => {
        const PAGES: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $name() {
                run($page);
            }
        )*
    };
}

pages! {
    changelog: "CHANGELOG.md",
    contributing: "CONTRIBUTING.md",
    readme: "README.md",
    docs_architecture: "docs/architecture.md",
    docs_bots: "docs/bots.md",
    docs_analysis: "docs/analysis.md",
    docs_club: "docs/club.md",
    docs_commands: "docs/commands.md",
    docs_configuration: "docs/configuration.md",
    docs_engine: "docs/engine.md",
    docs_first_club: "docs/first-club.md",
    docs_first_game: "docs/first-game.md",
    docs_glossary: "docs/glossary.md",
    docs_json: "docs/json.md",
    docs_limits: "docs/limits.md",
    docs_reliability: "docs/reliability.md",
    docs_mail: "docs/mail.md",
    docs_operating: "docs/operating.md",
    docs_receiving: "docs/receiving.md",
    docs_rules: "docs/rules.md",
    docs_playing: "docs/playing.md",
    docs_settings: "docs/settings.md",
    docs_solving: "docs/solving.md",
    docs_ssh: "docs/ssh.md",
    docs_standby: "docs/standby.md",
    docs_time: "docs/time.md",
    docs_tournaments: "docs/tournaments.md",
    docs_web: "docs/web.md",
    docs_words: "docs/words.md",
    challenge: "tests/commands/challenge.trycmd",
    doctor: "tests/commands/doctor.trycmd",
    games: "tests/commands/games.trycmd",
    help: "tests/commands/help.trycmd",
    inbox: "tests/commands/inbox.trycmd",
    log: "tests/commands/log.trycmd",
    members: "tests/commands/members.trycmd",
    export: "tests/commands/export.trycmd",
    new: "tests/commands/new.trycmd",
    offers: "tests/commands/offers.trycmd",
    outbox: "tests/commands/outbox.trycmd",
    page: "tests/commands/page.trycmd",
    pass_and_resign: "tests/commands/pass.trycmd",
    plan: "tests/commands/plan.trycmd",
    play: "tests/commands/move.trycmd",
    portable: "tests/commands/portable.trycmd",
    preview_and_replay: "tests/commands/replay.trycmd",
    players: "tests/commands/players.trycmd",
    settings: "tests/commands/settings.trycmd",
    show: "tests/commands/show.trycmd",
    standings_and_player: "tests/commands/standings.trycmd",
    solve: "tests/commands/solve.trycmd",
    watch: "tests/commands/watch.trycmd",
}
