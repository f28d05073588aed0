//! The picture of the README.

use std::fs;
use std::path::Path;

use data_encoding::BASE64;
use serde_json::json;

use super::{Chromium, SQUARE, Tab, until_chosen};
use crate::harness::{ALICE, BOB, Purpose, Server, TestEnvironment};

/// The picture, and the most bytes that it may have.
const PICTURE: &str = "docs/phone.png";
const MAX_BYTES: usize = 200_000;

/// Shows two phones side by side, with a caption below each.
const PHONES: &str = "document.body.innerHTML = `
    <style>
        body { margin: 0; padding: 24px 0; display: flex; justify-content: center; gap: 48px;
            background: #ffffff; font: 16px Verdana, Arial, sans-serif; text-align: center }
        figure { margin: 0 }
        img { display: block; width: 360px; border: 10px solid #14181a; border-radius: 28px }
        figcaption { padding-top: 12px; color: #14181a }
    </style>` + phones.map(([picture, words]) =>
        `<figure><img src=\"data:image/png;base64,${picture}\"><figcaption>${words}</figcaption></figure>`
    ).join('');
    Promise.all([...document.images].map(image => image.decode())).then(() => true)";

/// Returns the picture of a phone's screen.
fn phone(tab: &Tab) -> String {
    BASE64.encode(&tab.picture(360, 720))
}

/// Draws the picture again: `cargo test picture_of_the_readme -- --ignored`.
#[test]
#[ignore = "writes docs/phone.png"]
fn picture_of_the_readme() {
    let env = TestEnvironment::new().config("[web]\nurl = 'https://club.example'");
    env.ok(&format!("new othello {ALICE} {BOB} --moves f5d6c3d3c4f4"));
    env.mails();
    env.ok("move 1 f6 f3");
    let mails = env.mails();
    let mail = mails.iter().find(|mail| mail.to == ALICE).unwrap();
    let server = Server::start(&env);
    let browser = Chromium::start().expect("a browser");
    let tab = browser.tab();
    tab.screen(360, "light");
    tab.run(&format!("document.documentElement.innerHTML = {}; true", json!(mail.html())));
    let of_mail = phone(&tab);
    let token = env.token(Purpose::Page, "alice", 1, 0);
    tab.open(&format!("http://{}/play/{token}", server.address));
    tab.click(SQUARE);
    until_chosen(&tab);
    tab.run("document.activeElement.blur(); scrollTo(0, 0)");
    let of_page = phone(&tab);
    let both = browser.tab();
    both.screen(900, "light");
    let phones = json!([[of_mail, "The mail of a turn"], [of_page, "The page of its link"]]);
    both.run(&format!("const phones = {phones}; {PHONES}"));
    let picture = both.picture(900, 830);
    assert!(picture.len() < MAX_BYTES, "{}", picture.len());
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURE), picture).unwrap();
}
