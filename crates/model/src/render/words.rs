//! Sentences and lists about a game.

use crate::Opening;
use crate::log::{Action, Event, Game, Outcome, Ply, Reason};
use outflank_rules::{
    Color, Goal, Lattice, Move, Overrides, Placement, Rules, Size, Stuck, Variant,
};

/// The names of the players of a game.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The player with the black discs.
    pub black: &'a str,
    /// The player with the white discs.
    pub white: &'a str,
}

impl<'a> Names<'a> {
    /// Returns the name of the player with this colour.
    pub fn of(&self, color: Color) -> &'a str {
        color.pick([self.black, self.white])
    }

    /// Returns name and colour: `alice (black)`.
    pub fn with_color(&self, color: Color) -> String {
        format!("{} ({color})", self.of(color))
    }
}

/// Returns the letter of a colour in the figures of a lattice.
pub const fn letter(color: Color, lattice: Lattice) -> char {
    match (color, lattice) {
        (Color::Black, Lattice::Rectangle(_)) => 'B',
        (Color::White, Lattice::Rectangle(_)) => 'W',
        (Color::Black, Lattice::Hex) => 'o',
        (Color::White, Lattice::Hex) => 'x',
    }
}

/// Returns the disc of a colour in figures that have discs instead of letters.
pub const fn disc(color: Color) -> char {
    match color {
        Color::Black => '\u{25cf}',
        Color::White => '\u{25cb}',
    }
}

/// Returns how a sentence explains the discs of the figures.
pub(super) fn legend(discs: impl Fn(Color) -> char) -> String {
    format!("{} is black and {} is white", discs(Color::Black), discs(Color::White))
}

/// Returns a text with discs in place of the letters that it names for the colours.
pub fn with_discs(text: &str) -> String {
    let lattices = [Lattice::Rectangle(Size::EIGHT), Lattice::Hex];
    lattices.into_iter().fold(text.to_owned(), |text, lattice| {
        let letter = |color| letter(color, lattice);
        let text = text.replace(&legend(letter), &legend(disc));
        Color::BOTH.into_iter().fold(text, |text, color| {
            let beside = |disc: char| format!("({color}, {disc})");
            text.replace(&beside(letter(color)), &beside(disc(color)))
        })
    })
}

/// Returns the labels of moves with spaces between them, or `nothing`.
pub fn list<'a>(lattice: Lattice, moves: impl IntoIterator<Item = Move> + 'a) -> String {
    let labels: Vec<_> = moves.into_iter().map(|mv| lattice.move_label(mv)).collect();
    if labels.is_empty() { "nothing".to_owned() } else { labels.join(" ") }
}

/// Returns the legal moves with spaces between them, `any empty cell` where discs go anywhere, or
/// `nothing` when the game is over.
pub fn legal(game: &Game) -> String {
    let rules = game.start().rules();
    match rules.placement {
        Placement::Anywhere if game.turn().is_some() => ANY_CELL.to_owned(),
        _ => list(rules.lattice, game.legal()),
    }
}

/// The legal moves where discs go anywhere.
pub const ANY_CELL: &str = "any empty cell";

/// Returns the last disc placed with the discs it flipped, and the passes after it:
/// `3. alice (black) c3 (flipped d4)`. `None` before the first move.
pub fn last_move(game: &Game, names: Names) -> Option<String> {
    let plies = game.plies();
    if plies.is_empty() {
        return None;
    }
    let first = plies.iter().rposition(|ply| ply.mv != Move::Pass).unwrap_or(0);
    Some(moves_after(game, names, first).join("; "))
}

/// Returns the moves after the first `skipped` ones, each as [`last_move`] has it.
pub fn moves_after(game: &Game, names: Names, skipped: usize) -> Vec<String> {
    let moves = (1..).zip(game.plies()).skip(skipped).map(|(number, ply): (usize, _)| {
        format!("{number}. {} {}", names.with_color(ply.by), action(game, ply))
    });
    moves.collect()
}

/// Returns the last move in a few words: `f4 by bob` or `bob passed`; `None` before the first move of a player.
pub fn made(game: &Game, names: Names) -> Option<String> {
    let ply = game.plies().last().filter(|ply| !ply.given)?;
    let name = names.of(ply.by);
    Some(match ply.mv {
        Move::Place(cell) => format!("{} by {name}", game.lattice().label(cell)),
        Move::Pass => format!("{name} passed"),
    })
}

fn action(game: &Game, ply: &Ply) -> String {
    let lattice = game.lattice();
    match ply.mv {
        Move::Place(cell) => {
            let flipped = list(lattice, ply.flipped.iter().map(Move::Place));
            let given = if ply.given { "given, " } else { "" };
            format!("{} ({given}flipped {flipped})", lattice.label(cell))
        }
        Move::Pass if ply.auto => "could not place a disc and passed".to_owned(),
        Move::Pass => "passed".to_owned(),
    }
}

/// Returns what tables say after a move that its player did not choose, with a space before it.
pub const fn remark(ply: &Ply) -> &'static str {
    match (ply.given, ply.auto) {
        (true, _) => " (given)",
        (_, true) => " (automatic)",
        _ => "",
    }
}

/// Returns the discs on the board: `black 5, white 2`.
pub fn score(game: &Game) -> String {
    let count = |color| game.position().count(color);
    format!("black {}, white {}", count(Color::Black), count(Color::White))
}

/// Returns the result as a sentence; `None` while the game is active.
pub fn result(game: &Game, names: Names) -> Option<String> {
    ending(game, names, None).map(|ending| format!("{ending}."))
}

/// Returns the result from one player's point of view, without a full stop: `You won, 40-24`.
/// `None` while the game is active.
pub fn verdict(game: &Game, names: Names, to: Color) -> Option<String> {
    ending(game, names, Some(to))
}

/// Returns the result without a full stop, as one player or, with `None`, as others read it.
fn ending(game: &Game, names: Names, to: Option<Color>) -> Option<String> {
    let Outcome { winner, reason, black, white } = game.outcome()?;
    let first = to.or(winner).unwrap_or(Color::Black);
    let score = format!("{}-{}", first.pick([black, white]), first.pick([white, black]));
    let name = |color, you: &str| match to {
        Some(to) if to == color => you.to_owned(),
        _ => names.with_color(color),
    };
    let Some(winner) = winner else {
        let draw = if to.is_some() { "Draw" } else { "A draw" };
        return Some(match reason {
            Reason::Annulled => annulled(game),
            Reason::Declined => format!("{} declined the game", name(decliner(game)?, "You")),
            Reason::Agreed => format!("{draw} by agreement, {score}"),
            _ => format!("{draw}, {score}"),
        });
    };
    let (won, comma) = match to {
        None => (format!("{} wins", names.with_color(winner)), ""),
        Some(to) => (if to == winner { "You won" } else { "You lost" }.to_owned(), ","),
    };
    let loser = name(!winner, "you");
    Some(match reason {
        Reason::Discs if game.start().rules().goal == Goal::Fewer => {
            format!("{won}{comma} {score}: fewer discs win")
        }
        Reason::Discs => format!("{won}{comma} {score}"),
        Reason::Stuck => format!("{won}: {loser} cannot flip a disc"),
        Reason::Resigned => format!("{won}: {loser} resigned"),
        Reason::Time => format!("{won}: {loser} ran out of time"),
        Reason::Claimed => format!("{won}: {loser} did not move in time"),
        Reason::Forfeited => {
            let begin = to.map_or_else(|| "The".to_owned(), |_| format!("{won}: the"));
            let winner = name(winner, "you");
            format!("{begin} host decided the game for {winner}{}", stated_reason(game))
        }
        Reason::Agreed | Reason::Annulled | Reason::Declined => won,
    })
}

/// Returns that the host annulled the game, or a player who left, without a full stop.
fn annulled(game: &Game) -> String {
    let is_annulment = |event: &&Event| matches!(event.action, Action::Annul { .. });
    let annulment = game.events().iter().rev().find(is_annulment);
    let by = if annulment.is_some_and(|event| event.by.is_some()) { "" } else { " by the host" };
    let reason = host_reason(game).map_or_else(String::new, |it| format!(": {it}"));
    format!("Annulled{by}{reason}")
}

/// Returns the host's reason as a second sentence, without a full stop; empty without a reason.
fn stated_reason(game: &Game) -> String {
    host_reason(game).map_or_else(String::new, |it| format!(". Reason: {it}"))
}

/// Returns the reason that the host gave for ending the game.
fn host_reason(game: &Game) -> Option<&str> {
    let reason = game.events().iter().rev().find_map(|event| match &event.action {
        Action::Annul { reason } | Action::Forfeit { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    reason.map(|reason| reason.trim_end_matches('.')).filter(|reason| !reason.is_empty())
}

/// Returns the player who declined the game.
fn decliner(game: &Game) -> Option<Color> {
    game.events().get(game.end_event()?.checked_sub(1)?)?.by
}

/// Says who is to move: `bob (white) to move`; `None` when the game is over.
pub fn turn(game: &Game, names: Names) -> Option<String> {
    let who = names.with_color(game.turn()?);
    Some(match game.must_pass() {
        true => format!("{who} cannot place a disc and must pass"),
        false => format!("{who} to move"),
    })
}

/// Returns the last moves, at most `most`, with their numbers: `1.f5 2.d6 3.c3`. What no player chose is in
/// parentheses: an automatic pass, or a move of an opening.
pub fn last_moves(game: &Game, most: usize) -> String {
    numbered(game, game.plies().len().saturating_sub(most))
}

/// Returns the moves after the first `skipped` ones, with their numbers.
pub(super) fn numbered(game: &Game, skipped: usize) -> String {
    let lattice = game.lattice();
    let moves = (1..).zip(game.plies()).skip(skipped).map(|(number, ply)| {
        let label = lattice.move_label(ply.mv);
        if ply.is_chosen() { format!("{number}.{label}") } else { format!("{number}.({label})") }
    });
    moves.collect::<Vec<_>>().join(" ")
}

/// Returns all moves except automatic passes, as `--moves` reads them: `f5d6c3d3 c4f4f6f3`.
///
/// A word of a single move would be a command in a reply, so only a game of one move has one. Words
/// have at most 20 characters, so that mail programs do not break them; labels longer than 6
/// characters are the exception.
pub fn transcript(game: &Game) -> String {
    let lattice = game.lattice();
    let plies = game.plies().iter().filter(|ply| !ply.auto);
    let labels: Vec<_> = plies.map(|ply| lattice.move_label(ply.mv)).collect();
    let size = if labels.iter().all(|label| label.len() <= 4) { 4 } else { 2 };
    let mut words: Vec<_> = labels.chunks(size).map(<[String]>::concat).collect();
    if labels.len() > 1 && labels.len() % size == 1 {
        let last = words.pop().unwrap_or_default();
        words.last_mut().into_iter().for_each(|before| before.push_str(&last));
    }
    words.join(" ")
}

/// Returns how a game differs from one of 8×8 Othello from its start, in a few words each. `is_drawn` says
/// whether its opening is drawn when it begins.
pub fn rules(variant: &str, rules: &Rules, is_drawn: bool) -> Vec<String> {
    let mut special = Vec::new();
    match rules.lattice {
        Lattice::Rectangle(size) if size == outflank_rules::Size::EIGHT => {}
        Lattice::Rectangle(size) => {
            special.push(format!("{} rows, {} columns", size.rows(), size.columns()))
        }
        Lattice::Hex => special.push("a hex lattice without edges".to_owned()),
    }
    if let Some(discs) = rules.supply {
        special.push(format!("{discs} discs each"));
    }
    if rules.placement == Placement::Anywhere {
        special.push("discs go on any empty cell".to_owned());
    }
    match rules.stuck {
        // A player always has a move then.
        _ if rules.placement == Placement::Anywhere => {}
        Stuck::AutoPass => {
            if Variant::named(variant).is_ok_and(|it| it.overrides_to(rules).stuck.is_some()) {
                special.push("players pass automatically".to_owned());
            }
        }
        Stuck::MustPass => special.push("players must pass explicitly".to_owned()),
        Stuck::Loses => special.push("players who cannot flip lose".to_owned()),
    }
    if rules.goal == Goal::Fewer {
        special.push("fewer discs win".to_owned());
    }
    if is_drawn {
        special.push(format!("the first {} moves are drawn by lot", Opening::PLIES));
    }
    special
}

/// Returns the title of a game: its variant's title and how the game differs from the variant, such
/// as `Othello 10x10 misère`.
pub fn title(variant: &str, rules: &Rules) -> String {
    let Ok(variant) = Variant::named(variant) else { return variant.to_owned() };
    let Overrides { size, misere, anywhere, stuck } = variant.overrides_to(rules);
    let words = [
        Some(variant.title.to_owned()),
        size.map(|size| size.to_string()),
        misere.then(|| "misère".to_owned()),
        anywhere.then(|| "anywhere".to_owned()),
        stuck.and_then(Stuck::pass_word).map(|pass| format!("{pass} pass")),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Offer;
    use outflank_rules::Position;

    #[test]
    fn a_declined_offer_of_a_rematch_is_not_the_end_of_the_game() {
        let rules = Variant::named("mini").unwrap().rules(&Overrides::default()).unwrap();
        let mut game = Game::new(Position::start(rules));
        for (by, action) in [
            (Color::Black, Action::Decline),
            (Color::White, Action::Offer(Offer::Rematch)),
            (Color::White, Action::Decline),
        ] {
            game.apply(Event::by(by, action)).unwrap();
        }
        let names = Names { black: "alice", white: "bob" };
        assert_eq!(result(&game, names).unwrap(), "alice (black) declined the game.");
        assert_eq!(verdict(&game, names, Color::Black).unwrap(), "You declined the game");
    }

    #[test]
    fn the_pass_rule_is_special_if_it_differs_from_the_usual_one() {
        for (variant, stuck, expected) in [
            ("othello", None, None),
            ("twente", None, Some("players must pass explicitly")),
            ("othello", Some(Stuck::MustPass), Some("players must pass explicitly")),
            ("twente", Some(Stuck::AutoPass), Some("players pass automatically")),
        ] {
            let overrides = Overrides { stuck, ..Overrides::default() };
            let special = Variant::named(variant).unwrap().rules(&overrides).unwrap();
            assert_eq!(rules(variant, &special, false), Vec::from_iter(expected), "{variant}");
        }
    }

    #[test]
    fn a_title_names_the_differences_from_the_variant() {
        let none = Overrides::default();
        let size = "10x10".parse().ok();
        for (variant, overrides, expected) in [
            ("othello", none, "Othello"),
            ("mini", none, "Mini Othello"),
            ("twente", none, "Twente Othello"),
            ("oddthello", none, "Oddthello"),
            ("othello", Overrides { size, misere: true, ..none }, "Othello 10x10 misère"),
            ("mini", Overrides { size: "8x8".parse().ok(), ..none }, "Mini Othello 8x8"),
            ("othello", Overrides { anywhere: true, ..none }, "Othello anywhere"),
            (
                "othello",
                Overrides { stuck: Some(Stuck::MustPass), ..none },
                "Othello explicit pass",
            ),
            (
                "twente",
                Overrides { stuck: Some(Stuck::AutoPass), ..none },
                "Twente Othello auto pass",
            ),
        ] {
            let rules = Variant::named(variant).unwrap().rules(&overrides).unwrap();
            assert_eq!(title(variant, &rules), expected);
        }
    }
}
