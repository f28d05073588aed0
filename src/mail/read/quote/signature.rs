//! Where a signature begins.

use super::{dash, long_dash};

/// A signature of a mail program is a line of its own with few words.
const MOST_WORDS: usize = 10;

/// How the line begins by which a mail program or a telephone names itself, in small letters.
const BEGINS: &[&str] = &[
    "sent from ",
    "sent via ",
    "sent with ",
    "sent using ",
    "get outlook for",
    "gesendet von ",
    "gesendet mit ",
    "gesendet aus ",
    "gesendet über ",
    "diese nachricht wurde von meine",
    "envoyé de ",
    "envoyé depuis ",
    "envoyé à partir ",
    "envoyé avec ",
    "envoyé par ",
    "enviado desde ",
    "enviado con ",
    "enviado de ",
    "enviado do ",
    "enviado a partir ",
    "enviado via ",
    "enviado com ",
    "inviato da",
    "inviato con ",
    "verstuurd v",
    "verzonden v",
    "verzonden met ",
    "skickat från ",
    "skickades från ",
    "skickat med ",
    "sendt fra ",
    "sendt med ",
    "lähetetty ",
    "wysłane z ",
    "wysłano z ",
    "odesláno z",
    "odesláno přes ",
    "odoslané z",
    "trimis de pe ",
    "trimis din ",
    "отправлено с ",
    "отправлено из ",
    "надіслано з ",
    "надіслано із ",
    "відправлено з ",
    "στάλθηκε από ",
    "εστάλη από ",
    "poslano s ",
    "poslano z ",
    "изпратено от ",
    "发自",
    "發自",
    "从我的",
    "從我的",
    "傳送自",
    "寄自",
    "发送自",
    "נשלח מ",
    "أرسلت من",
    "أُرسلت من",
    "مرسل من",
    "تم الإرسال من",
];

/// How the line ends in languages that put the verb last. People write sentences that end so: of
/// [`FEW_WORDS`] at most.
const ENDS: &[&str] = &["から送信", "gönderildi", "에서 보냄", "küldve"];

const FEW_WORDS: usize = 4;

/// Whether a signature begins with this line. Everything below it is not worth reading.
pub(super) fn begins(line: &str) -> bool {
    delimiter(line) || program(line)
}

/// `-- ` and what becomes of it.
fn delimiter(line: &str) -> bool {
    matches!(line, "--" | "__")
        || (line.contains(long_dash) && line.chars().all(dash))
        || (line.len() >= 5 && line.bytes().all(|byte| byte == b'_'))
}

/// Whether this is the line of a mail program that names itself.
fn program(line: &str) -> bool {
    if line.len() > 200 || line.contains(", ") || line.split_whitespace().count() > MOST_WORDS {
        return false;
    }
    let line = line.to_lowercase();
    let line = line.trim_start_matches(['*', '_', '[', '(', ' ']);
    BEGINS.iter().any(|begin| line.starts_with(begin))
        || (line.contains("outlook") && (line.contains("ios") || line.contains("android")))
        || (line.starts_with("von mein") && ends_with(line, "gesendet"))
        || (line.split_whitespace().count() <= FEW_WORDS
            && ENDS.iter().any(|end| ends_with(line, end)))
}

/// Whether the line ends with this, but for punctuation.
fn ends_with(line: &str, end: &str) -> bool {
    line.trim_end_matches(|c: char| !c.is_alphanumeric()).ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::super::fresh;
    use super::*;

    #[test]
    fn a_signature_ends_the_text() {
        for delimiter in ["-- ", "--", "\u{2014}", "\u{2014}-", "__", "_______________________"] {
            assert_eq!(fresh(&format!("d3\n{delimiter}\ne6\n")), ["d3"], "{delimiter}");
        }
        assert_eq!(fresh("a -- b\nd3"), ["a -- b", "d3"]);
        assert_eq!(fresh("-- first point\nd3").last(), Some(&"d3"));
    }

    #[test]
    fn programs_name_themselves() {
        for line in [
            "Sent from my iPhone",
            "Sent from my Verizon Wireless BlackBerry",
            "Sent via BlackBerry by AT&T",
            "Sent from Mail for Windows 10",
            "Sent with Proton Mail secure email.",
            "Get Outlook for iOS<https://aka.ms/o0ukef>",
            "Von meinem iPhone gesendet",
            "Gesendet von Outlook für Android<https://aka.ms/AAb9ysg>",
            "Envoyé de mon iPhone",
            "Télécharger Outlook pour iOS",
            "Enviado desde mi iPhone",
            "Enviado do meu iPhone",
            "Inviato da iPhone",
            "Verstuurd vanaf mijn iPhone",
            "Skickat från min iPhone",
            "Sendt fra min iPhone",
            "Lähetetty iPhonesta",
            "Wysłane z iPhone'a",
            "Odesláno z iPhonu",
            "Отправлено с iPhone",
            "iPhone'umdan gönderildi",
            "iPhoneから送信",
            "发自我的 iPhone",
            "나의 iPhone에서 보냄",
            "נשלח מה-iPhone שלי",
        ] {
            assert!(begins(line), "{line}");
        }
    }

    #[test]
    fn people_send_things_too() {
        for line in [
            "Sent from my desk, is much easier than my mobile phone.",
            "The notification was sent from my iPhone app to all users.",
            "I have sent you a mail",
            "Ich habe dir gestern etwas gesendet",
            "d3",
        ] {
            assert!(!begins(line), "{line}");
        }
    }
}
