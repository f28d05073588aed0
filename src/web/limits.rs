//! Limits on the requests of a peer and of a token, and on connections and streams.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock::Stopwatch;

/// How long a form may take to arrive, and a request may then wait for its turn. Work that has begun is not
/// cut off: its response must report the outcome.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(20);
/// The most bytes of a form.
pub(super) const MAX_FORM_BYTES: usize = 64 * 1024;
/// The most bytes of the headers of a request, and the most headers.
pub(super) const MAX_HEADER_BYTES: usize = 16 * 1024;
pub(super) const MAX_HEADERS: usize = 64;
/// How long a connection may wait for a request, until the request's headers have arrived.
pub(super) const MAX_HEADER_WAIT: Duration = Duration::from_secs(15);
/// How long a client may leave a response unread.
pub(super) const MAX_WRITE_WAIT: Duration = Duration::from_secs(20);
/// The most connections, of all peers and of one that is not a reverse proxy.
pub(super) const MAX_CONNECTIONS: usize = 800;
pub(super) const MAX_CONNECTIONS_OF_A_PEER: usize = 80;
/// The most connections beyond these, which get a response that there are too many, and how long the
/// headers of their request may take.
pub(super) const MAX_REFUSALS: usize = 100;
pub(super) const MAX_REFUSAL_WAIT: Duration = Duration::from_secs(2);
/// The most event streams of all pages. The other connections are for requests.
pub(super) const MAX_STREAMS: usize = 600;
/// The most of them that are of public games.
pub(super) const MAX_PUBLIC_STREAMS: usize = 300;
/// The most event streams of a peer that is known, and of a token.
pub(super) const MAX_STREAMS_OF_A_PEER: usize = 16;
pub(super) const MAX_STREAMS_OF_A_TOKEN: usize = 4;

/// The limit of a peer: a page and its files are four requests.
const PEER_RATE: Rate = Rate { burst: 400.0, per_second: 20.0 };
/// The limit of a token: a person who replays a game sends some requests a second.
const TOKEN_RATE: Rate = Rate { burst: 120.0, per_second: 4.0 };

/// A token bucket.
#[derive(Debug, Clone, Copy)]
struct Rate {
    /// Requests at once.
    burst: f64,
    /// Requests in the long run.
    per_second: f64,
}

/// Counts requests.
pub(super) struct Limits {
    since_start: Stopwatch,
    peers: Mutex<Counters<IpAddr>>,
    tokens: Mutex<Counters<String>>,
}

impl Limits {
    pub(super) fn new() -> Self {
        Self {
            since_start: Stopwatch::start(),
            peers: Mutex::new(Counters::new(PEER_RATE)),
            tokens: Mutex::new(Counters::new(TOKEN_RATE)),
        }
    }

    /// Counts a request of a peer. Returns whether it is within the limit.
    pub(super) fn allows_peer(&self, peer: IpAddr) -> bool {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.allow(network(peer), self.since_start.elapsed())
    }

    /// Counts a request with a valid token. Returns whether it is within the limit.
    pub(super) fn allows_token(&self, token: &str) -> bool {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.allow(token.to_owned(), self.since_start.elapsed())
    }
}

/// Returns the network that counts as one peer: an IPv4 address, or the first half of an IPv6 address, the
/// smallest network that a customer gets.
pub(super) fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        address => address,
    }
}

/// How many slots each peer holds.
type Held = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// A limited number of slots, such as connections, which peers hold at the same time.
pub(super) struct Slots {
    free: Arc<Semaphore>,
    /// The most that one peer holds.
    of_a_peer: usize,
    held: Held,
}

/// A slot, held until it is dropped.
pub(super) struct Slot {
    _permit: OwnedSemaphorePermit,
    /// The peer that holds it, if it is known, and the slots of all peers.
    peer: Option<(IpAddr, Held)>,
}

impl Slots {
    pub(super) fn new(all: usize, of_a_peer: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(all)), of_a_peer, held: Arc::default() }
    }

    /// Takes a slot for a peer, if it is known. `None` if the peer or all together have too many.
    pub(super) fn take(&self, peer: Option<IpAddr>) -> Option<Slot> {
        let permit = Arc::clone(&self.free).try_acquire_owned().ok()?;
        let Some(peer) = peer.map(network) else {
            return Some(Slot { _permit: permit, peer: None });
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(peer).or_default();
        if *count >= self.of_a_peer {
            return None;
        }
        *count += 1;
        Some(Slot { _permit: permit, peer: Some((peer, Arc::clone(&self.held))) })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some((peer, held)) = &self.peer else { return };
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(peer) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                held.remove(peer);
            }
        }
    }
}

/// Counts the requests of each peer or token.
struct Counters<K> {
    rate: Rate,
    counters: HashMap<K, Counter>,
}

/// The remaining requests of a peer or token at some time.
struct Counter {
    left: f64,
    /// The time since the start.
    at: Duration,
}

/// The most counters at once.
const MAX_COUNTERS: usize = 50_000;

impl<K: Hash + Eq> Counters<K> {
    fn new(rate: Rate) -> Self {
        Self { rate, counters: HashMap::new() }
    }

    /// Counts a request. Returns whether it is within the limit.
    fn allow(&mut self, key: K, now: Duration) -> bool {
        let Self { rate, counters } = self;
        if counters.len() >= MAX_COUNTERS && !counters.contains_key(&key) {
            counters.retain(|_, counter| rate.left(counter, now) < rate.burst);
            if counters.len() >= MAX_COUNTERS {
                // With this many peers, counters no longer help. The pool of connections to the database
                // is the limit that remains.
                counters.clear();
            }
        }
        let counter = counters.entry(key).or_insert(Counter { left: rate.burst, at: now });
        *counter = Counter { left: rate.left(counter, now), at: now };
        let is_allowed = counter.left >= 1.0;
        if is_allowed {
            counter.left -= 1.0;
        }
        is_allowed
    }
}

impl Rate {
    /// Returns the remaining requests now.
    fn left(&self, counter: &Counter, now: Duration) -> f64 {
        let since = now.saturating_sub(counter.at).as_secs_f64();
        (counter.left + since * self.per_second).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { burst: 3.0, per_second: 0.5 };

    #[test]
    fn a_burst_is_followed_by_a_steady_rate() {
        let mut counters = Counters::new(RATE);
        let mut allow =
            |name: &'static str, seconds| counters.allow(name, Duration::from_secs(seconds));
        assert_eq!([0, 0, 0, 0, 1].map(|at| allow("a", at)), [true, true, true, false, false]);
        assert!(allow("b", 1));
        assert_eq!([2, 2, 4, 4].map(|at| allow("a", at)), [true, false, true, false]);
        assert_eq!([1000; 4].map(|at| allow("a", at)), [true, true, true, false]);
    }

    #[test]
    fn a_peer_leaves_slots_to_others() {
        let slots = Slots::new(4, 2);
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse::<IpAddr>().ok());
        let mut of_one: Vec<_> = (0..2).filter_map(|_| slots.take(one)).collect();
        assert_eq!(of_one.len(), 2);
        assert!(slots.take(one).is_none());
        let unknown: Vec<_> = (0..3).filter_map(|_| slots.take(None)).collect();
        assert_eq!(unknown.len(), 2);
        assert!(slots.take(other).is_none());
        of_one.pop();
        let of_other = slots.take(other);
        assert!(of_other.is_some() && slots.take(one).is_none());
        drop((of_one, unknown, of_other));
        assert!(slots.held.lock().unwrap().is_empty());
    }

    #[test]
    fn the_counters_of_many_peers_take_little_memory() {
        let mut counters = Counters::new(RATE);
        for peer in 0..3 * MAX_COUNTERS as u64 {
            assert!(counters.allow(peer, Duration::from_millis(peer / 1000)));
            assert!(counters.counters.len() <= MAX_COUNTERS);
        }
    }

    #[test]
    fn the_addresses_of_a_customer_are_one_peer() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::2:3"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
