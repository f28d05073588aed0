use std::fmt;
use std::str::FromStr;

use outflank_rules::{
    Goal, Lattice, Overrides, Placement, Rules, Size, Stuck, VARIANTS, Variant, quoted,
};

/// A list of ratings: that of the games with these rules. The clock does not matter, and the name of the
/// variant does not either: `mini` is `othello --size 4x4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List(Rules);

/// A text is not the key of a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a list of ratings", quoted(.0))]
pub struct BadList(pub String);

impl List {
    /// Returns the list of the games with these rules.
    pub fn of(rules: &Rules) -> Self {
        // Nobody passes where discs go on any cell.
        let stuck = match rules.placement {
            Placement::Anywhere => Stuck::AutoPass,
            Placement::Outflanking => rules.stuck,
        };
        Self(Rules { stuck, ..*rules })
    }

    /// Returns the rules of its games.
    pub const fn rules(&self) -> &Rules {
        &self.0
    }

    /// Returns the variant with these rules, or else the one that has them with options.
    pub fn variant(&self) -> &'static Variant {
        let own = |variant: &Variant| variant.rules(&Overrides::default());
        VARIANTS.iter().find(|variant| own(variant) == Ok(self.0)).unwrap_or(&VARIANTS[0])
    }

    /// Returns how commands name the rules: `othello --size 6x6 --misere`.
    pub fn arguments(&self) -> String {
        let variant = self.variant();
        let Overrides { size, misere, anywhere, stuck } = variant.overrides_to(&self.0);
        let words = [
            Some(variant.name.to_owned()),
            size.map(|size| format!("--size {size}")),
            misere.then(|| "--misere".to_owned()),
            anywhere.then(|| "--anywhere".to_owned()),
            stuck.and_then(Stuck::pass_word).map(|pass| format!("--pass {pass}")),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

const HEX: &str = "hex";
const MISERE: &str = "misere";
const ANYWHERE: &str = "anywhere";
const EXPLICIT: &str = "explicit";
const LOSES: &str = "loses";

/// Writes the key of the list in the database: the lattice, then the differences from the rules of
/// Othello: `8x8`, `6x6 misere explicit`, `hex loses 32`.
impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(rules) = self;
        match rules.lattice {
            Lattice::Rectangle(size) => write!(f, "{size}")?,
            Lattice::Hex => f.write_str(HEX)?,
        }
        let words = [
            (rules.goal == Goal::Fewer).then_some(MISERE),
            (rules.placement == Placement::Anywhere).then_some(ANYWHERE),
            match rules.stuck {
                Stuck::AutoPass => None,
                Stuck::MustPass => Some(EXPLICIT),
                Stuck::Loses => Some(LOSES),
            },
        ];
        words.iter().flatten().try_for_each(|word| write!(f, " {word}"))?;
        rules.supply.map_or(Ok(()), |discs| write!(f, " {discs}"))
    }
}

/// Parses the key of a list.
impl FromStr for List {
    type Err = BadList;

    fn from_str(text: &str) -> Result<Self, BadList> {
        let bad = || BadList(text.to_owned());
        let mut words = text.split(' ');
        let lattice = match words.next() {
            Some(HEX) => Lattice::Hex,
            size => {
                Lattice::Rectangle(size.and_then(|it| it.parse::<Size>().ok()).ok_or_else(bad)?)
            }
        };
        let mut rules = Rules {
            lattice,
            placement: Placement::Outflanking,
            stuck: Stuck::AutoPass,
            goal: Goal::More,
            supply: None,
        };
        for word in words {
            match word {
                MISERE => rules.goal = Goal::Fewer,
                ANYWHERE => rules.placement = Placement::Anywhere,
                EXPLICIT => rules.stuck = Stuck::MustPass,
                LOSES => rules.stuck = Stuck::Loses,
                discs => rules.supply = Some(discs.parse().map_err(|_| bad())?),
            }
        }
        Ok(Self(rules))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_follows_from_the_rules() {
        let none = Overrides::default();
        let size = |text: &str| text.parse().ok();
        for (variant, overrides, key, arguments) in [
            ("othello", none, "8x8", "othello"),
            ("reversi", none, "8x8", "othello"),
            ("mini", none, "4x4", "mini"),
            ("othello", Overrides { size: size("4x4"), ..none }, "4x4", "mini"),
            ("mini", Overrides { size: size("8x8"), ..none }, "8x8", "othello"),
            ("twente", none, "8x8 explicit", "twente"),
            ("twente", Overrides { stuck: Some(Stuck::AutoPass), ..none }, "8x8", "othello"),
            ("oddthello", none, "hex loses 32", "oddthello"),
            (
                "twente",
                Overrides { size: size("6x10"), misere: true, ..none },
                "6x10 misere explicit",
                "othello --size 6x10 --misere --pass explicit",
            ),
            ("twente", Overrides { anywhere: true, ..none }, "8x8 anywhere", "othello --anywhere"),
        ] {
            let rules = Variant::named(variant).unwrap().rules(&overrides).unwrap();
            let list = List::of(&rules);
            assert_eq!((&*list.to_string(), &*list.arguments()), (key, arguments), "{variant}");
            assert_eq!(key.parse(), Ok(list));
        }
        for text in ["", "8", "8x8 ", "8x8 backwards", "hexagons"] {
            assert_eq!(text.parse::<List>(), Err(BadList(text.to_owned())));
        }
    }
}
