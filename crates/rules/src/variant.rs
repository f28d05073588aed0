use super::{Goal, Lattice, Placement, Rules, Size, Stuck, quoted};

/// A named set of rules.
///
/// ```
/// # use outflank_rules::{Overrides, Stuck, Variant};
/// let twente = Variant::named("Twente")?;
/// assert_eq!(twente.title, "Twente Othello");
/// assert_eq!(twente.rules(&Overrides::default())?.stuck, Stuck::MustPass);
/// assert!(Variant::named("chess").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Its other names.
    pub aliases: &'static [&'static str],
    /// Its name in sentences.
    pub title: &'static str,
    /// A description in a few words.
    pub summary: &'static str,
    rules: Rules,
}

const OTHELLO: Rules = Rules {
    lattice: Lattice::Rectangle(Size::EIGHT),
    placement: Placement::Outflanking,
    stuck: Stuck::AutoPass,
    goal: Goal::More,
    supply: None,
};

/// Every variant. To add one, add an entry.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "othello",
        aliases: &["reversi"],
        title: "Othello",
        summary: "8x8; a player who cannot flip a disc passes automatically",
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
        summary: "8x8; players must pass explicitly",
        rules: Rules { stuck: Stuck::MustPass, ..OTHELLO },
    },
    Variant {
        name: "oddthello",
        aliases: &[],
        title: "Oddthello",
        summary: "hex lattice without edges, 32 discs each; a player who cannot flip a disc loses",
        rules: Rules { lattice: Lattice::Hex, stuck: Stuck::Loses, supply: Some(32), ..OTHELLO },
    },
];

/// Changes to a variant's rules. A rectangular variant accepts every combination.
///
/// ```
/// # use outflank_rules::{Goal, Overrides, Variant};
/// let overrides = Overrides { size: "6x6".parse().ok(), misere: true, ..Overrides::default() };
/// assert_eq!(Variant::named("othello")?.rules(&overrides)?.goal, Goal::Fewer);
/// assert!(Variant::named("oddthello")?.rules(&overrides).is_err(), "its rules are fixed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overrides {
    /// Another board size.
    pub size: Option<Size>,
    /// The player with fewer discs wins.
    pub misere: bool,
    /// Discs may be placed on any empty cell.
    pub anywhere: bool,
    /// What happens to a player who cannot place a disc.
    pub stuck: Option<Stuck>,
}

/// No variant has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no variant {}", quoted(.0))]
pub struct UnknownVariant(pub String);

/// The rules of this variant cannot be changed, because it is not played on a rectangle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} has fixed rules")]
pub struct FixedRules(pub &'static str);

impl Variant {
    /// Finds a variant by its name or an alias, in either case.
    pub fn named(name: &str) -> Result<&'static Self, UnknownVariant> {
        VARIANTS
            .iter()
            .find(|variant| variant.names().any(|known| known.eq_ignore_ascii_case(name)))
            .ok_or_else(|| UnknownVariant(name.to_owned()))
    }

    /// Returns the title of the variant with this name; the name itself if there is none.
    pub fn title_of(name: &str) -> &str {
        Self::named(name).map_or(name, |variant| variant.title)
    }

    /// Returns the name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Returns its rules with these changes.
    ///
    /// # Errors
    /// [`FixedRules`] if there are changes and the variant is not played on a rectangle.
    pub fn rules(&self, overrides: &Overrides) -> Result<Rules, FixedRules> {
        let mut rules = self.rules;
        if *overrides == Overrides::default() {
            return Ok(rules);
        }
        if rules.lattice == Lattice::Hex {
            return Err(FixedRules(self.name));
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

    /// Returns the changes that turn the rules of this variant into `rules`. If only `rules` allow a disc on
    /// any empty cell, the rule for a player who cannot place a disc has no effect and is left out.
    pub fn overrides_to(&self, rules: &Rules) -> Overrides {
        let own = self.rules;
        let size = match rules.lattice {
            Lattice::Rectangle(size) if rules.lattice != own.lattice => Some(size),
            _ => None,
        };
        let anywhere = rules.placement != own.placement;
        let stuck = Some(rules.stuck).filter(|&stuck| !anywhere && stuck != own.stuck);
        Overrides { size, misere: rules.goal != own.goal, anywhere, stuck }
    }
}
