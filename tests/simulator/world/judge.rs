//! What is checked of a world after a step.

use outflank::app::PlayerCommand;

use super::World;
use crate::simulator::Violation;
use crate::simulator::holds::{self, HOST};
use crate::simulator::process::Ran;
use crate::simulator::tables::{self, Tables};

/// What somebody has heard of a process.
pub(super) struct Heard<'a> {
    pub reader: String,
    pub words: &'a [String],
    pub ran: &'a Ran,
}

impl World {
    /// Checks what a step has changed since the tables and the number of accepted mails were these, and that
    /// what somebody has heard keeps the secrets of others.
    pub(super) fn observe(
        &mut self,
        words: &[String],
        before: &Tables,
        accepted_before: usize,
        heard: Option<&Heard>,
    ) -> Result<(), Violation> {
        let now = self.now();
        let state = self.server.state();
        let change = holds::Change {
            words,
            before,
            after: &self.tables,
            accepted: &state.accepted,
            accepted_before,
            mail_down_since: [self.down_before, state.down_since],
            has_mail_faults: state.faults > self.faults_before,
            now,
            actor: heard.map_or(HOST, |heard| &heard.reader),
            status: heard.map_or(0, |heard| heard.ran.status),
            incoming: self.incoming.as_ref(),
        };
        holds::after_step(&change)?;
        let Some(Heard { reader, words, ran }) = heard else { return Ok(()) };
        if reader != HOST {
            self.secrets.hear(&reader.to_lowercase(), &words.join(" "), None);
        }
        self.secrets.learn(before, &self.tables);
        holds::replies_keep_secrets(&change, &self.secrets, reader, words, ran)?;
        holds::the_log_keeps_secrets(words, ran)?;
        holds::mails_keep_secrets(&change, &mut self.secrets)?;
        if words[0] == "send" {
            holds::addresses_of_those_who_left_are_erased(&self.tables, &self.secrets)?;
        }
        // The folder is another one in each world.
        let folder = self.machine.folder.to_string_lossy();
        let replies = ran.printed().map(|text| (reader.clone(), text.replace(&*folder, "")));
        let new = &state.accepted[accepted_before..];
        let mails = new.iter().map(|mail| (mail.to.clone(), mail.text.clone()));
        self.read.extend(replies.chain(mails));
        Ok(())
    }

    /// Checks what `show` says of the clocks of the game with the first deadline to come.
    pub(super) fn check_shown_clocks(&self) -> Result<(), Violation> {
        let games = self.tables.columns("game", ["deadline", "id"]);
        let to_come = games.filter(|[at, _]| {
            at.and_then(|at| at.parse().ok()).is_some_and(|at: i64| at > self.now().timestamp())
        });
        let Some([_, Some(id)]) = to_come.min() else { return Ok(()) };
        let shown = self.ask(&["show".to_owned(), id.to_owned()]);
        holds::show_says_what_the_model_says(
            &self.tables,
            self.now(),
            &shown.json.unwrap_or_default(),
        )
    }

    /// Checks one of the views, of a game and for somebody that the seed of the step chooses.
    pub(super) fn check_view(&self, seed: u64) -> Result<(), Violation> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let games: Vec<_> = self.tables.columns("game", ["id"]).collect();
        let players = self.tables.columns("player", ["id", "name", "left_at"]);
        let players = players.filter_map(|[id, name, left_at]| match left_at {
            None => Some([id?, name?]),
            Some(_) => None,
        });
        let players: Vec<_> = players.collect();
        let (Some([Some(game)]), Some(about)) = (rng.choice(games), rng.choice(&players)) else {
            return Ok(());
        };
        let view = holds::VIEWS[rng.usize(..holds::VIEWS.len())];
        let words = view.0.replace("GAME", game).replace("NAME", about[1]);
        let words: Vec<_> = words.split(' ').map(str::to_owned).collect();
        let is_players = PlayerCommand::named(&words[0]).is_some() && words[1..] != ["--addresses"];
        // The host asks, too.
        let reader = rng.choice(&players).copied().filter(|_| is_players && rng.u8(..6) > 0);
        let ran = self.ask_as(reader.map(|[_, name]| name.to_owned()), &words);
        let (tables, game) = (&self.tables, game.parse().unwrap_or_default());
        let asked = holds::Asked { tables, now: self.now(), reader, game, about: *about };
        holds::reply_is_well_formed(&words, &ran)?;
        holds::texts_say_what_the_json_says(view.0, &ran)?;
        holds::views_show_what_stands(&asked, view, &ran.json.unwrap_or_default())
    }

    /// Checks what `show` shows of a game that has changed.
    pub(super) fn check_shown(&self, before: &Tables) -> Result<(), Violation> {
        let Some(game) = holds::changed(before, &self.tables).pop_first() else { return Ok(()) };
        let ran = self.ask(&["show".to_owned(), game.to_string()]);
        let shown = serde_json::from_str(&ran.json.unwrap_or_default()).unwrap_or_default();
        holds::show_shows_what_follows(&self.tables, game, &shown)
    }

    /// Checks the mails that were accepted since the last check.
    pub(super) fn check_mails(&mut self) -> Result<(), Violation> {
        let state = self.server.state();
        holds::mails_come_once(&state.accepted, self.checked_mails)?;
        holds::mails_are_well_formed(&state.accepted[self.checked_mails..])?;
        self.checked_mails = state.accepted.len();
        Ok(())
    }

    /// Lets `verify` check everything.
    pub(super) fn verify(&self) -> Result<(), Violation> {
        if !self.database().exists() {
            return Ok(());
        }
        holds::deferred_mail_is_tried_for_days(&tables::open(&self.database()))?;
        let words = ["verify".to_owned()];
        holds::verify_finds_nothing(&self.ask(&words))
    }
}
