use std::cmp::Reverse;

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::markup;
use super::pieces::{Detail, piece_value};
use super::read::quote::MARKER;
use super::templates::as_command;
use super::{GameContext, MessageContext, TimeContext};
use outflank_model::preferences::BoardStyle;
use outflank_model::render::{self, Choice, LastMove, Scale, Style, news, spoken, words};
use outflank_rules::{Color, Move, Placement, Variant};

/// The most moves that a mail lists.
const MAX_LISTED_MOVES: usize = 10;

/// The most legal moves that a mail lists with their effects, those that flip most, and the most with a board
/// in words, where they are the links.
const MAX_CHOICES: usize = 6;
const MAX_LINKED_CHOICES: usize = 20;

/// Returns the values for templates. Those of a game are defined only in a mail about one; links
/// are none if incoming mail is disabled. Text is ASCII, and lists are not wrapped.
pub(super) fn template_values(context: &MessageContext) -> Value {
    let &MessageContext { name, address, reply_to, suggested, .. } = context;
    let subject = context.subject();
    let link = |text: &str| reply_to.map(|reply_to| reply_to.link(&subject, text));
    let suggested = suggested.iter().map(|command| {
        let (label, text) = match (&**command, command.split_once(' ')) {
            // The name is for the reader to write.
            ("signup", _) => ("Write your name".to_owned(), ""),
            // People's own words do not stand in what the server writes.
            (_, Some(("say", _))) => ("Send your words".to_owned(), &**command),
            _ => (format!("Reply {}", as_command(command)), &**command),
        };
        context! { command, label, href => link(text) }
    });
    let links = context! {
        empty => link(""), yes => link("yes"), no => link("no"), help => link("help"),
        accept => link("accept"), decline => link("decline"), claim => link("claim"),
        next => link("next"), analyze => link("analyze"), hint => link("hint"),
        abort => link("abort"), rules => link("rules"), challenges => link("challenges"),
        unwatch => link("unwatch"), history => link("history"),
        page => link("page"),
    };
    context! {
        name, // none if the recipient is not a player
        address,
        host => context.host,
        subject => &*subject,
        text => context.text.map(|text| match context.has_markup {
            true => markup::plain(&markup::pieces(text)),
            // A line that came by mail may end in CRLF.
            false => text.lines().collect::<Vec<_>>().join("\n"),
        }),
        answer => context.answer,
        portable => context.portable, // none but at the end of a game
        offers_page => context.offers_page,
        marker => MARKER,
        reply_to => reply_to.map(|reply_to| reply_to.address),
        token => reply_to.and_then(|reply_to| reply_to.token), // none if the address carries it
        links => reply_to.map(|_| links),
        suggested => suggested.collect::<Vec<_>>(), // commands that the text suggests
        page_link => context.game.and_then(|game| game.page_link).map(safe), // none without pages
        games => listed_if(context, true), // of a digest: those that wait for the recipient
        watched => listed_if(context, false), // of a digest: those that the recipient watches
        challenges => context.challenges.to_vec(), // that a digest lists
        challenge => context.challenge.map(|it| context! {
            number => it.id.0, other => it.other, is_open => it.is_open, facts => it.facts.to_vec(),
        }),
        ..context.game.map_or_else(
            || context! { comments => context.challenge.map_or(Vec::new(), |it| it.comments.to_vec()) },
            |game| game_values(context, &game)
        )
    }
}

/// Returns the values of the games of a digest that the recipient plays, or of those that the
/// recipient watches.
fn listed_if(context: &MessageContext, is_own: bool) -> Vec<Value> {
    let games = context.sections.iter().map(|section| &section.game);
    games.filter(|game| game.to.is_some() == is_own).map(listed).collect()
}

/// Returns the values of a game in the table of a digest.
fn listed(context: &GameContext) -> Value {
    let &GameContext { id, variant, game, to, waiting, page_link, .. } = context;
    context! {
        game => id.0,
        title => words::title(variant, game.start().rules()),
        opponent => to.map(|to| side(context, !to)), // none if the recipient watches the game
        black => side(context, Color::Black),
        white => side(context, Color::White),
        waiting => waiting.map(Serde), // none if nothing ends
        page_link => page_link.map(safe), // none without pages
    }
}

/// Returns a link that needs no escaping in HTML.
fn safe(link: &str) -> Value {
    Value::from_safe_string(link.to_owned())
}

/// Returns the values of a game in this message.
fn game_values(message: &MessageContext, context: &GameContext) -> Value {
    let &GameContext { id, variant, game, names, to, comments, time, .. } = context;
    let offer = game.offer().filter(|&(by, _)| to == Some(!by));
    let state = context! {
        game => id.0,
        variant => Variant::title_of(variant),
        rated => context.is_rated,
        tournament => context.tournament.map(ToString::to_string), // none if it belongs to none
        rules => words::rules(variant, game.position().rules(), !game.given().is_empty()),
        // None if the recipient watches the game:
        you => to.map(|to| side(context, to)),
        opponent => to.map(|to| side(context, !to)),
        black => side(context, Color::Black),
        white => side(context, Color::White),
        turn => game.turn().map(|color| color.to_string()), // none when the game is over
        mover => game.turn().map(|turn| side(context, turn)), // none when the game is over
        your_turn => to.is_some() && game.turn() == to,
        // What the opponent offers, as a sentence; none without an open offer:
        offer => offer.map(|(by, offer)| news::offered(game, by, offer, names)),
        // Why it can only be declined, as the beginning of a sentence; none if it can be accepted:
        refusal => offer.filter(|_| !context.can_accept).map(|(by, _)| news::lacks_time(by, names)),
        comments => comments.to_vec(),
        must_pass => game.must_pass(),
        may_abort => game.turn().is_some()
            && context.tournament.is_none()
            && to.is_some_and(|to| !game.has_moved(to)),
        ply => game.plies().len(),
        made => words::made(game, names), // none before the first move
        last_move => words::last_move(game, names),
        moves => words::last_moves(game, MAX_LISTED_MOVES),
        paused => game.is_paused(),
        waiting => context.waiting.map(Serde), // none but in reminders and digests
        // None before the end:
        result => words::result(game, names),
        verdict => to.and_then(|to| words::verdict(game, names, to)),
        transcript => game.outcome().map(|_| words::transcript(game)),
    };
    context! {
        ..state,
        ..board_values(context, message.style),
        ..legal_values(message, context),
        ..time_values(time),
    }
}

/// Returns the values of the player of this colour.
fn side(context: &GameContext, color: Color) -> Value {
    let &GameContext { game, names, bot, .. } = context;
    let position = game.position();
    context! {
        name => names.of(color),
        is_bot => bot == Some(color),
        color => color.to_string(),
        letter => words::letter(color, position.rules().lattice),
        discs => position.count(color),
    }
}

/// Returns the board as text: as a figure or, without one, in words.
fn board_values(&GameContext { game, names, .. }: &GameContext, style: BoardStyle) -> Value {
    let scale = match style {
        BoardStyle::Figure => Some(Scale::Full),
        BoardStyle::Compact => Some(Scale::Compact),
        BoardStyle::Words => None,
    };
    let position = game.position();
    let figure =
        |scale| render::figure(scale, position, LastMove::of(game).as_ref(), &[]).to_string();
    context! {
        figure => scale.map(figure),
        // Without a figure:
        spoken_move => scale.is_none().then(|| spoken::last_move(game, names)),
        spoken_board => scale.is_none().then(|| spoken::board(position)),
    }
}

/// Returns the legal moves, and those that flip most with their effects.
fn legal_values(message: &MessageContext, &GameContext { game, to, .. }: &GameContext) -> Value {
    let position = game.position();
    let rules = position.rules();
    let moves = game.legal();
    let flips = |mv| match mv {
        Move::Place(cell) => position.flips(cell).len(),
        Move::Pass => 0,
    };
    let mut best: Vec<_> = moves.iter().map(|&mv| (mv, flips(mv))).collect();
    let most = match message.style {
        BoardStyle::Figure | BoardStyle::Compact => MAX_CHOICES,
        BoardStyle::Words => MAX_LINKED_CHOICES,
    };
    if best.len() > most {
        best.sort_by_key(|&(_, flips)| Reverse(flips));
        best.truncate(most);
    }
    let reply_to = message.reply_to.filter(|_| to.is_some() && game.turn() == to);
    let subject = message.subject();
    let choices = best.into_iter().map(|(mv, flips)| {
        let placed = usize::from(mv != Move::Pass);
        let after = |color: Color| {
            let discs = position.count(color) as usize;
            if color == position.turn() { discs + placed + flips } else { discs - flips }
        };
        let label = rules.lattice.move_label(mv);
        context! {
            href => reply_to.map(|reply_to| reply_to.link(&subject, &label)),
            label,
            flips,
            black => after(Color::Black),
            white => after(Color::White),
        }
    });
    let labels: Vec<_> = moves.iter().map(|&mv| rules.lattice.move_label(mv)).collect();
    let count = match moves.len() {
        1 => "1\u{a0}move".to_owned(),
        count => format!("{count}\u{a0}moves"),
    };
    let legal = match rules.placement {
        Placement::Anywhere => words::ANY_CELL.to_owned(),
        Placement::Outflanking => labels.join("\u{a0}/ "),
    };
    context! {
        legal => format!("{legal}\u{a0}({count})"),
        first_legal => labels.first(),
        choices => choices.collect::<Vec<_>>(), // the best ones if there are many
        legal_count => moves.len(),
    }
}

/// Returns the players' time; none if it is not limited.
fn time_values(time: Option<&TimeContext>) -> Value {
    context! {
        control => time.map(|time| &*time.control),
        time_left => time.map(|time| context! { own => &*time.own_left, other => &*time.other_left }),
        deadline => time.and_then(|time| time.deadline.as_deref()), // none if no clock runs
    }
}

/// A board with more cells is too large for a mail in any style; the frame of a hex lattice can have
/// millions.
const MAX_BOARD_CELLS: usize = 9_000;

/// The smallest width of the page in pixels.
const MIN_PAGE_WIDTH: usize = 640;
/// The room beside a board in pixels.
const MARGINS: usize = 16;

/// Adds the values for HTML templates: the board as HTML, none if it would be too large; its smallest
/// width and the width of the page in pixels; and whether there is room (`roomy`) for a link to each
/// move.
pub(super) fn html_values(context: &MessageContext, values: &Value, detail: Detail) -> Value {
    let roomy = matches!(detail, Detail::All | Detail::Plain);
    let style = match (detail, context.style) {
        (Detail::All, BoardStyle::Figure) => Style::Full,
        _ => Style::Plain,
    };
    let game = context.game.filter(|game| {
        let frame = game.game.position().frame();
        let is_drawn = context.style != BoardStyle::Words && detail != Detail::Boardless;
        is_drawn && frame.rows * frame.columns <= MAX_BOARD_CELLS
    });
    let board = game.map(|GameContext { game, to, .. }| {
        let subject = context.subject();
        let placements = game.position().placements();
        let lattice = game.position().rules().lattice;
        let reply_to = context.reply_to.filter(|_| roomy);
        let is_turn = to.is_some() && game.turn() == to;
        let choice = |cell| {
            (is_turn && placements.contains(cell)).then(|| match reply_to {
                Some(reply_to) => Choice::Link(reply_to.link(&subject, &lattice.label(cell))),
                None => Choice::Label,
            })
        };
        render::html(game.position(), LastMove::of(game).as_ref(), style, choice)
    });
    let (board_width, least_board_width) =
        board.as_ref().map_or((0, 0), |board| (board.width, board.least_width));
    let pieces = context.text.filter(|_| context.has_markup);
    let pieces = pieces.map(markup::pieces);
    let pieces = pieces.iter().flatten().map(|it| piece_value(it, context.style, detail));
    let pieces: Vec<_> = pieces.collect();
    let widths = pieces.iter().filter_map(|it| it.get_attr("least_width").ok());
    let widths = widths.chain([Value::from(least_board_width)]).filter(Value::is_true);
    context! {
        board_widths => widths.collect::<Vec<_>>(), // the least widths of all boards
        pieces, // of an answer
        board => board.map(|board| board.html),
        least_board_width,
        page_width => MIN_PAGE_WIDTH.max(board_width + MARGINS),
        roomy,
        ..values
    }
}
