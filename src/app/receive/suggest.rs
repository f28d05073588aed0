//! Lines of a mail that were not read as commands but may be meant as such.

use crate::app::commands::words::say::MAX_COMMENT_LINES;
use crate::app::effects::offers;
use crate::app::receive::beginner;
use crate::app::receive::parse::{self, MAX_SKIPPED_LINES};
use crate::app::views::challenge::{answers, how_to_play, next_steps};
use crate::app::{Env, Error, Line, find, guess};
use crate::command::{MoveAt, normalize};
use crate::mail::COMMAND_MARKS;
use crate::mail::read::InboundMessage;
use crate::mail::token::Token;
use crate::store::{Challenges, Db, Listing};
use outflank_model::log::GameId;
use outflank_model::words::joined;
use outflank_model::{ChallengeState, Challenged, Moment, Player, StoredChallenge};

/// The most games that are listed to a player who made a move without naming the game.
pub(crate) const MAX_LISTED_GAMES: u32 = 20;
/// The most lines that a reply names.
const MAX_LINES: usize = 3;
/// The longest line that can be suggested, in bytes.
const MAX_LINE_BYTES: usize = 60;
/// The longest sentence that can be suggested as a comment, in bytes.
const MAX_SAID_BYTES: usize = 400;

/// Commands that a reply suggests.
pub(crate) struct Suggestion {
    /// The sentence that suggests them.
    pub sentence: String,
    /// What to reply for each; a reply to the reply can run it.
    pub commands: Vec<String>,
}

impl Suggestion {
    /// Suggests to find a game.
    fn of_games() -> Self {
        Self { sentence: how_to_play(), commands: next_steps().to_vec() }
    }
}

/// What the lines of a mail may mean.
pub(crate) struct Context<'a> {
    pub env: &'a Env,
    pub db: &'a Db<'a>,
    pub player: &'a Player,
    /// The position that the mail refers to.
    pub at: Option<Moment>,
    /// The position that the reply shows.
    pub shown: Option<Moment>,
}

/// A line that is a command.
struct Meant {
    line: String,
    is_move: bool,
    /// What to reply to run it; `None` if it is not possible now.
    command: Option<String>,
}

impl Context<'_> {
    /// Suggests the commands below `say` in a mail. They are part of the comment in this game, which
    /// was passed on or not.
    pub(crate) fn below_say(
        &self,
        message: &InboundMessage,
        game: GameId,
        is_passed_on: bool,
    ) -> Result<Option<Suggestion>, Error> {
        let mut meant: Vec<Meant> = Vec::new();
        let (said, _) = parse::comment(message, self.at);
        for line in said.iter().skip(1).take(MAX_COMMENT_LINES) {
            let line = normalize(line);
            let is_named = meant.iter().any(|earlier| earlier.line.eq_ignore_ascii_case(&line));
            if meant.len() < MAX_LINES
                && !is_named
                && let Some(found) = self.meant(line, Some(game))?
            {
                meant.push(found);
            }
        }
        if meant.is_empty() {
            return Ok(None);
        }
        // A challenge has no game yet.
        let Some(stored) = self.db.game(game)? else { return Ok(None) };
        let own = stored.color_of(self.player.id);
        let lines: Vec<_> = meant.iter().map(|meant| meant.line.as_str()).collect();
        let lines = match &lines[..] {
            [line] => format!("The line {line}"),
            lines => format!("The lines {}", joined(lines, "and")),
        };
        let went = match own.filter(|_| is_passed_on) {
            Some(own) => format!("{lines} went to {} as text.", stored.name(!own)),
            None => format!("{lines} below say counted as text."),
        };
        let possible: Vec<_> = meant.iter().filter(|it| it.command.is_some()).collect();
        let commands: Vec<_> = meant.iter().filter_map(|it| it.command.clone()).collect();
        let reply = match (&possible[..], joined(&marked(&commands), "or")) {
            ([], _) => String::new(),
            ([Meant { is_move: true, .. }], command) => format!(" Reply {command} to play it."),
            ([_], command) => format!(" Reply {command} to run it."),
            (_, commands) => format!(" Reply {commands} to run one of them."),
        };
        Ok(Some(Suggestion { sentence: went + &reply, commands }))
    }

    /// Suggests commands for the first lines of a mail without one.
    pub(crate) fn unread(&self, message: &InboundMessage) -> Result<Option<Suggestion>, Error> {
        let (mut commands, mut hint): (Vec<String>, _) = (Vec::new(), "");
        let lines = || parse::typed_lines(message, self.at).take(MAX_SKIPPED_LINES + 1);
        for line in lines() {
            let Some(guessed) = guess(line, self.at) else { continue };
            if line.trim_start().starts_with(['(', COMMAND_MARKS.0]) {
                hint = ", without the marks around it";
            }
            let lines = match guessed.parse::<MoveAt>() {
                Ok(mv) if self.at.is_none() => self.in_each_game(mv)?,
                _ => vec![guessed],
            };
            for line in lines {
                commands.extend(self.meant(line, None)?.and_then(|meant| meant.command));
            }
        }
        if commands.is_empty() {
            for line in lines() {
                commands.extend(self.of_beginner(line)?);
            }
        }
        commands.dedup();
        commands.truncate(MAX_LINES);
        if commands.is_empty() {
            let answers = self.answers(message)?;
            let is_about = self.shown.or(self.at).is_some();
            return Ok(answers.or_else(|| (!is_about).then(Suggestion::of_games)));
        }
        let sentence = format!("Did you mean {}{hint}?", joined(&marked(&commands), "or"));
        Ok(Some(Suggestion { sentence, commands }))
    }

    /// Suggests what a refused command may mean.
    pub(crate) fn instead_of(&self, words: &str) -> Result<Option<Suggestion>, Error> {
        let mut commands = self.of_beginner(words)?;
        let word = words.split(' ').next().unwrap_or_default();
        if commands.is_empty() && ["accept", "decline"].contains(&word) {
            let open = Challenges::To(self.player.id);
            let since = self.env.now() - StoredChallenge::OPEN_FOR;
            let open = self.db.open_challenges(open, since, Some(MAX_LINES as u32))?;
            commands.extend(open.iter().map(|id| format!("{word} {id}")));
        }
        commands.truncate(MAX_LINES);
        let sentence = format!("Did you mean {}?", joined(&marked(&commands), "or"));
        Ok(Some(Suggestion { sentence, commands }).filter(|it| !it.commands.is_empty()))
    }

    /// Returns the commands that a line of somebody may mean who does not know them.
    fn of_beginner(&self, line: &str) -> Result<Vec<String>, Error> {
        if let Some((name, command)) = beginner::turned_challenge(line) {
            let is_player = self.db.player_named(name.as_str())?.is_some();
            return Ok(Some(command).filter(|_| is_player).into_iter().collect());
        }
        Ok(beginner::wanted_game(line))
    }

    /// Suggests to answer the open question of another player, if there is one, and to send the lines of the
    /// mail to that player.
    fn answers(&self, message: &InboundMessage) -> Result<Option<Suggestion>, Error> {
        let Some(id) = self.shown.or(self.at).map(|at| at.game) else { return Ok(None) };
        let Some((other, mut commands)) = self.other(id)? else { return Ok(None) };
        let mut sentences = Vec::new();
        if !commands.is_empty() {
            let words = joined(&marked(&commands), "or");
            sentences.push(format!("{other} waits for your answer: reply {words}."));
        }
        if let Some(said) = self.said(message) {
            sentences.push(format!("To send your words to {other}, write `say` above them."));
            commands.push(format!("say {said}"));
        }
        let sentence = sentences.join(" ");
        Ok(Some(Suggestion { sentence, commands }).filter(|it| !it.commands.is_empty()))
    }

    /// Returns the name of the other person of a game or an open challenge, and the commands that answer an open
    /// question of that person. `None` if there is nobody to talk to.
    fn other(&self, id: GameId) -> Result<Option<(String, Vec<String>)>, Error> {
        let is_other = |player: &&Player| player.id != self.player.id && player.left_at.is_none();
        if let Some(stored) = find::intact_game(self.db, id)? {
            let own = stored.color_of(self.player.id).filter(|_| !stored.local);
            let other = own.and_then(|own| Some((own, stored.player(!own).filter(is_other)?)));
            let game = &stored.game;
            let answers = |own| match game.offer() {
                Some((by, _)) if by != own => {
                    let can_accept = offers::can_be_accepted(&stored, game, self.env.now());
                    answers(id).into_iter().skip(usize::from(!can_accept)).collect()
                }
                _ => Vec::new(),
            };
            return Ok(other.map(|(own, other)| (other.name.to_string(), answers(own))));
        }
        let challenge = self.db.challenge(id)?.filter(|it| it.state == ChallengeState::Open);
        Ok(challenge.and_then(|challenge| match &challenge.to {
            Challenged::Player(to) if to.id == self.player.id => {
                Some((challenge.challenger.name.to_string(), answers(id).into()))
            }
            Challenged::Player(to) if challenge.challenger.id == self.player.id => {
                Some((to.name.to_string(), Vec::new()))
            }
            _ => None,
        }))
    }

    /// Returns the lines of a mail as a comment on one line, if they look like a sentence.
    fn said(&self, message: &InboundMessage) -> Option<String> {
        let lines: Vec<_> = parse::typed_lines(message, self.at).map(|line| line.trim()).collect();
        let said = Token::redact(&lines.join(" "));
        (said.contains(' ') && said.len() <= MAX_SAID_BYTES).then_some(said)
    }

    /// Returns a command for this move in each game that waits for the player.
    fn in_each_game(&self, mv: MoveAt) -> Result<Vec<String>, Error> {
        let games = self.db.games(Listing::ToMove(self.player.id), Some(MAX_LISTED_GAMES))?;
        let command = |id| -> Result<String, Error> {
            let lattice = find::game(self.db, id)?.game.lattice();
            Ok(format!("move {id} {}", mv.label(lattice)))
        };
        games.iter().map(|game| command(game.id)).collect()
    }

    /// Returns a line that is a command. A move alone is for this game if the mail is about none. A
    /// move counts only while it is the player's turn.
    fn meant(&self, line: String, game: Option<GameId>) -> Result<Option<Meant>, Error> {
        if line.len() > MAX_LINE_BYTES {
            return Ok(None);
        }
        let with_game = match game.filter(|_| self.at.is_none() && line.parse::<MoveAt>().is_ok()) {
            Some(game) => format!("move {game} {line}"),
            None => line.clone(),
        };
        let Some(parsed) = Line::command(&with_game, self.at) else { return Ok(None) };
        let concerns = parsed.concerns();
        let Some(play) = concerns.play() else {
            // A reply to the reply refers to the game that this shows.
            let again = Line::command(&line, self.shown);
            let is_same = again.is_some_and(|it| it.concerns().game() == concerns.game());
            let command = is_same.then(|| line.clone());
            return Ok(Some(Meant { line, is_move: false, command }));
        };
        let Some(stored) = self.db.game(play.game)? else { return Ok(None) };
        let own = stored.color_of(self.player.id).filter(|own| stored.game.turn() == Some(*own));
        let Some(own) = own else { return Ok(None) };
        let lattice = stored.game.lattice();
        let is_shown = self.shown.is_some_and(|shown| shown.game == play.game);
        let command = play.is_possible(own, &stored.game).then(|| match play.moves[..] {
            [mv] if is_shown => lattice.move_label(mv.mv),
            _ => play.to_command(lattice, None),
        });
        Ok(Some(Meant { line, is_move: true, command }))
    }
}

/// Returns commands in backticks.
fn marked(commands: &[String]) -> Vec<String> {
    commands.iter().map(|command| format!("`{command}`")).collect()
}
