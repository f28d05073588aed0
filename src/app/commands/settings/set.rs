use std::str::FromStr;

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::app::commands::settings::new_address;
use crate::app::session::{Reading, Writing};
use crate::app::{Error, Reply, Session, Shown, UseCase, find, similar};
use crate::command::Address;
use crate::preferences::{MailMode, Preferences};
use crate::store::Player;
use crate::time_control::TimeZone;
use outflank_rules::quoted;

/// Show your settings, or change one
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: set quiet 22:00-07:00")]
pub struct Set {
    /// timezone, weekend, quiet, mail, style, subject, grace, receipt, challenges, watchers or address
    /// [default: show all]
    #[arg(value_name = "SETTING")]
    setting: Option<Setting>,
    /// The new value [default: show the setting]
    #[arg(value_name = "VALUE")]
    value: Vec<String>,
    /// Whether a mail has confirmed it.
    #[arg(skip)]
    is_confirmed: bool,
}

/// Something that a player can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    Timezone,
    Weekend,
    Quiet,
    Mail,
    Style,
    Subject,
    Grace,
    Receipt,
    Challenges,
    Watchers,
    Address,
}

/// The settings of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Settings {
    preferences: Preferences,
    receipt: bool,
    address: Option<String>,
}

/// A setting as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        let settings = Settings::of(player);
        let shown = Setting::ALL.into_iter().filter(|it| *it != Setting::Address);
        let shown = shown.map(|it| Self {
            word: it.word(),
            meaning: it.meaning(),
            value: settings.value(it),
            example: it.example(),
        });
        shown.collect()
    }
}

#[derive(Serialize)]
struct SetJson {
    player: String,
    settings: Map<String, Value>,
}

impl Set {
    /// Returns whether the value is valid for the setting. Then none of its words is free text.
    pub(crate) fn is_valid(&self) -> bool {
        let preferences = Preferences::default();
        let mut settings = Settings { preferences, receipt: false, address: None };
        match self.setting {
            Some(Setting::Address) => self.new_address().is_some_and(|it| it.is_ok_and(is_plain)),
            Some(setting) => settings.change(setting, &self.value).is_ok(),
            None => self.value.is_empty(),
        }
    }

    /// Returns whether a page can give the command: it is about one setting, which is not the address.
    pub(crate) fn is_for_pages(&self) -> bool {
        self.setting.is_some_and(|setting| setting != Setting::Address)
    }

    /// Returns the new address that the command asks for; `None` if it asks for none.
    pub(crate) fn new_address(&self) -> Option<Result<Address, Error>> {
        let is_asked = self.setting == Some(Setting::Address) && !self.value.is_empty();
        is_asked.then(|| parse(&self.value.join(" ")))
    }
}

/// Returns whether an address has only characters of a plain word, and no words of a stranger.
fn is_plain(address: Address) -> bool {
    const MAX_LENGTH: usize = 64;
    let fits = |c: char| c.is_ascii_alphanumeric() || "@.-_+".contains(c);
    address.as_str().len() <= MAX_LENGTH && address.as_str().chars().all(fits)
}

impl UseCase for Set {
    fn bind(&mut self, to: Shown) {
        self.is_confirmed |= to == Shown::Command;
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let named = find::acting(&session.actor, "set", "whose settings they are")?.clone();
        let program = session.front_end.program();
        let setting = match self.setting {
            Some(setting) if !self.value.is_empty() => setting,
            setting => {
                let player = session.read(|Reading { db, .. }| find::player(db, &named))?;
                return Ok(reply(&player, setting, program));
            }
        };
        if let Some(address) = self.new_address() {
            return session.write(|writing| {
                let (player, address) = (find::player(writing.tx, &named)?, address?);
                let asked = match self.is_confirmed {
                    true => new_address::ask_new(writing, &player, &address)?,
                    false => new_address::ask_old(writing, &player, &address)?,
                };
                Ok(Reply::new(&json(&player)).text(asked))
            });
        }
        session.write(|Writing { tx, env, .. }| {
            let mut player = find::player(tx, &named)?;
            let mut settings = Settings::of(&player);
            let before = (player.preferences.clock, player.preferences.mail);
            settings.change(setting, &self.value)?;
            tx.set_preferences(player.id, &settings.preferences)?;
            tx.set_receipt(player.id, settings.receipt)?;
            (player.preferences, player.receipt) = (settings.preferences, settings.receipt);
            let Preferences { clock, mail, .. } = settings.preferences;
            if mail == MailMode::None {
                tx.supersede_all_turn_mails(player.id)?;
            }
            if (clock, mail) != before {
                tx.reconsider_mails(player.id, env.now())?;
            }
            Ok(reply(&player, Some(setting), program))
        })
    }
}

/// Returns a reply that explains a setting, or all of them. `program` stands before commands.
fn reply(player: &Player, setting: Option<Setting>, program: &str) -> Reply {
    let settings = Settings::of(player);
    let explain = |it: Setting| {
        let (word, value) = (it.word(), settings.value(it));
        let example = format!("{program}set {word} {}", it.example());
        format!("{word}: {value}\n  {}\n  Example: {example}", it.meaning())
    };
    let text = match setting {
        Some(setting) => explain(setting),
        None => Setting::ALL.map(explain).join("\n\n"),
    };
    Reply::new(&json(player)).text(format!("Settings of {}", player.name)).text(text)
}

fn json(player: &Player) -> SetJson {
    let settings = Settings::of(player);
    let pair = |it: Setting| (it.word().to_owned(), Value::String(settings.value(it)));
    let settings = Setting::ALL.into_iter().map(pair).collect();
    SetJson { player: player.name.clone(), settings }
}

impl Settings {
    fn of(player: &Player) -> Self {
        let Player { preferences, receipt, address, .. } = player;
        Self { preferences: *preferences, receipt: *receipt, address: address.clone() }
    }

    /// Returns the value of a setting as it is typed.
    fn value(&self, setting: Setting) -> String {
        let Preferences { clock, mail, style, grace, subject, challenges, watchers } =
            &self.preferences;
        match setting {
            Setting::Timezone => clock.zone.to_string(),
            Setting::Weekend => clock.weekend.to_string(),
            Setting::Quiet => clock.quiet.map_or_else(|| "off".to_owned(), |it| it.to_string()),
            Setting::Mail => mail.to_string(),
            Setting::Style => style.to_string(),
            Setting::Subject => subject.to_string(),
            Setting::Grace => grace.to_string(),
            Setting::Receipt => if self.receipt { "on" } else { "off" }.to_owned(),
            Setting::Challenges => challenges.to_string(),
            Setting::Watchers => watchers.to_string(),
            Setting::Address => self.address.clone().unwrap_or_else(|| "none".to_owned()),
        }
    }

    fn change(&mut self, setting: Setting, words: &[String]) -> Result<(), Error> {
        let Preferences { clock, mail, style, grace, subject, challenges, watchers } =
            &mut self.preferences;
        let text = words.join(" ");
        let is_off = ["off", "none"].iter().any(|word| word.eq_ignore_ascii_case(&text));
        match setting {
            Setting::Timezone => {
                let name = text.replace(' ', "_");
                clock.zone = name.parse().or_else(|_| similar_zone(&text, &name))?;
            }
            // A space may follow the comma.
            Setting::Weekend if is_off => clock.weekend = parse("none")?,
            Setting::Weekend => clock.weekend = parse(&words.concat())?,
            Setting::Quiet if is_off => clock.quiet = None,
            Setting::Quiet => clock.quiet = Some(parse(&words.concat())?),
            Setting::Mail => *mail = parse(&text)?,
            Setting::Style => *style = parse(&text)?,
            Setting::Subject => *subject = parse(&text)?,
            Setting::Grace => *grace = parse(&words.concat())?,
            Setting::Challenges => *challenges = parse(&text)?,
            Setting::Receipt => {
                self.receipt = match text.to_lowercase().as_str() {
                    "on" => true,
                    "off" => false,
                    _ => return Err(Error::refused("receipt is on or off")),
                }
            }
            Setting::Watchers => *watchers = parse(&text)?,
            // The player and the owner of the address are asked first.
            Setting::Address => {}
        }
        Ok(())
    }
}

/// Returns the error for an unknown time zone; `name` is the text without spaces.
fn similar_zone(text: &str, name: &str) -> Result<TimeZone, Error> {
    let city = TimeZone::names().find(|zone| {
        zone.rsplit_once('/').is_some_and(|(_, city)| city.eq_ignore_ascii_case(name))
    });
    let names = TimeZone::names().map(str::to_owned);
    let similar = city.map(str::to_owned).or_else(|| similar::most_similar(name, names));
    let error = Error::refused(format!("{} is not a time zone", quoted(text)));
    Err(error.with_hint(match similar {
        Some(name) => format!("did you mean {name}?"),
        None => "use one such as Europe/Amsterdam".to_owned(),
    }))
}

fn parse<T: FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, Error> {
    text.parse().map_err(Error::refused)
}

impl Setting {
    const ALL: [Self; 11] = [
        Self::Timezone,
        Self::Weekend,
        Self::Quiet,
        Self::Mail,
        Self::Style,
        Self::Subject,
        Self::Grace,
        Self::Receipt,
        Self::Challenges,
        Self::Watchers,
        Self::Address,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Timezone => "timezone",
            Self::Weekend => "weekend",
            Self::Quiet => "quiet",
            Self::Mail => "mail",
            Self::Style => "style",
            Self::Subject => "subject",
            Self::Grace => "grace",
            Self::Receipt => "receipt",
            Self::Challenges => "challenges",
            Self::Watchers => "watchers",
            Self::Address => "address",
        }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::Timezone => {
                "Your time zone, in which times are shown to you. In games with a clock a change \
                 counts from your next turn."
            }
            Self::Weekend => {
                "Up to two weekdays on which your clock stands still in games with free weekends; \
                 a change counts from your next turn."
            }
            Self::Quiet => {
                "Hours in which you get no mail but replies to your own, and in which no deadline \
                 of yours lies: 12 at most, or off."
            }
            Self::Mail => {
                "How you learn that it is your turn: each (a mail for each turn), digest and a time \
                 (one mail a day with all games that wait), or none."
            }
            Self::Style => {
                "How mails show the board: figure, compact (a small figure), or words (for reading \
                 aloud)."
            }
            Self::Subject => {
                "What the subject of mails about a game says besides the game: turn (whose turn it is) \
                 or off."
            }
            Self::Grace => {
                "How long the opponent's mail waits after you move, so that you can still take the \
                 move back: minutes or hours, or off."
            }
            Self::Receipt => "Whether you get a mail after each of your own moves: on or off.",
            Self::Challenges => {
                "Whether others can challenge you: as long as you have fewer open games and \
                 challenges than this number, or off."
            }
            Self::Watchers => {
                "Who may watch your games and get their mails: none (nobody) or all (everybody whom \
                 you have not blocked). Your opponent must allow it, too."
            }
            Self::Address => {
                "Where your mail goes. A new address counts after a yes from the old one and then one \
                 from the new one; replies to earlier mails are refused from then on."
            }
        }
    }

    const fn example(self) -> &'static str {
        match self {
            Self::Timezone => "Europe/Amsterdam",
            Self::Weekend => "fri,sat",
            Self::Quiet => "22:00-07:00",
            Self::Mail => "digest 18:00",
            Self::Style => "compact",
            Self::Subject => "turn",
            Self::Grace => "10m",
            Self::Receipt => "on",
            Self::Challenges => "off",
            Self::Watchers => "all",
            Self::Address => "me@example.net",
        }
    }
}

/// A text is not a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a setting; settings are timezone, weekend, quiet, mail, style, subject, grace, receipt, \
     challenges, watchers and address",
    quoted(.0)
)]
struct BadSetting(String);

impl FromStr for Setting {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        let named = Self::ALL.into_iter().find(|it| it.word().eq_ignore_ascii_case(text));
        named.ok_or_else(|| BadSetting(text.to_owned()))
    }
}
