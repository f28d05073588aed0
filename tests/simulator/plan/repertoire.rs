//! All scenes, and which of them is due: each has its turn in a world before one comes again. Worlds whose seeds follow
//! each other begin at different places, so that a few of them have every scene about as often.

use std::collections::VecDeque;

use super::situations::SITUATIONS;
use super::taste::Deed;

/// A scene.
#[derive(Clone, Copy)]
pub enum Scene {
    /// Its steps depend on what is found.
    Found(Deed),
    /// It is written as text.
    Written(&'static str),
}

/// The scenes that are no text.
const SCENES: &[Deed] = &[
    |it| it.answers_an_old_list(),
    |it| it.waits_for_digest_and_grace(),
    |it| it.loses_two_games(),
    |it| it.unmutes_what_was_told(),
    |it| it.says_no_to_a_question(),
    |it| it.fills_two_years(),
    |it| it.plans_on_the_board(),
    |it| it.gets_time_too_late(),
    |it| it.begins_a_league(),
    |it| it.withdraws_halfway(),
    |it| it.is_reminded_of_two_games(),
    |it| it.is_watched(),
    |it| it.watches_by_digest(),
    |it| it.ends_before_its_first_move(),
    |it| it.goes_on_after_flag(),
    |it| it.comes_back_to_games(),
    |it| it.plans_over_a_pass(),
    |it| it.sets_something_in_a_pause(),
    |it| it.takes_back_in_quiet_hours(),
    |it| it.resigns_after_an_opening(),
    |it| it.bounces_twice(),
    |it| it.resigns_after_takeback(),
    |it| it.is_watched_in_grace(),
    |it| it.offers_in_quiet_hours(),
    |it| it.says_in_many_games(),
    |it| it.signs_below_words(),
    |it| it.flag_falls_in_quiet_hours(),
    |it| it.answers_on_old_own_page(),
    |it| it.presses_after_flag(),
    |it| it.asks_while_bots_think(),
    |it| it.asks_before_moving(),
    |it| it.asks_in_quiet_hours(),
    |it| it.comes_back_at_once(),
    |it| it.challenges_on_first_day(),
    |it| it.aborts_before_letter(),
    |it| it.loses_late(),
    |it| it.plays_cup_elsewhere(),
    |it| it.lets_league_rest(),
    |it| it.puts_league_off(),
    |it| it.never_moves(),
    |it| it.ends_a_season(),
    |it| it.leads_and_leaves(),
    |it| it.plays_beside_a_cup(),
    |it| it.reads_of_rounds_late(),
    |it| it.extends_the_other(),
    |it| it.two_withdraw(),
    |it| it.both_say_much(),
    |it| it.answers_many_offers(),
    |it| it.host_moves_for_computer(),
    |it| it.is_away_often(),
    |it| it.watches_computer(),
    |it| it.says_to_one_who_blocks(),
    |it| it.mails_an_opponent_much(),
    |it| it.asks_a_new_address_again(),
    |it| it.confirms_what_was_taken_back(),
    |it| it.confirms_an_answer_to_nothing(),
    |it| it.writes_twice_while_mail_is_down(),
    |it| it.stranger_tries_names(),
    |it| it.gets_a_letter_in_the_east(),
    |it| it.begins_with_more_commands(),
    |it| it.answers_words_about_a_challenge(),
    |it| it.says_much_about_a_challenge(),
    |it| it.accepts_with_more_commands(),
    |it| it.blocks_who_has_said_something(),
    |it| it.challenges_often(),
    |it| it.lists_what_is_left(),
    |it| it.moves_twice_in_a_turn(),
    |it| it.answers_an_old_digest(),
    |it| it.speaks_below_two_games(),
    |it| it.changes_things_as_watcher(),
    |it| it.says_yes_but(),
    |it| it.wins_without_a_name(),
    |it| it.plays_on(),
    |it| it.moves_late(),
    |it| it.is_left_alone(),
    |it| it.answers_too_late(),
    |it| it.too_often(),
    |it| it.challenges_others(),
    |it| it.offers_before_pass(),
    |it| it.writes_much(),
    |it| it.asks_as_watcher(),
    |it| it.answers_within_grace(),
    |it| it.stranger_writes(),
    |it| it.ends_old_absence(),
    |it| it.answers_old_offer(),
    |it| it.takes_back_with_plan(),
    |it| it.takes_back_late(),
    |it| it.plays_rated(),
    |it| it.challenges_again(),
    |it| it.plays_season(),
    |it| it.dwells(),
    |it| it.plays_again(),
    |it| it.plays_while_away(),
    |it| it.passes_with_a_clock(),
    |it| it.looks_back_over_a_takeback(),
    |it| it.speaks_before_a_change(),
    |it| it.answers_an_offer_with_words(),
    |it| it.keeps_a_watcher_away(),
    |it| it.answers_a_digest_after_a_change(),
    |it| it.is_out_in_the_next_season(),
    |it| it.asks_again_on_the_page(),
    |it| it.takes_back_and_ends(),
    |it| it.watches_while_away(),
];

/// How many worlds whose seeds follow each other begin at different scenes.
const WORLDS_IN_A_ROUND: u64 = 6;

/// The scenes in the order in which they are due.
pub struct Repertoire(VecDeque<Scene>);

impl Repertoire {
    /// Returns what is due in the world of this seed.
    pub fn new(seed: u64) -> Self {
        let found = SCENES.iter().map(|scene| Scene::Found(*scene));
        let written = SITUATIONS.iter().map(|line| Scene::Written(line));
        let mut scenes: Vec<_> = found.chain(written).collect();
        fastrand::Rng::with_seed(WORLDS_IN_A_ROUND).shuffle(&mut scenes);
        let part = (seed % WORLDS_IN_A_ROUND) as usize;
        let first = part * scenes.len() / WORLDS_IN_A_ROUND as usize;
        scenes.rotate_left(first);
        Self(scenes.into())
    }

    /// Returns the scene that is due.
    pub fn next(&mut self) -> Option<Scene> {
        self.0.pop_front()
    }

    /// Puts a scene back: at the end if it was played, and anywhere if it could not be played now.
    pub fn put_back(&mut self, scene: Scene, was_played: bool, rng: &mut fastrand::Rng) {
        let last = self.0.len();
        self.0.insert(if was_played { last } else { rng.usize(..=last) }, scene);
    }
}
