//! The effects of keys, the mouse and updates.

use outflank::app::{Block, Concerns, LiveGame, Reply, Values, Zone};
use outflank::tui::model::Model;
use outflank::tui::request::{Request, Update};
use outflank_model::log::GameId;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::{ASCII, click, drawn, live, press, text, type_in};

const SIZE: (u16, u16) = (80, 24);

fn model() -> Model {
    Model::new(live("othello", None, ""), ASCII, true)
}

/// Returns the move that a request makes, with the number that it must have.
fn made(request: Option<Request>) -> Option<(String, Option<usize>)> {
    let Some(Request::Run("move", command)) = request else { return None };
    let Concerns::Plays(play) = command.concerns() else { return None };
    let lattice = live("othello", None, "").game.start().rules().lattice;
    Some((lattice.move_label(play.moves[0].mv), play.moves[0].ply))
}

fn at(mv: &str) -> Option<(String, Option<usize>)> {
    Some((mv.to_owned(), Some(1)))
}

#[test]
fn moves_come_from_the_line_the_cursor_and_the_mouse() {
    let mut model = model();
    type_in(&mut model, "f6");
    press(&mut model, KeyCode::Backspace);
    type_in(&mut model, "5");
    assert_eq!(made(press(&mut model, KeyCode::Enter)), at("f5"));
    assert_eq!(made(press(&mut model, KeyCode::Enter)), at("c4"), "the line is empty again");
    press(&mut model, KeyCode::Tab);
    assert_eq!(made(press(&mut model, KeyCode::Enter)), at("f5"));
    let square = |model: &mut Model| drawn(model, SIZE).backend().cursor_position();
    let (f5, e4) = (square(&mut model), {
        press(&mut model, KeyCode::Home);
        square(&mut model)
    });
    assert!(click(&mut model, (f5.x, f5.y)).is_none(), "the first click moves the cursor");
    assert_eq!(square(&mut model), f5);
    assert_eq!(made(click(&mut model, (f5.x, f5.y))), at("f5"));
    click(&mut model, (e4.x, e4.y));
    assert!(click(&mut model, (e4.x, e4.y)).is_none(), "a disc is there");
    assert_eq!(made(press(&mut model, KeyCode::Enter)), at("e4"), "the application refuses it");
}

#[test]
fn commands_are_asked_for_with_capital_letters_or_typed() {
    let mut model = model();
    let word = |request| match request {
        Some(Request::Run(word, _)) => word,
        other => panic!("{other:?}"),
    };
    for (key, command) in [("U", "takeback"), ("H", "hint"), ("P", "pass"), ("G", "rematch")] {
        assert_eq!(word(type_in(&mut model, key)), command);
    }
    type_in(&mut model, "note keep a1, then h8");
    assert_eq!(word(press(&mut model, KeyCode::Enter)), "note");
    assert!(matches!(type_in(&mut model, "N"), Some(Request::Next)));
    assert!(matches!(type_in(&mut model, "L"), Some(Request::List)));
    assert!(matches!(type_in(&mut model, "Q"), Some(Request::Leave)));
    type_in(&mut model, "histroy");
    assert!(press(&mut model, KeyCode::Enter).is_none());
    assert!(text(&mut model, SIZE).contains("did you mean `history`?"));
    let control = |c| Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
    assert!(matches!(model.handle(control('z')), Some(Request::Suspend)));
    assert!(matches!(model.handle(control('c')), Some(Request::Leave)));
    let mut remote = Model::new(live("othello", None, ""), ASCII, false);
    assert!(remote.handle(control('z')).is_none());
}

#[test]
fn resigning_needs_a_yes() {
    let mut model = model();
    for begin in ["R", "resign\n"] {
        let begin = |model: &mut Model| match begin.strip_suffix('\n') {
            Some(line) => {
                type_in(model, line);
                press(model, KeyCode::Enter)
            }
            None => type_in(model, begin),
        };
        assert!(begin(&mut model).is_none());
        assert!(text(&mut model, SIZE).contains("Resign game 12? y or n:"));
        model.handle(Event::Paste("y".to_owned()));
        assert!(type_in(&mut model, "rRQn").is_none());
        assert!(!text(&mut model, SIZE).contains("Resign game 12?"));
        begin(&mut model);
        assert!(matches!(type_in(&mut model, "y"), Some(Request::Run("resign", _))));
    }
    let own = [true, true];
    let mut shared = Model::new(LiveGame { own, ..live("othello", None, "") }, ASCII, true);
    assert!(type_in(&mut shared, "D").is_none(), "at one keyboard, a draw is agreed at once");
    assert!(matches!(type_in(&mut shared, "y"), Some(Request::Run("draw", _))));
}

/// Shows game 12 after these moves.
fn show(model: &mut Model, moves: &str) {
    model.update(Update::Game(Box::new(live("othello", None, moves))));
}

#[test]
fn a_question_ends_when_the_position_changes() {
    let mut model = model();
    type_in(&mut model, "R");
    show(&mut model, "");
    assert!(text(&mut model, SIZE).contains("Resign game 12?"), "only the times have changed");
    show(&mut model, "f5");
    assert!(!text(&mut model, SIZE).contains("Resign game 12?"));
    assert!(text(&mut model, SIZE).contains("The position has changed."));
    assert!(type_in(&mut model, "y").is_none());
}

#[test]
fn a_click_during_a_question_does_nothing() {
    let mut model = model();
    press(&mut model, KeyCode::Tab);
    let f5 = drawn(&mut model, SIZE).backend().cursor_position();
    press(&mut model, KeyCode::BackTab);
    type_in(&mut model, "R");
    for _ in 0..2 {
        assert!(click(&mut model, (f5.x, f5.y)).is_none());
    }
    assert!(text(&mut model, SIZE).contains("Resign game 12?"));
    type_in(&mut model, "n");
    assert_eq!(made(press(&mut model, KeyCode::Enter)), at("c4"));
}

#[test]
fn a_hint_is_shown_for_its_position_only() {
    let mut model = model();
    let hint = |model: &mut Model, game: i64, ply: usize| {
        let moves = [("c4", 12), ("d3", -7)].map(|(cell, value)| (cell.parse().unwrap(), value));
        let values = Some(Values { game: GameId(game), ply, moves: moves.into() });
        let reply = Reply { values, ..Reply::of_text("The hint is there.".to_owned()) };
        model.update(Update::Reply("hint", reply, Zone::Utc));
        // The cursor is on c4.
        text(model, SIZE).contains("-7")
    };
    assert!(hint(&mut model, 12, 0));
    show(&mut model, "f5");
    assert!(!text(&mut model, SIZE).contains("-7"), "the values are those of the position before");
    assert!(!hint(&mut model, 12, 0), "it comes late");
    assert!(!hint(&mut model, 11, 1), "it is for another game");
    assert!(text(&mut model, SIZE).contains("The hint is there."));
}

#[test]
fn what_was_said_is_told_and_the_game_is_on_the_board_already() {
    let mut model = model();
    let block = |text: &str| vec![Block::Text(text.to_owned())];
    let (said, game) = (block("You let bot:5 take back f5."), block("The game as it stands"));
    let reply = Reply { said, game, blocks: block("Mail goes out."), ..Reply::default() };
    model.update(Update::Reply("takeback", reply, Zone::Utc));
    let shown = text(&mut model, SIZE);
    assert!(shown.contains("You let bot:5 take back f5."), "{shown}");
    assert!(!shown.contains("as it stands") && !shown.contains("Mail goes"), "{shown}");
}

#[test]
fn pasted_text_gives_no_command() {
    let mut model = model();
    assert!(model.handle(Event::Paste("Rf5\n\u{1b}[A\u{7}".to_owned())).is_none());
    assert!(text(&mut model, SIZE).contains("\n > Rf5 [A\n"));
    press(&mut model, KeyCode::Esc);
    assert!(text(&mut model, SIZE).contains("> Enter plays c4."));
}

#[test]
fn what_is_said_may_be_anything() {
    let possible = vec!["say"];
    let mut model = Model::new(LiveGame { possible, ..live("othello", None, "") }, ASCII, true);
    type_in(&mut model, "S");
    type_in(&mut model, "Well done, Q! --now");
    assert!(text(&mut model, SIZE).contains("Say: Well done, Q! --now"));
    let Some(Request::Run("say", say)) = press(&mut model, KeyCode::Enter) else { panic!() };
    assert!(format!("{say:?}").contains("Well done, Q! --now"), "{say:?}");
    let mut silent = self::model();
    assert!(type_in(&mut silent, "Sf5").is_none());
    assert_eq!(made(press(&mut silent, KeyCode::Enter)), at("f5"), "nobody reads it");
}

#[test]
fn an_earlier_position_takes_no_commands() {
    let mut model = Model::new(live("othello", None, "f5 d6 c3"), ASCII, true);
    type_in(&mut model, "[");
    assert!(text(&mut model, SIZE).contains("Move 2 of 3"));
    assert!(type_in(&mut model, "U").is_none());
    assert!(text(&mut model, SIZE).contains("Enter returns to the present"));
    assert!(press(&mut model, KeyCode::Enter).is_none());
    assert!(!text(&mut model, SIZE).contains("of 3"));
    type_in(&mut model, "[[[[[");
    assert!(text(&mut model, SIZE).contains("Move 0 of 3"));
    // The opponent moves meanwhile.
    model.update(Update::Game(Box::new(live("othello", None, "f5 d6 c3 d3"))));
    assert!(text(&mut model, SIZE).contains("Move 0 of 4"));
    type_in(&mut model, "]]]]");
    assert!(!text(&mut model, SIZE).contains("of 4"));
}

#[test]
fn an_automatic_pass_is_shown_until_a_key_is_pressed() {
    const BEFORE: &str = "a2 a3 a4 a1";
    let mut model = Model::new(live("mini", None, BEFORE), ASCII, true);
    let after = live("mini", None, &format!("{BEFORE} c1"));
    assert!(after.game.plies()[5].auto, "{:?}", after.game.plies());
    model.update(Update::Game(Box::new(after)));
    model.update(Update::Game(Box::new(live("mini", None, &format!("{BEFORE} c1 c4")))));
    let passed = "6. bot:6 (white) could not place a disc and passed.";
    assert!(text(&mut model, SIZE).contains(passed), "{}", text(&mut model, SIZE));
    press(&mut model, KeyCode::Left);
    assert!(!text(&mut model, SIZE).contains(passed));
}

#[test]
fn the_progress_of_a_search_is_shown() {
    let mut model = model();
    type_in(&mut model, "H");
    assert!(text(&mut model, SIZE).contains("hint: please wait; Esc stops it."));
    model.update(Update::Progress("3 of 60 moves analyzed".to_owned()));
    assert!(text(&mut model, SIZE).contains("3 of 60 moves analyzed; Esc stops it."));
    type_in(&mut model, "H");
    assert!(text(&mut model, SIZE).contains("hint: please wait; Esc stops it."));
}

#[test]
fn another_game_is_begun_from_the_board() {
    let mut model = model();
    type_in(&mut model, "play twente");
    assert!(matches!(press(&mut model, KeyCode::Enter), Some(Request::Play(_))));
    assert!(type_in(&mut model, "B").is_none());
    assert!(text(&mut model, SIZE).contains("Here no computer player is stronger."));
    let mut over = live("mini", None, "b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2");
    over.possible = vec!["rematch"];
    over.result = Some("ann wins.".to_owned());
    let mut model = Model::new(over, ASCII, true);
    assert!(text(&mut model, SIZE).contains("G again, B stronger, L list"));
    let Some(Request::PlayAgainst(bot)) = type_in(&mut model, "B") else { panic!() };
    assert_eq!(bot.to_string(), "bot:7");
}

#[test]
fn a_rematch_is_opened() {
    let mut model = model();
    let reply = Reply { begun: Some(GameId(13)), ..Reply::default() };
    let request = model.update(Update::Reply("rematch", reply, Zone::Utc));
    let Some(Request::Open(number)) = request else { panic!("{request:?}") };
    assert_eq!(number, GameId(13));
    model.update(Update::Game(Box::new(LiveGame { id: GameId(13), ..live("mini", None, "") })));
    assert!(text(&mut model, SIZE).contains("Game 13: Mini Othello"));
}
