use clap::Args;
use serde_json::{Value, json};

use crate::app::commands::settings::new_address;
use crate::app::effects::letters;
use crate::app::run::session::{Reading, Writing};
use crate::app::{Error, Heading, Reply, Session, Shown, Traits, UseCase, find, text::similar};
use crate::command::Address;
use outflank_model::Player;
use outflank_model::preferences::{
    BadSetting, MailMode, Preferences, SETTINGS, Setting, Settings, words_of_settings,
};
use outflank_model::time_control::TimeZone;

/// Show your settings, or change one
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: set quiet 22:00-07:00")]
pub struct Set {
    #[arg(value_name = "SETTING", value_parser = Setting::named, help = words())]
    setting: Option<&'static Setting>,
    /// The new value [default: show the setting]
    #[arg(value_name = "VALUE")]
    value: Vec<String>,
    /// Whether a mail has confirmed it.
    #[arg(skip)]
    is_confirmed: bool,
}

/// Returns the help for the setting.
fn words() -> String {
    format!("{} [default: all]", words_of_settings("or"))
}

/// A setting as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ShownSetting {
    /// Its word, which stands behind `set`.
    pub word: &'static str,
    /// What it means, in sentences.
    pub meaning: &'static str,
    /// Its value, as it is typed.
    pub value: String,
    /// Another value, as an example.
    pub example: &'static str,
}

impl ShownSetting {
    /// Returns the settings of a player, without the address: no page shows or changes that.
    pub(crate) fn of(player: &Player) -> Vec<Self> {
        let settings = settings_of(player);
        let shown = SETTINGS.iter().filter(|it| !it.is_address());
        let shown = shown.map(|it| Self {
            word: it.word,
            meaning: it.meaning,
            value: it.value(&settings),
            example: it.example,
        });
        shown.collect()
    }
}

impl Set {
    /// Returns whether the value is valid for the setting. Then none of its words is free text.
    pub(crate) fn is_valid(&self) -> bool {
        match self.setting {
            Some(setting) if setting.is_address() => {
                self.new_address().is_some_and(|it| it.is_ok_and(is_plain))
            }
            Some(setting) => setting.change(&mut Settings::default(), &self.value).is_ok(),
            None => self.value.is_empty(),
        }
    }

    /// Returns whether a page can give the command: it is about one setting, which is not the address.
    pub(crate) fn is_for_pages(&self) -> bool {
        self.setting.is_some_and(|setting| !setting.is_address())
    }

    /// Returns the new address that the command asks for; `None` if it asks for none.
    pub(crate) fn new_address(&self) -> Option<Result<Address, Error>> {
        let is_asked = self.setting.is_some_and(|it| it.is_address()) && !self.value.is_empty();
        is_asked.then(|| self.value.join(" ").parse().map_err(Error::refused))
    }
}

/// Returns whether an address has only characters of a plain word, and no words of a stranger.
fn is_plain(address: Address) -> bool {
    const MAX_LENGTH: usize = 64;
    let fits = |c: char| c.is_ascii_alphanumeric() || "@.-_+".contains(c);
    address.as_str().len() <= MAX_LENGTH && address.as_str().chars().all(fits)
}

impl UseCase for Set {
    const TRAITS: Traits = Traits {
        on_own_page: true,
        done: Some("The setting was changed."),
        ..Traits::new("set", Heading::Settings).by("whose settings they are")
    };

    fn bind(&mut self, to: Shown) {
        self.is_confirmed |= to == Shown::Command;
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let program = session.front_end.program();
        let setting = match self.setting {
            Some(setting) if !self.value.is_empty() => setting,
            setting => {
                let player = session.read(|Reading { db, actor, .. }| find::acting(db, actor))?;
                return Ok(reply(&player, setting, program));
            }
        };
        if let Some(address) = self.new_address() {
            return session.write(|writing| {
                let (player, address) = (find::acting(writing.tx, writing.actor)?, address?);
                let asked = match self.is_confirmed {
                    true => new_address::ask_new(writing, &player, &address)?,
                    false => new_address::ask_old(writing, &player, &address)?,
                };
                Ok(Reply::new(&to_json(&player)).text(asked))
            });
        }
        session.write(|Writing { tx, env, actor, .. }| {
            let mut player = find::acting(tx, actor)?;
            let before = player.preferences;
            let mut settings = settings_of(&player);
            setting.change(&mut settings, &self.value).map_err(refused)?;
            player.preferences = settings.preferences;
            tx.set_preferences(player.id, &player.preferences)?;
            let Preferences { clock, mail, letter, .. } = player.preferences;
            if letter && (letter, clock.zone) != (before.letter, before.clock.zone) {
                letters::schedule(tx, &player, !before.letter, env.now())?;
            }
            if mail == MailMode::None {
                tx.supersede_all_turn_mails(player.id)?;
            }
            if (clock, mail) != (before.clock, before.mail) {
                tx.reconsider_mails(player.id, env.now())?;
            }
            Ok(reply(&player, Some(setting), program))
        })
    }
}

/// Returns a reply that explains a setting, or all of them. `program` stands before commands.
fn reply(player: &Player, setting: Option<&Setting>, program: &str) -> Reply {
    let settings = settings_of(player);
    let explain = |it: &Setting| {
        let Setting { word, meaning, example, .. } = it;
        let value = it.value(&settings);
        format!("{word}: {value}\n  {meaning}\n  Example: `{program}set {word} {example}`")
    };
    let text = match setting {
        Some(setting) => explain(setting),
        None => SETTINGS.each_ref().map(explain).join("\n\n"),
    };
    Reply::new(&to_json(player)).text(format!("Settings of {}", player.name)).text(text)
}

fn to_json(player: &Player) -> Value {
    let settings = settings_of(player);
    let pair = |it: &Setting| (it.word.to_owned(), Value::String(it.value(&settings)));
    let mut settings: Value = SETTINGS.iter().map(pair).collect();
    settings.sort_all_objects();
    json!({ "player": player.name, "settings": settings })
}

pub(crate) fn settings_of(player: &Player) -> Settings {
    Settings { preferences: player.preferences, address: player.address.clone() }
}

/// Returns the error for a value that a setting does not have, with a time zone that may be meant.
fn refused(bad: BadSetting) -> Error {
    let error = Error::refused(&bad);
    let BadSetting::Zone(text) = bad else { return error };
    let name = text.replace(' ', "_");
    let city = TimeZone::names().find(|zone| {
        zone.rsplit_once('/').is_some_and(|(_, city)| city.eq_ignore_ascii_case(&name))
    });
    let names = TimeZone::names().map(str::to_owned);
    let similar = city.map(str::to_owned).or_else(|| similar::most_similar(&name, names));
    error.with_hint(match similar {
        Some(name) => format!("did you mean {name}?"),
        None => "use one such as Europe/Amsterdam".to_owned(),
    })
}
