use super::{Goal, Lattice, Placement, Rules, Size, Stuck};

/// A named set of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// The name it is asked for by and stored under.
    pub name: &'static str,
    /// Other names it may be asked for by.
    pub aliases: &'static [&'static str],
    /// Its name in a sentence or a subject line.
    pub title: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    rules: Rules,
}

const OTHELLO: Rules = Rules {
    lattice: Lattice::Rectangle(Size::EIGHT),
    placement: Placement::Outflanking,
    stuck: Stuck::PassesByItself,
    goal: Goal::More,
    supply: None,
};

/// Every variant: a new one is an entry here.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "othello",
        aliases: &["reversi"],
        title: "Othello",
        summary: "8x8; whoever cannot flip passes by itself",
        rules: OTHELLO,
    },
    Variant {
        name: "mini",
        aliases: &[],
        title: "Mini Othello",
        summary: "the same on 4x4",
        rules: Rules { lattice: Lattice::Rectangle(Size::FOUR), ..OTHELLO },
    },
    Variant {
        name: "twente",
        aliases: &[],
        title: "Twente Othello",
        summary: "8x8; a pass is a move that the player must make",
        rules: Rules { stuck: Stuck::MustPass, ..OTHELLO },
    },
    Variant {
        name: "oddthello",
        aliases: &[],
        title: "Oddthello",
        summary: "a hex lattice without edges, 32 discs each; whoever cannot flip loses",
        rules: Rules { lattice: Lattice::Hex, stuck: Stuck::Loses, supply: Some(32), ..OTHELLO },
    },
];

/// What a game changes in its variant's rules. All combinations are possible on a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overrides {
    /// Another size of board.
    pub size: Option<Size>,
    /// Fewer discs win.
    pub misere: bool,
    /// Discs go on any empty cell.
    pub anywhere: bool,
    /// What happens to a player who cannot place a disc.
    pub stuck: Option<Stuck>,
}

/// There is no variant of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no variant `{0}`")]
pub struct UnknownVariant(pub String);

/// The variant is not played on a rectangle and takes no options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} takes no size, misere, anywhere or pass option")]
pub struct NotOnThisLattice(pub &'static str);

impl Variant {
    /// The variant of this name or other name, in either case.
    ///
    /// # Errors
    /// [`UnknownVariant`] when there is none.
    pub fn named(name: &str) -> Result<&'static Self, UnknownVariant> {
        VARIANTS
            .iter()
            .find(|variant| variant.names().any(|known| known.eq_ignore_ascii_case(name)))
            .ok_or_else(|| UnknownVariant(name.to_owned()))
    }

    /// Every name it may be asked for by.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Its rules with these changes.
    ///
    /// # Errors
    /// [`NotOnThisLattice`] when there are any and it is not played on a rectangle.
    pub fn rules(&self, overrides: &Overrides) -> Result<Rules, NotOnThisLattice> {
        let mut rules = self.rules;
        if *overrides == Overrides::default() {
            return Ok(rules);
        }
        if rules.lattice == Lattice::Hex {
            return Err(NotOnThisLattice(self.name));
        }
        if let Some(size) = overrides.size {
            rules.lattice = Lattice::Rectangle(size);
        }
        if overrides.misere {
            rules.goal = Goal::Fewer;
        }
        if overrides.anywhere {
            rules.placement = Placement::Anywhere;
        }
        if let Some(stuck) = overrides.stuck {
            rules.stuck = stuck;
        }
        Ok(rules)
    }
}
