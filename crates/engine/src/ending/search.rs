use std::sync::atomic::{AtomicU64, Ordering};

use arrayvec::ArrayVec;

use outflank_rules::kernel::Kernel;

use super::entry::{Entry, NO_MOVE, Table};
use super::scoring::{NO_VALUE, Scoring, Squares};
use super::squares::{lowest, neighbours, odd_quarters};
use super::stability::stable;
use crate::candidates::bring_best;
use crate::hash::mix;
use crate::window::Window;

/// From this many empty squares on, positions are looked up in the table and moves are ordered by
/// mobility. With fewer, parity alone orders them.
const MIN_ORDERED: u32 = 6;
/// From this many empty squares on, the positions after all moves are looked up in the table before
/// any is searched (enhanced transposition cutoff).
const MIN_LOOK_AHEAD: u32 = 9;
/// Positions with this many empty squares or fewer are in the small table.
const MAX_NEAR_EMPTIES: u32 = 11;
/// The bytes of the small table: few enough to stay in the processor's cache.
const NEAR_BYTES: usize = 1 << 19;
/// The nodes between two looks at the stop flag.
const POLL_INTERVAL: u64 = 1024;

/// One thread's search of endings, with the counters of any search.
pub(crate) struct Ending<'a> {
    pub(crate) squares: Squares,
    /// The small table, for positions near the end: these soon come again or never.
    pub(crate) near: Table,
    /// The table for all others; without it, they are in `near` too.
    pub(crate) table: Option<&'a Table>,
    /// Returns whether the search must stop.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// Whether `stop` is not asked.
    pub(crate) ignores_stop: bool,
    /// The positions searched so far.
    pub(crate) nodes: u64,
    /// Node count at which the stop flag is polled next.
    pub(crate) poll_at: u64,
    /// Node count at which the search stops.
    pub(crate) max_nodes: u64,
    /// Counts the nodes of all threads, if anyone reads that while they search.
    pub(crate) counter: Option<&'a AtomicU64>,
    /// How many of the nodes were counted there.
    pub(crate) counted: u64,
    /// Whether the search was stopped. Then its values mean nothing.
    pub(crate) stopped: bool,
    pub(crate) scoring: Scoring,
}

/// A move with the discs that it flips and the replies to it.
#[derive(Clone, Copy)]
struct Candidate {
    square: u8,
    /// How early the move is searched: the greatest first.
    order: i32,
    flipped: u64,
    replies: u64,
}

/// The moves of a position. No position has more than 33.
type Candidates = ArrayVec<Candidate, 34>;

impl<'a> Ending<'a> {
    /// Returns a small table.
    pub(crate) fn near_table() -> Table {
        Table::new(NEAR_BYTES)
    }

    /// Returns a search without a limit on nodes.
    pub(crate) fn new(
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
            poll_at: 0,
            max_nodes: u64::MAX,
            counter: None,
            counted: 0,
            stopped: false,
            scoring,
        }
    }

    /// Counts a node and returns whether the search must stop at it.
    #[inline(always)]
    pub(crate) fn count_node(&mut self) -> bool {
        self.nodes += 1;
        self.nodes >= self.poll_at && self.must_stop()
    }

    /// Returns whether the search must stop, and remembers that.
    #[cold]
    pub(crate) fn must_stop(&mut self) -> bool {
        self.poll_at = self.max_nodes.min(self.nodes + POLL_INTERVAL);
        if let Some(counter) = self.counter {
            counter.fetch_add(self.nodes - self.counted, Ordering::Relaxed);
            self.counted = self.nodes;
        }
        self.stopped |= self.nodes >= self.max_nodes || (!self.ignores_stop && (self.stop)());
        self.stopped
    }

    /// Returns the table for positions with this many empty squares.
    #[inline(always)]
    pub(crate) fn table_for(&self, empties: u32) -> &Table {
        match self.table {
            Some(table) if empties > MAX_NEAR_EMPTIES => table,
            _ => &self.near,
        }
    }

    #[inline(always)]
    fn placements<K: Kernel>(&self, own: u64, other: u64) -> u64 {
        K::placements(own, other) & self.squares.all
    }

    #[inline(always)]
    pub(super) fn empty(&self, own: u64, other: u64) -> u64 {
        self.squares.all & !(own | other)
    }

    /// Returns an upper bound of the value, from the stable discs of the other player. It is 64
    /// where these can hardly show that the value is `alpha` or less.
    #[inline(always)]
    pub(crate) fn stability_bound(&self, own: u64, other: u64, alpha: i32) -> i32 {
        let empties = self.empty(own, other).count_ones().cast_signed();
        // In misère, stable discs are a burden. On smaller boards, the edges are elsewhere.
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
    pub(crate) fn value<K: Kernel>(&mut self, own: u64, other: u64, alpha: i32) -> i32 {
        let empties = self.empty(own, other).count_ones();
        match empties {
            0 => self.over(own, other),
            1..=4 => self.last::<K>(own, other, alpha),
            5..MIN_ORDERED => {
                self.by_parity::<K>(own, other, alpha, empties, self.placements::<K>(own, other))
            }
            _ => {
                self.by_mobility::<K>(own, other, alpha, empties, self.placements::<K>(own, other))
            }
        }
    }

    /// Returns the value for a player of a game that ended with empty squares.
    pub(crate) fn over(&self, own: u64, other: u64) -> i32 {
        let margin = own.count_ones().cast_signed() - other.count_ones().cast_signed();
        let empties = self.empty(own, other).count_ones().cast_signed();
        match self.scoring {
            Scoring::Discs => margin,
            Scoring::WinnerTakesEmpties => margin + margin.signum() * empties,
            Scoring::FewerDiscs => -margin,
        }
    }

    /// Searches a position with six or more empty squares: with the stability cut, the
    /// transposition table, and moves ordered above all by the mobility that they leave (fastest first).
    fn by_mobility<K: Kernel>(
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
                if self.count_node() {
                    return alpha;
                }
                let bound = self.stability_bound(own, other, alpha);
                if bound <= alpha {
                    return bound;
                }
                if moves == 0 {
                    let replies = self.placements::<K>(other, own);
                    if replies == 0 {
                        return self.over(own, other);
                    }
                    return -self.by_mobility::<K>(other, own, -alpha - 1, empties, replies);
                }
                let key = mix(own, other);
                let entry = self.table_for(empties).get(key);
                if let Some(value) = entry.and_then(|entry| proved(entry, empties, alpha)) {
                    return value;
                }
                let first = entry.map_or(NO_MOVE, |entry| entry.moves[0]);
                let mut candidates = Candidates::new();
                if let Some(value) =
                    self.ordered::<K>(own, other, alpha, moves, first, &mut candidates)
                {
                    return value;
                }
                let (best, best_move) =
                    self.best_candidate::<K>(own, other, alpha, empties, &mut candidates);
                if !self.stopped {
                    let window = Window::null(alpha);
                    self.table_for(empties).put(key, (empties as u8, 0), window, best, best_move);
                }
                best
            },
        )
    }

    /// Fills in the moves with their order. Returns a value above `alpha` at once, if a move takes
    /// the last disc of the other player, or if the table proves one.
    #[inline(always)]
    fn ordered<K: Kernel>(
        &self,
        own: u64,
        other: u64,
        alpha: i32,
        mut moves: u64,
        first: u8,
        candidates: &mut Candidates,
    ) -> Option<i32> {
        let empty = self.empty(own, other);
        let empties = empty.count_ones();
        let looks_ahead = empties >= MIN_LOOK_AHEAD;
        while moves != 0 {
            let square = lowest(moves);
            moves &= moves - 1;
            let flipped = K::flips(own, other, square);
            let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
            if theirs == 0 {
                let value = self.over(mine, theirs);
                if value > alpha {
                    return Some(value);
                }
            }
            if looks_ahead {
                self.table_for(empties - 1).prefetch::<K>(mix(theirs, mine));
            }
            candidates.push(Candidate { square: square as u8, order: 0, flipped, replies: 0 });
        }
        if looks_ahead && let Some(value) = self.look_ahead(own, other, alpha, candidates) {
            return Some(value);
        }
        let odd = odd_quarters(empty);
        // A player who wants fewer discs avoids corners.
        let corner_sign = if self.scoring == Scoring::FewerDiscs { -1 } else { 1 };
        for candidate in candidates {
            let Candidate { square, flipped, .. } = *candidate;
            let bit = 1_u64 << square;
            let replies = self.placements::<K>(other ^ flipped, own ^ flipped ^ bit);
            let corners = (replies & self.squares.corners).count_ones().cast_signed();
            let mobility = replies.count_ones().cast_signed() + corner_sign * corners;
            let is_corner = i32::from(bit & self.squares.corners != 0);
            let is_odd = i32::from(odd & bit != 0);
            // A move into a hole leaves the other player fewer answers there.
            let near = (neighbours(square.into()) & empty).count_ones().cast_signed();
            candidate.replies = replies;
            candidate.order = if square == first {
                i32::MAX
            } else {
                2 * is_odd - near - 8 * mobility + 6 * corner_sign * is_corner
            };
        }
        None
    }

    /// Returns a value above `alpha` that the table proves for one of the moves, if it has one.
    #[inline(always)]
    fn look_ahead(&self, own: u64, other: u64, alpha: i32, candidates: &Candidates) -> Option<i32> {
        let empties = self.empty(own, other).count_ones() - 1;
        let table = self.table_for(empties);
        candidates.iter().find_map(|&Candidate { square, flipped, .. }| {
            let entry = table.get(mix(other ^ flipped, own ^ flipped ^ (1 << square)))?;
            let value = -i32::from(entry.upper);
            (entry.is_enough((empties as u8, 0)) && value > alpha).then_some(value)
        })
    }

    /// Searches the moves in their order until one has a value above `alpha`. Returns the best value
    /// and its move.
    #[inline(always)]
    fn best_candidate<K: Kernel>(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        empties: u32,
        candidates: &mut Candidates,
    ) -> (i32, u8) {
        let (mut best, mut best_move) = (NO_VALUE, NO_MOVE);
        for at in 0..candidates.len() {
            let &Candidate { square, flipped, replies, .. } =
                bring_best(candidates, at, |candidate| candidate.order);
            let (mine, theirs) = (own ^ flipped ^ (1 << square), other ^ flipped);
            let value = if empties > MIN_ORDERED {
                -self.by_mobility::<K>(theirs, mine, -alpha - 1, empties - 1, replies)
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
        (best, best_move)
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
                let bound = self.stability_bound(own, other, alpha);
                if bound <= alpha {
                    return bound;
                }
                if moves == 0 {
                    let replies = self.placements::<K>(other, own);
                    if replies == 0 {
                        return self.over(own, other);
                    }
                    return -self.by_parity::<K>(other, own, -alpha - 1, empties, replies);
                }
                let odd = odd_quarters(self.empty(own, other));
                let mut best = NO_VALUE;
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

/// Returns the bound of an entry that decides the null window above `alpha`, if it has one.
#[inline(always)]
fn proved(entry: Entry, empties: u32, alpha: i32) -> Option<i32> {
    let is_enough = entry.is_enough((empties as u8, 0));
    let cutoff = Window::null(alpha).cutoff(entry.lower.into(), entry.upper.into());
    cutoff.filter(|_| is_enough)
}
