/// The values that an alpha-beta search tells apart. It returns a value between both ends exactly, and
/// otherwise a bound on the same side (fail-soft).
///
/// A node of the principal variation has an open window. All others have a null window, which has no value
/// inside: is the value above `alpha`?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// A value of this or less is as good as any other such value.
    pub(crate) alpha: i32,
    /// A value of this or more is as good as any other such value.
    pub(crate) beta: i32,
}

/// What the value of a search says about that of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The node has at least this value: a cut node.
    Lower,
    /// It has this value: a node of the principal variation.
    Exact,
    /// It has at most this value: an all node.
    Upper,
}

impl Window {
    /// Returns an open window.
    #[inline(always)]
    pub(crate) const fn new(alpha: i32, beta: i32) -> Self {
        Self { alpha, beta }
    }

    /// The window with all values of the 8×8 board.
    pub(crate) const ALL: Self = Self::new(-64, 64);

    /// Returns the window that asks whether a value is above `alpha`.
    #[inline(always)]
    pub(crate) const fn null(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// Returns whether no value is inside.
    #[inline(always)]
    pub(crate) const fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// Returns the window from the view of the other player.
    #[inline(always)]
    pub(crate) const fn negated(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Returns the window for the next move, after one with this value.
    #[inline(always)]
    pub(crate) fn above(self, value: i32) -> Self {
        Self { alpha: self.alpha.max(value), ..self }
    }

    /// Returns the part of the window between these bounds.
    #[inline(always)]
    pub(crate) fn within(self, lower: i32, upper: i32) -> Self {
        Self { alpha: self.alpha.max(lower), beta: self.beta.min(upper) }
    }

    /// Returns what a value is that a search with this window found.
    #[inline(always)]
    pub(crate) const fn bound(self, value: i32) -> Bound {
        if value >= self.beta {
            Bound::Lower
        } else if value <= self.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        }
    }

    /// Returns whether a value is inside.
    #[inline(always)]
    pub(crate) const fn contains(self, value: i32) -> bool {
        self.alpha < value && value < self.beta
    }

    /// Returns the value of a node with these bounds, if they make a search with this window unnecessary.
    #[inline(always)]
    pub(crate) const fn cutoff(self, lower: i32, upper: i32) -> Option<i32> {
        if lower >= self.beta || lower == upper {
            Some(lower)
        } else if upper <= self.alpha {
            Some(upper)
        } else {
            None
        }
    }
}
