//! Enums of words, and lists of words in sentences.

use std::fmt::Display;

/// Defines an enum with values that are typed, stored and shown as words.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// All, in their order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the word for it.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, $crate::words::UnknownWord> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err($crate::words::UnknownWord(&[$($word),*])),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

/// A text is none of these words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", joined(.0, "or"))]
pub struct UnknownWord(pub &'static [&'static str]);

/// Returns a number of things: `1 game`, `2 games`.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Returns `Resigned: game 5.` or `Resigned: games 5 and 6.` for what happened to these games; `None` if there
/// are none.
pub fn list_of_games(what: &str, games: &[i64]) -> Option<String> {
    let numbers: Vec<_> = games.iter().map(i64::to_string).collect();
    match games {
        [] => None,
        [game] => Some(format!("{what}: game {game}.")),
        _ => Some(format!("{what}: games {}.", joined(&numbers, "and"))),
    }
}

/// Returns `a, b and c` for this last link.
pub fn joined<S: AsRef<str>>(items: &[S], link: &str) -> String {
    let items: Vec<_> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} {link} {last}", before.join(", ")),
        None => String::new(),
    }
}
