use std::collections::HashSet;

use crate::words;
use outflank_rules::{Overrides, Position, Variant};

words! {
    /// How the opening of a game is chosen when the game begins. Its moves are given to the players.
    Opening {
        /// A line of eight plies to a position of Othello on 8×8 that is about even, drawn by lot.
        Balanced = "balanced",
    }
}

/// Balanced openings, a line each, which `outflank-tools openings` has made. No two lead to positions that
/// are equal by symmetry.
const BALANCED: &str = include_str!("openings.txt");

impl Opening {
    /// How many plies it has.
    pub const PLIES: usize = 8;

    /// Returns the title of a game that has it: `Othello with a balanced opening`.
    pub fn title(self, variant: &str) -> String {
        format!("{variant} with a {self} opening")
    }

    /// Returns whether a game that begins in this position can have it: Othello on 8×8.
    pub fn suits(self, start: &Position) -> bool {
        let Self::Balanced = self;
        let othello = Variant::named("othello").map(|othello| othello.rules(&Overrides::default()));
        matches!(othello, Ok(Ok(rules)) if *start == Position::start(rules))
    }

    /// Returns the entry of the table that a random number draws. Of the entries from there on, the first
    /// is taken that the pair of players has not `had`; if it has had all, the one that was drawn.
    pub fn draw(self, random: u64, had: &HashSet<String>) -> &'static str {
        let Self::Balanced = self;
        let entries: Vec<_> = BALANCED.lines().collect();
        let count = entries.len();
        let drawn = usize::try_from(random % count as u64).unwrap_or(0);
        let mut from_drawn = (drawn..drawn + count).map(|number| entries[number % count]);
        from_drawn.find(|entry| !had.contains(*entry)).unwrap_or(entries[drawn])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_rules::{Rules, Transcript};

    fn othello() -> Rules {
        Variant::named("othello").unwrap().rules(&Overrides::default()).unwrap()
    }

    #[test]
    fn each_entry_of_the_table_is_a_line_of_eight_legal_moves() {
        let mut positions = HashSet::new();
        for entry in BALANCED.lines() {
            let mut position = Position::start(othello());
            let moves: Transcript = entry.parse().unwrap();
            moves.0.iter().for_each(|&mv| drop(position.play(mv).unwrap()));
            assert_eq!((moves.0.len(), &entry[..2]), (Opening::PLIES, "f5"));
            assert!(positions.insert(position.to_string()), "{entry} leads to no new position");
        }
    }

    #[test]
    fn the_first_entry_is_taken_that_the_players_have_not_had() {
        let entries: Vec<_> = BALANCED.lines().collect();
        let count = entries.len();
        let had = |numbers: &[usize]| numbers.iter().map(|&it| entries[it].to_owned()).collect();
        let draw = |random, had: &HashSet<String>| Opening::Balanced.draw(random, had);
        let last = count as u64 - 1;
        assert_eq!(draw(5, &HashSet::new()), entries[5]);
        assert_eq!(draw(5 + 3 * count as u64, &had(&[4, 5, 6, 8])), entries[7]);
        assert_eq!(draw(last, &had(&[count - 1, 0])), entries[1], "the table is a circle");
        assert_eq!(draw(last, &had(&Vec::from_iter(0..count))), entries[count - 1]);
    }

    #[test]
    fn only_the_start_of_othello_suits() {
        let mut position = Position::start(othello());
        assert!(Opening::Balanced.suits(&position));
        position.play(position.legal()[0]).unwrap();
        assert!(!Opening::Balanced.suits(&position));
        for (name, misere) in [("othello", true), ("mini", false), ("twente", false)] {
            let overrides = Overrides { misere, ..Overrides::default() };
            let rules = Variant::named(name).unwrap().rules(&overrides).unwrap();
            assert!(!Opening::Balanced.suits(&Position::start(rules)), "{name}");
        }
    }
}
