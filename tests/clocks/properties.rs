use chrono::TimeDelta;
use outflank_model::log::Action;
use outflank_rules::Color;
use proptest::prelude::*;

use super::Played;

/// A step of a random game.
#[derive(Debug, Clone)]
enum Step {
    Move(usize),
    TakeBack,
    Away(i64, i64),
    Back,
    Settings(&'static str),
    Extend(i64),
}

const SETTINGS: [&str; 4] = [
    "UTC sat,sun none",
    "Europe/Amsterdam fri,sat 22:00-07:00",
    "America/New_York none 00:00-12:00",
    "Pacific/Chatham mon 13:00-14:00",
];

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let step = prop_oneof![
        6 => (0..20_usize).prop_map(Step::Move),
        1 => Just(Step::TakeBack),
        1 => (0..100_i64, 1..200_i64).prop_map(|(from, span)| Step::Away(from, span)),
        1 => Just(Step::Back),
        1 => (0..SETTINGS.len()).prop_map(|which| Step::Settings(SETTINGS[which])),
        1 => (1..100_i64).prop_map(Step::Extend),
    ];
    prop::collection::vec((0..60_i64, step), 0..40)
}

fn terms() -> impl Strategy<Value = String> {
    let control = prop::sample::select(vec!["3d", "5d+1d", "5d+1d,max=6d", "total=20d", "none"]);
    (control, any::<bool>()).prop_map(|(control, free_weekends)| {
        format!("{control}{}", if free_weekends { " free-weekends" } else { "" })
    })
}

/// Plays random steps. A step after the deadline happens at the deadline instead.
fn played(terms: &str, steps: &[(i64, Step)]) -> Played {
    let mut played = Played::new(terms, "2026-02-20T10:00:00Z");
    let mut now = played.started;
    for (hours, step) in steps {
        let Some(turn) = played.game.turn() else { break };
        now += TimeDelta::hours(*hours);
        now = played.clocks().deadline().map_or(now, |deadline| now.min(deadline));
        let (by, action) = match step {
            Step::Move(which) => {
                let legal = played.game.legal();
                (Some(turn), Action::Move(legal[which % legal.len()]))
            }
            Step::TakeBack if played.game.plies().iter().any(|ply| ply.by != turn && !ply.auto) => {
                (Some(!turn), Action::TakeBack)
            }
            Step::TakeBack => continue,
            Step::Away(from, span) => {
                let from = now.timestamp() + from * 3600;
                (Some(turn), Action::Away { from, until: from + span * 3600 })
            }
            Step::Back => (Some(!turn), Action::Back),
            Step::Settings(settings) => (Some(turn), Action::Settings((*settings).to_owned())),
            Step::Extend(hours) => {
                let span = hours * 3600;
                (None, Action::Extend { player: turn, span, reason: String::new() })
            }
        };
        played.add(now, by, action);
    }
    played
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_remaining_time_is_zero_at_the_deadline_and_not_before(
        terms in terms(),
        steps in steps(),
    ) {
        let clocks = played(&terms, &steps).clocks();
        let (Some(player), Some(deadline)) = (clocks.running(), clocks.deadline()) else {
            return Ok(());
        };
        prop_assert_eq!(clocks.left(player, deadline), TimeDelta::zero());
        let settings = clocks.settings(player);
        prop_assert_eq!(settings.after_quiet(deadline), deadline);
        if settings.quiet.is_none() && clocks.left(player, deadline - TimeDelta::days(60)) > TimeDelta::zero() {
            let before = clocks.left(player, deadline - TimeDelta::seconds(1));
            prop_assert_eq!(before, TimeDelta::seconds(1));
        }
    }

    #[test]
    fn the_reminders_come_in_order_before_the_deadline(terms in terms(), steps in steps()) {
        let clocks = played(&terms, &steps).clocks();
        let end = clocks.deadline().or(clocks.idle_end());
        if let (Some([first, second]), Some(end)) = (clocks.reminders(), end) {
            prop_assert!(first <= second && second <= end, "{first} {second} {end}");
        }
    }

    #[test]
    fn a_note_changes_no_clock(
        terms in terms(),
        steps in steps(),
        quarters in 0..100_i64,
    ) {
        let mut played = played(&terms, &steps);
        let clocks = played.clocks();
        let last = played.times.last().copied().unwrap_or(played.started);
        let mut now = last + TimeDelta::minutes(15 * quarters);
        now = clocks.deadline().map_or(now, |deadline| now.min(deadline));
        let (deadline, reminders) = (clocks.deadline(), clocks.reminders());
        let left = Color::BOTH.map(|player| clocks.left(player, now));
        played.add(now, Some(Color::Black), Action::Note("a word".to_owned()));
        let clocks = played.clocks();
        prop_assert_eq!(Color::BOTH.map(|player| clocks.left(player, now)), left);
        prop_assert_eq!(clocks.deadline(), deadline);
        if let (Some(before), Some(after)) = (reminders, clocks.reminders()) {
            for (before, after) in before.into_iter().zip(after) {
                prop_assert_eq!(before.max(now), after.max(now));
            }
        }
    }
}
