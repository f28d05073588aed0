//! Challenges as commands and mails show them.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::app::views::game::rules_to_json;
use crate::app::views::json::json_time;
use crate::app::views::reply::Reply;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::{rating, time};
use crate::app::{Env, Error, find};
use crate::store::{Challenges, Db, Results};
use outflank_model::bot::FIRST;
use outflank_model::log::GameId;
use outflank_model::rating::List;
use outflank_model::render::words;
use outflank_model::time_control::TimeZone;
use outflank_model::{Agreement, ChallengeState, Challenged, Opening, Player, StoredChallenge};
use outflank_rules::Rules;

/// The most open challenges that a reply or a mail lists besides games.
const MAX_LISTED: u32 = 10;

/// Returns the commands that find a player a game.
pub(crate) fn next_steps() -> [String; 3] {
    [format!("challenge {FIRST}"), "challenge anyone".to_owned(), "challenges".to_owned()]
}

/// Returns the commands that answer a challenge, or an offer in a game: yes, then no.
pub(crate) fn answers(id: GameId) -> [String; 2] {
    ["accept", "decline"].map(|word| format!("{word} {id}"))
}

/// Says in two sentences what this server is.
pub(crate) fn what_this_is(env: &Env) -> String {
    let from = &env.config.mail.from;
    let name = from.name.as_deref().unwrap_or(from.email.domain());
    format!(
        "This is Othello by mail. You play people or the computer, one mail for each move; it is free, and \
         {name} runs it."
    )
}

/// Returns the sentence that explains [`next_steps`].
pub(crate) fn how_to_play() -> String {
    let [bot, anyone, list] = next_steps();
    format!(
        "To play, reply `{bot}` for a game against the computer, `{anyone}` to find an opponent, or \
         `{list}` to see who looks for one."
    )
}

/// Returns a challenge for scripts.
pub(crate) fn to_json(challenge: &StoredChallenge) -> Value {
    let StoredChallenge { agreement, color, .. } = challenge;
    let Agreement { variant, opening, terms, rated, .. } = agreement;
    json!({
        "challenge": challenge.id.0,
        "by": challenge.challenger.name,
        "to": find::challenged(&challenge.to),
        "variant": variant,
        "rules": rules_to_json(challenge.game.start().rules()),
        "position": challenge.game.position().to_string(),
        "opening": opening.map(Opening::word),
        "color": color.map(|color| color.to_string()),
        "clock": terms.control.to_string(),
        "free_weekends": terms.free_weekends,
        "flag": terms.flag.word(),
        "absences": terms.absences,
        "rated": rated,
        "state": challenge.state.word(),
        "since": json_time(challenge.created_at),
        "until": json_time(challenge.until()),
    })
}

/// Returns the title of the game of a challenge, such as `Othello 10x10` or `Othello with a balanced
/// opening`.
pub(crate) fn title(challenge: &StoredChallenge) -> String {
    title_of(&challenge.agreement, challenge.game.start().rules())
}

/// Returns the title of the games under an agreement.
pub(crate) fn title_of(agreement: &Agreement, rules: &Rules) -> String {
    let title = words::title(&agreement.variant, rules);
    match agreement.opening {
        Some(opening) => opening.title(&title),
        None => title,
    }
}

/// Returns what is played under an agreement, a line for each part.
pub(crate) fn game(agreement: &Agreement, rules: &Rules) -> Vec<String> {
    let title = title_of(agreement, rules);
    let special = words::rules(&agreement.variant, rules, agreement.opening.is_some());
    let rules = (!special.is_empty()).then(|| format!("Rules: {}", special.join("; ")));
    [format!("Game: {title}")].into_iter().chain(rules).collect()
}

/// Returns the line about the clock of an agreement.
pub(crate) fn clock(agreement: &Agreement) -> String {
    // In a mail, no line may end with the word of a command, nor with a yes or no.
    let rated = if agreement.rated { "Rated." } else { "Not rated." };
    format!("Clock: {}. {rated}", time::words(&agreement.terms))
}

/// Returns a challenge in words, a line for each part. Times are in this zone.
pub(crate) fn facts(challenge: &StoredChallenge, is_open: bool, zone: TimeZone) -> Vec<String> {
    let mut facts = game(&challenge.agreement, challenge.game.start().rules());
    facts.push(format!("Colours: {}", colors(challenge)));
    facts.push(clock(&challenge.agreement));
    if is_open {
        facts.push(format!("Open until: {}", zone.shown(challenge.until())));
    }
    facts
}

/// Returns who challenges, for the player who is challenged: the record, and the rating in the list of
/// the challenge as it is now.
pub(crate) fn about_challenger(
    db: &Db,
    challenge: &StoredChallenge,
    now: DateTime<Utc>,
) -> Result<String, Error> {
    let Results { name, won, lost, drawn, .. } = db.results_of(challenge.challenger.id)?;
    if won + lost + drawn == 0 {
        return Ok(format!("{name} has not finished a game yet."));
    }
    let list = List::of(challenge.game.start().rules());
    let rating = rating::short(db, list, challenge.challenger.id, now)?;
    let record = format!("{won} won, {lost} lost, {drawn} drawn");
    Ok(format!("The record of {name}: {record}. In {}: {rating}.", rating::title(list)))
}

/// Returns the reply of `show`.
pub(crate) fn reply(challenge: &StoredChallenge, zone: TimeZone) -> Reply {
    let StoredChallenge { id, challenger, to, state, game, .. } = challenge;
    let to = find::challenged(to);
    let head = format!("Challenge {id} by {} to {to}", challenger.name);
    let mut reply = Reply::new(&to_json(challenge)).text(head);
    if challenge.has_own_start() {
        reply = reply.board(game, &game.legal());
    }
    let mut lines = facts(challenge, *state == ChallengeState::Open, zone);
    lines.push(match state {
        ChallengeState::Open => format!("State: waits for {to}: `accept {id}` or `decline {id}`"),
        state => format!("State: {}", state.word()),
    });
    reply.text(lines.join("\n"))
}

/// Returns challenges as a table.
pub(crate) fn table(challenges: &[StoredChallenge]) -> Table {
    Table::of(
        challenges,
        &[
            (Column::Number("Number"), &|it| Entry::Game(it.id)),
            (Column::Prose("Game"), &|it| title(it).into()),
            (Column::Prose("By"), &|it| Entry::player(&it.challenger.name)),
            (Column::Prose("To"), &|it| match &it.to {
                Challenged::Player(player) => Entry::player(&player.name),
                to @ (Challenged::Anyone | Challenged::Bot(_)) => find::challenged(to).into(),
            }),
            (Column::Prose("Colours"), &|it| colors(it).into()),
            (Column::Prose("Clock"), &|it| it.agreement.terms.control.into()),
            (Column::Text("Rating"), &|it| rating_of(&it.agreement).into()),
            (Column::Text("Open until"), &|it| Entry::Time(it.until())),
        ],
    )
}

/// Returns who plays which colour.
fn colors(challenge: &StoredChallenge) -> String {
    match challenge.color {
        Some(color) => format!("{} is {color}", challenge.challenger.name),
        None => "random".to_owned(),
    }
}

const fn rating_of(agreement: &Agreement) -> &'static str {
    if agreement.rated { "rated" } else { "unrated" }
}

/// Returns a line for each challenge that a player could accept, those to the player first; none if
/// there are none.
pub(crate) fn acceptable(
    db: &Db,
    player: &Player,
    now: DateTime<Utc>,
) -> Result<Vec<String>, Error> {
    let list = |which| db.open_challenges(which, now - StoredChallenge::OPEN_FOR, Some(MAX_LISTED));
    let mut challenges = list(Challenges::To(player.id))?;
    challenges.extend(list(Challenges::ToAnyone(player.id))?);
    challenges.truncate(MAX_LISTED as usize);
    let line = |id| {
        let Some(challenge) = db.challenge(id)? else { return Err(find::no_game(id)) };
        let to = match challenge.to {
            Challenged::Player(_) => "you",
            Challenged::Anyone | Challenged::Bot(_) => "anyone",
        };
        let (by, title) = (&challenge.challenger.name, title(&challenge));
        Ok(format!("{by} challenges {to} to a game of {title}: `accept {id}`"))
    };
    challenges.into_iter().map(line).collect()
}
