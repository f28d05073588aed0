//! Every page, checked by axe-core: light and dark, on a phone and on a desktop.

use std::fs;
use std::path::Path;

use outflank::mail::token::Claims;
use serde_json::Value;

use super::{Chromium, PLAY, SQUARE, Site, Tab, until_chosen};
use crate::harness::chromium::is_there;
use crate::harness::{CAROL, Purpose, Server, TestEnvironment, first_version, skipped};

/// The path of axe-core, which `.ci/run` installs.
const AXE: &str = "target/axe/node_modules/axe-core/axe.min.js";

/// Returns axe-core; otherwise reports a skipped test.
fn axe() -> Option<String> {
    if !is_there() {
        return None;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(AXE);
    let axe = fs::read_to_string(&file).ok();
    let required = std::env::var("OUTFLANK_E2E").is_ok_and(|value| value == "required")
        && std::env::var_os("OUTFLANK_WITHOUT_AXE").is_none();
    assert!(axe.is_some() || !required, "OUTFLANK_E2E=required, but there is no {AXE}");
    if axe.is_none() {
        skipped("pages::accessible", "needs axe-core, which .ci/run installs");
    }
    axe
}

/// Checks that a page has no violation and needs no sideways scrolling. A phone would shrink a wider page.
#[track_caller]
fn check(tab: &Tab, axe: &str, name: &str, width: u32) {
    tab.run("document.querySelectorAll('details').forEach(it => it.open = true)");
    tab.run(&format!("{axe}; true"));
    let found = tab.run(
        "axe.run().then(result => result.violations.map(it => [it.id, it.nodes[0].html, it.nodes[0].failureSummary]))",
    );
    assert_eq!(found, Value::Array(Vec::new()), "{name}");
    let needed = tab.run("document.documentElement.scrollWidth");
    assert!(needed.as_u64() <= Some(width.into()), "{name}: {needed}");
}

/// Opens each page with each scheme and width, and checks it.
fn check_all(axe: &str, pages: &[(&str, String)]) {
    let Some(browser) = Chromium::start() else { return };
    let tab = browser.tab();
    for scheme in ["light", "dark"] {
        for width in [320, 1280] {
            tab.screen(width, scheme);
            for (name, address) in pages {
                tab.open(address);
                check(&tab, axe, &format!("{name}, {scheme}, {width}"), width);
            }
        }
    }
}

#[test]
fn axe_finds_nothing_in_a_club() {
    let Some(axe) = axe() else { return };
    let env = TestEnvironment::new().config("[web]\npublic = true").with_game();
    env.ok(&format!("signup carol {CAROL}"));
    for player in ["alice", "bob"] {
        env.ok(&format!("--as {player} set watchers all"));
    }
    env.ok("--as carol watch 1");
    env.ok("move 1 f5 d6 c3 d3");
    env.ok("--as bob say 1 'Good luck!'");
    env.ok("--as alice note 1 'Keep the corner a1.'");
    env.ok("--as bob draw 1");
    env.ok("new mini alice bob --moves b1");
    env.ok("--as bob resign 2");
    env.ok("analyze 2");
    env.ok("new twente alice bob --position '(b wb-- ---- ---- ----)'");
    env.ok("--as carol challenge alice");
    env.ok("--as carol challenge anyone");
    env.ok("--as alice challenge carol");
    env.ok("tournament new cup mini");
    for player in ["alice", "bob", "carol"] {
        env.ok(&format!("join cup --as {player}"));
    }
    env.ok("tournament start cup");
    let server = Server::start(&env);
    let site = format!("http://{}", server.address);
    let token = |purpose, player, game| env.token(purpose, player, game, 0);
    let play = |player, game| format!("{site}/play/{}", token(Purpose::Page, player, game));
    let known = Some(env.now().timestamp().unsigned_abs());
    let (player, number) = (Some(env.player_id("alice")), 0);
    let claims = Claims { purpose: Purpose::Desk, player, number, event: 0, known, asks: false };
    let desk = first_version(claims, env.secret("alice"));
    check_all(
        &axe,
        &[
            ("own turn", play("alice", 1)),
            ("chosen", format!("{}?choose=c2", play("alice", 1))),
            ("done", format!("{}?done=say", play("alice", 1))),
            ("turn of the opponent", play("bob", 1)),
            ("plan", format!("{}?plan=c4", play("bob", 1))),
            ("over", play("alice", 2)),
            ("must pass", play("alice", 3)),
            ("watcher", format!("{site}/watch/{}", token(Purpose::Board, "carol", 1))),
            ("replay", format!("{}/2", play("alice", 1))),
            ("analysis", format!("{}/1", play("alice", 2))),
            ("desk", format!("{site}/me/{desk}")),
            ("game of the desk", format!("{site}/me/{desk}/1")),
            (
                "unsubscribe",
                format!("{site}/unsubscribe/{}", token(Purpose::Unsubscribe, "bob", 1)),
            ),
            ("games", format!("{site}/")),
            ("games of a variant", format!("{site}/?variant=mini")),
            ("players", format!("{site}/players")),
            ("standings", format!("{site}/standings")),
            ("tournaments", format!("{site}/tournaments")),
            ("tournament", format!("{site}/tournament/cup")),
            ("player", format!("{site}/player/alice")),
            ("public game", format!("{site}/game/1")),
            ("nothing", format!("{site}/nothing")),
        ],
    );
}

#[test]
fn axe_finds_nothing_on_boards_of_all_sizes() {
    let Some(axe) = axe() else { return };
    // A lattice that has grown in all directions.
    const HEX: &str =
        "oddthello --moves 'C4 D3 A4 B5 E3 E2 C5 A3 A5 E4 F1 C6 ZZ3 A6 D5 C1 D0 C0 D1 E1'";
    for arguments in ["othello --size 10x10", "othello --size 99x26", HEX] {
        let site = Site::of(arguments);
        check_all(
            &axe,
            &[(arguments, site.play("alice")), ("replay", format!("{}/0", site.play("bob")))],
        );
    }
}

#[test]
fn axe_finds_nothing_after_a_choice_and_on_a_stale_page() {
    let Some(axe) = axe() else { return };
    let Some(browser) = Chromium::start() else { return };
    for scheme in ["light", "dark"] {
        let site = Site::of("othello --moves f5d6");
        let tab = browser.tab();
        tab.screen(320, scheme);
        tab.open(&site.play("alice"));
        tab.click(&format!("{SQUARE}[value=c3]"));
        until_chosen(&tab);
        check(&tab, &axe, "chosen by a script", 320);
        let stale = browser.tab().without_scripts();
        stale.screen(320, scheme);
        stale.open(&format!("{}?choose=c4", site.play("alice")));
        site.env.ok("--as alice move 1 c3");
        stale.click(PLAY);
        stale.until("document.querySelector('.notice.stale') !== null");
        stale.allow_scripts();
        check(&stale, &axe, "stale", 320);
    }
}

#[test]
fn a_large_board_scrolls_in_its_frame_with_its_labels() {
    let site = Site::of("othello --size 99x26");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.screen(390, "light");
    alice.open(&site.play("alice"));
    // First a square that can be chosen is in view, later the middle and the labels beside it.
    let in_view = |tab: &Tab, selector: &str| {
        tab.run(&format!(
            "(() => {{
                const box = document.querySelector('{selector}').getBoundingClientRect();
                const frame = document.querySelector('.frame').getBoundingClientRect();
                return box.left >= frame.left && box.right <= frame.right
                    && box.top >= frame.top && box.bottom <= frame.bottom;
            }})()"
        ))
    };
    assert_eq!(in_view(&alice, SQUARE), true);
    alice.run("document.querySelector('.frame').scrollTo(200, 1500)");
    for selector in ["#m49", "tr:has(#m49) th", "tr:has(#m49) .n", "thead th:nth-child(14)"] {
        assert_eq!(in_view(&alice, selector), true, "{selector}");
    }
    assert_eq!(in_view(&alice, "thead th:nth-child(2)"), false);
    // Without scripts, a link leads to the middle.
    let alice = alice.without_scripts();
    alice.reload();
    assert_eq!(in_view(&alice, "#m49"), false);
    alice.click("noscript a");
    alice.until("location.hash === '#m49'");
    assert_eq!(in_view(&alice, "#m49"), true);
}

#[test]
fn a_board_with_ten_columns_fits_on_a_phone() {
    let site = Site::of("othello --size 10x10");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    for width in [320, 390] {
        alice.screen(width, "light");
        alice.open(&site.play("alice"));
        let frame = "document.querySelector('.frame')";
        assert_eq!(alice.run(&format!("{frame}.scrollWidth - {frame}.clientWidth")), 0, "{width}");
    }
}

#[test]
fn a_board_has_squares_in_a_browser_without_units_of_containers() {
    let Some(browser) = Chromium::start() else { return };
    let tab = browser.tab();
    tab.screen(390, "light");
    for arguments in ["othello", "othello --size 10x10"] {
        let site = Site::of(arguments);
        tab.open(&site.play("alice"));
        let widths = tab.run(
            "fetch('/style.css').then(response => response.text()).then(text => {
                const style = new CSSStyleSheet();
                style.replaceSync(text.replaceAll('cqw', 'unknown'));
                document.styleSheets[0].disabled = true;
                document.adoptedStyleSheets = [style];
                const { width } = document.querySelector('.q').getBoundingClientRect();
                const frame = document.querySelector('.frame');
                return [width, frame.scrollWidth - frame.clientWidth];
            })",
        );
        assert!(widths[0].as_f64() >= Some(24.0) && widths[1] == 0, "{arguments}: {widths}");
    }
}

#[test]
fn a_small_board_fits_beside_a_scroll_bar() {
    let site = Site::of("othello");
    let Some(browser) = Chromium::start() else { return };
    let alice = browser.tab();
    alice.screen(320, "light");
    alice.open(&site.play("alice"));
    alice.run("document.body.style.width = '305px'");
    let frame = "document.querySelector('.frame')";
    assert_eq!(alice.run(&format!("{frame}.scrollWidth - {frame}.clientWidth")), 0);
}

#[test]
fn the_whole_row_of_a_game_is_its_link_on_a_phone() {
    let env = TestEnvironment::new().config("[web]\npublic = true").with_game();
    let server = Server::start(&env);
    let Some(browser) = Chromium::start() else { return };
    let tab = browser.tab();
    tab.screen(320, "light");
    for (page, first) in [("", "1"), ("players", "alice")] {
        tab.open(&format!("http://{}/{page}", server.address));
        let hit = tab.run(
            "(() => {
                const box = document.querySelector('.list tbody tr').getBoundingClientRect();
                const at = (x, y) => document.elementFromPoint(x, y).textContent;
                return [box.height, at(box.right - 4, box.top + 4), at(box.right - 4, box.bottom - 4)];
            })()",
        );
        assert!(hit[0].as_f64() >= Some(44.0), "{hit}");
        assert_eq!([&hit[1], &hit[2]], [first, first], "{hit}");
    }
    tab.open(&format!("http://{}/", server.address));
    tab.click(".list [data-title=White] a");
    tab.until("location.pathname === '/player/bob'");
}
