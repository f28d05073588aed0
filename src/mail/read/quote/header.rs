//! Blocks of headers above a quote, and lines that divide it from an answer.

use super::{dash, tidy};

/// How many lines below its first a block of headers is looked for.
const DEPTH: usize = 12;

/// How many lines, of long addresses or blank, may stand between two headers.
const GAP: usize = 2;

/// What a header tells. The names are those that mail programs show, not those of RFC 5322.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    From,
    Sent,
    To,
    Copy,
    Subject,
}

/// Whether all from this line on is quoted: it divides, or heads the quote as Outlook does.
pub(super) fn begins(line: &str, below: &[&str]) -> bool {
    divider(line) || block(line, below) || (rule(line) && headed(below))
}

/// Whether the first of these lines that is not blank begins a block of headers.
fn headed(lines: &[&str]) -> bool {
    let blank = lines.iter().take(GAP).take_while(|line| line.is_empty()).count();
    let rest = lines.get(blank..).and_then(<[_]>::split_first);
    rest.is_some_and(|(line, below)| block(line, below))
}

/// Whether this line and those below it are headers: who wrote, and one thing more; or three.
fn block(line: &str, below: &[&str]) -> bool {
    let Some(first) = kind(line) else { return false };
    if one_line(line) {
        return true;
    }
    let mut kinds = vec![first];
    let mut gap = 0;
    for line in below.iter().take(DEPTH) {
        match kind(line) {
            Some(kind) => {
                gap = 0;
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            None => gap += 1,
        }
        if gap > GAP {
            break;
        }
    }
    kinds.len() >= if kinds.contains(&Kind::From) { 2 } else { 3 }
}

/// Whether who wrote and two things more are told in one line, as when its line breaks were lost.
fn one_line(line: &str) -> bool {
    let last_word = |part: &str| part.split_whitespace().next_back().and_then(named);
    let mut kinds: Vec<_> = line.split([':', '：']).take(DEPTH).filter_map(last_word).collect();
    kinds.dedup();
    kinds.len() > 2 && kinds.contains(&Kind::From)
}

/// What this line tells if it is a header.
fn kind(line: &str) -> Option<Kind> {
    named(line.split_once([':', '：'])?.0)
}

/// What a header of this name tells. The name may be in bold letters (`*From:* Bob`).
fn named(name: &str) -> Option<Kind> {
    if name.len() > 60 {
        return None;
    }
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
    Some(match &*tidy(name).to_lowercase() {
        "from" | "von" | "de" | "da" | "van" | "från" | "fra" | "lähettäjä" | "od" | "feladó"
        | "de la" | "от" | "от кого" | "від" | "від кого" | "από" | "kimden" | "gönderen"
        | "差出人" | "送信者" | "发件人" | "發件人" | "寄件者" | "보낸 사람" | "보낸사람"
        | "מאת" | "من" | "expéditeur" | "remitente" | "remetente" | "mittente" | "afzender"
        | "avsändare" | "absender" | "saatja" | "nuo" | "dari" | "từ" | "จาก" | "pošiljatelj"
        | "frá" => Kind::From,
        "sent"
        | "date"
        | "gesendet"
        | "gesendet am"
        | "datum"
        | "envoyé"
        | "envoyé le"
        | "message du"
        | "enviado"
        | "enviado el"
        | "enviado em"
        | "enviada"
        | "enviada em"
        | "fecha"
        | "data"
        | "inviato"
        | "verzonden"
        | "verzonden op"
        | "skickat"
        | "sendt"
        | "dato"
        | "lähetetty"
        | "päivämäärä"
        | "päiväys"
        | "wysłano"
        | "wysłane"
        | "odesláno"
        | "odoslané"
        | "dátum"
        | "elküldve"
        | "küldve"
        | "trimis"
        | "отправлено"
        | "отправлен"
        | "дата"
        | "надіслано"
        | "відправлено"
        | "στάλθηκε"
        | "εστάλη"
        | "ημερομηνία"
        | "gönderildi"
        | "gönderilme tarihi"
        | "tarih"
        | "送信日時"
        | "日時"
        | "日付"
        | "发送时间"
        | "發送時間"
        | "时间"
        | "時間"
        | "日期"
        | "寄件日期"
        | "傳送日期"
        | "보낸 날짜"
        | "날짜"
        | "보낸 시간"
        | "נשלח"
        | "תאריך"
        | "تاريخ الإرسال"
        | "تم الإرسال"
        | "التاريخ"
        | "تاريخ"
        | "tanggal"
        | "dikirim"
        | "ngày"
        | "วันที่"
        | "изпратено"
        | "poslano"
        | "saadetud"
        | "kuupäev" => Kind::Sent,
        "to" | "an" | "à" | "a" | "para" | "aan" | "naar" | "till" | "til" | "vastaanottaja"
        | "do" | "komu" | "címzett" | "către" | "catre" | "кому" | "προς" | "kime" | "alıcı"
        | "宛先" | "收件人" | "收件者" | "받는 사람" | "받는사람" | "אל" | "إلى" | "kepada"
        | "đến" | "ถึง" | "до" | "za" | "destinataire" | "destinatario" | "destinatário"
        | "empfänger" | "mottagare" | "modtager" => Kind::To,
        "cc" | "bcc" | "kopie" | "copie à" | "copie" | "cópia" | "kopi" | "kopia" | "kopio"
        | "dw" | "копия" | "копія" | "másolatot kap" | "másolat" | "bilgi" | "抄送" | "副本"
        | "참조" | "עותק" | "نسخة" | "reply-to" | "antwort an" | "répondre à" => {
            Kind::Copy
        }
        "subject" | "betreff" | "objet" | "asunto" | "assunto" | "oggetto" | "onderwerp"
        | "ämne" | "emne" | "aihe" | "temat" | "předmět" | "predmet" | "tárgy" | "subiect"
        | "тема" | "θέμα" | "konu" | "件名" | "主题" | "主題" | "主旨" | "제목" | "נושא"
        | "الموضوع" | "subjek" | "chủ đề" | "เรื่อง" | "teema" | "относно" => {
            Kind::Subject
        }
        _ => return None,
    })
}

/// A line of nothing but dashes, underscores or the like.
fn rule(line: &str) -> bool {
    line.chars().nth(2).is_some() && line.chars().all(ornament)
}

fn ornament(c: char) -> bool {
    dash(c) || c.is_whitespace() || matches!(c, '_' | '=' | '*' | '~' | '#')
}

/// `-----Original Message-----` in any language, or in words that we know without dashes.
fn divider(line: &str) -> bool {
    let dashes = line.chars().take_while(|&c| dash(c)).count();
    let dashes_after = line.chars().rev().take_while(|&c| dash(c)).count();
    let words = line.trim_matches(|c| ornament(c) || c == ':');
    if words.is_empty() || words.len() > 200 {
        return false;
    }
    (dashes >= 4 && dashes_after >= 4) || phrase(words)
}

/// What divides an answer from a quote when it stands in a line of its own.
fn phrase(words: &str) -> bool {
    let words = words.to_lowercase();
    words.starts_with("original message processed by")
        || matches!(
            &*words,
            "original message"
                | "original mail"
                | "reply message"
                | "forwarded message"
                | "forwarded by"
                | "begin forwarded message"
                | "start of forwarded message"
                | "ursprüngliche nachricht"
                | "originalnachricht"
                | "weitergeleitete nachricht"
                | "anfang der weitergeleiteten nachricht"
                | "message d'origine"
                | "message d\u{2019}origine"
                | "message original"
                | "message transféré"
                | "début du message transféré"
                | "début du message réexpédié"
                | "mensaje original"
                | "mensaje reenviado"
                | "inicio del mensaje reenviado"
                | "mensagem original"
                | "mensagem encaminhada"
                | "início da mensagem reencaminhada"
                | "messaggio originale"
                | "messaggio inoltrato"
                | "inizio messaggio inoltrato"
                | "oorspronkelijk bericht"
                | "doorgestuurd bericht"
                | "begin doorgestuurd bericht"
                | "ursprungligt meddelande"
                | "vidarebefordrat brev"
                | "vidarebefordrat meddelande"
                | "oprindelig meddelelse"
                | "oprindelig besked"
                | "videresendt besked"
                | "videresendt meddelelse"
                | "opprinnelig melding"
                | "alkuperäinen viesti"
                | "oryginalna wiadomość"
                | "wiadomość oryginalna"
                | "původní zpráva"
                | "pôvodná správa"
                | "eredeti üzenet"
                | "mesaj original"
                | "mesajul original"
                | "исходное сообщение"
                | "пересылаемое сообщение"
                | "оригінальне повідомлення"
                | "αρχικό μήνυμα"
                | "orijinal mesaj"
                | "özgün ileti"
                | "元のメッセージ"
                | "原始邮件"
                | "原始郵件"
                | "转发的邮件"
                | "원본 메시지"
                | "원본 메일"
                | "הודעה מקורית"
                | "الرسالة الأصلية"
        )
}

#[cfg(test)]
mod tests {
    use super::super::fresh;

    fn ends(divider: &str) {
        for gap in ["\n", "\n\n"] {
            let text = format!("d3{gap}{divider}\n\nYour turn\ne6\n> f5\n\nc4");
            assert_eq!(fresh(&text), ["d3"], "{text}");
            assert!(fresh(&format!("{divider}{gap}e6")).is_empty(), "{divider}");
        }
    }

    #[test]
    fn blocks_of_headers() {
        for block in [
            "From: Outflank <o@example.org>\nSent: Saturday, 21 November 2026 18:00\nTo: bob",
            "*From:* Outflank [mailto:o@example.org]\n*Sent:* Saturday\n*To:* bob\n*Subject:* #1",
            "From: Human Resources\n<a-very-long-address@example.org>\nSent: today",
            "Von: Outflank\nGesendet: Samstag, 21. November 2026 18:00\nAn: bob\nBetreff: AW: #1",
            "Gesendet: Samstag, 21. November 2026 um 18:00 Uhr\nVon: Outflank\nAn: bob",
            "De : Outflank<mailto:o@example.org>\nEnvoyé le :samedi 21 novembre 2026\nÀ : bob",
            "Message du : 21/11/2026 18:00\nDe : \"Outflank\" <o@example.org>\nA : bob",
            "De: Outflank\nEnviado: sábado\nPara: bob\nAsunto: #1",
            "Da: Outflank\nInviato: sabato\nA: bob\nOggetto: #1",
            "Van: Outflank\nVerzonden: zaterdag\nAan: bob\nOnderwerp: #1",
            "Från: Outflank\nSkickat: lördag\nTill: bob\nÄmne: #1",
            "Fra: Outflank\nSendt: lørdag\nTil: bob\nEmne: #1",
            "Lähettäjä: Outflank\nLähetetty: lauantai\nVastaanottaja: bob",
            "Od: Outflank\nWysłano: sobota\nDo: bob\nTemat: #1",
            "Feladó: Outflank\nElküldve: szombat\nCímzett: bob\nTárgy: #1",
            "От: Outflank\nОтправлено: суббота\nКому: bob\nТема: #1",
            "Kimden: Outflank\nGönderildi: Cumartesi\nKime: bob\nKonu: #1",
            "差出人: Outflank\n送信日時: 2026年11月21日\n宛先: bob\n件名: #1",
            "发件人: Outflank\n发送时间: 2026年11月21日 18:00\n收件人: bob\n主题: #1",
            "From: Outflank Sent: Saturday, 18:00 To: bob Subject: #1",
            "보낸 사람: Outflank\n보낸 날짜: 2026년 11월 21일\n받는 사람: bob",
        ] {
            ends(block);
            ends(&format!("________________________________\n{block}"));
            ends(&format!("-----------\n\n{block}"));
        }
    }

    #[test]
    fn dividers() {
        for divider in [
            "-----Original Message-----",
            "----- Original Message -----",
            "-----Ursprüngliche Nachricht-----",
            "-----Message d'origine-----",
            "-------- Oprindelig besked --------",
            "------------------ 原始邮件 ------------------",
            "---------- Forwarded message ---------",
            "Begin forwarded message:",
            "Anfang der weitergeleiteten Nachricht:",
            "--- Original Message ---",
            "\u{2014}\u{2014}\u{2014}\u{2014}Original Message\u{2014}\u{2014}\u{2014}\u{2014}",
        ] {
            ends(divider);
        }
    }

    #[test]
    fn people_write_colons() {
        for text in [
            "From: our house to yours\nd3",
            "To: bob\nd3",
            "----\nd3",
            "Note: this is d3\nRe: that\nd3",
            "The data comes From: here\nTo: there\nd3",
        ] {
            assert_eq!(fresh(text).last(), Some(&"d3"), "{text}");
        }
    }
}
