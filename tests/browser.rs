//! The HTML of mails in a real browser: on a phone and on a desktop, light and dark.

#[path = "mails/written.rs"]
#[allow(dead_code, reason = "tests/mails uses more of it")]
mod written;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use outflank::game::Color;
use serde_json::Value;
use written::{MIDDLE, Sample, TOKEN};

const BROWSER: &str = "chromium";
/// The time limit for the browser.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures each frame: whether it is dark, how wide it is and needs to
/// be, whether a part of it has to be scrolled, the boxes of its links, and the contrast of its
/// texts as WCAG 2 defines it.
const MEASURE: &str = r#"
const parse = text => text.match(/[\d.]+/g).map(Number);
const over = ([r, g, b, a = 1], [x, y, z]) =>
    [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
const luminance = rgb => {
    const [r, g, b] = rgb.map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
};
function texts(window, canvas) {
    const found = [];
    const walker = window.document.createTreeWalker(window.document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim();
        if (!text) continue;
        const path = [];
        let opacity = 1;
        for (let at = walker.currentNode.parentElement; at; at = at.parentElement) {
            path.unshift(at);
            opacity *= window.getComputedStyle(at).opacity;
        }
        const style = path.map(at => window.getComputedStyle(at));
        const below = style.reduce((rgb, s) => over(parse(s.backgroundColor), rgb), canvas);
        const [r, g, b, a = 1] = parse(style.at(-1).color);
        found.push([text, contrast(over([r, g, b, a * opacity], below), below)]);
    }
    return found;
}
addEventListener('load', () => {
    const measured = [...document.querySelectorAll('iframe')].map(frame => {
        const window = frame.contentWindow;
        const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
        return {
            name: frame.name,
            dark,
            width: window.innerWidth,
            needed: window.document.documentElement.scrollWidth,
            scrolls: [...window.document.querySelectorAll('div')]
                .some(box => box.scrollWidth > box.clientWidth),
            links: [...window.document.links].map(link => {
                const { width, height } = link.getBoundingClientRect();
                return [link.textContent, width, height];
            }),
            texts: texts(window, dark ? [18, 18, 18] : [255, 255, 255]),
        };
    });
    document.documentElement.textContent = JSON.stringify(measured);
});
"#;

fn cases() -> Vec<(&'static str, Sample<'static>)> {
    let game = Sample::default();
    let text = Some("? d9\nd9 is not on the board, which runs from a1 to h8.");
    let gameless = Sample { of_a_game: false, text, ..game };
    vec![
        ("turn", MIDDLE),
        ("hex", Sample { variant: "oddthello", moves: "c4 D3 E2", to: Color::White, ..game }),
        ("pass", Sample { variant: "twente", position: Some("(b wb-- ---- ---- ----)"), ..game }),
        ("over", Sample { event: "over", resigned: Some(Color::Black), ..MIDDLE }),
        ("receipt", Sample { event: "receipt", to: Color::Black, ..MIDDLE }),
        ("answer", Sample { event: "answer", text, token: Some(TOKEN), ..MIDDLE }),
        ("confirm", Sample { event: "confirm", ..gameless }),
        ("wide", Sample { size: Some("3x26"), anywhere: true, ..game }),
        ("large", Sample { size: Some("99x26"), anywhere: true, ..game }),
    ]
}

/// Returns whether there is a browser, and reports a skipped test if not.
fn is_there() -> bool {
    let there = Command::new(BROWSER).arg("--version").output().is_ok();
    let required = std::env::var("OUTFLANK_E2E").is_ok_and(|value| value == "required");
    assert!(there || !required, "OUTFLANK_E2E=required, but there is no {BROWSER}");
    if !there {
        let current = thread::current();
        let test = current.name().unwrap_or("test");
        // Not `eprintln!`, which the test harness swallows.
        let _ = writeln!(io::stderr(), "skipped {test}: needs {BROWSER}, which .ci/run installs");
    }
    there
}

/// Returns what the browser measures in these frames.
fn measured(scheme: &str, frames: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let page = format!(
        "<!DOCTYPE html><html style='color-scheme:{scheme}'><meta charset='utf-8'>\
         <script>{MEASURE}</script>{frames}</html>"
    );
    fs::write(path("page.html"), page).unwrap();
    let mut browser = Command::new(BROWSER)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", path("profile").display()))
        .args(["--hide-scrollbars", "--window-size=1200,900", "--dump-dom"])
        .arg(format!("file://{}", path("page.html").display()))
        .stdin(Stdio::null())
        .stdout(File::create(path("dom")).unwrap())
        .stderr(File::create(path("log")).unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while browser.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            let _ = browser.kill();
            let _ = browser.wait();
            panic!("{BROWSER}: {}", fs::read_to_string(path("log")).unwrap());
        }
        thread::sleep(Duration::from_millis(50));
    }
    let dom = fs::read_to_string(path("dom")).unwrap();
    let json = dom.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']'));
    let json = json.unwrap_or_else(|| panic!("nothing was measured:\n{dom}")).0;
    serde_json::from_str(&format!("[{}]", unescaped(json))).unwrap()
}

fn unescaped(text: &str) -> String {
    text.replace("&nbsp;", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[test]
fn mails_can_be_read_and_tapped_on_every_screen() {
    if !is_there() {
        return;
    }
    let mut frames = String::new();
    for (name, sample) in cases() {
        let html = sample.written().html.replace('&', "&amp;").replace('"', "&quot;");
        for width in [360, 1024] {
            write!(
                frames,
                "<iframe name='{name} {width}' style='width:{width}px;border:0' srcdoc=\"{html}\">\
                 </iframe>"
            )
            .unwrap();
        }
    }
    for scheme in ["light", "dark"] {
        let measured = measured(scheme, &frames);
        let frames = measured.as_array().unwrap();
        assert_eq!(frames.len(), 2 * cases().len());
        for frame in frames {
            let name = format!("{} {scheme}", frame["name"]);
            assert_eq!(frame["dark"], scheme == "dark", "{name}");
            assert!(frame["needed"].as_i64() <= frame["width"].as_i64(), "{name}: {frame}");
            let may_scroll = ["hex", "wide", "large"].iter().any(|wide| name.contains(wide));
            assert!(may_scroll || frame["scrolls"] == false, "{name}");
            for link in frame["links"].as_array().unwrap() {
                let large = |side: &Value| side.as_f64().unwrap() >= 32.0;
                assert!(large(&link[1]) && large(&link[2]), "{name}: {link}");
            }
            let texts = frame["texts"].as_array().unwrap();
            assert!(texts.len() > 5, "{name}");
            for text in texts {
                assert!(text[1].as_f64().unwrap() >= 4.5, "{name}: {text}");
            }
        }
    }
}
