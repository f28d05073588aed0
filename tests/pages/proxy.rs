//! The pages behind a reverse proxy, configured as docs/web.md says.

use std::fs::{self, File};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use super::{Chromium, Color, play_first, until_shown};
use crate::harness::{Purpose, Server, TestEnvironment, is_installed, until};

const DOCS: &str = include_str!("../../docs/web.md");
const NGINX: &str = "nginx";

/// Returns a port that is free now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A running nginx.
struct Nginx(Child);

impl Nginx {
    /// Starts it with the part of a configuration that the docs show.
    fn start(env: &TestEnvironment, port: u16, server: &Server) -> Self {
        let block = DOCS.split("```nginx\n").nth(1).unwrap().split("```").next().unwrap();
        assert!(block.contains("127.0.0.1:8080"), "{block}");
        let block = block.replace("127.0.0.1:8080", &server.address.to_string());
        let folder = env.path("nginx");
        fs::create_dir(&folder).unwrap();
        let path = folder.display();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary = temporary.map(|kind| format!("{kind}_temp_path {path}/{kind};\n")).concat();
        let config = format!(
            "daemon off; master_process off; pid {path}/pid; error_log {path}/error.log;\n\
             events {{}}\n\
             http {{\n{temporary}access_log off;\nserver {{\nlisten 127.0.0.1:{port};\n{block}\n}}\n}}\n"
        );
        let file = folder.join("nginx.conf");
        fs::write(&file, config).unwrap();
        let child = Command::new(NGINX)
            .args(["-p".as_ref(), folder.as_os_str(), "-c".as_ref(), file.as_os_str()])
            .stdin(Stdio::null())
            .stderr(File::create(folder.join("stderr")).unwrap())
            .spawn()
            .unwrap();
        until("nginx listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self(child)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns whether nginx is installed; otherwise reports a skipped test.
fn has_nginx() -> bool {
    is_installed(NGINX, Command::new(NGINX).arg("-v").stderr(Stdio::null()).status().is_ok())
}

#[test]
fn two_people_play_behind_a_path_of_a_reverse_proxy() {
    if !has_nginx() {
        return;
    }
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}/othello");
    let env = TestEnvironment::new().config(&format!("[web]\nurl = '{url}'\npublic = true"));
    env.ok("new mini alice@example.org bob@example.org");
    let server = Server::start(&env);
    let _nginx = Nginx::start(&env, port, &server);
    let address = |player| format!("{url}/play/{}", env.token(Purpose::Page, player, 1, 0));
    let Some(browser) = Chromium::start() else { return };
    let (alice, bob) = (browser.tab(), browser.tab());
    alice.open(&address("alice"));
    bob.open(&address("bob"));
    let stored = || env.stored(1).game;
    while let Some(turn) = stored().turn() {
        let tab = if turn == Color::Black { &alice } else { &bob };
        let events = stored().events().len();
        play_first(tab);
        until("a move is made", || stored().events().len() > events);
        // Each page shows the move: one after its form, one by the event stream.
        let history = &env.history(1);
        until_shown(&alice, history);
        until_shown(&bob, history);
    }
    // The links of the pages lead below the path, too.
    alice.click("a[href*='/othello/play/']");
    alice.until("document.querySelector('.steps') !== null");
    alice.click("#first");
    alice.until("location.pathname.endsWith('/0')");
    bob.open(&format!("{url}/"));
    bob.click("a[href='/othello/game/1']");
    bob.until("document.querySelector('h1')?.textContent === 'Game 1: alice against bob'");
    for tab in [&alice, &bob] {
        tab.check_no_errors();
    }
    // While the server is down, the proxy does not log the addresses of pages.
    drop(server);
    alice.open(&address("alice"));
    assert_eq!(alice.text("document.title"), "502 Bad Gateway");
    let log = fs::read_to_string(env.path("nginx/error.log")).unwrap();
    assert!(!log.contains("/play/"), "{log}");
}
