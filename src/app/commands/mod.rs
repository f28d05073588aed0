//! The commands, in a folder for each heading of `help` and one for the host.
//!
//! A new command is a file in its folder, with its arguments, its traits and its [`UseCase`], and a line
//! in [`player`] or [`host`]. Parsing, the front ends and `help` follow from the two; tests fail until the
//! docs/commands.md and the reserved words have the command too.
//!
//! [`UseCase`]: crate::app::run::use_case::UseCase

/// Registers commands, in the order of `help`: defines an enum of them.
macro_rules! commands {
    ($(#[$meta:meta])* $name:ident { $($command:ident in $($module:ident)::+,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, clap::Subcommand)]
        pub enum $name {
            $(
                #[allow(missing_docs, reason = "clap takes the help from the arguments")]
                #[command(
                    name = <$($module)::+::$command as UseCase>::TRAITS.word,
                    visible_aliases = <$($module)::+::$command as UseCase>::TRAITS.aliases,
                )]
                $command($($module)::+::$command),
            )*
        }

        impl $name {
            /// The traits of the commands.
            pub const ALL: &[&Traits] =
                &[$(&<$($module)::+::$command as UseCase>::TRAITS),*];

            /// Returns the traits of the command.
            pub const fn traits(&self) -> &'static Traits {
                match self {
                    $(Self::$command(_) => &<$($module)::+::$command as UseCase>::TRAITS,)*
                }
            }

            /// Returns the traits of the command with this word or alias.
            pub fn named(word: &str) -> Option<&'static Traits> {
                Self::ALL.iter().copied().find(|traits| traits.names().any(|name| name == word))
            }

            /// Returns whether a word is suggested for a similar one, if it is that of a command.
            pub fn is_suggested(word: &str) -> bool {
                Self::named(word).is_none_or(|traits| traits.is_suggested)
            }

            /// Returns the words of the commands, each with its aliases behind it.
            pub fn words() -> impl Iterator<Item = &'static str> + Clone {
                Self::ALL.iter().flat_map(|traits| traits.names())
            }

            /// Returns the parser of one command. It is built in less time than that of all.
            pub fn parser(word: &str) -> Option<clap::Command> {
                let Traits { word, aliases, .. } = *Self::named(word)?;
                let parser = clap::Command::new(word).visible_aliases(aliases);
                $(if word == <$($module)::+::$command as UseCase>::TRAITS.word {
                    return Some(<$($module)::+::$command as clap::Args>::augment_args(parser));
                })*
                None
            }

            /// Returns which game the command concerns, and how.
            pub fn concerns(&self) -> Concerns {
                match self { $(Self::$command(command) => command.concerns(),)* }
            }

            /// Returns the format of the command's log, if it runs until stopped.
            pub fn log(&self) -> Option<LogFormat> {
                match self { $(Self::$command(command) => command.log(),)* }
            }

            /// Binds the command to the contents of the mail that it answers.
            pub fn bind(&mut self, to: Shown) {
                match self { $(Self::$command(command) => command.bind(to),)* }
            }

            /// Returns the question that a board asks before it runs the command, if it asks one.
            pub fn question(&self, at: &AtBoard) -> Option<String> {
                match self { $(Self::$command(command) => command.question(at),)* }
            }

            /// Refuses a command that a board or a page must not offer now.
            pub fn check(&self, asked: &Asked) -> Result<(), Error> {
                match self { $(Self::$command(command) => command.check(asked),)* }
            }

            /// Runs the command. After an error nothing has changed.
            ///
            /// # Errors
            /// [`Error`] that says why it was not carried out.
            pub fn run(&self, session: &mut Session) -> Result<Reply, Error> {
                if let Some(purpose) = self.traits().actor {
                    find::check_actor(&session.actor, self.traits().word, purpose)?;
                }
                match self { $(Self::$command(command) => command.run(session),)* }
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
pub(crate) mod tournaments;
pub(crate) mod view;
pub(crate) mod words;
