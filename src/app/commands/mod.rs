//! The commands, in a folder for each heading of `help` and one for the host.
//!
//! A new command is a file in its folder, with its arguments and its [`UseCase`], and a line under
//! its heading in [`player`] or [`host`]. Parsing, the front ends and `help` follow from the line;
//! tests fail until the README and the reserved words have the command too.
//!
//! [`UseCase`]: crate::app::use_case::UseCase

/// Registers commands under the headings of `help`: defines an enum of them that is a [`UseCase`]
/// itself.
///
/// [`UseCase`]: crate::app::use_case::UseCase
macro_rules! commands {
    ($(#[$meta:meta])* $name:ident {
        $($heading:literal: {
            $($word:literal $(| $alias:literal)*: $command:ident in $($module:ident)::+,)*
        })*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, clap::Subcommand)]
        pub enum $name {
            $($(
                #[allow(missing_docs, reason = "clap takes the help from the arguments")]
                #[command(name = $word)]
                $command($($module)::+::$command),
            )*)*
        }

        impl $name {
            /// The headings of `help`, each with the words of its commands.
            pub const HEADINGS: &[(&str, &[&str])] = &[$(($heading, &[$($word),*])),*];

            /// The words of the commands, and their aliases.
            pub const WORDS: &[&str] = &[$($($word, $($alias,)*)*)*];

            /// Returns the word of the command.
            pub const fn word(&self) -> &'static str {
                match self { $($(Self::$command(_) => $word,)*)* }
            }

            /// Returns the parser of one command. It is built in less time than that of all.
            pub fn parser(word: &str) -> Option<clap::Command> {
                match word {
                    $($($word $(| $alias)* => {
                        let command = clap::Command::new($word);
                        Some(<$($module)::+::$command as clap::Args>::augment_args(command))
                    })*)*
                    _ => None,
                }
            }
        }

        impl crate::app::UseCase for $name {
            fn concerns(&self) -> crate::app::Concerns {
                match self { $($(Self::$command(command) => command.concerns(),)*)* }
            }

            fn reports_mails(&self) -> bool {
                match self { $($(Self::$command(command) => command.reports_mails(),)*)* }
            }

            fn log(&self) -> Option<crate::app::LogFormat> {
                match self { $($(Self::$command(command) => command.log(),)*)* }
            }

            fn bind(&mut self, to: crate::app::Shown) {
                match self { $($(Self::$command(command) => command.bind(to),)*)* }
            }

            fn check(&self, session: &mut crate::app::Session) -> Result<(), crate::app::Error> {
                match self { $($(Self::$command(command) => command.check(session),)*)* }
            }

            fn run(
                &self,
                session: &mut crate::app::Session,
            ) -> Result<crate::app::Reply, crate::app::Error> {
                match self { $($(Self::$command(command) => command.run(session),)*)* }
            }
        }
    };
}

pub(crate) mod host;
pub(crate) mod offers;
pub(crate) mod play;
pub(crate) mod player;
pub(crate) mod settings;
pub(crate) mod time;
pub(crate) mod view;
pub(crate) mod words;
