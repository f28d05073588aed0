//! The cost of statements, and the state after a fault within a transaction.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, TimeDelta, Utc};

use super::statements::{self, Statement};
use super::watch::{Watch, plan};
use super::*;
use outflank_model::bot::Bot;
use outflank_model::log::{Game, GameId};
use outflank_model::mail::{MailContent, MailState, MessageKind};
use outflank_model::rating::{List, Score, rate};
use outflank_model::tournament::{Divisions, Format, Plan};
use outflank_model::{Agreement, ChallengeState, Challenged, HeldLine, Moment, PlayerId, Side};
use outflank_rules::{Color, Move, Overrides, Position, Variant};

const GAMES: u32 = 100_000;
const PLAYERS: u32 = 100;
/// The number of queued mails.
const QUEUED: u32 = 1000;

pub(super) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// Puts a mail into the outbox.
pub(super) fn queue(
    tx: &Tx,
    entry: &NewOutboxEntry,
    message_id: &str,
    at: DateTime<Utc>,
) -> Result<MailId> {
    tx.add_outbox_entry(entry, "mark", |_| Ok(message_id.to_owned()), MailState::Queued, at)
}

/// Returns a game of Othello without moves.
pub(super) fn othello() -> Game {
    let rules = Variant::named("othello").unwrap().rules(&Overrides::default()).unwrap();
    Game::new(Position::start(rules))
}

/// Returns a database of many games, each with a move and a mail. Every fourth game is active.
fn crowded(path: &Path, games: u32) -> Store {
    let mut store = Store::open(path, false).unwrap();
    store.write_or_create(|_| Ok::<_, Error>(())).unwrap();
    store
        .connection
        .execute_batch(&format!(
            "PRAGMA synchronous = OFF;
             BEGIN;
             INSERT INTO installation (id, token, secret, created_at)
             VALUES (1, 'token', randomblob(32), 0);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {PLAYERS})
             INSERT INTO player (id, name, address, secret, created_at)
             SELECT i, 'p' || i, 'p' || i || '@example.org', randomblob(32), 0 FROM n;
             CREATE TEMP TABLE n AS
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {games})
             SELECT i, 1 + i % {PLAYERS} AS black, 1 + (i + 1 + i % 7) % {PLAYERS} AS white FROM n;
             INSERT INTO game (id, variant, board_rows, board_columns, misere, anywhere,
                 black, white, thread, created_at, ply, turn, to_move, to_wait, since, black_discs,
                 white_discs, winner, reason)
             SELECT i, 'othello', 8, 8, 0, 0, black, white, 'game-' || i, i, 1,
                 iif(i % 4, NULL, 'white'), iif(i % 4, NULL, white), iif(i % 4, NULL, black),
                 i * 7919 % 1000000, 4, 1, iif(i % 4, 'black', NULL), iif(i % 4, 'discs', NULL)
             FROM n;
             INSERT INTO event (game, number, at, author, action)
             SELECT i, 1, i, 'b', 'f5' FROM n;
             INSERT INTO rating (list, player, ended_at, game, opponent, score, rating, deviation,
                 volatility, games)
             SELECT '8x8', 1 + id % 3, since, id, 4, 'won', 1500, 90, 0.06, 1 FROM game
             WHERE turn IS NULL
             UNION ALL
             SELECT '8x8', 4, since, id, 1 + id % 3, 'lost', 1500, 90, 0.06, 1 FROM game
             WHERE turn IS NULL;
             INSERT INTO challenge (id, challenger, opponent, variant, board_rows, board_columns,
                 stuck, moves, clock, free_weekends, flag, absences, rated, thread, created_at, state,
                 closed_at)
             SELECT i, black, white, 'othello', 8, 8, 'auto', '', 'none', 0, 'claim', 1, 1,
                 'game-' || i, i, 'accepted', i FROM n;
             INSERT INTO outbox (message_id, game, player, kind, ply, events, state, created_at, due_at)
             SELECT i || '@example.org', i, white, 'turn', 1, 1, iif(i % {}, 'sent', 'queued'), i, i
             FROM n;
             COMMIT",
            GAMES / QUEUED
        ))
        .unwrap();
    store
}

/// Executes every statement.
fn everything(store: &mut Store) -> Result<()> {
    let game = start_games(store)?;
    make_a_move(store, game)?;
    receive_mails(store)?;
    do_jobs(store, game)?;
    let mail = deliver_a_mail(store)?;
    keep_time(store)?;
    rate_a_game(store)?;
    challenge(store)?;
    make_a_tournament(store)?;
    read_lists(store, mail)?;
    write_letters(store)?;
    leave(store)
}

fn write_letters(store: &mut Store) -> Result<()> {
    store.write(|tx| {
        let player = tx.player_named("new")?.unwrap();
        tx.set_letter_at(player.id, now())?;
        tx.letter_at(player.id)?;
        tx.players_with_due_letters(now(), now(), 1)?;
        tx.new_members(now(), now(), 1)?;
        tx.supersede_letters(player.id)
    })
}

fn make_a_tournament(store: &mut Store) -> Result<()> {
    let variant = Variant::named("othello").unwrap();
    let plan = Plan {
        name: "cup".to_owned(),
        format: Format::RoundRobin,
        is_double: false,
        rounds: None,
        divisions: Divisions::default(),
        places: 16,
        ratings: Some([1400, 1800]),
        agreement: Agreement::on(variant),
        start: othello().start().clone(),
        starts_at: Some(now()),
    };
    store.write(|tx| {
        let id = tx.add_tournament(&plan, "mark", now())?;
        let stored = tx.tournament(id)?;
        assert_eq!((stored.plan.ratings, stored.due_at), (plan.ratings, plan.starts_at));
        Ok(())
    })
}

/// Returns a game of two people.
fn start_games(store: &mut Store) -> Result<GameId> {
    store.write(|tx| {
        assert!(tx.installation_token()?.is_some());
        tx.installation_secret()?;
        let game = othello();
        let black = &tx.player_named("p7")?.unwrap().into();
        let new = tx.add_player("new", "new@example.org", &[7; 32], now())?;
        let (player, white) = (new.id, &Side::from(new));
        tx.set_secret(player, &[8; 32])?;
        tx.add_player_without_mail("newest", &[7; 32], now())?;
        tx.count_address_request(player, now(), now())?;
        tx.hold_new_address(player, "newest@example.org", "mark", now())?;
        tx.new_addresses_since(player, now())?;
        tx.games_with_rematch_offer(player)?;
        tx.settled_farewells(now())?;
        tx.set_player_of_user(1000, player)?;
        assert_eq!(tx.player_of_user(1000)?.map(|found| found.id), Some(player));
        tx.add_ban(b"hash", now())?;
        tx.has_ban(b"hash")?;
        tx.lift_ban(b"hash")?;
        tx.secret(player)?;
        tx.add_failure(player, now(), now())?;
        tx.pause(player, now())?;
        tx.resume(player, now())?;
        let agreement = &Agreement::on(Variant::named("othello").unwrap());
        let new = NewGame { agreement, game: &game, black, white, local: false, mark: "mark" };
        tx.set_address(player, "newer@example.org")?;
        let bot: Side = "bot:5".parse::<Bot>().unwrap().into();
        let against_bot = NewGame { black: &bot, ..new };
        let of_bot = tx.add_game(&against_bot, |id| id.to_string(), now())?;
        tx.set_bot_job(of_bot, None, now())?;
        let (kind, rank) = (JobKind::Move, JobRank::Quick);
        let job = Some(NewJob { kind, event: 0, player: None, rank });
        assert!(tx.set_bot_job(of_bot, job, now())?);
        assert!(!tx.set_bot_job(of_bot, job, now())?, "it is queued already");
        assert!(tx.has_bot_job(of_bot)?);
        assert_eq!(tx.open_local_games(player)?, []);
        assert!(!tx.is_local(of_bot)?);
        let id = tx.add_game(&new, |id| id.to_string(), now())?;
        tx.count_active(player, 1)?;
        tx.count_result(player, None, 1)?;
        let about = RecordAbout::Bot("bot:5".parse().unwrap());
        tx.count_in_record(player, &about, Score::Won, true)?;
        assert_eq!(tx.record(player, &about)?.won, 1);
        assert_eq!(tx.records_against_bots(player)?.len(), 1);
        tx.records_by_list(player, Color::Black)?;
        tx.count_turns(player, Turns { all: 3, late: 1 }, true)?;
        assert_eq!(tx.member_since(player)?, (now(), Turns { all: 3, late: 1 }));
        Ok(id)
    })
}

fn make_a_move(store: &mut Store, started: GameId) -> Result<()> {
    store.write(|tx| {
        let stored = tx.game(started)?.unwrap();
        let mut game = stored.game.clone();
        game.play("f5".parse::<Move>().unwrap()).unwrap();
        tx.save_game(&stored, &game, now())?;
        tx.set_turn_start(started, 0, now())?;
        tx.set_turn_start(started, 1, now())?;
        let white = stored.player(Color::White).unwrap();
        let (player, black) = (white.id, stored.side(Color::Black).id().unwrap());
        tx.set_subscribed(player, stored.id, false)?;
        tx.is_subscribed(player, stored.id)?;
        tx.is_turn_told(player, stored.id)?;
        tx.moment(stored.id, player)?;
        tx.position_event(stored.id)?;
        let entry = NewOutboxEntry {
            to: Recipient::Player(white),
            content: MailContent::of_game(
                MessageKind::Turn,
                Moment { game: stored.id, ply: 1, events: 1 },
            ),
            in_reply_to: Some(InReplyTo { message_id: Some("old") }),
        };
        tx.supersede_turn_mails(stored.id, player)?;
        tx.supersede_starts(stored.id)?;
        tx.untried_notice(player, "The server was down")?;
        tx.set_answer(MailId(1), InReplyTo { message_id: None }, "Done.")?;
        tx.supersede_mails(stored.id, MessageKind::Flagged)?;
        tx.supersede_offer_mails(stored.id, 1)?;
        tx.revive_turn_mail(stored.id)?;
        tx.is_start_queued(stored.id, player)?;
        let mail = queue(tx, &entry, "new", now())?;
        tx.note_error(&[mail], "no server")?;
        tx.set_preferences(player, &white.preferences)?;
        tx.add_comment(stored.id, 1, player, true, now())?;
        tx.attach_comments(mail, stored.id, player, None)?;
        tx.comments_of(mail, stored.id)?;
        tx.is_comment_waiting(stored.id, 1, player)?;
        tx.comments_since(now(), stored.id, player)?;
        tx.set_blocked(player, black, true)?;
        tx.set_blocked(player, black, false)?;
        tx.is_blocked(player, black)?;
        watch(tx, stored.id)?;
        hold_back(tx, mail, stored.id, player)
    })
}

fn watch(tx: &Tx, game: GameId) -> Result<()> {
    tx.set_watching(PlayerId(9), game, true)?;
    tx.watchers(game)?;
    tx.count_watchers(game)?;
    tx.is_watching(PlayerId(9), game)?;
    tx.supersede_watched_mails(game)?;
    tx.set_watching(PlayerId(9), game, false)?;
    tx.delete_watches(PlayerId(9))
}

fn hold_back(tx: &Tx, mail: MailId, game: GameId, player: PlayerId) -> Result<()> {
    tx.hold_mail(mail, now(), true)?;
    tx.players_with_due_digests(now(), 10)?;
    tx.defer_digest(player, now(), now(), "it crashed")?;
    tx.mails_due_after(now())?;
    tx.hold_mail(mail, now(), false)?;
    tx.queued_turn_mails(player)?;
    tx.games_of_digest(mail, player, now())?;
    tx.is_turn_mail_unsent(game, now())?;
    tx.current_game(game, player)?;
    tx.recent_notices(player, Some(game), now())?;
    tx.set_hold(mail, Some(now()), false)?;
    tx.reconsider_mails(player, now())?;
    tx.move_reminders(mail, mail)?;
    tx.supersede_all_turn_mails(player)?;
    tx.mark_bounced(mail, "no such user", now())?;
    tx.requeue_bounced(mail, now())?;
    tx.set_state(mail, MailState::Queued)
}

fn receive_mails(store: &mut Store) -> Result<()> {
    store.write(|tx| {
        let held = tx.hold(
            None,
            "new@example.org",
            &[HeldLine::other("signup new".to_owned())],
            false,
            "mark",
            now(),
        )?;
        tx.held(held)?;
        tx.release(held, now())?;
        tx.delete_held(held)?;
        tx.delete_held_before(now())?;
        tx.requeue_all_bounced(tx.player_named("new")?.unwrap().id, now())?;
        tx.add_seen(b"digest", "new@example.org", now())?;
        tx.count_inbound("done", now())?;
        tx.intake()?;
        tx.add_received(&Received {
            at: now(),
            player: None,
            sender: Some("new@example.org".to_owned()),
            understood: vec!["move".to_owned()],
            disposition: "stranger".to_owned(),
            why: String::new(),
        })?;
        assert_eq!(tx.received(ReceivedFilter::default(), 20, now())?.len(), 1);
        tx.delete_old_received(now())?;
        tx.add_host_item(HostItemKind::Signup, 1, "", now())?;
        assert!(tx.has_host_items()? && !tx.is_host_mail_queued()?);
        assert_eq!(tx.host_items()?.len(), 1);
        tx.put_host_items_into(MailId(1), now())?;
        tx.delete_host_items_in(MailId(1))?;
        assert!(!tx.has_host_items()?);
        assert_eq!(tx.host_notified_at()?, Some(now()));
        tx.quarantined()?;
        tx.delete_quarantined("a.eml")?;
        tx.seen_since(now(), "new@example.org")?;
        tx.has_seen_addresses(now(), 1)?;
        tx.add_reply("new@example.org", true, false, now())?;
        tx.count_idle("new@example.org", true, false, now())?;
        tx.count_idle("new@example.org", true, true, now())?;
        tx.replies_since(now(), "new@example.org", true)?;
        tx.idle_replies_since(now(), "new@example.org", true)?;
        tx.delete_replies_before(now(), now())?;
        tx.add_probe(MailId(1), Some("new@example.org"), now())?;
        assert!(tx.probe(MailId(1))?.is_some());
        tx.probes_since(now())?;
        tx.withdraw_probe(MailId(1))?;
        tx.settle_probe(MailId(1), &AnswerHeaders::default(), now())?;
        tx.delete_probes_before(now())?;
        tx.delete_seen_before(now())
    })
}

fn request() -> ClaimRequest<'static> {
    ClaimRequest { lease: "me", now: now(), until: now(), longest: TimeDelta::zero() }
}

fn job_request(jobs: Jobs) -> JobRequest<'static> {
    JobRequest { claim: request(), jobs, share: TimeDelta::minutes(10) }
}

fn do_jobs(store: &mut Store, started: GameId) -> Result<()> {
    store.write(|tx| {
        let new = NewJob { kind: JobKind::Hint, event: 0, player: None, rank: JobRank::Asked };
        tx.queue_job(started, new, now())?;
        let job = tx.claim_job(&job_request(Jobs::All))?.unwrap();
        assert_eq!(job.kind, JobKind::Move, "a computer player goes first");
        assert!(tx.holds_job(&job)? && !tx.is_job_claimed(started, now())?);
        tx.defer_job(&job, "it crashed", now())?;
        assert!(!tx.is_job_due(&job_request(Jobs::OfBots(started)))?, "it has only a hint");
        assert!(tx.is_job_due(&job_request(Jobs::Asked(started)))?);
        let job = tx.claim_job(&job_request(Jobs::OfBots(job.game)))?.unwrap();
        tx.release_job(&job)?;
        assert!(!tx.is_job_due_after(now())?);
        tx.hasten_jobs(now(), now())?;
        let job = tx.claim_job(&job_request(Jobs::OfBots(job.game)))?.unwrap();
        assert!(tx.finish_job(&job)? && !tx.finish_job(&job)?);
        tx.waiting_jobs_of(PlayerId(1))?;
        tx.queued_jobs(10)?;
        assert_eq!(tx.waiting_jobs()?.queued, 1);
        let (best, choices, depth) = (Move::Pass, 1, 3);
        let line = vec![Move::Pass, "d3".parse().unwrap()];
        let (exact, decided) = (false, true);
        let ply =
            AnalyzedPly { best, choices, value: -2, best_value: 4, depth, exact, decided, line };
        let plies = vec![ply];
        tx.set_analysis(&tx.game(started)?.unwrap(), &plies, now())?;
        assert_eq!(tx.analysis(started)?, Some(plies));
        Ok(())
    })
}

fn deliver_a_mail(store: &mut Store) -> Result<MailId> {
    let claim = store.write(|tx| tx.claim_mails(&request(), &[], 1))?.pop().unwrap();
    store.write(|tx| tx.correct_mail(&claim.entry))?;
    store.write(|tx| tx.settle_mail(&claim, &Settled::Sent, now()))?;
    store.write(|tx| tx.requeue_mail(&request(), claim.entry.id))?;
    store.write(|tx| tx.delete_mail((claim.entry.id, MailState::Sent)))?;
    Ok(claim.entry.id)
}

fn keep_time(store: &mut Store) -> Result<()> {
    store.write(|tx| {
        let clocks = tx.game(GameId(8))?.unwrap().clocks();
        let reminder = Reminder { game: GameId(8), event: clocks.turn_event(), stage: 1 };
        tx.add_reminder(&reminder, MailId(1))?;
        tx.last_reminder(GameId(8), clocks.turn_event())?;
        tx.delete_reminders(GameId(8), Some(clocks.turn_event()))?;
        tx.set_deadline(GameId(8), Some(now()), None)?;
        tx.set_claim(GameId(8), 1)?;
        tx.claim_event(GameId(8))?;
        tx.set_alarm(GameId(8), Some(now()))?;
        tx.correct_times(now())?;
        tx.defer_alarm(GameId(8), now(), "it crashed")?;
        assert_eq!(tx.failed_alarms(10)?.len(), 1);
        tx.delivered_reminders(GameId(8), 1)?;
        tx.reminded_games(MailId(1))?;
        let player = tx.player_named("p7")?.unwrap().id;
        tx.queued_reminder(player)?;
        let absence = Absence { from: now(), until: now() + TimeDelta::days(1) };
        tx.add_absence(player, absence)?;
        tx.absences(player, now())?;
        tx.absent_players(now())?;
        tx.end_absence(player, absence, now())
    })
}

fn rate_a_game(store: &mut Store) -> Result<()> {
    store.write(|tx| {
        let list = List::of(othello().start().rules());
        let first = Place { ended_at: DateTime::UNIX_EPOCH, game: GameId(0) };
        let rated = tx.rated_games(list, first, 5)?;
        assert_eq!(rated.len(), 5);
        let player = rated[4].players[0];
        let before = tx.rating(list, player, Some(rated[4].place))?;
        assert!(tx.rating_after(rated[4].place.game, player)?.is_some());
        tx.set_ratings(list, &rated[4], rate([before, None], Score::Drawn, now()))?;
        assert_eq!(tx.delete_ratings(rated[4].place.game)?, Some((list, rated[4].place)));
        tx.set_recalculation(list, Some(first))?;
        assert_eq!(tx.next_recalculation()?, Some((list, first)));
        tx.set_recalculation(list, None)?;
        assert_eq!(tx.recalculation(list)?, None);
        assert_eq!(tx.rating_lists()?, [list]);
        assert_eq!(tx.ratings(list, first, None)?.len(), 4);
        tx.first_rated(list, player)?;
        tx.rating(list, player, None).map(drop)
    })
}

fn challenge(store: &mut Store) -> Result<()> {
    store.write(|tx| {
        let [challenger, opponent] =
            ["p7", "p8"].map(|name| tx.player_named(name).unwrap().unwrap());
        let (one, other) = (challenger.id, opponent.id);
        let stored = tx.game(GameId(8))?.unwrap();
        let agreement = &Agreement::on(Variant::named("othello").unwrap());
        let new = NewChallenge {
            challenger: one,
            to: &Challenged::Player(Box::new(opponent.clone())),
            agreement,
            game: &stored.game,
            color: None,
        };
        let id = tx.add_challenge(&new, "mark", |id| id.to_string(), now())?;
        let challenge = tx.challenge(id)?.unwrap();
        assert_eq!(challenge.game.plies(), stored.game.plies());
        assert_eq!(challenge.agreement, *agreement);
        let content = MailContent::of_text(MessageKind::Challenge, None, "");
        let content = MailContent { challenge: Some(id), ..content };
        let entry = NewOutboxEntry::to(&opponent, content);
        queue(tx, &entry, "asked", now())?;
        tx.supersede_challenge_mails(id)?;
        tx.supersede_challenge_comments(id, other)?;
        for list in [
            Challenges::All,
            Challenges::To(other),
            Challenges::By(one),
            Challenges::ToAnyone(other),
        ] {
            tx.open_challenges(list, now() - TimeDelta::days(14), Some(10))?;
        }
        tx.challenges_until(now(), 10)?;
        tx.challenges_since(one, now() - TimeDelta::days(1))?;
        tx.challenged_after_decline(one, other)?;
        tx.results_of(one)?;
        let (black, white) = (&Side::from(challenger), &Side::from(opponent));
        let new = NewGame { agreement, game: new.game, black, white, local: false, mark: "mark" };
        tx.add_game_of(&challenge, &new, now())?;
        assert_eq!(tx.challenge(id)?.unwrap().state, ChallengeState::Accepted);
        Ok(())
    })
}

fn read_lists(store: &Store, mail: MailId) -> Result<()> {
    store.read(|db| {
        db.is_game_due(now())?;
        db.deadline(GameId(8))?;
        let player = db.player_at("P7@example.org")?.unwrap().id;
        for listing in [Listing::ToMove(player), Listing::ToWait(player), Listing::Active] {
            db.games(listing, Some(1))?;
        }
        db.games(Listing::Finished(None), Some(1))?;
        db.games(Listing::Imported, Some(1))?;
        let bot = "bot:5".parse().unwrap();
        for listing in
            [Listing::BotToMove(&bot), Listing::BotToWait(&bot), Listing::FinishedOf(&bot)]
        {
            db.games(listing, Some(1))?;
        }
        db.games(Listing::Finished(Some(player)), Some(1))?;
        db.outbox_entry(mail)?;
        db.outbox_of(GameId(50))?;
        assert_eq!(db.mails_with(GameId(50))?, db.outbox_of(GameId(50))?);
        db.mails_about(GameId(50), player, 1)?;
        db.recent_outbox(20)?;
        db.results(Some("m"), Some(20))?;
        db.finished(None, None, None, 1)?;
        db.finished(Some(player), None, None, 1)?;
        db.counted_between(None, now(), now(), 1)?;
        db.counted_between(Some(player), now(), now(), 1)?;
        db.names_near("p7", 20)?;
        db.old_mails(now(), 20, Some(20))?;
        Ok(())
    })
}

fn leave(store: &mut Store) -> Result<()> {
    store.write(|tx| {
        let player = tx.player_named("new")?.unwrap().id;
        tx.end_membership(player, &[9; 32], now())?;
        tx.erase_address("newer@example.org", "newer@example.org")
    })
}

/// Tables with few rows, however long a club exists.
const SMALL: [(&str, &str); 17] = [
    ("installation", "one row"),
    ("club", "one row"),
    ("replica", "one row"),
    ("handover", "one row"),
    ("mail_outage", "one row"),
    ("clock_doubt", "one row"),
    ("installation_mark", "a row for each backup"),
    ("intake", "a row for each way in which mail is processed"),
    ("recalculation", "a row for each list of ratings"),
    ("news", "a row for each kind of news for the host"),
    ("probe", "a row for each question of `doctor`"),
    ("job", "what the engine has to do"),
    ("held", "what was asked within a week"),
    ("idle", "the mailboxes of the last hours"),
    ("quarantine", "limited in bytes"),
    ("sqlite_sequence", "a row for each table"),
    ("sqlite_schema", "a row for each table and index"),
];

/// Indexes of work under way, or of failures within a month.
const UNDER_WAY: [&str; 6] = [
    "game_active",
    "game_alarm_error",
    "outbox_due",
    "outbox_host",
    "outbox_farewell",
    "outbox_unsent",
];

/// Statements that read a whole table on purpose: where they are, how they begin, and why.
const WHOLE: [(&str, &str, &str); 12] = [
    ("verify.rs", "", "`verify` reads everything, except about one game or player (`?1`)"),
    ("clock.rs", "UPDATE reminder SET delivered_at", "a clock that was ahead is corrected"),
    ("health.rs", "SELECT game, at FROM (", "the last twenty games that ended, by index"),
    ("listing.rs", "SELECT game.id, deadline", "the last games that ended, by index"),
    ("health.rs", "SELECT count(*) AS count, max(id)", "`doctor` reads the outbox, which is short"),
    ("health.rs", "SELECT name FROM player WHERE paused_at", "`doctor` reads the members"),
    ("member.rs", "SELECT id, concat_ws(", "an address is searched in whole texts"),
    ("outbox/entries.rs", "SELECT outbox.id, message_id", "`mail` lists the outbox"),
    ("outbox/housekeeping.rs", "SELECT id, created_at, state", "the oldest mails come first"),
    ("player.rs", "SELECT name, address IS NOT NULL", "the list of all players"),
    ("rows.rs", "", "a club is written as a whole"),
    ("received.rs", "SELECT received_at, player", "`inbox` lists two weeks"),
];

/// Every statement in the source of this module uses indexes. Those that are put together must be run
/// here.
#[test]
fn no_statement_of_the_source_reads_a_whole_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crowded(&folder.path().join("source.db"), 40);
    let watch = Watch::default();
    watch.begin(&mut store.connection);
    everything(&mut store).unwrap();
    store
        .read(|db| {
            db.rows_mentioning("p7@example.org")?;
            db.recorded_after(now())
        })
        .unwrap();
    let run: Vec<_> = watch.seen().into_keys().collect();
    let statements = statements::all();
    assert!(statements.len() > 300, "{}", statements.len());
    let mut is_needed = [false; WHOLE.len()];
    let mut faults = Vec::new();
    for Statement { file, sql } in &statements {
        let written = statements::flat(sql);
        let is_exempted = |(of, begin, _): &(&str, &str, &str)| {
            of == file && written.starts_with(begin) && !(begin.is_empty() && sql.contains("?1"))
        };
        let exemption = WHOLE.iter().position(is_exempted);
        let sqls = match store.connection.prepare(sql) {
            Ok(_) => vec![sql.clone()],
            Err(_) => run.iter().filter(|it| statements::is_made_of(it, sql)).cloned().collect(),
        };
        if sqls.is_empty() {
            faults.push(format!("not run: {file}: {written}\n"));
        }
        for sql in sqls {
            let plan = plan(&store.connection, &sql);
            match exemption {
                _ if !plan.lines().any(reads_whole_table) => {}
                Some(at) => is_needed[at] = true,
                None => faults.push(format!("{file}: {written}\n{plan}\n")),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.concat());
    for ((file, begin, _), is_needed) in WHOLE.iter().zip(is_needed) {
        assert!(is_needed, "needs no exemption: {file}: {begin}");
    }
}

/// Returns whether a line of a plan reads a growing table from one end to the other.
fn reads_whole_table(line: &str) -> bool {
    let Some(scanned) = line.strip_prefix("SCAN ") else { return false };
    let table = scanned.split(' ').next().unwrap_or_default();
    let index = scanned.rsplit(' ').next().unwrap_or_default();
    let is_made = ["CONSTANT", "known", "recent"].contains(&table) || table.starts_with('(');
    let is_small = SMALL.iter().any(|(small, _)| *small == table);
    let is_under_way = index != table && UNDER_WAY.contains(&index);
    !is_made && !is_small && !is_under_way
}

/// No statement reads a whole table, however many games there are.
#[test]
fn every_statement_uses_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crowded(&folder.path().join("crowded.db"), GAMES);
    let watch = Watch::default();
    watch.begin(&mut store.connection);
    everything(&mut store).unwrap();
    let mut seen = watch.seen();
    seen.retain(|sql, _| !sql.starts_with("BEGIN") && sql != "COMMIT" && sql != "ROLLBACK");
    assert!(seen.len() > 20, "{:#?}", seen.keys());
    for (sql, steps) in seen {
        let plan = plan(&store.connection, &sql);
        let said = format!("{steps} steps: {sql}\n{plan}");
        // A listing of the outbox includes all waiting mails, and reads the rest backwards.
        let outbox = sql.contains("outbox NOT INDEXED");
        for table in ["game", "event", "outbox", "player", "rating", "challenge"] {
            let scan = format!("SCAN {table}");
            assert!(outbox || !plan.lines().any(|line| line == scan), "{said}");
        }
        if sql.contains("turn IS NOT NULL") || sql.contains("LIMIT 1") {
            assert!(!plan.contains("TEMP B-TREE"), "{said}");
        }
        let max_steps = if outbox { 90 * QUEUED as i32 } else { 500 };
        assert!(steps < max_steps, "{said}");
    }
}

#[test]
fn superseding_does_not_read_delivered_mail() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crowded(&folder.path().join("delivered.db"), 40);
    let deliver =
        "INSERT INTO outbox (message_id, game, player, kind, ply, events, state, created_at, due_at)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        SELECT i, 1, 2, 'turn', 1, 1, 'sent', i, i FROM n";
    store.connection.execute_batch(deliver).unwrap();
    let watch = Watch::default();
    watch.begin(&mut store.connection);
    store.write(|tx| tx.supersede_turn_mails(GameId(1), PlayerId(2))).unwrap();
    let steps = watch.seen().into_iter().find(|(sql, _)| sql.starts_with("UPDATE")).unwrap().1;
    assert!(steps < 100, "{steps}");
}

/// Returns the active games.
fn listed(store: &Store) -> Vec<GameSummary> {
    store.read(|db| db.games(Listing::Active, None)).unwrap()
}

#[test]
fn a_transaction_on_a_full_disk_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crowded(&folder.path().join("full.db"), 40);
    let before = listed(&store);
    let limit = |store: &Store, pages: i64| {
        store.connection.pragma_update(None, "max_page_count", pages).unwrap();
    };
    let pages: i64 =
        store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    limit(&store, pages);
    for more in 0..4 {
        limit(&store, pages + more);
        let error = store.write(fill).unwrap_err();
        assert!(matches!(error, Error::DiskFull), "{error}");
        assert_eq!(listed(&store), before);
        let players = store.read(|db| db.players()).unwrap();
        assert_eq!(players.len(), PLAYERS as usize);
    }
    limit(&store, 1_000_000);
    store.write(fill).unwrap();
    everything(&mut store).unwrap();
}

#[test]
fn a_read_only_database_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crowded(&folder.path().join("kept.db"), 40);
    let before = listed(&store);
    store.connection.pragma_update(None, "query_only", true).unwrap();
    let error = everything(&mut store).unwrap_err();
    assert!(matches!(error, Error::ReadOnly), "{error}");
    assert_eq!(listed(&store), before);
    store.checkpoint().unwrap();
    store.backup(&folder.path().join("copy.db"), "next", now()).unwrap();
}

/// Adds players until the disk is full.
fn fill(tx: &Tx) -> Result<()> {
    (0..1000).try_for_each(|number| {
        let name = format!("filler{number}");
        tx.add_player(&name, &format!("{name}@example.org"), &[7; 32], now()).map(drop)
    })
}

#[test]
fn a_part_fails_alone_unless_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crowded(&folder.path().join("parts.db"), 40);
    let add = |tx: &Tx, name: &str| {
        tx.add_player(name, &format!("{name}@example.org"), &[7; 32], now()).map(drop)
    };
    let kept = store.write(|tx| {
        add(tx, "before")?;
        let inner = tx.part(|| {
            add(tx, "outer")?;
            let failed = tx.part(|| add(tx, "inner").and(add(tx, "inner")));
            assert!(matches!(failed, Err(Error::Other(_))), "{failed:?}");
            Ok::<_, Error>(())
        });
        assert!(inner.is_ok());
        let failed = tx.part(|| add(tx, "undone").and(Err::<(), _>(Error::Locked)));
        assert!(matches!(failed, Err(Error::Locked)), "{failed:?}");
        add(tx, "after")
    });
    kept.unwrap();
    let named = |store: &Store, name: &str| store.read(|db| db.player_named(name)).unwrap();
    let exists = |store: &Store, name: &str| named(store, name).is_some();
    assert!(["before", "outer", "after"].iter().all(|name| exists(&store, name)));
    assert!(["inner", "undone"].iter().all(|name| !exists(&store, name)));

    let pages: i64 =
        store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.pragma_update(None, "max_page_count", pages).unwrap();
    let full = store.write(|tx| {
        add(tx, "first")?;
        tx.part(|| fill(tx))
    });
    assert!(matches!(full, Err(Error::DiskFull)), "{full:?}");
    // A transaction that hides the fault does not commit either.
    let full = store.write(|tx| {
        let _ = tx.part(|| fill(tx));
        assert!(tx.part(|| add(tx, "later")).is_err());
        add(tx, "later")
    });
    assert!(full.is_err(), "{full:?}");
    assert!(["first", "later"].iter().all(|name| !exists(&store, name)));
}

static HAS_WAITED: AtomicBool = AtomicBool::new(false);

#[test]
fn a_checkpoint_does_not_wait_for_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("read.db");
    let mut store = crowded(&path, 4);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN; SELECT count(*) FROM game").unwrap();
    // SQLite calls the handler when it could wait.
    let handler = |_| {
        HAS_WAITED.store(true, Ordering::Relaxed);
        false
    };
    store.connection.busy_handler(Some(handler)).unwrap();
    store.checkpoint().unwrap();
    assert!(!HAS_WAITED.load(Ordering::Relaxed));
}

#[test]
fn an_inconsistent_log_is_reported() {
    let add =
        |rows: &str| format!("INSERT INTO event (game, number, at, author, action) VALUES {rows}");
    let change = |column: &str| format!("UPDATE event SET {column}");
    for (sql, expected) in [
        (change("author = 'w'"), "it is not white's turn"),
        (change("action = 'f6'"), "f6 is illegal: a black disc there flips nothing"),
        (change("action = 'auto-pass'"), "pass is illegal: black can place a disc"),
        (change("action = 'jump!'"), "jump!"),
        (add("(1, 2, 0, 'b', 'f6')"), "it is not black's turn"),
        (add("(1, 2, 0, 'b', 'resign'), (1, 3, 0, 'w', 'f6')"), "is over"),
        (add("(1, 2, 0, 'b', 'resign'), (1, 3, 0, 'w', 'resign')"), "is over"),
        (change("number = 2"), "event 1 is missing"),
        (add("(1, 3, 0, 'w', 'f6')"), "event 2 is missing"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = crowded(&folder.path().join("log.db"), 1);
        let log = format!("DELETE FROM event; {}; {sql}", add("(1, 1, 0, 'b', 'f5')"));
        store.connection.execute_batch(&log).unwrap();
        let error = store.read(|db| db.game(GameId(1))).unwrap_err();
        let Error::Inconsistent { game: GameId(1), reason } = error else { panic!("{error}") };
        assert!(reason.contains(expected), "{sql}: {reason}");
    }
}

#[test]
fn errors_show_no_statements() {
    let folder = tempfile::tempdir().unwrap();
    let store = crowded(&folder.path().join("other.db"), 1);
    let change = "ALTER TABLE event RENAME COLUMN author TO who";
    store.connection.execute_batch(change).unwrap();
    let error = store.read(|db| db.game(GameId(1))).unwrap_err();
    assert_eq!(error.to_string(), "the database failed: no such column: author");
}
