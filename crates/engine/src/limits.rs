use std::sync::atomic::AtomicU64;

/// The limits of a search.
///
/// ```
/// # use outflank_engine::{Engine, Limits};
/// # let rules = outflank_rules::Variant::named("othello")?.rules(&Default::default())?;
/// # let start = outflank_rules::Position::start(rules);
/// let limits = Limits { depth: 2, ..Limits::until(&|| false) };
/// let found = Engine::new(1 << 20, 1).best(&start, &limits);
/// assert!(found.is_some_and(|found| !found.is_exact()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// The most nodes; the first ply is always searched.
    pub nodes: u64,
    /// The greatest depth in plies.
    pub depth: u32,
    /// Polled often during the search: must it stop now?
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Limits<'a> {
    /// Returns limits that only this function sets.
    pub fn until(stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { nodes: u64::MAX, depth: u32::MAX, stop }
    }
}

/// How to search a position.
pub(crate) struct Options<'a> {
    pub(crate) limits: Limits<'a>,
    pub(crate) threads: usize,
    /// Counts the nodes of all threads while they search.
    pub(crate) counter: Option<&'a AtomicU64>,
    /// Chooses among moves that are about as good; without it, the choice is fixed.
    pub(crate) seed: Option<u64>,
    /// Whether each move gets its own value. Otherwise only the first move does.
    pub(crate) all: bool,
}
