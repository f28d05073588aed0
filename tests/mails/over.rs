//! The mail about the end of a game: the result for its reader, the board and the transcript.

use std::collections::HashSet;

use outflank_model::log::{Game, Reason};
use outflank_rules::{Color, Lattice, Move, Position, Transcript};

use super::wrapped::check;
use super::written::{MIDDLE, Sample};

const OVER: Sample = Sample { event: "over", ..MIDDLE };

/// Returns a game to its end as labels. Each move is the legal one with this index.
fn played_out(sample: Sample, place: usize) -> String {
    let mut game = Sample { moves: "", ..sample }.game();
    let mut moves = String::new();
    loop {
        let legal = game.legal();
        let Some(&mv) = legal.get(place % legal.len().max(1)) else { return moves };
        moves.push_str(&game.start().rules().lattice.move_label(mv));
        game.play(mv).unwrap();
    }
}

/// Returns the moves of the transcript in a text; empty if there is none.
fn transcript(text: &str) -> Vec<Move> {
    let Some((_, moves)) = text.split_once("\nTranscript: ") else { return Vec::new() };
    moves.split("\n\n").next().unwrap().parse::<Transcript>().unwrap().0
}

#[track_caller]
fn check_verdict(sample: Sample, to: Color, verdict: &str) {
    let written = Sample { to, ..sample }.written();
    let opponent = if to == Color::Black { "bob (white)" } else { "alice (black)" };
    let ends = format!("Game 12 against {opponent} is over.");
    let begins = format!("{verdict}.\n{ends}\n\n---- Answer above this line ----\n\n");
    assert!(written.text.starts_with(&begins), "{}", written.text);
    assert!(written.html.contains(&format!(">{verdict}</h1>")), "{}", written.html);
    assert!(written.html.contains(&ends), "{}", written.html);
    check(&mut HashSet::new(), &written.text);
}

#[test]
fn the_result_is_from_the_readers_point_of_view() {
    let counted = Sample { position: Some("(b bbb bbb bbw)"), moves: "", ..OVER };
    let draw = Sample { position: Some("(b bbww bbww bbww bbww)"), moves: "", ..OVER };
    check_verdict(counted, Color::Black, "You won, 8-1");
    check_verdict(counted, Color::White, "You lost, 1-8");
    let misere = Sample { misere: true, ..counted };
    check_verdict(misere, Color::Black, "You lost, 8-1: fewer discs win");
    check_verdict(misere, Color::White, "You won, 1-8: fewer discs win");
    check_verdict(draw, Color::Black, "Draw, 8-8");
    let resigned = Sample { resigned: Some(Color::White), ..OVER };
    check_verdict(resigned, Color::Black, "You won: bob (white) resigned");
    check_verdict(resigned, Color::White, "You lost: you resigned");
    let stuck = Sample { variant: "oddthello", position: Some("(b bb)"), moves: "", ..OVER };
    assert_eq!(stuck.game().outcome().unwrap().reason, Reason::Stuck);
    check_verdict(stuck, Color::Black, "You lost: you cannot flip a disc");
    check_verdict(stuck, Color::White, "You won: alice (black) cannot flip a disc");
}

#[test]
fn the_transcript_replays_the_whole_game() {
    let mut seen = HashSet::new();
    for game in [
        OVER,
        Sample { variant: "mini", ..OVER },
        Sample { variant: "twente", size: Some("4x5"), ..OVER },
        Sample { size: Some("10x10"), ..OVER },
        Sample { size: Some("12x4"), anywhere: true, ..OVER },
        Sample { variant: "oddthello", ..OVER },
    ] {
        for place in 0..3 {
            let moves = played_out(game, place);
            let sample = Sample { moves: &moves, ..game };
            let (played, written) = (sample.game(), sample.written());
            let mut replayed = Game::new(Position::start(*played.start().rules()));
            for mv in transcript(&written.text) {
                replayed.play(mv).unwrap();
            }
            assert_eq!(replayed.position(), played.position());
            let line = written.text.split_once("\nTranscript: ").unwrap().1;
            let words = line.split("\n\n").next().unwrap().replace('\n', " ");
            let html = format!("<b>Transcript:</b> {words}</p>");
            assert!(written.html.contains(&html), "{html} in {}", written.html);
            assert!(!written.text.contains("Last moves:"), "{}", written.text);
            if let Lattice::Rectangle(_) = played.start().rules().lattice {
                assert!(written.text.contains("\n+---+"), "{}", written.text);
            }
            if place == 0 {
                check(&mut seen, &written.text);
            }
        }
    }
}

#[test]
fn no_line_of_a_transcript_of_any_length_is_a_command() {
    let mut seen = HashSet::new();
    for game in [OVER, Sample { variant: "oddthello", ..OVER }] {
        let all = played_out(game, 1).parse::<Transcript>().unwrap().0;
        for count in 0..all.len().min(11) {
            let lattice = Sample { moves: "", ..game }.game().start().rules().lattice;
            let moves: String = all[..count].iter().map(|&mv| lattice.move_label(mv)).collect();
            let sample = Sample { moves: &moves, resigned: Some(Color::Black), ..game };
            let text = sample.written().text;
            assert_eq!(transcript(&text).len(), count, "{text}");
            check(&mut seen, &text);
        }
    }
}
