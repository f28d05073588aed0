use super::Round;
use crate::log::Outcome;
use outflank_rules::Color;

/// The most games that a player of a round robin has under way at once.
pub const MAX_AT_ONCE: usize = 4;

/// A game of a tournament's schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixture {
    /// The round, counted from 1.
    pub round: usize,
    /// The players, black first.
    pub players: [usize; 2],
    /// How far the game is.
    pub state: State,
}

/// How far a game of a tournament is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    Scheduled,
    /// It has begun.
    UnderWay,
    /// It is over. An annulled game has this state, too, with an outcome that counts for nobody.
    Finished(Outcome),
}

/// What a game means for the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet: it is not decided.
    Open,
    /// It was decided by this outcome, which counts.
    Decided(Outcome),
    /// This player won without a game, because the other had withdrawn before it began.
    Walkover(Color),
    /// It counts for nobody: it was annulled, or both players withdrew before it began.
    Uncounted,
}

impl Fixture {
    /// Returns the games of these rounds, in their order. None has begun.
    pub fn of_rounds(rounds: &[Round]) -> Vec<Self> {
        let games = (1..).zip(rounds).flat_map(|(round, games)| {
            games.iter().map(move |&players| Self { round, players, state: State::Scheduled })
        });
        games.collect()
    }

    /// Returns whether it is a game of this player.
    pub fn is_of(&self, player: usize) -> bool {
        self.players.contains(&player)
    }

    /// Returns the colour of one of its players.
    pub fn color_of(&self, player: usize) -> Color {
        let [black, _] = self.players;
        if black == player { Color::Black } else { Color::White }
    }

    /// Returns what it means for the table after these withdrawals.
    ///
    /// A game under way stays open when a player withdraws. The host forfeits it.
    pub fn verdict(&self, withdrawals: &[Withdrawal]) -> Verdict {
        match self.state {
            State::Finished(outcome) if outcome.reason.counts() => Verdict::Decided(outcome),
            State::Finished(_) => Verdict::Uncounted,
            State::UnderWay => Verdict::Open,
            State::Scheduled => {
                match self.players.map(|player| Withdrawal::has(player, withdrawals)) {
                    [false, false] => Verdict::Open,
                    [false, true] => Verdict::Walkover(Color::Black),
                    [true, false] => Verdict::Walkover(Color::White),
                    [true, true] => Verdict::Uncounted,
                }
            }
        }
    }
}

/// Returns the indices of the fixtures that may begin now, in the order of their rounds.
///
/// A player has at most [`MAX_AT_ONCE`] games under way, including those returned. No game of a player who
/// has withdrawn begins.
pub fn next(fixtures: &[Fixture], withdrawals: &[Withdrawal]) -> Vec<usize> {
    let is_scheduled = |&index: &usize| fixtures[index].state == State::Scheduled;
    let mut waiting: Vec<_> = (0..fixtures.len()).filter(is_scheduled).collect();
    waiting.sort_by_key(|&index| fixtures[index].round);

    let mut busy: Vec<&Fixture> =
        fixtures.iter().filter(|fixture| fixture.state == State::UnderWay).collect();
    let mut next = Vec::new();
    for index in waiting {
        let fixture = &fixtures[index];
        let is_free = |player| busy.iter().filter(|it| it.is_of(player)).count() < MAX_AT_ONCE;
        let can_begin = |&player| is_free(player) && !Withdrawal::has(player, withdrawals);
        if fixture.players.iter().all(can_begin) {
            busy.push(fixture);
            next.push(index);
        }
    }
    next
}

/// A player has left a tournament before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Withdrawal {
    /// The player.
    pub player: usize,
    /// The player's games that were over before: see [`Withdrawal::of`].
    pub ended: usize,
}

impl Withdrawal {
    /// Returns the withdrawal of a player, with the number of games that are over already. It must be
    /// called before the player's games under way are forfeited.
    ///
    /// Annulled games are over, and so are those won without a game because of an earlier withdrawal.
    #[must_use]
    pub fn of(player: usize, fixtures: &[Fixture], earlier: &[Self]) -> Self {
        let is_over = |fixture: &&Fixture| fixture.verdict(earlier) != Verdict::Open;
        let own = fixtures.iter().filter(|fixture| fixture.is_of(player));
        Self { player, ended: own.filter(is_over).count() }
    }

    /// Returns whether the player's results leave the table: fewer than half of the player's games were
    /// over. All games of the schedule count, including annulled ones and those against players who
    /// withdrew.
    pub fn removes_results(&self, fixtures: &[Fixture]) -> bool {
        let scheduled = fixtures.iter().filter(|fixture| fixture.is_of(self.player)).count();
        2 * self.ended < scheduled
    }

    /// Returns whether this player is among those who withdrew.
    fn has(player: usize, withdrawals: &[Self]) -> bool {
        withdrawals.iter().any(|withdrawal| withdrawal.player == player)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Reason;
    use crate::tournament::{berger, double_berger};

    fn finished(winner: Option<Color>, reason: Reason) -> State {
        State::Finished(Outcome { winner, reason, black: 5, white: 3 })
    }

    #[test]
    fn an_unstarted_game_is_lost_for_a_player_who_withdrew() {
        let fixture = |state| Fixture { round: 1, players: [4, 7], state };
        let withdrawal = |player| Withdrawal { player, ended: 0 };
        let [four, seven, other] = [4, 7, 0].map(withdrawal);
        for (withdrawals, verdict) in [
            (&[][..], Verdict::Open),
            (&[other], Verdict::Open),
            (&[four], Verdict::Walkover(Color::White)),
            (&[other, seven], Verdict::Walkover(Color::Black)),
            (&[seven, four], Verdict::Uncounted),
        ] {
            assert_eq!(fixture(State::Scheduled).verdict(withdrawals), verdict);
            assert_eq!(fixture(State::UnderWay).verdict(withdrawals), Verdict::Open);
            let State::Finished(outcome) = finished(None, Reason::Agreed) else { unreachable!() };
            let decided = fixture(State::Finished(outcome)).verdict(withdrawals);
            assert_eq!(decided, Verdict::Decided(outcome));
            for reason in Reason::UNCOUNTED {
                let annulled = fixture(finished(None, reason)).verdict(withdrawals);
                assert_eq!(annulled, Verdict::Uncounted);
            }
        }
    }

    #[test]
    fn games_begin_in_the_order_of_the_rounds() {
        let fixtures = Fixture::of_rounds(&berger(4));
        assert_eq!((fixtures[0].round, fixtures[5].round), (1, 3));
        assert_eq!(next(&fixtures, &[]), [0, 1, 2, 3, 4, 5], "three games each");

        let reversed: Vec<_> = fixtures.iter().rev().copied().collect();
        assert_eq!(next(&reversed, &[]), [4, 5, 2, 3, 0, 1]);

        let withdrawal = Withdrawal { player: 0, ended: 0 };
        assert_eq!(next(&fixtures, &[withdrawal]), [1, 2, 4]);
    }

    #[test]
    fn a_player_has_at_most_four_games_under_way() {
        let mut fixtures = Fixture::of_rounds(&double_berger(8));
        assert_eq!(next(&fixtures, &[]), (0..16).collect::<Vec<_>>(), "four rounds");
        for index in next(&fixtures, &[]) {
            fixtures[index].state = State::UnderWay;
        }
        assert!(next(&fixtures, &[]).is_empty());

        fixtures[0].state = finished(Some(Color::Black), Reason::Discs);
        assert_eq!(fixtures[0].players, [0, 7]);
        assert!(next(&fixtures, &[]).iter().all(|&it| fixtures[it].players == [7, 0]));
        assert_eq!(next(&fixtures, &[]).len(), 1, "they meet again, since all others are busy");

        fixtures[15].state = finished(None, Reason::Annulled);
        assert_eq!(fixtures[15].players, [1, 2]);
        let pairs: Vec<_> = next(&fixtures, &[]).iter().map(|&it| fixtures[it].players).collect();
        assert_eq!(pairs, [[2, 7], [1, 0]], "rounds 5 and 9");
    }

    #[test]
    fn results_stay_from_half_of_the_games_on() {
        for (rounds, stays_from) in [(berger(5), 2), (berger(6), 3), (double_berger(4), 3)] {
            let fixtures = Fixture::of_rounds(&rounds);
            let removes = |ended| Withdrawal { player: 1, ended }.removes_results(&fixtures);
            assert!((0..stays_from).all(removes));
            assert!(!removes(stays_from));
        }
    }

    #[test]
    fn games_that_are_over_count() {
        let mut fixtures = Fixture::of_rounds(&berger(6));
        let own: Vec<_> = (0..fixtures.len()).filter(|&it| fixtures[it].is_of(0)).collect();
        let reasons = [Reason::Discs, Reason::Annulled];
        for (&index, reason) in own.iter().zip(reasons) {
            let outcome = Outcome { winner: None, reason, black: 32, white: 32 };
            fixtures[index].state = State::Finished(outcome);
        }
        fixtures[own[2]].state = State::UnderWay;
        assert_eq!(Withdrawal::of(0, &fixtures, &[]), Withdrawal { player: 0, ended: 2 });

        let opponent = |index: usize| fixtures[index].players.iter().sum();
        let earlier = [2, 3].map(|it| Withdrawal { player: opponent(own[it]), ended: 0 });
        assert_eq!(Withdrawal::of(0, &fixtures, &earlier).ended, 3, "one has not begun");
    }
}
