use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many positions were searched, counted while the search runs.
#[derive(Debug, Clone, Default)]
pub struct Searched {
    /// The number.
    pub nodes: Arc<AtomicU64>,
    /// How many there will be, if that is known: the order of magnitude, in words.
    pub estimate: Option<String>,
}

/// Writes the number after a comma; nothing before the first.
impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millions = self.nodes.load(Ordering::Relaxed) as f64 / 1e6;
        match &self.estimate {
            Some(estimate) => write!(f, ", {millions:.1} million of about {estimate} positions"),
            None if millions > 0.0 => write!(f, ", {millions:.1} million positions"),
            None => Ok(()),
        }
    }
}
