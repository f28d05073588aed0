use std::fmt;
use std::str::FromStr;

use super::TournamentId;
use crate::words;

words! {
    /// What a mail tells the players of a tournament.
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

/// What a mail about a tournament is to say. Its text is composed when it is sent.
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

/// Text that is no news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoNews;

impl FromStr for News {
    type Err = NoNews;

    fn from_str(text: &str) -> Result<Self, NoNews> {
        let parts: Vec<_> = text.split(' ').collect();
        let [kind, tournament, season, round] = parts[..] else { return Err(NoNews) };
        Ok(Self {
            kind: kind.parse().map_err(|_| NoNews)?,
            tournament: TournamentId(tournament.parse().map_err(|_| NoNews)?),
            season: season.parse().map_err(|_| NoNews)?,
            round: round.parse().map_err(|_| NoNews)?,
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
            assert_eq!(news.to_string().parse(), Ok(news));
        }
        for text in ["", "over", "over 1 1", "You are out of the tournament cup.", "over a 1 0"] {
            assert_eq!(text.parse::<News>(), Err(NoNews), "{text}");
        }
    }
}
