//! A plain yes or no, the answer to the question that a mail asked.

use crate::command::{CONFIRM_WORDS, normalize};

/// What says no, also to the question whether commands are really the reader's.
pub(crate) const NO: &[&str] = &[
    "no",
    "no thanks",
    "cancel",
    "stop",
    "nein",
    "non",
    "nee",
    "nej",
    "nie",
    "não",
    "na\u{303}o",
    "нет",
    "いいえ",
    "不是",
];

/// What says yes to a question of the game besides the words that confirm a mail.
#[rustfmt::skip]
const MORE_YES: &[&str] = &[
    "yep", "yeah", "yup", "aye", "sure", "sure thing", "ok", "okay", "ok with me", "okay with me", "alright",
    "all right", "fine", "fine with me", "fine by me", "thats fine", "thats ok", "thats okay", "good idea",
    "sounds good", "sounds great", "agree", "agreed", "i agree", "accept", "accepted", "i accept", "i accept it",
    "i accept that", "i accept the challenge", "i accept your challenge", "i accept the draw", "i accept the offer",
    "i accept your offer", "challenge accepted", "of course", "certainly", "absolutely", "definitely", "gladly",
    "with pleasure", "id love to", "i would love to", "id like to", "i would like to", "id be glad to",
    "i would be glad to", "happy to", "go ahead", "lets do it", "lets do that", "im in", "count me in", "deal",
    "👍", "👌",
    "jawohl", "klar", "na klar", "gern", "gerne", "sehr gern", "sehr gerne", "einverstanden", "in ordnung",
    "ich nehme an", "bien sûr", "daccord", "volontiers", "avec plaisir", "jaccepte", "si", "claro", "vale",
    "de acuerdo", "por supuesto", "con gusto", "acepto", "com prazer", "claro que sim", "aceito", "конечно",
    "хорошо", "согласен", "согласна", "akkoord", "graag", "prima", "okej", "gärna", "zgoda", "はい", "是", "好",
    "好的", "可以",
];

/// What says no to a question of the game besides [`NO`].
#[rustfmt::skip]
const MORE_NO: &[&str] = &[
    "nope", "nah", "no way", "not now", "not today", "not this time", "sorry no", "thanks but no", "decline",
    "declined", "i decline", "i decline it", "i decline the challenge", "i decline your challenge",
    "i decline the draw", "i decline the offer", "i decline your offer", "refused", "i refuse", "rather not",
    "id rather not", "i would rather not", "better not", "not interested", "im not interested", "i dont want to",
    "i do not want to", "i dont accept", "i do not accept", "i dont agree", "i do not agree", "i disagree",
    "👎",
    "nö", "lieber nicht", "leider nein", "ich lehne ab", "pas maintenant", "je refuse", "ahora no", "no acepto",
    "agora não", "não aceito", "liever niet", "inte nu", "不", "不要", "不行", "いや", "結構です",
];

/// What can stand behind a yes or no.
#[rustfmt::skip]
const CLOSING: &[&str] = &[
    "thanks", "thank you", "thank you very much", "thanks a lot", "many thanks", "thx", "cheers", "please", "pls",
    "lets play", "lets go", "lets start", "lets play on", "lets go on", "lets continue", "i want to play on",
    "i want to go on", "have fun", "good luck", "good game", "well played", "sorry", "maybe later",
    "maybe next time", "maybe another time", "another time", "next time", "regards", "best regards",
    "kind regards",
    "danke", "danke schön", "vielen dank", "bitte", "leider", "merci", "merci beaucoup", "sil te plaît",
    "sil vous plaît", "gracias", "muchas gracias", "por favor", "obrigado", "obrigada", "спасибо", "пожалуйста",
    "dank je", "dank je wel", "dank u", "bedankt", "tack", "tak", "dziękuję", "proszę", "ありがとう",
    "ありがとうございます", "お願いします", "谢谢", "謝謝",
];

/// The longest answer, in bytes.
const MAX_BYTES: usize = 200;

/// A plain yes or no in a mail.
pub(crate) struct Answer {
    pub is_yes: bool,
    /// The number of its line among those that the author typed.
    pub line: usize,
}

/// Returns the answer in the first of these lines, if it is nothing but a yes or a no and at most some closing
/// words. After a comma, the next line belongs to it.
pub(crate) fn answer(lines: &[String]) -> Option<Answer> {
    let mut typed = lines.iter().enumerate().filter(|(_, line)| !normalize(line).is_empty());
    let (line, first) = typed.next()?;
    let mut text = first.trim().to_owned();
    while text.ends_with([',', '、', '，'])
        && let Some((_, more)) = typed.next()
        && text.len() <= MAX_BYTES
    {
        text = format!("{text} {}", more.trim());
    }
    (text.len() <= MAX_BYTES)
        .then(|| says_yes(&text))
        .flatten()
        .map(|is_yes| Answer { is_yes, line })
}

/// Returns whether a text says yes; `None` if it says anything but a plain yes or no.
pub fn says_yes(text: &str) -> Option<bool> {
    let bare = normalize(text).to_lowercase();
    let bare = bare.replace(|c| matches!(c, '\'' | '\u{2019}' | '\u{1f3fb}'..='\u{1f3ff}'), "");
    let is_mark = |c: char| c.is_whitespace() || MARKS.contains(c);
    let words: Vec<_> = bare.split(is_mark).filter(|word| !word.is_empty()).collect();
    let (mut rest, mut said) = (&words[..], None);
    while !rest.is_empty() {
        // The longest phrase counts: "no way" and "no thanks" begin with "no".
        let lists = [(CONFIRM_WORDS, Some(true)), (MORE_YES, Some(true)), (NO, Some(false))];
        let lists = lists.into_iter().chain([(MORE_NO, Some(false)), (CLOSING, None)]);
        let phrases = lists.flat_map(|(phrases, says)| phrases.iter().map(move |it| (it, says)));
        let phrases = phrases
            .filter(|(_, says)| says.is_none_or(|is_yes| said.is_none_or(|it| it == is_yes)));
        let begins = phrases.filter_map(|(phrase, says)| {
            let length = phrase.split(' ').count();
            let is_it =
                rest.get(..length).is_some_and(|rest| phrase.split(' ').eq(rest.iter().copied()));
            is_it.then_some((length, says))
        });
        let (length, says) = begins.max_by_key(|(length, _)| *length)?;
        said = said.or(says);
        // Closing words alone are no answer.
        said?;
        rest = &rest[length..];
    }
    said
}

/// Marks between the words of an answer. A question mark makes it none.
const MARKS: &str = ".,;:!…-–—()\"*_~、。，！";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<bool> {
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        answer(&lines).map(|answer| answer.is_yes)
    }

    #[test]
    fn an_answer_is_a_yes_or_a_no_as_a_whole() {
        for yes in [
            "yes",
            "Yes!",
            "Ok, thanks.",
            "sure :-)",
            "I\u{2019}d love to!",
            "*Yes*",
            "\n\nJa, gerne. Danke!",
            "Oui, merci",
            "yes please\nAnn",
            "Yes,\nthank you",
            "Yes, I accept. Let's play!",
            "👍🏽",
            "はい、お願いします。",
            "I accept your challenge",
            "SÍ",
            "okay - good luck",
        ] {
            assert_eq!(read(yes), Some(true), "{yes}");
        }
        for no in [
            "no",
            "No.",
            "No, thanks",
            "no thank you",
            "Nope, sorry",
            "Sorry, no",
            "I'd rather not",
            "Nein danke",
            "Nej tak",
            "не\u{442}, спасибо",
            "No way!",
            "no, not now",
            "I don't accept",
            "no, let's play on",
        ] {
            assert_eq!(read(no), Some(false), "{no}");
        }
        for unclear in [
            "",
            "yes?",
            "yes no",
            "no yes",
            "ok, no",
            "yes but not today",
            "Yes,\nbut not today",
            "no problem",
            "thanks",
            "Hi Bob,\nyes",
            "please",
            "yes d3",
            "I accept that you are better",
            "no idea",
            "why not",
            "OK?",
            "yes and no",
            "not yes",
        ] {
            assert_eq!(read(unclear), None, "{unclear}");
        }
        assert_eq!(read(&"yes,\n".repeat(100)), None);
    }
}
