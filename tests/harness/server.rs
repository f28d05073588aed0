//! The server of the pages as a process.

use std::cell::OnceCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{TestEnvironment, until};

/// A running server. It is stopped when it is dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts it on any port.
    pub fn start(env: &TestEnvironment) -> Self {
        Self::start_at(env, "127.0.0.1:0")
    }

    /// Starts it at this address.
    pub fn start_at(env: &TestEnvironment, address: &str) -> Self {
        Self::start_as(env, &format!("web --listen {address}"))
    }

    /// Starts it with these words.
    pub fn start_as(env: &TestEnvironment, words: &str) -> Self {
        let mut command = env.command(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Listening on http://").expect(&line);
        let address = address.parse().unwrap();
        Self { child, address }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    /// Requests a path as a new peer, and returns the status line.
    pub fn status(&self, path: &str) -> String {
        self.page(path).lines().next().unwrap_or_default().to_owned()
    }

    /// Requests a path as a new peer, and returns the whole response.
    pub fn page(&self, path: &str) -> String {
        let mut stream = self.connect();
        let headers = "Host: x\r\nX-Forwarded-For: 192.0.2.7\r\nConnection: close";
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n\r\n").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// Opens an event stream as soon as there are not too many of its token.
    pub fn stream(&self, path: &str) -> TcpStream {
        let opened = OnceCell::new();
        until("a stream is opened", || {
            let mut stream = self.connect();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut begin = [0; 12];
            stream.read_exact(&mut begin).unwrap();
            &begin == b"HTTP/1.1 200" && opened.set(stream).is_ok()
        });
        opened.into_inner().unwrap()
    }

    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
    }

    /// Waits for the end, and returns the exit status and standard error.
    pub fn finish(mut self) -> (Option<i32>, String) {
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code(), stderr)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let mut problems = String::new();
        if let Some(mut stderr) = self.child.stderr.take().filter(|_| thread::panicking()) {
            let _ = stderr.read_to_string(&mut problems);
            eprintln!("The server reported: {problems}");
        }
    }
}
