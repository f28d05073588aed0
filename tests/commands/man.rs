//! The pages that `man` writes. lintian checks those of the package.

use std::fs;

use outflank::cli::program;

use crate::harness::TestEnvironment;

#[test]
fn man_writes_a_page_for_each_command_and_one_for_the_configuration() {
    let env = TestEnvironment::new();
    let said = env.ok("man share/man");
    let pages = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(env.path(folder)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let (commands, formats) = (pages("share/man/man1"), pages("share/man/man5"));
    let count = commands.len() + formats.len();
    assert_eq!(said, format!("{count} man pages are written to share/man.\n"));
    for command in program().get_subcommands() {
        let page = format!("outflank-{}.1", command.get_name());
        assert!(commands.contains(&page), "{page}: {commands:?}");
    }
    assert_eq!(formats, ["outflank.toml.5"]);
    let page = fs::read_to_string(env.path("share/man/man1/outflank-move.1")).unwrap();
    assert!(page.contains("outflank move 12 d3"), "{page}");
    // Other pages in these folders stay, and a second run writes the same.
    fs::write(env.path("share/man/man1/other.1"), "").unwrap();
    assert_eq!(env.ok("man share/man"), said);
    assert!(env.path("share/man/man1/other.1").exists());
    fs::write(env.path("file"), "").unwrap();
    let refused = env.run("man file");
    assert_eq!(refused.status, Some(3));
    assert!(refused.stderr.starts_with("outflank: cannot write file/man"), "{}", refused.stderr);
}
