//! Signatures without a mark, which a mail program or a mail server adds to a text.
//!
//! The signs are guesses, so they only count at the end of a text: a rule above a name or contact
//! lines, a closing above a name and a company, contact lines in a row, and disclaimers.

use crate::mail::text::any;

/// The most lines at the end of a text that are searched, and the most bytes of each.
const MAX_LINES: usize = 100;
const MAX_LINE_BYTES: usize = 300;
/// The most words of a name, of a line with an address, and of any other contact line.
const MAX_NAME_WORDS: usize = 5;
const MAX_ADDRESS_WORDS: usize = 5;
const MAX_CONTACT_WORDS: usize = 12;
/// The fewest digits of a telephone number alone, and of one behind a word.
const MIN_PHONE_DIGITS: usize = 7;
const MIN_LABELLED_DIGITS: usize = 5;

/// What stands alone on a line above a signature, in lower case, with `|` between two.
const CLOSINGS: &str = "\
    kind regards|best regards|warm regards|regards|with kind regards|with best regards|sincerely|\
    yours sincerely|sincerely yours|yours faithfully|yours truly|best wishes|all the best|best|\
    cheers|thanks|thank you|many thanks|thanks and regards|thanks & regards|kr|br|\
    mit freundlichen grüßen|mit freundlichen grüssen|freundliche grüße|freundliche grüsse|\
    viele grüße|viele grüsse|beste grüße|beste grüsse|liebe grüße|liebe grüsse|herzliche grüße|\
    herzliche grüsse|mit besten grüßen|mit besten grüssen|mfg|vg|lg|cordialement|\
    bien cordialement|bien à vous|sincères salutations|cdt|saludos|un saludo|saludos cordiales|\
    atentamente|un cordial saludo|cordiali saluti|distinti saluti|un saluto|atenciosamente|\
    cumprimentos|com os melhores cumprimentos|met vriendelijke groet|met vriendelijke groeten|\
    vriendelijke groet|groeten|med vänliga hälsningar|vänliga hälsningar|med vänlig hälsning|\
    hälsningar|med venlig hilsen|venlig hilsen|med vennlig hilsen|vennlig hilsen|mvh|\
    ystävällisin terveisin|terveisin|pozdrawiam|z poważaniem|s pozdravem|s pozdravom|\
    üdvözlettel|tisztelettel|cu stimă|с уважением|з повагою|με εκτίμηση|saygılarımla|\
    よろしくお願いします|よろしくお願いいたします|此致|祝好|감사합니다";

/// What a disclaimer, an advertisement or a virus scanner says, in lower case, with `|` between two.
const DISCLAIMERS: &str = "\
    [external|external email|originated outside|originated from outside|\
    confidentiality notice|confidentiality:|disclaimer:|this message is confidential|\
    if you are not the addressee|if you are not the intended|if you have received this|\
    yahoo mail: search|\
    this email and any|this e-mail and any|\
    this message and any|this email is confidential|this e-mail is confidential|\
    this email may contain|this e-mail may contain|this message may contain|\
    this email contains confidential|this e-mail contains confidential|this message contains conf|\
    the information contained in this|the information in this email|the information in this e-mail|\
    is intended only for|are intended only for|is intended solely|are intended solely|\
    intended recipient|for the sole use of the|consider the environment before|\
    before printing this|has been checked for viruses|scanned for viruses|scanned by|virus-free|\
    diese e-mail enthält|diese email enthält|diese nachricht enthält|diese e-mail ist vertraulich|\
    diese e-mail kann vertrauliche|ce message et toutes|ce message est confidentiel|\
    ce message peut contenir|ce courriel|ce mail peut contenir|este mensaje y|este mensaje puede|\
    este correo electrónico y|aviso legal|questo messaggio e|\
    questa e-mail|le informazioni contenute|esta mensagem pode|esta mensagem e|aviso de confiden|\
    dit bericht is|dit e-mailbericht|deze e-mail|denne e-mail|detta e-post|ta wiadomość|\
    niniejsza wiadomość|настоящее сообщение|это сообщение содержит";

/// The words before a number or an address in a contact line, in lower case, with `|` between two.
const LABELS: &str = "\
    tel|telephone|phone|ph|mobile|mob|cell|fax|office|direct|desk|t|m|f|e|p|w|d|o|email|e-mail|mail|\
    web|website|url|skype|linkedin|twitter|x|github|mastodon|instagram|facebook|whatsapp|address|\
    telefon|handy|mobil|anschrift|tél|téléphone|portable|courriel|teléfono|móvil|correo|telefono|\
    cellulare|telefone|telemóvel|celular|telefoon|mobiel|puh|komórka|тел|телефон|моб|電話|电话|전화";

/// Words in a line about a company, a job or an address, in lower case, with `|` between two.
const COMPANIES: &str = "\
    gmbh|ag|kg|ltd|limited|inc|llc|llp|plc|corp|s.a|s.r.l|b.v|e.v|oy|ab|a/s|university|universität|\
    université|universidad|institute|institut|department|abteilung|amtsgericht|handelsregister|\
    geschäftsführer|geschäftsführung|registered|vat|ust-id|ceo|cto|cfo|manager|director|engineer|\
    consultant|developer|officer|professor|president|founder|street|straße|strasse|avenue|road|\
    株式会社|有限公司";

/// Returns the first of the lines that belong to a signature at their end; the number of lines if
/// there is none. The first line with text never belongs to it.
pub fn start(lines: &[impl AsRef<str>]) -> usize {
    let skipped = lines.len().saturating_sub(MAX_LINES);
    let (above, last) = lines.split_at(skipped);
    let last: Vec<&str> = last.iter().map(|line| bare(line.as_ref())).collect();
    let is_text = |line: &&str| !line.is_empty();
    let first =
        if above.is_empty() { last.iter().position(is_text).map(|at| at + 1) } else { None };
    let begin = (first.unwrap_or_default()..last.len()).find(|&at| begins(&last, at));
    skipped + begin.unwrap_or(last.len())
}

/// Returns whether a signature begins with this line.
fn begins(lines: &[&str], at: usize) -> bool {
    let (above, rest) = lines.split_at(at);
    let [line, rest @ ..] = rest else { return false };
    let below = rest.iter().find(|line| !line.is_empty() && !is_rule(line));
    let contacts = rest.iter().filter(|line| is_contact(line)).count();
    let introduces = |line: &&str| is_name(line) || is_contact(line);
    if is_rule(line) {
        return below
            .is_some_and(|line| introduces(line) || is_closing(line) || is_disclaimer(line));
    }
    if is_closing(line) {
        let is_last = rest.iter().filter(|line| !line.is_empty()).count() == 1;
        let ends = contacts > 0 || is_last && !is_thanks(line);
        return ends && below.is_some_and(introduces);
    }
    let name = line.trim_start_matches([' ', '-', '~', '\u{2013}', '\u{2014}']);
    if name.len() < line.len() && is_name(name) {
        return below.is_none() || contacts > 0;
    }
    let next = rest.first().filter(|line| !line.is_empty());
    let is_paragraph = above.last().is_some_and(|line| line.is_empty());
    let is_block = next.is_some_and(|next| {
        is_name(line) && contacts >= 2 && (is_paragraph || is_contact(next))
            || is_paragraph && is_name(line) && is_data(next)
            || is_paragraph && is_data(line) && is_contact(next)
    });
    is_block || is_picture(line) || is_disclaimer(line)
}

/// Returns the beginning of a line without white space and the marks of bold and italic text around
/// it.
fn bare(line: &str) -> &str {
    let line = line.get(..line.floor_char_boundary(MAX_LINE_BYTES)).unwrap_or(line).trim();
    if is_rule(line) {
        line
    } else {
        line.trim_matches(|c: char| c.is_whitespace() || "*_|/".contains(c))
    }
}

/// Returns whether this is a line of the same few ornaments.
fn is_rule(line: &str) -> bool {
    let count = line.chars().filter(|c| !c.is_whitespace()).count();
    count >= 3
        && line.chars().all(|c| {
            c.is_whitespace()
                || "-=*_~#+\u{2022}\u{b7}\u{2013}\u{2014}\u{2500}\u{2501}\u{2550}".contains(c)
        })
}

/// Returns whether this is a closing, perhaps in two languages or with a name behind it.
fn is_closing(line: &str) -> bool {
    let is_one = |part: &str| {
        let lower = part.to_lowercase();
        any(CLOSINGS, |closing| closing == lower)
    };
    let mut parts = line.split([',', '/', '|']);
    let mut parts = parts.by_ref().map(|part| part.trim().trim_end_matches(['.', '!']));
    parts.next().is_some_and(is_one)
        && parts.all(|part| part.is_empty() || is_one(part) || is_name(part))
}

/// Returns whether this may thank the reader. The reader's name may stand below it.
fn is_thanks(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["thank", "cheers"].iter().any(|word| lower.contains(word))
}

/// Returns whether this stands for a picture.
fn is_picture(line: &str) -> bool {
    ["[cid:", "[image:"].iter().any(|begin| line.starts_with(begin)) && line.ends_with(']')
}

fn is_disclaimer(line: &str) -> bool {
    let lower = line.to_lowercase();
    any(DISCLAIMERS, |phrase| lower.contains(phrase))
}

/// Returns whether this may be a name: a few words with capital letters, and no end of a sentence.
fn is_name(line: &str) -> bool {
    let line = line.trim_end_matches(',');
    !line.is_empty()
        && !line.ends_with(['!', '?', '.', ':'])
        && !line.contains(char::is_numeric)
        && line.split_whitespace().count() <= MAX_NAME_WORDS
        && is_title(line)
}

/// Returns whether every word has a capital letter, a number or nothing to capitalize, but for those
/// that are small in names.
fn is_title(line: &str) -> bool {
    const SMALL: &str = "von|van|de|der|den|di|da|la|le|el|zu|bin|of|and|for|the|und|für|et|y|e";
    line.split_whitespace().all(|word| {
        !word.starts_with(char::is_lowercase) && word.contains(char::is_alphanumeric)
            || any(SMALL, |small| small == word)
    })
}

/// Returns whether this line has an address, a telephone number or an employer.
fn is_contact(line: &str) -> bool {
    let has_address = ["@", "www.", "http"].iter().any(|it| line.to_lowercase().contains(it));
    is_data(line) || has_address && line.split_whitespace().count() <= MAX_ADDRESS_WORDS
}

/// Returns whether this is a contact line that a comment is not likely to have.
fn is_data(line: &str) -> bool {
    let lower = line.to_lowercase();
    let words: Vec<_> =
        lower.split([' ', ',', '(', ')', '|']).filter(|it| !it.is_empty()).collect();
    if words.len() > MAX_CONTACT_WORDS || line.ends_with(['!', '?']) {
        return false;
    }
    let is_in = |list: &str, word: &str| any(list, |it| it == word);
    let label = lower.split([':', '.', ' ']).next().unwrap_or_default();
    let digits = line.chars().filter(char::is_ascii_digit).count();
    let has_colon = lower.get(label.len()..).is_some_and(|behind| behind.starts_with(':'));
    let is_labelled = is_in(LABELS, label) && (has_colon || digits >= MIN_LABELLED_DIGITS);
    let is_phone =
        digits >= MIN_PHONE_DIGITS && digits > line.chars().filter(|c| c.is_alphabetic()).count();
    let is_company =
        words.iter().any(|word| is_in(COMPANIES, word.trim_end_matches('.'))) && is_title(line);
    let is_listed = [" | ", " \u{2022} ", " \u{b7} "].iter().any(|it| line.contains(it));
    is_labelled || is_phone || is_company || is_listed
}

#[cfg(test)]
mod tests {
    use super::start;

    fn signature_in(text: &str) -> Option<usize> {
        let lines: Vec<_> = text.lines().collect();
        Some(start(&lines)).filter(|&at| at < lines.len())
    }

    #[test]
    fn signatures_of_many_styles_are_found() {
        for signature in [
            "-----\nAlice",
            "=====\n\nAlice Smith",
            "*****\nAlice van der Berg\nTel: 0123",
            "~~~~~~~\n*Alice Smith*\nacme.example",
            "- - - - -\nalice@example.org",
            "*************\n* Alice Smith *\n*************",
            "\u{2500}\u{2500}\u{2500}\u{2500}\n田中 太郎\n電話: 03-1234-5678",
            "----------\nKind regards",
            "-- Alice Smith",
            "\u{2014} Alice",
            "Kind regards\n\nAlice Smith\nEngineer\nACME Ltd.",
            "Best,\nAlice\n+44 20 7946 0123",
            "Mit freundlichen Grüßen\nAlice Schmidt\n\nACME GmbH\nAmtsgericht Berlin",
            "Cordialement,\nAlice Martin\nTél. : 01 23 45 67 89",
            "Alice Smith\nHead of Nothing\nACME Ltd\nwww.acme.example",
            "Tel: 0123 456789\nMail: alice@example.org",
            "This e-mail and any attachments are confidential and may be privileged.",
            "Diese E-Mail enthält vertrauliche Informationen.",
            "Please consider the environment before printing this mail.",
            "Virus-free. www.avast.com",
            "Alice Smith\n+49 30 1234567",
            "/Alice Smith\nACME AB",
            "Best regards / Mit freundlichen Grüßen\n\nAlice Smith\nACME GmbH",
            "Regards, Alice\nAlice Smith\nHead of Sales\nT +44 20 7946 0000",
            "[cid:image001.png@01D00000]\nAlice Smith",
            "Best,\nAlice",
            "Kind regards\nAlice Smith",
            "Best regards\n\nAlice",
            "[EXTERNAL EMAIL]",
            "CAUTION: This email originated from outside of the organization.",
        ] {
            let text = format!("Good game!\n\n{signature}");
            assert_eq!(signature_in(&text), Some(2), "{text}");
            assert_eq!(
                signature_in(&format!("\n{text}\n\nMore")).map(|at| at - 1),
                match signature {
                    // Nothing stands below a name alone.
                    "-- Alice Smith" | "\u{2014} Alice" => None,
                    "Best,\nAlice" | "Kind regards\nAlice Smith" | "Best regards\n\nAlice" => None,
                    _ => Some(2),
                },
                "{text}"
            );
        }
    }

    #[test]
    fn only_the_end_of_a_long_text_is_searched() {
        let text = "Alice Smith\nTel: 0123 456789\n\n".repeat(1000);
        assert_eq!(signature_in(&text), Some(3000 - super::MAX_LINES + 1));
    }

    #[test]
    fn comments_are_not_signatures() {
        for text in [
            "Alice Smith\nTel: 0123 456789\nMail: alice@example.org",
            "Good game!\n\nThanks\nAlice",
            "Good game!\n\nBest regards\nand see you next year",
            "Good game!\n\nBest regards",
            "First part.\n-----\nSecond part is here.",
            "One\n***\nand two",
            "I saw these:\n\nwww.othello.example/1\nwww.othello.example/2",
            "Thanks\n\nThat was close. My number is 0123 456789, call me!",
            "Well Played\n\nSee You\nIn May",
            "My line:\n\nD 3\nE 6",
            "You were faster:\n\nf5 d6 c3 d3 c4 f4\nf6 f3 e6 e7",
            "-- a4 was bad\n-- b2 was worse",
            "Good game!\n\nDear Alice\nMy manager says hi",
            "Good game!\n\nThanks, that was fun\nCall 0123 456789",
            "In 2026 I was the manager of a club\n\nIt was fun",
        ] {
            assert_eq!(signature_in(text), None, "{text}");
        }
    }
}
