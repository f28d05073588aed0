//! The files of the Debian package. `.ci/package` installs it and plays a game with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use similar_asserts::assert_eq;

use crate::harness::{TestEnvironment, run, skipped};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the package's files with this ending, by name.
fn files(ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("templates/debian")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        paths.filter(|path| path.to_str().is_some_and(|path| path.ends_with(ending))).collect();
    files.sort();
    files
}

/// Returns the configuration that the package installs.
pub fn configuration() -> String {
    fs::read_to_string(root().join("templates/debian/outflank.toml")).unwrap()
}

#[test]
fn the_newest_entry_of_its_changelog_is_about_this_version() {
    let changelog = fs::read_to_string(root().join("templates/debian/changelog")).unwrap();
    let begin = concat!("outflank (", env!("CARGO_PKG_VERSION"), "-");
    assert!(changelog.starts_with(begin), "{changelog}");
}

#[test]
fn its_files_exist() {
    let manifest: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().unwrap();
    let sources = assets.iter().map(|asset| asset[0].as_str().unwrap());
    let sources: Vec<_> = sources.filter(|source| !source.starts_with("target/")).collect();
    assert!(sources.len() > 8, "{sources:?}");
    for source in sources {
        let (folder, pattern) = source.rsplit_once('/').unwrap_or(("", source));
        let ending = pattern.trim_start_matches('*');
        let mut entries = fs::read_dir(root().join(folder)).unwrap();
        let has = entries.any(|it| it.unwrap().file_name().to_str().unwrap().ends_with(ending));
        assert!(has, "{source} does not exist");
    }
}

#[test]
fn its_configuration_is_valid_and_turns_incoming_mail_on() {
    let env = TestEnvironment::new();
    env.write_config(&configuration());
    assert_eq!(env.ok("signup alice --no-mail"), "alice is signed up and gets no mail.\n");
    env.ok("send");
    fs::create_dir_all(env.path("Maildir/new")).unwrap();
    fs::create_dir_all(env.path("Maildir/cur")).unwrap();
    assert_eq!(env.ok("receive --maildir Maildir"), "0 processed.\n");
}

#[test]
fn its_services_restart_and_have_few_rights() {
    let services = files(".service");
    assert_eq!(services.len(), 4);
    for service in &services {
        let text = fs::read_to_string(service).unwrap();
        assert!(text.contains("\nRestart=on-failure\n"), "{}", service.display());
        assert!(text.contains("\nUser=outflank\n"), "{}", service.display());
    }
    let mut version = Command::new("systemd-analyze");
    if version.arg("--version").output().is_err() {
        return skipped("its_services_restart_and_have_few_rights", "there is no systemd-analyze");
    }
    for service in services {
        let mut command = Command::new("systemd-analyze");
        // In tenths: below 3.0.
        command.args(["security", "--offline=true", "--no-pager", "--threshold=29"]).arg(&service);
        run(command).ok();
    }
}
