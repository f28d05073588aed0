//! The scripts of `completions`, run by their shells, and the command that they call.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use similar_asserts::assert_eq;

use crate::harness::{PROGRAM, TestEnvironment, run, skipped};

/// Returns the program's completions of the last of these words.
fn offered(env: &TestEnvironment, words: &[&str]) -> Vec<String> {
    let run = run(env.command_of(&[&["__complete"], words].concat()));
    run.ok().lines().map(str::to_owned).collect()
}

/// Returns the files beside the database, SQLite's own included, each with its content and the time of its
/// last change.
fn files(env: &TestEnvironment) -> BTreeMap<PathBuf, (Vec<u8>, i64, i64)> {
    let entries = fs::read_dir(env.folder()).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file());
    let state = |path: PathBuf| {
        let file = path.metadata().unwrap();
        let content = fs::read(&path).unwrap();
        (path, (content, file.mtime(), file.mtime_nsec()))
    };
    files.map(state).collect()
}

/// Returns a command that runs a shell with this script in the environment, with the program in `PATH`;
/// `None` without the shell.
fn shell(env: &TestEnvironment, shell: &str, code: &str) -> Option<Command> {
    let mut command = Command::new(shell);
    command.arg("-c").arg(code);
    env.seal(&mut command);
    let folder = Path::new(PROGRAM).parent().unwrap().display().to_string();
    command.env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap()));
    command.env("HOME", env.folder());
    let script = env.path("script");
    fs::write(&script, env.ok(&format!("completions {shell}"))).unwrap();
    command.env("SCRIPT", script);
    let mut version = Command::new(shell);
    version.args(["-c", "true"]);
    if version.output().is_ok_and(|output| output.status.success()) {
        return Some(command);
    }
    skipped("completions", &format!("{shell} is not installed"));
    None
}

#[test]
fn bash_completes_commands_games_moves_and_computer_players() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    let syntax = shell(&env, "bash", "bash -n \"$SCRIPT\"");
    run(syntax.expect("every machine of developers has bash")).ok();
    let complete = |line: &str, words: &str| {
        let code = format!(
            "source \"$SCRIPT\"; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
             COMP_LINE='{line}' COMP_POINT={}
             $(complete -p outflank | sed 's/.*-F \\([^ ]*\\) .*/\\1/') \
               outflank \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
             echo \"${{COMPREPLY[*]}}\"",
            line.len()
        );
        run(shell(&env, "bash", &code).unwrap()).ok().trim().to_owned()
    };
    assert_eq!(complete("outflank move 1 ", "outflank move 1 ''"), "d6 f4 f6");
    assert_eq!(complete("outflank move ", "outflank move ''"), "1");
    assert_eq!(complete("outflank mov", "outflank mov"), "move");
    assert_eq!(complete("outflank completions ", "outflank completions ''"), "bash zsh fish");
    assert_eq!(complete("outflank --as al", "outflank --as al"), "alice");
    assert_eq!(complete("outflank --as=al", "outflank --as = al"), "alice");
    assert_eq!(complete("outflank --as=", "outflank --as ="), "alice bob");
    assert_eq!(complete("outflank set sty", "outflank set sty"), "style");
    assert_eq!(complete("outflank show --arr", "outflank show --arr"), "--arrows");
    // Bash splits words at the colon.
    assert_eq!(complete("outflank challenge bot:n", "outflank challenge bot : n"), "novice");
    // A note has no completions, and the script must not offer its name for the argument either.
    assert_eq!(complete("outflank note 1 ", "outflank note 1 ''"), "");
}

#[test]
fn fish_completes_commands_and_moves() {
    let env = TestEnvironment::new().with_game();
    env.ok("backup copy.db");
    fs::rename(env.path("copy.db"), env.path("my games.db")).unwrap();
    let code = r#"source $SCRIPT; complete -C 'outflank move 1 '; complete -C 'outflank histo'
        complete -C 'outflank --db "my games.db" show '; complete -C 'outflank --db my\ games.db --as al'
        complete -C 'outflank inbox --player '; complete -C 'outflank show --as al'
        complete -C 'outflank show --as=b'"#;
    let Some(mut command) = shell(&env, "fish", code) else { return };
    command.current_dir(env.folder());
    let output = run(command).ok();
    let words: Vec<_> = output.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(
        words,
        ["c4", "d3", "e6", "f5", "history", "1", "alice", "alice", "bob", "alice", "--as=bob"]
    );
}

#[test]
fn zsh_completes_commands_and_moves() {
    let env = TestEnvironment::new().with_game();
    // In a pseudo-terminal, a key lists the completions.
    let code = r#"
        mkdir -p functions && cp "$SCRIPT" functions/_outflank && zsh -n functions/_outflank || exit
        zmodload zsh/zpty || exit
        zpty shell zsh -f -i
        zpty -w shell "fpath=($PWD/functions \$fpath); autoload -U compinit; compinit -u -D"
        zpty -w shell "compadd() {
          local -a all; [[ \$* == *-[OAD]* ]] || builtin compadd -O all \"\$@\"
          (( \${#all} == 0 )) || print -r -- \"offered=\${all[*]}=\" >>$PWD/offered
          builtin compadd \"\$@\"; }"
        # With the prompt, the line editor reads keys.
        zpty -w shell "PROMPT='rea''dy> '"
        zpty -r -m shell line '*ready>*'
        zpty -w -n shell $'outflank move 1 \t'
        zpty -w -n shell $'\x15outflank histo\t'
        zpty -w -n shell $'\x15outflank --as=al\t\x15'
        zpty -w shell exit
        while zpty -r shell line; do :; done
        cat offered"#;
    let Some(mut command) = shell(&env, "zsh", code) else { return };
    command.current_dir(env.folder()).env("TERM", "xterm");
    let output = run(command);
    assert!(output.stdout.contains("offered=c4 d3 e6 f5="), "{output:?}");
    assert!(output.stdout.contains("offered=history="), "{output:?}");
    assert!(output.stdout.contains("offered=alice="), "{output:?}");
}

#[test]
fn arguments_are_completed_by_their_kind() {
    let env = TestEnvironment::new().with_game();
    env.ok("new mini bot:novice bob");
    env.ok("signup carol --no-mail");
    let check = |words: &str, expected: &str| {
        let words: Vec<_> = words.split(' ').collect();
        assert_eq!(offered(&env, &words).join(" "), expected, "{words:?}");
    };
    check("move ", "1 2");
    check("show ", "1 2");
    check("--as alice move ", "1");
    check("--as=alice move ", "1");
    check("--as alice show 2", "2");
    check("move 1 F", "f5");
    check("move 1 f5 ", "d6 f4 f6");
    check("preview 1 f5 d6 c", "c3 c4 c5 c6 c7");
    check("--json move --receipt 1 c", "c4");
    check("player ", "alice bob carol");
    check("ssh c", "carol");
    check("--as A", "alice");
    check("new mini bot:nov", "bot:novice");
    check("challenge an", "anyone");
    check("challenge bot:1", "bot:1 bot:10");
    check("new odd", "oddthello");
    check("extend a", "all");
    check("rules t", "twente");
    check("help his", "history");
    check("signup ", "");
    check("move 1 -", "");
    check("--as=b", "--as=bob");
    check("show --as=", "--as=alice --as=bob --as=carol");
    check("show --nothing=b", "");
    check("set style ", "compact figure words");
    check("set mail ", "digest each none");
    check("set quiet ", "22:00-07:00 off");
    check("set address ", "");
    check("accept ", "");
    env.ok("draw 1 --as bob");
    env.ok("challenge alice --as carol");
    check("--as alice accept ", "3 1");
    check("--as bob accept ", "");
    check("decline 1", "1");
    env.ok("decline 1 --as bob");
    env.ok("decline 3 --as carol");
    env.ok("--as alice resign 1");
    check("move 1", "1");
    check("move ", "2");
    check("move 1 ", "");
}

#[test]
fn completing_changes_no_file_and_reports_no_error() {
    let env = TestEnvironment::new();
    let missing = files(&env);
    assert_eq!(offered(&env, &["move", ""]), [""; 0]);
    assert_eq!(files(&env), missing, "no database is created");

    let env = env.with_game();
    let check = |words: &[&str], expected: &[&str], what: &str| {
        let before = files(&env);
        assert_eq!(offered(&env, words), expected, "{what}");
        assert_eq!(files(&env), before, "{what}");
    };
    check(&["move", "1", ""], &["c4", "d3", "e6", "f5"], "with a log");
    let log = fs::read(env.path("outflank.db-wal")).unwrap();
    assert!(!log.is_empty(), "the command above has left a log");
    fs::remove_file(env.path("outflank.db-shm")).unwrap();
    check(&["move", ""], &[], "SQLite would create the index of the log");
    env.ok("send");
    fs::remove_file(env.path("outflank.db-wal")).unwrap();
    fs::remove_file(env.path("outflank.db-shm")).unwrap();
    check(&["move", ""], &["1"], "without a log, as after a restore");
    let (file, folder) = (env.database(), env.folder().to_owned());
    fs::set_permissions(&file, PermissionsExt::from_mode(0o444)).unwrap();
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o555)).unwrap();
    check(&["move", ""], &["1"], "without the permission to write");
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();

    let connection = env.sqlite();
    connection.pragma_update(None, "user_version", 15).unwrap();
    drop(connection);
    check(&["move", ""], &[], "an older schema is not migrated");
    check(&["move", "'"], &[], "an open quote");
    check(&["move", "1", "z9", ""], &[], "a move that is not legal");
    check(&["--as", "nobody", "move", ""], &[], "an unknown player");
    check(&["nonsense", ""], &[], "an unknown command");
    check(&[], &[], "no words");
    fs::write(env.database(), "not a database").unwrap();
    check(&["move", ""], &[], "another file");
}

#[test]
fn completions_are_for_three_shells_and_for_nobody() {
    let env = TestEnvironment::new();
    let unknown = env.fails(2, "completions tcsh");
    assert!(unknown.contains("'tcsh'") && unknown.contains("bash, zsh, fish"), "{unknown}");
    assert_eq!(
        env.fails(2, "--json completions bash"),
        "outflank: `completions` prints no JSON: leave out --json"
    );
    assert_eq!(
        env.fails(2, "--as alice completions bash"),
        "outflank: `completions` acts for no player: leave out --as"
    );
}
