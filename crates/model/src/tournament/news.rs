use std::fmt;

use super::TournamentId;
use crate::words;

words! {
    /// The kind of news that a mail has for the players of a tournament.
    NewsKind {
        /// It has started, or a season of a league has.
        Started = "started",
        /// A round of a Swiss tournament was paired.
        Paired = "paired",
        /// It is over, or a season of a league is.
        Over = "over",
        /// Its start is put off, or that of the next season.
        Postponed = "postponed",
    }
}

/// The news that a mail about a tournament is to tell. Its text is composed when it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// The kind.
    pub kind: NewsKind,
    /// The tournament.
    pub tournament: TournamentId,
    /// The season that began last.
    pub season: usize,
    /// The round that was paired last; 0 for other news.
    pub round: usize,
}

/// Writes `paired 12 1 3`, as the outbox has it.
impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, tournament, season, round } = self;
        write!(f, "{kind} {} {season} {round}", tournament.0)
    }
}

impl News {
    /// Returns the news that this text was written from; `None` for other text.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<_> = text.split(' ').collect();
        let [kind, tournament, season, round] = parts[..] else { return None };
        Some(Self {
            kind: kind.parse().ok()?,
            tournament: TournamentId(tournament.parse().ok()?),
            season: season.parse().ok()?,
            round: round.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_read_as_they_are_written() {
        for (number, &kind) in NewsKind::ALL.iter().enumerate() {
            let news = News { kind, tournament: TournamentId(12), season: 3, round: number };
            assert_eq!(News::parse(&news.to_string()), Some(news));
        }
        for text in ["", "over", "over 1 1", "You are out of the tournament cup.", "over a 1 0"] {
            assert_eq!(News::parse(text), None, "{text}");
        }
    }
}
