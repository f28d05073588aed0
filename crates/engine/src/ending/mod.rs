//! The exact search of the last empty squares of Othello and its misère, on 8×8 and on every smaller
//! rectangle, which lies in the middle of the 8×8 board.

mod last;
mod stability;
mod table;

use arrayvec::ArrayVec;

use outflank_rules::kernel::Kernel;
use outflank_rules::{Goal, Lattice, Placement, Rules, Stuck};

pub(super) use last::odd_quarters;
pub(super) use table::{NO_MOVE, Table, hash};

use last::lowest;
use stability::stable;

/// From this many empty squares on, positions are looked up in the table and moves are sorted.
const SORTED: u32 = 7;
/// From this many empty squares on, the replies are looked up in the table before any is searched.
const LOOK_AHEAD: u32 = 9;
/// Positions with this many empty squares or fewer are in the table for positions near the end.
const NEAR_EMPTIES: u32 = 11;
/// After how many nodes a search looks again whether it must stop.
const INTERVAL: u64 = 1024;

/// What the end of a game is worth for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scoring {
    /// The discs more than the other player has.
    Discs,
    /// The same, and the empty squares count for the winner, as in tournaments.
    WinnerTakesEmpties,
    /// The discs fewer than the other player has.
    FewerDiscs,
}

impl Scoring {
    /// Returns what counts at the end of a game with these rules; `None` if they are not those of
    /// Othello or its misère on a rectangle up to 8×8, with either kind of pass.
    pub(super) fn of(rules: &Rules) -> Option<Self> {
        let Rules { lattice: Lattice::Rectangle(size), placement, stuck, goal, supply } = *rules
        else {
            return None;
        };
        let is_known = size.rows() <= 8
            && size.columns() <= 8
            && placement == Placement::Outflanking
            && stuck != Stuck::Loses
            && supply.is_none();
        is_known.then_some(match goal {
            Goal::More => Self::Discs,
            Goal::Fewer => Self::FewerDiscs,
        })
    }
}

/// The squares that a game is played on, as bits of the 8×8 board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Squares {
    pub(super) all: u64,
    pub(super) corners: u64,
}

impl Squares {
    /// The whole board.
    pub(super) const EIGHT: Self = Self { all: !0, corners: 0x8100_0000_0000_0081 };
}

/// One thread's search of endings, with what any search must count.
pub(super) struct Ending<'a> {
    pub(super) squares: Squares,
    /// For positions near the end, which soon come again or never: small enough to stay in the
    /// processor's cache.
    pub(super) near: Table,
    /// For all others; without it, `near` has them too.
    pub(super) table: Option<&'a Table>,
    /// Asked now and then: must the search stop?
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// Whether the search goes on even so.
    pub(super) ignores_stop: bool,
    /// The positions that were looked at so far.
    pub(super) nodes: u64,
    /// At this many nodes, the search looks whether it must stop.
    pub(super) check_at: u64,
    /// The search stops at this many nodes.
    pub(super) limit: u64,
    /// Whether the search was stopped. Then its values mean nothing.
    pub(super) stopped: bool,
    pub(super) scoring: Scoring,
}

impl<'a> Ending<'a> {
    /// Returns a search without a limit on nodes.
    pub(super) fn new(
        squares: Squares,
        scoring: Scoring,
        table: Option<&'a Table>,
        near: Table,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self {
            squares,
            near,
            table,
            stop,
            ignores_stop: false,
            nodes: 0,
            check_at: 0,
            limit: u64::MAX,
            stopped: false,
            scoring,
        }
    }

    /// Counts a node and returns whether the search must stop at it.
    #[inline(always)]
    pub(super) fn count_node(&mut self) -> bool {
        self.nodes += 1;
        self.nodes >= self.check_at && self.must_stop()
    }

    /// Returns whether the search must stop, and remembers that.
    #[cold]
    pub(super) fn must_stop(&mut self) -> bool {
        self.check_at = self.limit.min(self.nodes + INTERVAL);
        self.stopped |= self.nodes >= self.limit || (!self.ignores_stop && (self.stop)());
        self.stopped
    }

    /// Returns the table for positions with this many empty squares.
    #[inline(always)]
    pub(super) fn near(&self, empties: u32) -> &Table {
        match self.table {
            Some(table) if empties > NEAR_EMPTIES => table,
            _ => &self.near,
        }
    }

    #[inline(always)]
    fn placements<K: Kernel>(&self, own: u64, other: u64) -> u64 {
        K::placements(own, other) & self.squares.all
    }

    #[inline(always)]
    fn empty(&self, own: u64, other: u64) -> u64 {
        self.squares.all & !(own | other)
    }

    /// Returns how many discs the player to move wins by at most, as the stable discs of the other
    /// player show. Where these can hardly show that it is `alpha` or less, the answer is 64.
    #[inline(always)]
    pub(super) fn at_most(&self, own: u64, other: u64, alpha: i32) -> i32 {
        let empties = self.empty(own, other).count_ones().cast_signed();
        if alpha < 2 * empties
            || self.squares.all != Squares::EIGHT.all
            || self.scoring == Scoring::FewerDiscs
        {
            return 64;
        }
        64 - 2 * stable(other, own).count_ones().cast_signed()
    }

    /// Returns whether the player to move wins by more than `alpha` discs: a value above `alpha`
    /// that is a lower bound, or one that is an upper bound. The search goes to the end.
    pub(super) fn value<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32) -> i32 {
        let empties = self.empty(own, other).count_ones();
        match empties {
            0 => self.over(own, other),
            1..=4 => self.last::<K>(own, other, alpha),
            5..SORTED => {
                self.by_parity::<K>(own, other, alpha, empties, self.placements::<K>(own, other))
            }
            _ => self.sorted::<K>(own, other, alpha, empties, self.placements::<K>(own, other)),
        }
    }

    /// Returns the value for a player of a game that ended with empty squares.
    pub(super) fn over(&self, own: u64, other: u64) -> i32 {
        let margin = own.count_ones().cast_signed() - other.count_ones().cast_signed();
        let empties = self.empty(own, other).count_ones().cast_signed();
        match self.scoring {
            Scoring::Discs => margin,
            Scoring::WinnerTakesEmpties => margin + margin.signum() * empties,
            Scoring::FewerDiscs => -margin,
        }
    }

    /// Searches positions with seven or more empty squares: with the table, and with the moves in
    /// the order of the replies that they leave.
    fn sorted<K: Kernel>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        empties: u32,
        mut moves: u64,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                if self.count_node() {
                    return alpha;
                }
                let most = self.at_most(own, other, alpha);
                if most <= alpha {
                    return most;
                }
                if moves == 0 {
                    let replies = self.placements::<K>(other, own);
                    if replies == 0 {
                        return self.over(own, other);
                    }
                    return -self.sorted::<K>(other, own, -alpha - 1, empties, replies);
                }
                let key = hash(own, other);
                let mut first = NO_MOVE;
                if let Some(entry) = self.near(empties).get(key) {
                    if u32::from(entry.depth) >= empties && entry.selectivity == 0 {
                        if i32::from(entry.lower) > alpha {
                            return entry.lower.into();
                        }
                        if i32::from(entry.upper) <= alpha {
                            return entry.upper.into();
                        }
                    }
                    first = entry.moves[0];
                }

                let mut list = ArrayVec::<Candidate, 34>::new();
                let odd = odd_quarters(self.empty(own, other));
                // A player who wants fewer discs avoids corners.
                let corner = if self.scoring == Scoring::FewerDiscs { -1 } else { 1 };
                while moves != 0 {
                    let square = lowest(moves);
                    let bit = 1_u64 << square;
                    moves &= moves - 1;
                    let flipped = K::flips(own, other, square);
                    let (mine, theirs) = (own ^ flipped ^ bit, other ^ flipped);
                    if theirs == 0 {
                        let value = self.over(mine, theirs);
                        if value > alpha {
                            return value;
                        }
                    }
                    let replies = self.placements::<K>(theirs, mine);
                    if empties >= LOOK_AHEAD
                        && let Some(entry) = self.near(empties - 1).get(hash(theirs, mine))
                        && u32::from(entry.depth) >= empties - 1
                        && entry.selectivity == 0
                        && -i32::from(entry.upper) > alpha
                    {
                        return -i32::from(entry.upper);
                    }
                    let corners = (replies & self.squares.corners).count_ones().cast_signed();
                    let mobility = replies.count_ones().cast_signed() + corner * corners;
                    let mut order = 4 * i32::from(odd & bit != 0) - 8 * mobility;
                    order += 6 * corner * i32::from(bit & self.squares.corners != 0);
                    if square == usize::from(first) {
                        order = i32::MAX;
                    }
                    list.push(Candidate { square: square as u8, order, flipped, replies });
                }

                let mut best = -65;
                let mut best_move = NO_MOVE;
                for at in 0..list.len() {
                    let mut next = at;
                    for later in at + 1..list.len() {
                        if list[later].order > list[next].order {
                            next = later;
                        }
                    }
                    list.swap(at, next);
                    let Candidate { square, flipped, replies, .. } = list[at];
                    let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                    let value = if empties > SORTED {
                        -self.sorted::<K>(theirs, mine, -alpha - 1, empties - 1, replies)
                    } else {
                        -self.by_parity::<K>(theirs, mine, -alpha - 1, empties - 1, replies)
                    };
                    if value > best {
                        (best, best_move) = (value, square);
                        if value > alpha {
                            break;
                        }
                    }
                }
                if !self.stopped {
                    self.near(empties).put(
                        key,
                        (empties as u8, 0),
                        (alpha, alpha + 1),
                        best,
                        best_move,
                    );
                }
                best
            },
        )
    }

    /// Searches positions with five or six empty squares: first the moves in quarters with an odd
    /// number of them.
    fn by_parity<K: Kernel>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        empties: u32,
        moves: u64,
    ) -> i32 {
        K::run(
            #[inline(always)]
            || {
                self.nodes += 1;
                let most = self.at_most(own, other, alpha);
                if most <= alpha {
                    return most;
                }
                if moves == 0 {
                    let replies = self.placements::<K>(other, own);
                    if replies == 0 {
                        return self.over(own, other);
                    }
                    return -self.by_parity::<K>(other, own, -alpha - 1, empties, replies);
                }
                let odd = odd_quarters(self.empty(own, other));
                let mut best = -65;
                for part in [moves & odd, moves & !odd] {
                    let mut part = part;
                    while part != 0 {
                        let square = lowest(part);
                        part &= part - 1;
                        let flipped = K::flips(own, other, square);
                        let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
                        let value = if empties > 5 {
                            let replies = self.placements::<K>(theirs, mine);
                            -self.by_parity::<K>(theirs, mine, -alpha - 1, empties - 1, replies)
                        } else {
                            -self.last_four::<K>(theirs, mine, -alpha - 1)
                        };
                        if value > alpha {
                            return value;
                        }
                        best = best.max(value);
                    }
                }
                best
            },
        )
    }
}

/// A move with what the search needs to know of it.
#[derive(Clone, Copy)]
struct Candidate {
    square: u8,
    order: i32,
    flipped: u64,
    replies: u64,
}
