use outflank_rules::{Color, Lattice, Move, Position, State};

use super::{Action, Event, IllegalEvent, Offer, Outcome, Ply, Reason};

/// A start position and the log of the events since. Everything else about the game follows from these
/// two.
#[derive(Debug, Clone)]
pub struct Game {
    start: Position,
    events: Vec<Event>,
    plies: Vec<Ply>,
    taken_back: Vec<TakenBack>,
    position: Position,
    /// The number of the last event that changed the position; 0 before it.
    position_event: usize,
    offer: Option<(Color, Offer)>,
    /// The number of the event that made the last offer.
    offered: usize,
    paused: bool,
    flagged: Option<Color>,
    /// The winner and the reason, if no move ended the game.
    ended: Option<(Option<Color>, Reason)>,
    /// The number of the event that ended it so.
    ended_by: Option<usize>,
}

/// Moves that were taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBack {
    /// The number of the event that took them back, counted from 1.
    pub event: usize,
    /// The player who wanted it.
    pub by: Color,
    /// How many moves were left.
    pub ply: usize,
    /// The moves, oldest first.
    pub plies: Vec<Ply>,
}

impl Game {
    /// Starts a game in this position. If its first player must pass automatically, that pass is
    /// the first event.
    pub fn new(start: Position) -> Self {
        let mut game = Self::restore(start);
        game.auto_pass();
        game
    }

    /// Returns a game with an empty log, for stored events to be applied to with
    /// [`Game::apply`].
    pub fn restore(start: Position) -> Self {
        let position = start.clone();
        Self {
            start,
            events: Vec::new(),
            plies: Vec::new(),
            taken_back: Vec::new(),
            position,
            position_event: 0,
            offer: None,
            offered: 0,
            paused: false,
            flagged: None,
            ended: None,
            ended_by: None,
        }
    }

    /// Adds one event to the log, and nothing that would follow from it automatically.
    ///
    /// # Errors
    /// [`IllegalEvent`] when the event cannot happen now; the game is unchanged then.
    pub fn apply(&mut self, event: Event) -> Result<(), IllegalEvent> {
        match event.by {
            Some(by) => self.apply_of_player(by, &event.action)?,
            None => self.apply_of_host(&event.action)?,
        }
        self.events.push(event);
        Ok(())
    }

    fn apply_of_player(&mut self, by: Color, action: &Action) -> Result<(), IllegalEvent> {
        match action {
            Action::AutoPass => self.make(by, action, Move::Pass),
            Action::Given(_) if !self.is_opening() => Err(IllegalEvent::NotFirst),
            Action::Move(mv) | Action::Given(mv) => self.make(by, action, *mv),
            Action::Resign => self.end(Some(!by), Reason::Resigned),
            Action::TakeBack => self.check_active().and_then(|()| self.take_back(by)),
            Action::Offer(offer) => self.make_offer(by, *offer),
            Action::Accept => match self.offer() {
                Some((other, offer)) if other != by => self.carry_out(other, offer),
                _ => Err(IllegalEvent::NoOffer),
            },
            Action::Decline if self.offer().is_some() => {
                self.offer = None;
                Ok(())
            }
            Action::Decline if self.has_moved(by) => Err(IllegalEvent::NoOffer),
            Action::Decline => self.end(None, Reason::Declined),
            Action::Unpause if !self.paused => Err(IllegalEvent::NotPaused),
            Action::Unpause => {
                self.paused = false;
                Ok(())
            }
            Action::Claim if self.paused => Err(IllegalEvent::Paused),
            Action::Claim if by == self.position.turn() => Err(IllegalEvent::NotOnTurn(!by)),
            Action::Claim => self.end(Some(by), Reason::Claimed),
            Action::Hint => self.check_active(),
            Action::Annul { .. } => self.end(None, Reason::Annulled),
            Action::Away { .. }
            | Action::Back
            | Action::Settings(_)
            | Action::Say(_)
            | Action::Note(_) => Ok(()),
            Action::Flag(_)
            | Action::TimeOut(_)
            | Action::Outage { .. }
            | Action::Extend { .. }
            | Action::Forfeit { .. } => Err(IllegalEvent::WrongAuthor),
        }
    }

    fn apply_of_host(&mut self, action: &Action) -> Result<(), IllegalEvent> {
        match action {
            Action::Flag(player) | Action::TimeOut(player) if *player != self.position.turn() => {
                Err(IllegalEvent::NotOnTurn(*player))
            }
            Action::Flag(player) => {
                self.check_active()?;
                self.flagged = Some(*player);
                Ok(())
            }
            Action::TimeOut(player) => self.end(Some(!*player), Reason::Time),
            Action::Extend { player, .. } => {
                self.check_active()?;
                self.flagged = self.flagged.filter(|flagged| flagged != player);
                Ok(())
            }
            Action::Hint | Action::Outage { .. } => self.check_active(),
            Action::Annul { .. } if self.counts() => {
                self.ended = Some((None, Reason::Annulled));
                Ok(())
            }
            Action::Annul { .. } => self.end(None, Reason::Annulled),
            Action::Forfeit { player, .. } => self.end(Some(!*player), Reason::Forfeited),
            _ => Err(IllegalEvent::WrongAuthor),
        }
    }

    /// Returns whether the game is over and counts in the players' records.
    pub fn counts(&self) -> bool {
        self.outcome().is_some_and(|outcome| outcome.reason.counts())
    }

    fn check_active(&self) -> Result<(), IllegalEvent> {
        if self.outcome().is_some() { Err(IllegalEvent::Over) } else { Ok(()) }
    }

    fn end(&mut self, winner: Option<Color>, reason: Reason) -> Result<(), IllegalEvent> {
        self.check_active()?;
        self.ended = Some((winner, reason));
        self.ended_by = Some(self.events.len() + 1);
        self.flagged = None;
        Ok(())
    }

    fn make(&mut self, by: Color, action: &Action, mv: Move) -> Result<(), IllegalEvent> {
        if self.ended.is_some() {
            return Err(IllegalEvent::Over);
        }
        if by != self.position.turn() {
            return Err(IllegalEvent::NotOnTurn(by));
        }
        let flipped = self.position.play(mv)?;
        self.position_event = self.events.len() + 1;
        let (auto, given) = (*action == Action::AutoPass, matches!(action, Action::Given(_)));
        self.plies.push(Ply {
            event: self.position_event,
            by,
            mv,
            flipped,
            auto,
            given,
            black: self.position.count(Color::Black),
            white: self.position.count(Color::White),
        });
        self.flagged = None;
        self.offer = self.offer.filter(|&(other, _)| auto || other == by);
        Ok(())
    }

    fn make_offer(&mut self, by: Color, offer: Offer) -> Result<(), IllegalEvent> {
        match (offer, self.outcome()) {
            (Offer::Rematch, None) => return Err(IllegalEvent::NotOver),
            (Offer::Rematch, Some(_)) | (_, None) => {}
            (_, Some(_)) => return Err(IllegalEvent::Over),
        }
        if self.offer().is_some_and(|(other, open)| other != by || open == offer) {
            return Err(IllegalEvent::OpenOffer);
        }
        match offer {
            Offer::TakeBack if self.last_own_ply(by).is_none() => {
                return Err(IllegalEvent::NoMove(by));
            }
            Offer::Pause if self.paused => return Err(IllegalEvent::Paused),
            _ => {}
        }
        self.offer = Some((by, offer));
        self.offered = self.events.len() + 1;
        Ok(())
    }

    /// Carries out an accepted offer.
    fn carry_out(&mut self, by: Color, offer: Offer) -> Result<(), IllegalEvent> {
        match offer {
            Offer::Draw => self.end(None, Reason::Agreed)?,
            Offer::TakeBack => self.take_back(by)?,
            Offer::Pause => self.paused = true,
            Offer::Rematch => {}
        }
        self.offer = None;
        Ok(())
    }

    fn take_back(&mut self, by: Color) -> Result<(), IllegalEvent> {
        let ply = self.last_own_ply(by).ok_or(IllegalEvent::NoMove(by))?;
        let plies = self.plies.split_off(ply);
        self.position = self.start.clone();
        for ply in &self.plies {
            self.position.play(ply.mv)?;
        }
        self.position_event = self.events.len() + 1;
        self.taken_back.push(TakenBack { event: self.position_event, by, ply, plies });
        self.flagged = None;
        self.offer = None;
        Ok(())
    }

    /// Iterates over the player's own moves with their indices among all: those that the player chose.
    pub fn own_plies(&self, by: Color) -> impl DoubleEndedIterator<Item = (usize, &Ply)> {
        self.plies.iter().enumerate().filter(move |(_, ply)| ply.by == by && ply.is_chosen())
    }

    /// Returns the index of the player's last own move.
    pub fn last_own_ply(&self, by: Color) -> Option<usize> {
        self.own_plies(by).next_back().map(|(index, _)| index)
    }

    /// Returns whether the player has made an own move, even if it was taken back.
    pub fn has_moved(&self, by: Color) -> bool {
        let is_own = |ply: &Ply| ply.by == by && ply.is_chosen();
        self.own_plies(by).next().is_some()
            || self.taken_back.iter().flat_map(|taken| &taken.plies).any(is_own)
    }

    /// Returns whether nothing has happened but moves that no player chose.
    fn is_opening(&self) -> bool {
        self.plies.len() == self.events.len() && !self.plies.iter().any(Ply::is_chosen)
    }

    /// Returns the moves of the opening that the game began with, and automatic passes among them.
    pub fn given(&self) -> &[Ply] {
        let last = self.plies.iter().rposition(|ply| ply.given);
        &self.plies[..last.map_or(0, |last| last + 1)]
    }

    /// Makes a move of the opening, and the automatic pass that may follow.
    ///
    /// # Errors
    /// [`IllegalEvent`] when the move is not legal or another event was before it; the game is unchanged
    /// then.
    pub fn give(&mut self, mv: Move) -> Result<(), IllegalEvent> {
        self.apply(Event::by(self.position.turn(), Action::Given(mv)))?;
        self.auto_pass();
        Ok(())
    }

    /// Makes a move for the player to move, and the automatic pass that may follow.
    ///
    /// # Errors
    /// [`IllegalEvent`] when the move is not legal; the game is unchanged then.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalEvent> {
        self.apply(Event::by(self.position.turn(), Action::Move(mv)))?;
        self.auto_pass();
        Ok(())
    }

    fn auto_pass(&mut self) {
        if self.position.passes_automatically() {
            let passed = self.apply(Event::by(self.position.turn(), Action::AutoPass));
            debug_assert_eq!(passed, Ok(()));
        }
    }

    /// Returns the position before the first event.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the lattice of the board.
    pub const fn lattice(&self) -> Lattice {
        self.start.rules().lattice
    }

    /// Returns the position after the last event.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the log: all events, oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the moves made and not taken back, passes included, oldest first.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Iterates over the moves made and not taken back, passes included, oldest first.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.plies.iter().map(|ply| ply.mv)
    }

    /// Returns the moves that were taken back, oldest first.
    pub fn taken_back(&self) -> &[TakenBack] {
        &self.taken_back
    }

    /// Returns the number of the last event that changed the position, a move or a takeback,
    /// counted from 1; 0 before it.
    pub const fn position_event(&self) -> usize {
        self.position_event
    }

    /// Returns the open offer and who made it.
    pub fn offer(&self) -> Option<(Color, Offer)> {
        self.offer.filter(|&(_, offer)| (offer == Offer::Rematch) == self.outcome().is_some())
    }

    /// Returns whether the players have agreed on a rematch.
    pub fn has_rematch(&self) -> bool {
        let mut events = self.events.iter().map(|event| &event.action);
        events.any(|action| *action == Action::Offer(Offer::Rematch))
            && events.any(|action| *action == Action::Accept)
    }

    /// Returns the number of the event that made the open offer, counted from 1.
    pub fn offer_event(&self) -> Option<usize> {
        self.offer().map(|_| self.offered)
    }

    /// Returns the event that gives the open offer its present meaning: the offer itself, or a later move
    /// that it asks to take back.
    pub fn offer_valid_from(&self) -> Option<usize> {
        let (by, offer) = self.offer()?;
        let own = self.last_own_ply(by).filter(|_| offer == Offer::TakeBack);
        let made = own.and_then(|at| self.plies.get(at)).map_or(0, |ply| ply.event);
        Some(made.max(self.offered))
    }

    /// Returns whether the clocks stand still because both players wanted a pause.
    pub const fn is_paused(&self) -> bool {
        self.paused
    }

    /// Returns the player who has run out of time and has not moved since.
    pub const fn flagged(&self) -> Option<Color> {
        self.flagged
    }

    /// Returns whether the player to move can only pass.
    pub fn must_pass(&self) -> bool {
        self.ended.is_none() && self.position.state() == State::Passing
    }

    /// Returns the player to move; `None` when the game is over.
    pub fn turn(&self) -> Option<Color> {
        self.outcome().is_none().then(|| self.position.turn())
    }

    /// Returns how the game ended; `None` while it is active.
    pub fn outcome(&self) -> Option<Outcome> {
        let Some((winner, reason)) = self.ended else {
            return match self.position.state() {
                State::Over(outcome) => Some(outcome.into()),
                State::Placing | State::Passing => None,
            };
        };
        let [black, white] = Color::BOTH.map(|color| self.position.count(color));
        Some(Outcome { winner, reason, black, white })
    }

    /// Returns the legal moves: cells in their order, a pass alone, or none when the game is
    /// over.
    pub fn legal(&self) -> Vec<Move> {
        if self.ended.is_some() { Vec::new() } else { self.position.legal() }
    }

    /// Returns the game as it stood until move `ply + 1` was made, with all that happened before
    /// that; `None` when fewer than `ply` moves were made.
    pub fn at(&self, ply: usize) -> Option<Self> {
        match self.plies.get(ply) {
            Some(next) => self.after(next.event - 1),
            None if ply == self.plies.len() => Some(self.clone()),
            None => None,
        }
    }

    /// Returns the game as it stood right after move `ply`, before anything else happened;
    /// `None` when fewer moves were made.
    pub fn right_after(&self, ply: usize) -> Option<Self> {
        let events = match ply.checked_sub(1) {
            None => 0,
            Some(made) => self.plies.get(made)?.event,
        };
        self.after(events)
    }

    /// Returns the events that end an active game so; `None` if it cannot end so, or only by its last move.
    pub fn ending(&self, reason: Reason, winner: Option<Color>) -> Option<Vec<Event>> {
        let turn = self.position.turn();
        let none = String::new();
        let event = match (reason, winner) {
            (Reason::Resigned, Some(winner)) => Event::by(!winner, Action::Resign),
            (Reason::Time, Some(winner)) => Event::by_host(Action::TimeOut(!winner)),
            (Reason::Claimed, Some(winner)) => Event::by(winner, Action::Claim),
            (Reason::Forfeited, Some(winner)) => {
                Event::by_host(Action::Forfeit { player: !winner, reason: none })
            }
            (Reason::Annulled, None) => Event::by_host(Action::Annul { reason: none }),
            (Reason::Declined, None) => {
                // If nobody has moved, either may have done it.
                let by = [turn, !turn].into_iter().find(|&color| !self.has_moved(color))?;
                Event::by(by, Action::Decline)
            }
            (Reason::Agreed, None) => {
                let offer = Event::by(turn, Action::Offer(Offer::Draw));
                return Some(vec![offer, Event::by(!turn, Action::Accept)]);
            }
            (Reason::Discs | Reason::Stuck, _)
            | (Reason::Resigned | Reason::Time | Reason::Claimed | Reason::Forfeited, None)
            | (Reason::Agreed | Reason::Annulled | Reason::Declined, Some(_)) => return None,
        };
        Some(vec![event])
    }

    /// Returns the number of the event that ended the game; `None` if it is active or no event did.
    pub fn end_event(&self) -> Option<usize> {
        self.outcome()?;
        // Nothing changes the position of a game that is over.
        Some(self.ended_by.unwrap_or(self.position_event)).filter(|&event| event > 0)
    }

    /// Returns the number of the event that began the turn, or that ended the game; 0 is the start.
    pub fn since_event(&self) -> usize {
        self.end_event().unwrap_or(self.position_event)
    }

    /// Returns the game after the first `events` of its log; `None` when it has fewer.
    pub fn after(&self, events: usize) -> Option<Self> {
        let mut earlier = Self::restore(self.start.clone());
        for event in self.events.get(..events)? {
            earlier.apply(event.clone()).ok()?;
        }
        Some(earlier)
    }
}
