//! Random keys, mouse events and pastes at a board that carries out its requests.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fastrand::Rng;
use outflank::app::{Line, LiveGame, NO_PROGRESS, Seat};
use outflank::tui::model::Model;
use outflank::tui::request::{Request, Update};
use outflank_model::log::{Action, GameId};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::{ASCII, MANY, NONE, SIXTEEN, drawn, press, text};
use crate::harness::{ALICE, BOB, CAROL, TestEnvironment};
use crate::play::take;

/// The events of each seed.
const EVENTS: usize = 2500;

/// Lines that somebody may type.
const LINES: [&str; 22] = [
    "b1",
    "a1",
    "c4",
    "d3",
    "pass",
    "accept",
    "decline",
    "draw",
    "takeback",
    "resign",
    "resign 2",
    "resign 3",
    "move 3 c3",
    "say hello",
    "note keep a1",
    "rules",
    "history 3",
    "games",
    "quit",
    "hepl",
    "play mini",
    "play bot:1 --white",
];

/// A screen, and the seat that carries out its requests, one after the other.
struct Board {
    seat: Seat,
    opponent: Seat,
    game: GameId,
    model: Model,
}

impl Board {
    fn carry_out(&mut self, request: Option<Request>) {
        let Some(request) = request else { return };
        // Searches end at once.
        let stop = Arc::new(AtomicBool::new(true));
        match request {
            Request::Run(word, command) => {
                let update = match self.seat.run(self.game, &command, &stop, NO_PROGRESS) {
                    Ok(mut reply) => {
                        let zone = self.seat.styled(&mut reply).unwrap();
                        Update::Reply(word, reply, zone)
                    }
                    Err(error) if error.is_fault() => panic!("{word}: {error}"),
                    Err(error) => Update::Refused(error),
                };
                self.update(update);
                self.show(self.game);
            }
            Request::Open(number) => self.show(number),
            Request::Play(play) => match self.seat.play(&play) {
                Ok(game) => self.show(game),
                Err(error) => self.update(Update::Refused(error)),
            },
            Request::PlayAgainst(bot) => {
                let game = self.seat.play_against(self.game, &bot).unwrap();
                self.show(game);
            }
            Request::Next => match self.seat.next_waiting(self.game).unwrap() {
                Some(game) => self.show(game),
                None => self.update(Update::NoneWaits),
            },
            Request::List => {
                let Line::Command(games) = Line::parse("games", None) else { panic!() };
                let mut reply = self.seat.run(self.game, &games, &stop, NO_PROGRESS).unwrap();
                let zone = self.seat.styled(&mut reply).unwrap();
                self.update(Update::List(reply, zone));
            }
            Request::Leave | Request::Suspend => {}
        }
    }

    fn update(&mut self, update: Update) {
        let request = self.model.update(update);
        self.carry_out(request);
    }

    fn live(&mut self) -> LiveGame {
        self.seat.game(self.game).unwrap()
    }

    fn show(&mut self, game: GameId) {
        self.game = game;
        let live = self.live();
        self.update(Update::Game(Box::new(live)));
    }

    /// Lets the opponent act, who may be a computer player.
    fn let_opponent_act(&mut self, rng: &mut Rng) {
        let live = self.live();
        if live.bot_is_due {
            self.seat.think(self.game, &AtomicBool::new(false)).unwrap();
        } else if live.game.turn().is_some_and(|turn| !live.owns(turn)) && live.bots == [false; 2] {
            let moves = live.game.legal();
            let mv = live.game.start().rules().lattice.move_label(moves[rng.usize(..moves.len())]);
            let command = Line::typed(&mv, live.moment).unwrap().unwrap();
            self.opponent.run(self.game, &command, &Arc::default(), NO_PROGRESS).unwrap();
        }
        self.show(self.game);
    }

    fn handle(&mut self, event: Event) {
        let request = self.model.handle(event);
        self.carry_out(request);
    }

    fn press(&mut self, code: KeyCode) {
        let request = press(&mut self.model, code);
        self.carry_out(request);
    }

    /// Returns the words on the screen when nothing is typed or open, the cursor is in the corner, and a
    /// hint has been asked for.
    fn settled(&mut self) -> Vec<String> {
        (0..3).for_each(|_| self.press(KeyCode::Esc));
        self.press(KeyCode::Char('H'));
        for key in [KeyCode::Home, KeyCode::Up, KeyCode::Left].repeat(70) {
            self.press(key);
        }
        // At a new size, the board is in the middle.
        drawn(&mut self.model, (80, 24));
        let text = text(&mut self.model, (200, 60));
        text.split_whitespace().map(str::to_owned).collect()
    }
}

fn key(code: KeyCode) -> Event {
    Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// Returns a key with one of these characters.
fn one_of(rng: &mut Rng, characters: &str) -> KeyCode {
    let characters: Vec<_> = characters.chars().collect();
    KeyCode::Char(characters[rng.usize(..characters.len())])
}

/// Returns random events that belong together.
fn random(rng: &mut Rng, size: (u16, u16)) -> Vec<Event> {
    use KeyCode as K;
    const KEYS: [KeyCode; 19] = [
        K::Up,
        K::Down,
        K::Left,
        K::Right,
        K::Home,
        K::End,
        K::PageUp,
        K::PageDown,
        K::Tab,
        K::Tab,
        K::BackTab,
        K::Enter,
        K::Enter,
        K::Enter,
        K::Esc,
        K::Backspace,
        K::Delete,
        K::F(1),
        K::Null,
    ];
    const MOUSE: [MouseEventKind; 5] = [
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Down(MouseButton::Right),
        MouseEventKind::ScrollDown,
        MouseEventKind::ScrollUp,
        MouseEventKind::Moved,
    ];
    match rng.u8(..100) {
        0..35 => vec![key(KEYS[rng.usize(..KEYS.len())])],
        35..45 => {
            vec![key(one_of(rng, "abcd1234- '.,!?()\u{e9}\u{65e5}z"))]
        }
        45..58 => vec![key(one_of(rng, "UHPRDSYXCGANL[]?QBZy"))],
        58..68 => {
            let line = LINES[rng.usize(..LINES.len())];
            let typed = line.chars().map(|c| key(K::Char(c)));
            [key(K::Esc)].into_iter().chain(typed).chain([key(K::Enter)]).collect()
        }
        68..90 => {
            let kind = MOUSE[rng.usize(..MOUSE.len())];
            let (column, row) = (rng.u16(..=size.0), rng.u16(..=size.1));
            let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
            // Two clicks on a square play it.
            vec![Event::Mouse(mouse); rng.usize(1..=2)]
        }
        90..94 => {
            let text = ["R\ny", "c4\n", "\u{1b}[A\u{7}", "\u{65e5}\u{202e}", &"long ".repeat(1000)];
            vec![Event::Paste(text[rng.usize(..text.len())].to_owned())]
        }
        94..96 => vec![key(K::Tab), key(K::Enter)],
        96..97 => vec![Event::FocusLost, Event::Resize(size.0, size.1)],
        _ => {
            let modifiers = [KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SHIFT];
            let modifiers = modifiers[rng.usize(..3)];
            let code = one_of(rng, "cyzRy");
            let event = KeyEvent::new(code, modifiers);
            let released = KeyEvent { kind: KeyEventKind::Release, ..event };
            vec![Event::Key(event), Event::Key(released)]
        }
    }
}

#[test]
fn random_events_change_only_what_they_may() {
    const SIZES: [(u16, u16); 6] = [(80, 24), (80, 24), (40, 15), (200, 60), (22, 9), (3, 2)];
    let env = TestEnvironment::new();
    let (seat, first) = take(&env, "--variant mini", None, (1000, "ann")).unwrap();
    env.ok(&format!("new oddthello ann {BOB}"));
    env.ok(&format!("new othello {ALICE} {CAROL} --size 5x6 --moves b2"));
    env.ok(&format!("new othello {BOB} ann --size 9x9 --anywhere --moves a1"));
    env.ok("--as bob draw 2");
    let (opponent, _) = take(&env, "2", Some("bob"), (1000, "ann")).unwrap();
    let of_others = |env: &TestEnvironment| env.stored(3).game.events().to_vec();
    let before = of_others(&env);
    for (seed, look) in (1..).zip([MANY, SIXTEEN, NONE, ASCII]) {
        let mut rng = Rng::with_seed(seed);
        let mut seat = seat.another().unwrap();
        let live = seat.game(first).unwrap();
        let may_confirm = seed > 2;
        let model = Model::new(live, look, true);
        let opponent = opponent.another().unwrap();
        let mut board = Board { seat, opponent, game: first, model };
        let mut size = SIZES[0];
        let mut events = 0;
        while events < EVENTS {
            for event in random(&mut rng, size) {
                let is_yes =
                    matches!(&event, Event::Key(KeyEvent { code: KeyCode::Char('y' | 'Y'), .. }));
                if may_confirm || !is_yes {
                    board.handle(event);
                }
                events += 1;
            }
            if rng.u8(..20) == 0 {
                board.let_opponent_act(&mut rng);
            }
            if rng.u8(..50) == 0 {
                size = SIZES[rng.usize(..SIZES.len())];
            }
            let terminal = drawn(&mut board.model, size);
            let cells = terminal.backend().buffer().content();
            assert!(cells.iter().all(|cell| !cell.symbol().contains(char::is_control)));
        }
        let settled = board.settled();
        let live = board.live();
        let model = Model::new(live, look, true);
        let mut other = Board { model, ..board };
        assert_eq!(settled, other.settled(), "seed {seed}, game {}", other.game);
        assert_eq!(of_others(&env), before);
        let games = [1, 2, 4].map(|game| env.stored(game).game);
        let resigned =
            games.iter().flat_map(|game| game.events()).any(|it| it.action == Action::Resign);
        assert!(may_confirm || !resigned);
    }
}
