//! What is checked of a world after a step.

use outflank::app::PlayerCommand;

use super::{World, looks, state_of};
use crate::simulator::Violation;
use crate::simulator::holds::{self, HOST};
use crate::simulator::pages::{self, Answer, Request};
use crate::simulator::process::Ran;
use crate::simulator::replay::Replayed;
use crate::simulator::server::Accepted;
use crate::simulator::step::Mood;
use crate::simulator::tables::{self, Tables, number};

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
            ran: heard.map(|heard| heard.ran),
            incoming: self.incoming.as_ref(),
        };
        self.bans.learn(&change);
        holds::banned_mailboxes_get_no_mail(&change, &self.bans)?;
        holds::after_step(&change)?;
        let is_judged = !words.is_empty();
        let Some(Heard { reader, words, ran }) = heard else { return Ok(()) };
        if reader != HOST {
            self.secrets.hear(&reader.to_lowercase(), &words.join(" "), None);
        }
        if is_judged {
            self.check_heard(reader, words, ran)?;
        }
        self.secrets.learn(before, &self.tables);
        holds::replies_keep_secrets(&change, &self.secrets, reader, words, ran)?;
        holds::the_log_keeps_secrets(words, ran)?;
        holds::mails_keep_secrets(&change, &mut self.secrets)?;
        if words[0] == "send" {
            holds::addresses_of_those_who_left_are_erased(&self.tables, &self.secrets)?;
        }
        drop(state);
        self.note_read(reader, ran, accepted_before);
        Ok(())
    }

    /// Notes what somebody has read of a process, and the mails that were accepted in it.
    pub(super) fn note_read(&mut self, reader: &str, ran: &Ran, accepted_before: usize) {
        // The folder is another one in each world.
        let folder = self.machine.folder.to_string_lossy();
        let replies = ran.printed().map(|text| (reader.to_owned(), text.replace(&*folder, "")));
        let state = self.server.state();
        let new = &state.accepted[accepted_before..];
        let mails = new.iter().map(|mail| (mail.to.clone(), mail.text.clone()));
        self.read.extend(replies.chain(mails));
    }

    /// Checks a list or a game that a player has asked for.
    fn check_heard(&self, reader: &str, words: &[String], ran: &Ran) -> Result<(), Violation> {
        // A game, or one of its moves.
        let place = |word: &str| -> Option<(i64, usize)> {
            let (game, ply) = word.split_once('#')?;
            Some((game.parse().ok()?, ply.parse().ok()?))
        };
        let is_it = |(part, word): (&str, &String)| match part {
            "GAME" => number(Some(word)).is_some(),
            "GAME#FROM" => place(word).is_some(),
            _ => part == word,
        };
        let view = holds::VIEWS.iter().find(|(view, _)| {
            let parts = view.split(' ');
            parts.clone().count() == words.len() && parts.zip(words).all(is_it)
        });
        let mut players = self.tables.columns("player", ["id", "name"]);
        let player = players.find(|[_, name]| *name == Some(reader));
        let (Some(view), Some([Some(id), Some(name)])) = (view, player) else { return Ok(()) };
        if ran.status != 0 || ran.json.is_none() {
            return Ok(());
        }
        let asked = holds::Asked::by(&self.tables, self.now(), [id, name]);
        let at = words.iter().find_map(|word| {
            place(word).or_else(|| number(Some(word)).map(|game| (game, asked.plies[0])))
        });
        let (game, ply) = at.unwrap_or_default();
        let asked = holds::Asked { game, plies: [ply, asked.plies[1]], ..asked };
        if ran.has_sentences() {
            holds::after_view(&asked, view.0, ran)?;
        }
        holds::views_show_what_stands(&asked, *view, ran.json.as_deref().unwrap_or_default())
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
        let players = self.tables.columns("player", ["id", "name", "left_at"]);
        let players = players.filter_map(|[id, name, left_at]| match left_at {
            None => Some([id?, name?]),
            Some(_) => None,
        });
        let players: Vec<_> = players.collect();
        if rng.u8(..6) == 0 {
            return self.check_solution(&mut rng);
        }
        let is_document = rng.u8(..4) == 0;
        let view = holds::VIEWS[rng.usize(..holds::VIEWS.len())];
        let document = holds::DOCUMENTS[rng.usize(..holds::DOCUMENTS.len())];
        let analysed = self.tables.columns("analysis", ["game"]).filter_map(|[it]| number(it));
        let game = match view.0 {
            holds::ANALYZE if !is_document => rng.choice(analysed.collect::<Vec<_>>()),
            // In a game that is not over, a hint is recorded.
            holds::HINT if !is_document => looks::finished(&self.tables, &mut rng),
            _ => looks::game(&self.tables, &mut rng),
        };
        let Some(number) = game else { return Ok(()) };
        let Some(about) = looks::player(&self.tables, &players, number, &mut rng) else {
            return Ok(());
        };
        let (line, plies) = holds::moves_to_ask_about(&self.tables, number, &mut rng);
        let words = if is_document { document.0 } else { view.0 };
        // Upper and lower case are the same in names.
        let named = if rng.u8(..4) == 0 { about[1].to_uppercase() } else { about[1].to_owned() };
        let words = words.replace("GAME", &number.to_string()).replace("NAME", &named);
        let words = words.replace("LINE", &line.join(" "));
        let other = holds::other_game(&self.tables).filter(|_| is_document).unwrap_or(number);
        let words = words.replace("OTHER", &other.to_string());
        let words = words.replace("FROM", &plies[0].to_string());
        let words = words.replace("TO", &plies[1].to_string());
        let words: Vec<_> = words.split(' ').map(str::to_owned).collect();
        let is_players = PlayerCommand::named(&words[0]).is_some() && words[1..] != ["--addresses"];
        // The host asks, too.
        let reader = looks::player(&self.tables, &players, number, &mut rng);
        let reader = reader.filter(|_| is_players && rng.u8(..6) > 0);
        let ran = self.ask_as(reader.map(|[_, name]| name.to_owned()), &words);
        let (tables, now) = (&self.tables, self.now());
        let asked = holds::Asked { tables, now, reader, game: number, about, line, plies };
        holds::reply_is_well_formed(&words, &ran)?;
        if is_document {
            return holds::documents_hold_what_stands(&asked, document, &ran);
        }
        holds::after_view(&asked, view.0, &ran)?;
        // No move is left to choose at the end.
        if view.0 == holds::HINT && ran.status == 1 {
            return Ok(());
        }
        holds::views_show_what_stands(&asked, view, &ran.json.unwrap_or_default())
    }

    /// Checks what `solve` finds for a position of a finished game.
    fn check_solution(&self, rng: &mut fastrand::Rng) -> Result<(), Violation> {
        let Some(game) = looks::finished(&self.tables, rng) else { return Ok(()) };
        let (_, [ply, _]) = holds::moves_to_ask_about(&self.tables, game, rng);
        let then = Replayed::of(&self.tables, game, usize::MAX).ok().and_then(|it| it.at(ply));
        let Some(board) = then.map(|it| it.board) else { return Ok(()) };
        let Some(words) = holds::to_solve(&board) else { return Ok(()) };
        let ran = self.ask(&words);
        holds::reply_is_well_formed(&words, &ran)?;
        holds::solutions_are_right(&board, &ran.json.unwrap_or_default())
    }

    /// Checks what `doctor` finds, unless a try to reach the mail server would count.
    pub(super) fn check_doctor(&self) -> Result<(), Violation> {
        if !self.database().exists() || self.server.state().mood == Mood::Down {
            return Ok(());
        }
        let ran = self.ask(&["doctor".to_owned()]);
        holds::doctor_says_what_stands(&self.tables, self.now(), &ran)
    }

    /// Checks what `tournament` shows of those that have changed, for the host or somebody that a seed chooses.
    pub(super) fn check_tournaments(&self, before: &Tables, seed: u64) -> Result<(), Violation> {
        let mut rng = fastrand::Rng::with_seed(seed);
        for id in holds::touched(before, &self.tables) {
            let named = self.tables.columns_of("tournament", id, ["name"]).next();
            let Some([Some(name)]) = named else { continue };
            let words = ["tournament".to_owned(), name.to_owned()];
            let entrants = self.tables.columns_of("entrant", id, ["player"]);
            let players = entrants.filter_map(|[player]| tables::number(player));
            let mut players: Vec<_> = players.collect();
            players.sort_unstable();
            players.dedup();
            let player = rng.choice(&players).copied().filter(|_| rng.bool());
            let row = player.and_then(|id| {
                self.tables.columns_of("player", id, ["id", "name", "left_at"]).next()
            });
            let reader = match row {
                Some([Some(id), Some(name), None]) => Some([id, name]),
                _ => None,
            };
            let ran = self.ask_as(reader.map(|[_, name]| name.to_owned()), &words);
            holds::reply_is_well_formed(&words, &ran)?;
            holds::tournament_shows_what_follows(&self.tables, id, &ran)?;
            let asked = holds::Asked::by(&self.tables, self.now(), reader.unwrap_or_default());
            let asked = holds::Asked { reader, ..asked };
            holds::tournament_is_shown_as_it_stands(&asked, id, &ran)?;
            let of = |tables: &Tables| {
                let row = tables.columns_of("tournament", id, ["state", "season"]).next();
                row.map(|row| row.map(|it| it.map(str::to_owned)))
            };
            // When a season begins or ends, all have another one in their profiles.
            let has_ended = of(before) != of(&self.tables);
            players.retain(|it| has_ended || Some(*it) == player);
            players.iter().try_for_each(|player| self.check_profile(*player))?;
        }
        Ok(())
    }

    /// Checks the seasons in what `player` shows of a member.
    fn check_profile(&self, player: i64) -> Result<(), Violation> {
        let row = self.tables.columns_of("player", player, ["id", "name", "left_at"]).next();
        let Some([Some(number), Some(name), None]) = row else { return Ok(()) };
        let asked = holds::Asked::by(&self.tables, self.now(), [number, name]);
        let ran = self.ask(&["player".to_owned(), name.to_owned()]);
        holds::profiles_have_the_seasons(&asked, &ran)
    }

    /// Checks what a page shows to its reader.
    pub(super) fn check_page(&self, request: &Request, answer: &Answer) -> Result<(), Violation> {
        let (tables, now) = (&self.tables, self.now());
        let reader = &self.reader_of(&request.path);
        holds::after_page(&holds::Opened { request, reader, answer, tables, now })
    }

    /// Checks what a link has opened, and keeps those that the page has.
    pub(super) fn try_key(&mut self, request: &Request, answer: &Answer) -> Result<(), Violation> {
        // The pages are those of the club's configuration.
        let is_elsewhere = super::club(&self.tables).and_then(|club| self.clubs.get(&club));
        if is_elsewhere == Some(&true) {
            return Ok(());
        }
        let now = self.now().timestamp();
        self.keys.open_what_they_may(request, answer, &self.tables, now)?;
        if answer.status == 200 {
            self.keys.add_page(request, answer, &self.tables, now);
        }
        Ok(())
    }

    /// Checks a page that the seed of a step chooses: mostly one from a link in one of the last mails.
    pub(super) fn check_some_page(&mut self, seed: u64) -> Result<(), Violation> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let Some(path) = self.some_page(&mut rng).filter(|_| self.database().exists()) else {
            return Ok(());
        };
        let request = Request { path, form: None, is_foreign: false };
        let written = state_of(&self.database());
        let ran = self.machine.answer(&request, seed, || {});
        self.read_since(written);
        let Some(answer) = ran.answer else { return Ok(()) };
        holds::pages_are_answered(&request, &answer)?;
        self.try_key(&request, &answer)?;
        match answer.status {
            200 => self.check_page(&request, &answer),
            _ => Ok(()),
        }
    }

    /// Checks the public page of a game that has changed and goes on.
    pub(super) fn check_public_page(
        &mut self,
        before: &Tables,
        seed: u64,
    ) -> Result<(), Violation> {
        let Some(game) = holds::changed(before, &self.tables).pop_first() else { return Ok(()) };
        let row = self.tables.columns_of("game", game, ["turn"]).next();
        if row.is_none_or(|[turn]| turn.is_none()) || !self.database().exists() {
            return Ok(());
        }
        let request = Request { path: format!("/game/{game}"), form: None, is_foreign: false };
        let written = state_of(&self.database());
        let answer = self.machine.answer(&request, seed, || {}).answer;
        self.read_since(written);
        let Some(answer) = answer.filter(|it| it.status == 200) else { return Ok(()) };
        self.followed.learns_of_moves_only(game, &answer, &self.tables, self.now().timestamp())?;
        self.check_page(&request, &answer)
    }

    /// Returns the path of a page that somebody can open.
    fn some_page(&self, rng: &mut fastrand::Rng) -> Option<String> {
        let kind = rng.choice(["/play/", "/play/", "/play/", "/me/", "/watch/", "/", "/"])?;
        match kind {
            "/" => Some(pages::public_path(&self.tables, rng)),
            _ if rng.u8(..6) == 0 => rng.choice(self.keys.links(kind)),
            _ => {
                let state = self.server.state();
                let links = state.accepted.iter().rev().take(150).flat_map(Accepted::links);
                let links: Vec<_> = links.filter(|link| link.starts_with(kind)).take(24).collect();
                rng.choice(links)
            }
        }
    }

    /// Checks what `show` or `history` shows of a game that has changed, for one of its players, one who watches it, or
    /// the host.
    pub(super) fn check_shown(&self, before: &Tables, seed: u64) -> Result<(), Violation> {
        let Some(game) = holds::changed(before, &self.tables).pop_first() else { return Ok(()) };
        let (tables, now) = (&self.tables, self.now());
        let sides = tables.columns_of("game", game, ["black", "white"]).next().unwrap_or_default();
        let watcher = tables.columns_of("watcher", game, ["player"]).flatten().next().flatten();
        let readers = [sides[0], sides[1], watcher, None];
        let mut rng = fastrand::Rng::with_seed(seed);
        let reader = readers[rng.usize(..4)];
        let reader = reader.and_then(|id| {
            let row = tables.columns_of("player", tables::number(Some(id))?, ["name", "left_at"]);
            row.last().and_then(|[name, left_at]| Some([id, name.filter(|_| left_at.is_none())?]))
        });
        let view = if rng.u8(..3) > 0 { "show GAME" } else { "history GAME" };
        let words = view.replace("GAME", &game.to_string());
        let words: Vec<_> = words.split(' ').map(str::to_owned).collect();
        let ran = self.ask_as(reader.map(|[_, name]| name.to_owned()), &words);
        // Others do not see each offer.
        if view == "show GAME" && reader.is_none_or(|[id, _]| sides.contains(&Some(id))) {
            holds::show_shows_what_follows(tables, game, &ran.shown())?;
        }
        let asked = holds::Asked {
            reader,
            game,
            ..holds::Asked::by(tables, now, reader.unwrap_or_default())
        };
        holds::after_view(&asked, view, &ran)?;
        holds::VIEWS.iter().find(|(words, _)| *words == view).map_or(Ok(()), |view| {
            holds::views_show_what_stands(&asked, *view, &ran.json.unwrap_or_default())
        })
    }

    /// Checks the mails that were accepted since the last check.
    pub(super) fn check_mails(&mut self) -> Result<(), Violation> {
        let now = self.now().timestamp();
        let state = self.server.state();
        holds::mails_come_once(&state.accepted, self.checked_mails)?;
        let new = &state.accepted[self.checked_mails..];
        holds::mails_are_well_formed(new)?;
        self.keys.add_mails(new, &self.tables, now);
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
