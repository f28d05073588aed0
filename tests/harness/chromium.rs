//! A headless Chromium, driven through the pipe of its DevTools protocol.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::is_installed;

pub const CHROMIUM: &str = "chromium";
/// The options that turn off everything the tests do not need.
pub const QUIET: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];
/// The time limit for an answer of the browser and for a change of a page.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The pipe of the protocol has the descriptors 3 and 4.
const WITH_PIPE: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

/// Returns whether a browser is installed; otherwise reports a skipped test.
pub fn is_there() -> bool {
    is_installed(CHROMIUM, Command::new(CHROMIUM).arg("--version").output().is_ok())
}

/// A running browser.
pub struct Chromium {
    child: Child,
    input: RefCell<ChildStdin>,
    messages: Receiver<Value>,
    /// The events that no test has read yet.
    events: RefCell<VecDeque<Value>>,
    calls: Cell<u64>,
    folder: TempDir,
}

impl Chromium {
    /// Starts a browser, if one is installed; otherwise reports a skipped test.
    pub fn start() -> Option<Self> {
        if !is_there() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", WITH_PIPE, "sh", CHROMIUM])
            .args(QUIET)
            .args(["--hide-scrollbars", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(folder.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let Ok(message) = message else { return };
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    return;
                }
            }
        });
        let (events, calls) = (RefCell::default(), Cell::new(0));
        Some(Self { child, input: RefCell::new(input), messages, events, calls, folder })
    }

    /// Opens a new tab with its own session of the protocol.
    pub fn tab(&self) -> Tab<'_> {
        let target = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.call(None, "Target.attachToTarget", attach)["sessionId"].clone();
        let tab = Tab { browser: self, session: session.as_str().unwrap().to_owned() };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab.show();
        tab
    }

    fn call(&self, session: Option<&str>, method: &str, params: Value) -> Value {
        let id = self.calls.get() + 1;
        self.calls.set(id);
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut input = self.input.borrow_mut();
        input.write_all(format!("{message}\0").as_bytes()).unwrap();
        input.flush().unwrap();
        let deadline = Instant::now() + TIMEOUT;
        loop {
            // Events can come for ever.
            let rest = deadline.saturating_duration_since(Instant::now());
            let answer = self.messages.recv_timeout(rest);
            let answer = answer.unwrap_or_else(|error| {
                panic!(
                    "{method}: {error}\n{}",
                    fs::read_to_string(self.folder.path().join("log")).unwrap()
                )
            });
            if answer["id"] != id {
                self.events.borrow_mut().push_back(answer);
            } else if answer["error"].is_null() {
                return answer["result"].clone();
            } else {
                return json!({ "failed": answer["error"] });
            }
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A tab of the browser.
pub struct Tab<'b> {
    browser: &'b Chromium,
    session: String,
}

impl Tab<'_> {
    fn call(&self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }

    /// Makes its page count as visible, even behind other tabs. This is the initial state.
    pub fn show(&self) {
        self.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
    }

    /// Hides its page behind another tab.
    pub fn hide(&self) {
        self.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": false }));
        self.browser.tab();
        self.until("document.hidden");
    }

    /// Runs no scripts of pages from now on.
    pub fn without_scripts(self) -> Self {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
        self
    }

    /// Runs scripts of the test again.
    pub fn allow_scripts(&self) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
    }

    /// Shows pages on a screen of this size.
    pub fn size(&self, width: u32, height: u32) {
        let is_phone = width.min(height) < 700;
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Shows pages at this width, light or dark.
    pub fn screen(&self, width: u32, scheme: &str) {
        self.size(width, 800);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Does something that leads to another page, and waits until that page is there. With scripts, the page
    /// before it can already show what was done.
    pub fn next_page(&self, lead: impl FnOnce()) {
        self.run("window.isOld = true");
        lead();
        self.until("!window.isOld && document.readyState === 'complete'");
    }

    /// Goes to an address, and waits until the page is there.
    pub fn open(&self, url: &str) {
        self.next_page(|| drop(self.call("Page.navigate", json!({ "url": url }))));
        // The script of a page may have shortened the address.
        let here = json!(url.split(['?', '#']).next());
        self.until(&format!("location.href.startsWith({here})"));
    }

    pub fn reload(&self) {
        self.next_page(|| drop(self.call("Page.reload", json!({}))));
    }

    /// Goes back to the previous page.
    pub fn back(&self) {
        let history = self.call("Page.getNavigationHistory", json!({}));
        let current = history["currentIndex"].as_u64().unwrap() as usize;
        let entry = &history["entries"][current - 1]["id"];
        let target = json!({ "entryId": entry });
        self.next_page(|| drop(self.call("Page.navigateToHistoryEntry", target)));
    }

    /// Returns the value of an expression in the page, or the error.
    fn evaluate(&self, expression: &str) -> Result<Value, Value> {
        let asked =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        match (&answer["failed"], &answer["exceptionDetails"]) {
            (Value::Null, Value::Null) => Ok(answer["result"]["value"].clone()),
            (Value::Null, error) | (error, _) => Err(error.clone()),
        }
    }

    /// Returns the value of an expression in the page.
    #[track_caller]
    pub fn run(&self, expression: &str) -> Value {
        self.evaluate(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Returns the text of an expression in the page.
    #[track_caller]
    pub fn text(&self, expression: &str) -> String {
        let value = self.run(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression}: {value}")).to_owned()
    }

    /// Waits until an expression is true, also in the next page.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        let started = Instant::now();
        // Between two pages, nothing can be evaluated.
        while self.evaluate(expression) != Ok(json!(true)) {
            let body = "document.title + ': ' + document.body.innerText";
            assert!(started.elapsed() < TIMEOUT, "{expression}: {:?}", self.evaluate(body));
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks the middle of an element `times` times in a row, as a mouse does.
    #[track_caller]
    pub fn click_times(&self, selector: &str, times: u32) {
        let found = json!(selector);
        let middle = self.run(&format!(
            "(() => {{
                const element = document.querySelector({found});
                if (!element) return null;
                element.scrollIntoView({{ block: 'center', inline: 'center' }});
                const box = element.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }})()"
        ));
        assert!(
            middle.is_array(),
            "there is no {selector}: {}",
            self.text("document.body.innerText")
        );
        for count in 1..=times {
            for kind in ["mousePressed", "mouseReleased"] {
                let event = json!({
                    "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": count,
                });
                self.call("Input.dispatchMouseEvent", event);
            }
        }
    }

    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.click_times(selector, 1);
    }

    /// Presses a key: `Tab`, `Enter`, `ArrowLeft` and so on.
    pub fn press(&self, key: &str) {
        self.hold(key, 0);
    }

    /// Holds a key until it has repeated `repeats` times.
    pub fn hold(&self, key: &str, repeats: usize) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "Space" => (32, " "),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            other => panic!("{other} is not known"),
        };
        let name = if key == "Space" { " " } else { key };
        let down = (0..=repeats).map(|number| ("keyDown", number > 0));
        for (kind, is_repeated) in down.chain([("keyUp", false)]) {
            let mut event = json!({
                "type": kind, "key": name, "code": key, "windowsVirtualKeyCode": code,
                "autoRepeat": is_repeated,
            });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Types text into the element that has the focus.
    pub fn type_text(&self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Returns the names of the elements with this role, from the top, as a screen reader finds them.
    pub fn accessible(&self, role: &str) -> Vec<String> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let nodes = nodes.filter(|node| node["role"]["value"] == role && node["ignored"] == false);
        nodes.map(|node| node["name"]["value"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Returns the events of this kind since the last call.
    fn events(&self, method: &str) -> Vec<Value> {
        // An answer comes behind all events before it.
        self.run("1");
        let mut events = self.browser.events.borrow_mut();
        let is_one =
            |it: &Value| it["method"] == method && it["sessionId"] == self.session.as_str();
        let (found, others) = events.drain(..).partition(is_one);
        *events = others;
        let found: VecDeque<Value> = found;
        found.into_iter().map(|mut event| event["params"].take()).collect()
    }

    /// Checks that no script error or policy violation was reported since the last call.
    #[track_caller]
    pub fn check_no_errors(&self) {
        let is_error = |it: &Value| it["entry"]["level"] == "error";
        let logged = self.events("Log.entryAdded").into_iter().filter(is_error);
        let thrown = self.events("Runtime.exceptionThrown");
        assert_eq!(logged.chain(thrown).collect::<Vec<_>>(), Vec::<Value>::new());
    }

    /// Returns the number of answered requests since the last call, and their bytes.
    pub fn traffic(&self) -> (usize, u64) {
        let finished = self.events("Network.loadingFinished");
        let bytes = finished.iter().map(|it| it["encodedDataLength"].as_f64().unwrap_or(0.0));
        (finished.len(), bytes.sum::<f64>() as u64)
    }

    /// Returns the upper left part of the window as PNG.
    pub fn picture(&self, width: u32, height: u32) -> Vec<u8> {
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let asked = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        let picture = self.call("Page.captureScreenshot", asked);
        BASE64.decode(picture["data"].as_str().unwrap().as_bytes()).unwrap()
    }
}
