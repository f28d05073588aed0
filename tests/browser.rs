//! The HTML of mails in a real browser: on a phone and on a desktop, light and dark.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use outflank_rules::Color;
use serde_json::Value;

use crate::harness::chromium::{CHROMIUM, QUIET, is_there};
use crate::mails::written::{MIDDLE, Sample, TOKEN};

/// The time limit for the browser.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(60);

/// Measures each frame: whether it is dark, its width and the width of its contents, whether a part
/// of it scrolls, the boxes of its links, the contrast of its texts (WCAG 2), and its board.
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
const box = rect => [rect.left, rect.top, rect.right, rect.bottom];
// The box of the text in an element.
function textBox(element) {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    return box(range.getBoundingClientRect());
}
function board(document) {
    const table = document.querySelector('.board');
    if (!table) return null;
    const all = selector => [...table.querySelectorAll(selector)];
    const scroll = document.querySelector('.scroll');
    const hint = document.querySelector('.hint');
    const cells = all('td').filter(cell => cell.textContent).map(cell => box(cell.getBoundingClientRect()));
    const labels = all('.choice a, .choice span').map(label =>
        [label.textContent, textBox(label), box(label.closest('td').getBoundingClientRect()),
            parseFloat(getComputedStyle(label).fontSize)]);
    const edges = all('.edge').map(label => [label.textContent, textBox(label)]);
    const scrolls = scroll.scrollWidth > scroll.clientWidth;
    // The row labels when the board is scrolled to the middle.
    scroll.scrollLeft = (scroll.scrollWidth - scroll.clientWidth) / 2;
    const rows = all('[scope=row]').map(label => [label.textContent, textBox(label)]);
    scroll.scrollLeft = 0;
    return { cells, labels, edges, rows, scrolls, hint: hint?.offsetHeight > 0 };
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
            board: board(window.document),
            card: box(window.document.querySelector('.card').getBoundingClientRect()),
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
        ("long", Sample { black: "WilhelminaWeatherwaxOfWammerswald", ..MIDDLE }),
        ("hex", Sample { variant: "oddthello", moves: "c4 D3 E2", to: Color::White, ..game }),
        ("pass", Sample { variant: "twente", position: Some("(b wb-- ---- ---- ----)"), ..game }),
        ("over", Sample { event: "over", resigned: Some(Color::Black), ..MIDDLE }),
        ("receipt", Sample { event: "receipt", to: Color::Black, ..MIDDLE }),
        ("answer", Sample { event: "answer", text, token: Some(TOKEN), ..MIDDLE }),
        ("confirm", Sample { event: "confirm", ..gameless }),
        ("wide", Sample { size: Some("3x26"), anywhere: true, ..game }),
        ("plain", Sample { size: Some("16x16"), anywhere: true, ..game }),
        ("large", Sample { size: Some("99x26"), anywhere: true, ..game }),
    ]
}

/// Returns the browser's measurements of these frames.
fn measured(scheme: &str, frames: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let page = format!(
        "<!DOCTYPE html><html style='color-scheme:{scheme}'><meta charset='utf-8'>\
         <script>{MEASURE}</script>{frames}</html>"
    );
    fs::write(path("page.html"), page).unwrap();
    let mut browser = Command::new(CHROMIUM)
        .args(QUIET)
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
        if started.elapsed() > BROWSER_TIMEOUT {
            let _ = browser.kill();
            let _ = browser.wait();
            panic!("{CHROMIUM}: {}", fs::read_to_string(path("log")).unwrap());
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

/// Returns a page with each mail at these widths.
fn frames(samples: &[(&str, Sample)], widths: [u32; 2]) -> String {
    let mut frames = String::new();
    for (name, sample) in samples {
        let html = sample.written().html.replace('&', "&amp;").replace('"', "&quot;");
        for width in widths {
            write!(
                frames,
                "<iframe name='{name} {width}' style='width:{width}px;border:0' srcdoc=\"{html}\">\
                 </iframe>"
            )
            .unwrap();
        }
    }
    frames
}

#[test]
fn mails_can_be_read_and_tapped_on_every_screen() {
    if !is_there() {
        return;
    }
    let frames = frames(&cases(), [360, 1024]);
    for scheme in ["light", "dark"] {
        let measured = measured(scheme, &frames);
        let frames = measured.as_array().unwrap();
        assert_eq!(frames.len(), 2 * cases().len());
        for frame in frames {
            let name = format!("{} {scheme}", frame["name"]);
            assert_eq!(frame["dark"], scheme == "dark", "{name}");
            assert!(frame["needed"].as_i64() <= frame["width"].as_i64(), "{name}: {frame}");
            let may_scroll =
                ["hex", "wide", "plain", "large"].iter().any(|wide| name.contains(wide));
            assert!(may_scroll || frame["scrolls"] == false, "{name}");
            let board = &frame["board"];
            assert!(board.is_null() || board["hint"] == board["scrolls"], "{name}");
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

/// 40 moves on the hex lattice.
const HEX: &str = "C4 D3 A4 B5 E3 E2 C5 A3 A5 E4 F1 C6 ZZ3 A6 D5 C1 D0 C0 D1 E1 C7 B7 E5 D7 B0 C-1 \
    ZZ7 A1 D2 YY8 B1 E0 XX9 B4 C8 G1 E7 D4 E-1 D6";

/// Returns games on boards of many sizes, with their columns.
fn boards() -> Vec<(&'static str, Sample<'static>)> {
    let game = Sample::default();
    let hex = Sample { variant: "oddthello", ..game };
    vec![
        ("8x8", MIDDLE),
        ("10x10", Sample { size: Some("10x10"), anywhere: true, ..game }),
        ("12x12", Sample { size: Some("12x12"), anywhere: true, ..game }),
        ("26x26", Sample { size: Some("26x26"), ..game }),
        ("99x26", Sample { size: Some("99x26"), anywhere: true, ..game }),
        ("silent", Sample { answerable: false, ..MIDDLE }),
        ("hex", Sample { moves: HEX, ..hex }),
        ("far hex", Sample { position: Some("(b ----- -wbw- ---w-)"), frame: (-4, -16), ..hex }),
    ]
}

/// Returns the left, top, right and bottom of a box.
fn sides(value: &Value) -> [f64; 4] {
    [0, 1, 2, 3].map(|at| value[at].as_f64().unwrap())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// Checks that texts do not overlap.
fn check_apart(name: &str, labels: &[Value]) {
    for (at, label) in labels.iter().enumerate() {
        let [left, top, right, bottom] = sides(&label[1]);
        for other in &labels[..at] {
            let [l, t, r, b] = sides(&other[1]);
            let apart = right <= l || r <= left || bottom <= t || b <= top;
            assert!(apart, "{name}: {label} and {other}");
        }
    }
}

fn check_board(name: &str, sample: &Sample, frame: &Value) {
    let width = frame["width"].as_f64().unwrap();
    let board = &frame["board"];
    assert!(board.is_object(), "{name}: {frame}");
    let lattice = sample.game().start().rules().lattice;
    let legal = sample.game().legal();
    let mut expected: Vec<_> = legal.iter().map(|&mv| lattice.move_label(mv)).collect();
    expected.sort();

    // Squares are large enough for a thumb.
    let least = match name.split(' ').next().unwrap() {
        "8x8" | "silent" | "hex" | "far" => 40.0,
        _ => 32.0,
    };
    let is_plain = name.starts_with("99x26");
    for cell in list(&board["cells"]) {
        let [left, top, right, bottom] = sides(cell);
        assert!(right - left >= least || is_plain, "{name}: {cell}");
        assert!(bottom - top >= least || is_plain, "{name}: {cell}");
    }

    // Every legal square shows its label, on one line and within the square.
    if !is_plain {
        let mut labels = Vec::new();
        for label in list(&board["labels"]) {
            let ([left, top, right, bottom], cell) = (sides(&label[1]), sides(&label[2]));
            assert!(cell[0] <= left && right <= cell[2], "{name}: {label}");
            assert!(cell[1] - 1.0 <= top && bottom <= cell[3] + 1.0, "{name}: {label}");
            assert!(bottom - top < 2.0 * label[3].as_f64().unwrap() + 8.0, "{name}: {label}");
            assert!(label[3].as_f64().unwrap() >= 8.0, "{name}: {label}");
            labels.push(label[0].as_str().unwrap().replace(['\u{202f}', ' '], ""));
        }
        labels.sort();
        assert_eq!(labels, expected, "{name}");
    }

    // Row labels are visible at both sides even while a wide board is scrolled.
    check_apart(name, list(&board["edges"]));
    let rows = list(&board["rows"]);
    assert_eq!(rows.len(), 2 * sample.game().position().frame().rows, "{name}");
    for pair in rows.chunks(2) {
        assert_eq!(pair[0][0], pair[1][0], "{name}");
        for row in pair {
            let [left, _, right, _] = sides(&row[1]);
            assert!(0.0 <= left && right <= width, "{name}: {row}");
        }
    }

    // A board that scrolls has a hint.
    assert_eq!(board["hint"], board["scrolls"], "{name}");
    let fits = ["8x8", "10x10", "silent", "far"].iter().any(|fits| name.starts_with(fits));
    assert_eq!(board["scrolls"] == false, fits || width > 1000.0, "{name}");

    // The card is centred.
    let [left, _, right, _] = sides(&frame["card"]);
    assert!((left - (width - right)).abs() <= 1.0, "{name}: {left} {right}");
    assert!(width < 1000.0 || left >= 100.0, "{name}: {left}");
}

#[test]
fn boards_fit_or_scroll_on_a_phone() {
    if !is_there() {
        return;
    }
    let frames = frames(&boards(), [390, 1200]);
    let measured = measured("light", &frames);
    let samples = boards().into_iter().flat_map(|board| [board, board]);
    for (frame, (_, sample)) in measured.as_array().unwrap().iter().zip(samples) {
        check_board(frame["name"].as_str().unwrap(), &sample, frame);
    }
}
