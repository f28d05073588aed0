//! The server as a process.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use crate::harness::{Purpose, Server, TestEnvironment, until};

fn status(stream: &mut TcpStream) -> String {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

fn page(env: &TestEnvironment) -> String {
    format!("/play/{}", env.token(Purpose::Page, "alice", 1, 0))
}

#[test]
fn slow_and_half_open_clients_do_not_stop_others() {
    let env = TestEnvironment::new().with_game();
    let server = Server::start(&env);
    let path = page(&env);
    // Some clients send nothing, some stop in the middle, and some read no response.
    let beginnings = [
        String::new(),
        "GET /style".to_owned(),
        format!("GET {path} HTTP/1.1\r\nHost: x\r\nX-Slow: "),
        format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nhistory="
        ),
        format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").repeat(50),
        format!("GET {path}/events HTTP/1.1\r\nHost: x\r\n\r\n"),
    ];
    let open: Vec<_> = (0..300)
        .map(|number| {
            let mut stream = server.connect();
            stream.write_all(beginnings[number % beginnings.len()].as_bytes()).unwrap();
            stream
        })
        .collect();
    let bob = format!("/play/{}", env.token(Purpose::Page, "bob", 1, 0));
    assert_eq!(server.status(&bob), "HTTP/1.1 200 OK");
    drop(open);
    server.signal("TERM");
    assert_eq!(server.finish(), (Some(0), String::new()));
}

/// Opens connections that say nothing.
fn silent(server: &Server, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| server.connect()).collect()
}

#[test]
fn a_connection_too_many_is_told_so() {
    // Behind a reverse proxy, connections are limited together; a peer is limited alone.
    for (settings, most) in [("", 800), ("[web]\nproxies = ['192.0.2.9']", 80)] {
        let env = TestEnvironment::new().config(settings).with_game();
        let server = Server::start(&env);
        let open = RefCell::new(silent(&server, most - 1));
        assert_eq!(server.status("/style.css"), "HTTP/1.1 200 OK");
        until("there are too many", || {
            open.borrow_mut().extend(silent(&server, 1));
            server.status("/style.css") == "HTTP/1.1 503 Service Unavailable"
        });
        // Silent connections do not keep others from being refused with a status.
        let more = silent(&server, 50);
        assert_eq!(server.status("/style.css"), "HTTP/1.1 503 Service Unavailable");
        drop((open, more));
        until("there is room again", || server.status("/style.css") == "HTTP/1.1 200 OK");
        server.signal("TERM");
        let (status, log) = server.finish();
        assert_eq!(status, Some(0));
        assert!(log.contains("too many connections: requests get the status 503"), "{log}");
    }
}

#[test]
fn requests_in_hand_are_finished_after_a_signal() {
    let env = TestEnvironment::new().with_game();
    let server = Server::start(&env);
    let mut stream = server.connect();
    let form = format!("history={}&command=move&text=f5", env.history(1));
    let (begin, rest) = form.split_at(10);
    write!(
        stream,
        "POST {} HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{begin}",
        page(&env),
        form.len()
    )
    .unwrap();
    let mut events = server.connect();
    write!(events, "GET {}/events HTTP/1.1\r\nHost: x\r\n\r\n", page(&env)).unwrap();
    assert_eq!(status(&mut events), "HTTP/1.1 200 OK");
    server.signal("TERM");
    until("the server accepts no more", || TcpStream::connect(server.address).is_err());
    stream.write_all(rest.as_bytes()).unwrap();
    assert_eq!(status(&mut stream), "HTTP/1.1 303 See Other");
    assert_eq!(server.finish(), (Some(0), String::new()));
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn the_server_says_why_it_cannot_start() {
    let env = TestEnvironment::new().with_game();
    let server = Server::start(&env);
    let used = format!("web --listen {}", server.address);
    assert!(env.fails(3, &used).contains(&format!("cannot listen on {}", server.address)));
    server.signal("INT");
    assert_eq!(server.finish(), (Some(0), String::new()));
    assert!(env.fails(2, "web --as alice").contains("leave out --as"));
    assert!(env.fails(2, "web --json").contains("leave out --json"));
    assert!(env.fails(1, "web --listen nowhere").contains("nowhere"));
}

#[test]
fn no_request_and_no_token_is_printed() {
    let env = TestEnvironment::new().with_game();
    let server = Server::start(&env);
    assert_eq!(server.status(&page(&env)), "HTTP/1.1 200 OK");
    assert_eq!(server.status("/play/aefqcaiaabcdefghijklmnop"), "HTTP/1.1 404 Not Found");
    let mut stream = server.connect();
    stream.write_all(b"\x16\x03\x01 not HTTP\r\n\r\n").unwrap();
    status(&mut stream);
    server.signal("TERM");
    assert_eq!(server.finish(), (Some(0), String::new()));
}
