//! What must hold. Each is a function with the name under which a violation is reported; they read the
//! database by SQL, and replies, mails and pages as text.

mod absences;
mod acknowledged;
mod answered;
mod bans;
mod boards;
mod bots;
mod buttons;
mod challenges;
mod clocks;
mod commands;
mod copies;
mod cups;
mod delivery;
mod doctor;
mod documents;
mod downloads;
mod empty_lists;
mod entrants;
mod exchange;
mod figures;
mod findings;
mod followed;
mod form_answers;
mod game_json;
mod game_pages;
mod game_texts;
mod games;
mod host_mails;
mod in_words;
mod jobs;
mod keys;
mod letters;
mod list_rows;
mod lists;
mod mail_answers;
mod mail_asks;
mod mail_bounds;
mod mail_carried;
mod mail_commands;
mod mail_files;
mod mail_headers;
mod mail_held;
mod mail_kinds;
mod mail_links;
mod mail_lists;
mod mail_moments;
mod mail_names;
mod mail_news;
mod mail_questions;
mod mail_quotes;
mod mail_records;
mod mail_reports;
mod mail_resigns;
mod mail_sentences;
mod mail_strangers;
mod mail_texts;
mod mail_waiting;
mod mail_words;
mod mailed;
mod member_words;
mod members;
mod moves;
mod nobody_else;
mod notices;
mod outages;
mod own_pages;
mod own_views;
mod pages;
mod plain_answers;
mod plans;
mod privacy;
mod process;
mod profiles;
mod public;
mod quotas;
mod reasons;
mod receive_words;
mod remarks;
mod replays;
mod replies;
mod results;
mod rows;
mod rule_texts;
mod said;
mod schedules;
mod scores;
mod seasons;
mod send_words;
mod sends;
mod shown;
mod shown_words;
mod solver;
mod starts;
mod stored_mails;
mod stored_rows;
mod stored_words;
mod takebacks;
mod text_boards;
mod thoughts;
mod told;
mod tournament_news;
mod tournament_options;
mod tournament_tables;
mod tournament_texts;
mod tournaments;
mod turn_mails;
mod unclear;
mod unsubscribing;
mod views;

use chrono::{DateTime, Utc};

use super::Violation;
use super::mailer::Incoming;
use super::pages::{Answer, Request};
use super::process::Ran;
use super::server::Accepted;
use super::tables::Tables;

pub use bans::{Bans, banned_mailboxes_get_no_mail};
pub use clocks::{
    absences_are_in_the_logs, can_be_claimed, claims_are_noted, clocks_are_those_of_the_model,
    has_flag_fallen, send_does_all_that_is_due, show_says_what_the_model_says, shown_clock,
};
pub use commands::{MAX_COMMENT, MAX_NOTE};
pub use copies::*;
pub use delivery::*;
pub use doctor::doctor_says_what_stands;
pub use documents::{
    DOCUMENTS, can_hold, documents_hold_what_stands, moves_to_ask_about, other_game,
};
pub use exchange::*;
pub use followed::Followed;
pub use games::*;
pub use jobs::*;
pub use keys::Keys;
pub use mail_headers::mails_have_their_headers;
pub use mail_texts::mails_say_what_is_true;
pub use moves::*;
pub use own_pages::*;
pub use pages::*;
pub use privacy::*;
pub use process::*;
pub use quotas::*;
pub use replies::*;
pub use results::*;
pub use rows::{OPEN_FOR, name_of};
pub use scores::tournament_shows_what_follows;
pub use seasons::profiles_have_the_seasons;
pub use shown::*;
pub use thoughts::{solutions_are_right, to_solve};
pub use told::*;
pub use tournament_tables::tournament_is_shown_as_it_stands;
pub use tournaments::touched;
pub use turn_mails::*;
pub use unclear::UNCLEAR;
pub use unsubscribing::unsubscribing_stops_mails;
pub use views::*;

/// What a step has changed.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The command; nothing if it did not end because of a cut, or was not alone, or had another configuration.
    pub words: &'a [String],
    pub before: &'a Tables,
    pub after: &'a Tables,
    /// All mails that the server has accepted.
    pub accepted: &'a [Accepted],
    /// How many of them it had accepted before.
    pub accepted_before: usize,
    /// Since when the mail server could not be reached or refused the sender, before and after the step; `None`
    /// if it has accepted mail since, or if nobody knows.
    pub mail_down_since: [Option<i64>; 2],
    /// Whether the server has deferred or refused a mail in the step, or broken off.
    pub has_mail_faults: bool,
    pub now: DateTime<Utc>,
    /// The name of the player who gave it or has the page, or [`HOST`].
    pub actor: &'a str,
    /// The exit status of the command.
    pub status: u8,
    /// What it printed, if that is known.
    pub ran: Option<&'a Ran>,
    /// The mail that came in, unless the step was cut.
    pub incoming: Option<&'a Incoming>,
}

impl<'a> Change<'a> {
    /// Returns the mails that the server has accepted in the step. A cut can have undone some.
    pub fn new_mails(&self) -> &'a [Accepted] {
        &self.accepted[self.accepted_before.min(self.accepted.len())..]
    }
}

/// A check of a change.
type Check = fn(&Change) -> Result<(), Violation>;

/// What must hold of each change: a line for each check.
const OF_CHANGES: &[Check] = &[
    challenges::challenges_end_as_they_may,
    challenges::challenges_are_what_was_asked_for,
    challenges::mailed_challenges_are_what_was_asked_for,
    challenges::games_have_the_terms_of_their_challenges,
    challenges::new_games_are_what_was_asked_for,
    challenges::openings_are_new_to_their_players,
    challenges::starts_are_those_asked_for,
    challenges::rematches_have_the_same_terms,
    challenges::colours_are_drawn,
    challenges::numbers_are_the_next,
    commands::commands_are_done_or_refused,
    commands::commands_store_what_they_say,
    commands::events_are_by_those_who_acted,
    commands::only_own_things_change,
    commands::plans_answer,
    acknowledged::replies_say_what_was_done,
    answered::answers_say_what_was_done,
    game_texts::replies_tell_the_game,
    mailed::replies_say_who_is_mailed,
    mailed::replies_say_which_mails_wait,
    mailed::answers_say_who_is_mailed,
    member_words::settings_are_said,
    reasons::refusals_say_why,
    reasons::suggestions_are_possible,
    form_answers::forms_do_what_commands_do,
    form_answers::forms_lead_on,
    form_answers::refused_forms_change_nothing,
    plans::plans_by_mail_are_for_what_was_shown,
    plans::plans_that_reply_are_told,
    members::members_leave_with_all_they_had,
    members::members_change_as_they_may,
    members::those_who_left_keep_nothing,
    members::members_keep_what_waits,
    active_games_are_counted,
    thoughts::analyses_follow_from_their_games,
    thoughts::mailed_hints_are_for_their_position,
    clocks_are_those_of_the_model,
    absences_are_in_the_logs,
    claims_are_noted,
    absences::mails_say_who_is_away,
    absences::news_of_absences_wait_in_one_mail,
    bots::computer_players_act_as_they_may,
    bots::computer_players_answer_at_once,
    bots::analyses_that_are_mailed_are_kept,
    computer_players_have_their_jobs,
    games_follow_from_their_logs,
    mails_show_the_deadline,
    mails_have_their_headers,
    mail_names::mails_name_the_right_ones,
    mail_kinds::mails_have_the_words_of_their_kind,
    mail_links::links_write_to_the_reply_address,
    mail_news::mails_have_the_terms_of_challenges,
    mail_quotes::words_come_as_they_were_written,
    mail_quotes::comments_in_clear_replies_are_kept,
    mail_carried::comments_come_with_their_mails,
    mail_carried::cut_signatures_are_told,
    mail_resigns::resignations_in_replies_are_done,
    letters::letters_come_as_they_should,
    mails_say_what_is_true,
    mail_waiting::waiting_games_and_mails_are_right,
    mail_moments::first_tries_show_what_stands,
    mail_asks::mails_ask_what_can_be_done,
    mail_answers::commands_in_mails_are_answered,
    mail_commands::mailed_commands_are_done_or_refused,
    mail_commands::refusals_by_mail_show_their_game,
    mail_commands::first_moves_are_made,
    mail_commands::sentences_are_guessed,
    mail_commands::suggested_commands_are_possible,
    mail_files::answers_bring_files,
    mail_files::unverified_mail_brings_no_files,
    mail_records::mails_are_recorded,
    receive_words::receipts_say_what_is_recorded,
    mail_reports::failures_count_as_they_should,
    mail_held::unverified_commands_are_asked_about,
    mail_strangers::strangers_are_answered,
    mail_questions::questions_and_digests_are_answered,
    notes_of_those_who_left_are_erased,
    ratings_follow_from_games,
    profiles::standings_say_when_they_may_change,
    records_are_sums_of_games,
    send_does_all_that_is_due,
    sends::sends_say_what_they_did,
    send_words::sends_say_it_in_words,
    turn_mails_come_when_they_should,
    own_words_act,
    replies_act_on_what_was_shown,
    unclear::unclear_answers_do_nothing,
    plain_answers::plain_answers_answer_what_was_asked,
    mail_bounds::mails_do_no_more_than_they_may,
    moves_in_clear_replies_are_made,
    replies_about_other_games_are_done,
    told_moves_are_not_taken_back_freely,
    takebacks::untold_moves_are_taken_back_at_once,
    tournaments::tournaments_go_on,
    tournament_news::tournaments_are_told,
    tournament_texts::tournament_mails_say_what_is_true,
    entrants::entrants_are_those_who_want_it,
    entrants::members_play_on,
    entrants::late_withdrawals_resign_nothing,
    entrants::games_begin_in_order,
    schedules::schedules_are_made_as_they_should,
    schedules::withdrawals_are_as_they_should,
    starts::tournaments_start_when_they_should,
    mails_are_answered_once,
    nobody_else_decides,
    forged_mail_causes_few_mails,
    players_cause_few_mails,
    notices_are_few,
    notices_wait_if_there_were_many,
    notices::notices_say_what_has_happened,
    news_of_opponents_are_not_gathered,
    refusals_count_for_a_month,
    records_are_deleted,
    events_are_told,
    text_boards::commands_draw_the_board,
    text_boards::boards_in_mails_are_whole,
    outages::outages_are_told,
    outages::outages_move_what_fell_into_them,
    host_mails::hosts_are_told,
    stored_mails::mails_are_stored,
    stored_rows::rows_stay_as_they_were,
    stored_words::words_are_stored,
];

/// Checks what a step has changed.
pub fn after_step(change: &Change) -> Result<(), Violation> {
    OF_CHANGES.iter().try_for_each(|check| check(change))
}

/// A page that somebody has opened.
#[derive(Clone, Copy)]
pub struct Opened<'a> {
    pub request: &'a Request,
    /// The name of the player who has its link.
    pub reader: &'a str,
    pub answer: &'a Answer,
    pub tables: &'a Tables,
    pub now: DateTime<Utc>,
}

/// A check of a page.
type PageCheck = fn(&Opened) -> Result<(), Violation>;

/// What must hold of each page: a line for each check.
const OF_PAGES: &[PageCheck] = &[
    pages_show_what_stands,
    lists_show_what_stands,
    links_are_for_players_and_watchers,
    boards::boards_are_drawn_as_they_stand,
    buttons::buttons_are_for_what_is_possible,
    form_answers::pages_say_what_was_done,
    own_pages_show_what_stands,
    list_rows::rows_say_how_things_stand,
    game_pages::game_pages_say_what_stands,
    findings::replays_have_the_findings,
    downloads::downloads_have_the_moves,
    tournaments_are_listed,
    public::public_lists_have_what_stands,
    tournament_pages_have_the_table,
    calendars_have_what_is_due,
];

/// Checks what a page shows to its reader.
pub fn after_page(opened: &Opened) -> Result<(), Violation> {
    OF_PAGES.iter().try_for_each(|check| check(opened))
}

/// A check of a view, with its words in [`VIEWS`].
type ViewCheck = fn(&Asked, &str, &Ran) -> Result<(), Violation>;

/// What must hold of the answer to each of the [`VIEWS`], besides its JSON: a line for each check.
const OF_VIEWS: &[ViewCheck] = &[
    texts_say_what_the_json_says,
    lists::lists_say_how_games_stand,
    empty_lists::empty_lists_say_so,
    own_views::own_views_say_what_their_json_says,
    mail_lists::the_inbox_says_who_sent_it,
    shown_words::show_says_what_its_json_says,
    game_texts::views_tell_the_game,
    said::comments_are_in_texts,
    said::histories_have_their_rows,
    profiles::standings_say_what_their_json_says,
    in_words::lists_say_it_in_words,
    thoughts::analyses_show_what_is_stored,
    thoughts::hints_fit_the_position,
    rule_texts::rules_are_those_of_the_game,
    text_boards::views_draw_the_boards,
];

/// Checks the answer to one of the [`VIEWS`], besides its JSON.
pub fn after_view(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    OF_VIEWS.iter().try_for_each(|check| check(asked, words, ran))
}

/// A check that returns what is wrong.
type Part = fn(&Change) -> Result<(), String>;

/// Checks a change under the name of each part.
fn each_holds(change: &Change, parts: &[(&'static str, Part)]) -> Result<(), Violation> {
    parts.iter().try_for_each(|(of, check)| check(change).or_else(|it| violated(of, it)))
}

fn violated<T>(of: &'static str, found: String) -> Result<T, Violation> {
    Err(Violation { of, found })
}
