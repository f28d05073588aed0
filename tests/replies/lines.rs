//! The quote reader on single lines and short texts.

use outflank::mail::read::html;
use outflank::mail::read::quote::fresh;

use super::written;

/// Attributions: lines that name the author of the quote below them.
const ATTRIBUTIONS: &[&str] = &[
    "On Sat, Nov 21, 2026 at 6:00 PM Outflank <outflank@example.org> wrote:",
    "On Sat, Nov 21, 2026 at 6:00 PM Outflank <outflank@example.org>\nwrote:",
    "On Sat, Nov 21, 2026 at 6:00 PM Outflank <\noutflank@example.org> wrote:",
    "On Nov 21, 2026,\nat 18:00,\nOutflank <outflank@example.org>\nwrote:",
    "On 21 Nov 2026, at 18:00, Outflank wrote:",
    "On Sat, Nov 21, Outflank\n<outflank@example.org>\nwrote:",
    "On Sat, 21 Nov 2026 18:00:00 +0100 outflank@example.org wrote",
    "---- On Sat, 21 Nov 2026 18:00:00 +0100 outflank@example.org wrote ----",
    "Outflank <outflank@example.org> wrote:",
    "Outflank writes:",
    "- On 2026-11-21 18:00, Outflank wrote:",
    "Am Sa., 21. Nov. 2026 um 18:00 Uhr schrieb Outflank <\noutflank@example.org>:",
    "Am 21.11.26 um 18:00 schrieb Outflank:",
    "Le sam. 21 nov. 2026 à 18:00, Outflank <outflank@example.org>\na écrit :",
    "Le 21/11/2026 à 18:00, Outflank a écrit\u{a0}:",
    "El sáb, 21 nov 2026 a las 18:00, Outflank (<outflank@example.org>)\nescribió:",
    "Em sáb., 21 de nov. de 2026 às 18:00, Outflank <outflank@example.org>\nescreveu:",
    "Il giorno sab 21 nov 2026 alle ore 18:00 Outflank <\noutflank@example.org> ha scritto:",
    "Op za 21 nov 2026 om 18:00 schreef Outflank <outflank@example.org>:",
    "Den lör 21 nov. 2026 kl 18:00 skrev Outflank <outflank@example.org>:",
    "lør. 21. nov. 2026 kl. 18:00 skrev Outflank <outflank@example.org\n>:",
    "la 21. marrask. 2026 klo 18.00 Outflank (outflank@example.org) kirjoitti:",
    "sob., 21 lis 2026 o 18:00 Outflank <outflank@example.org> napisał(a):",
    "so 21. 11. 2026 v 18:00 odesílatel Outflank <outflank@example.org>\nnapsal:",
    "so 21. 11. 2026 o 18:00 Outflank <outflank@example.org> napísal(a):",
    "Outflank <outflank@example.org> ezt írta (időpont: 2026. nov. 21., Szo, 18:00):",
    "În sâm., 21 nov. 2026 la 18:00, Outflank <outflank@example.org> a scris:",
    "сб, 21 нояб. 2026 г. в 18:00, Outflank <outflank@example.org>:",
    "сб, 21 лист. 2026 р. о 18:00 Outflank <outflank@example.org> пише:",
    "Στις Σάβ 21 Νοε 2026 στις 6:00 μ.μ., ο χρήστης Outflank <outflank@example.org>\nέγραψε:",
    "Outflank <outflank@example.org>, 21 Kas 2026 Cmt, 18:00 tarihinde şunu yazdı:",
    "2026年11月21日(土) 18:00 Outflank <outflank@example.org>:",
    "Outflank <outflank@example.org> 于2026年11月21日周六 18:00写道：",
    "2026년 11월 21일 (토) 오후 6:00, Outflank <outflank@example.org>님이 작성:",
    "\u{202b}בתאריך שבת, 21 בנוב׳ 2026 ב-18:00 מאת Outflank <\u{202a}outflank@example.org\u{202c}>:\u{202c}",
    "في السبت، 21 نوفمبر 2026 في 6:00 م تمت كتابة ما يلي بواسطة Outflank <\noutflank@example.org>:",
    "Am 21.11.2026 um 18:00 schrieb Outflank <outflank@example.org>",
    "Outflank <outflank@example.org> schrieb am 21.11.2026 um 18:00 Uhr",
    "Outflank <outflank@example.org> ezt írta (időpont: 2026. nov. 21.,\nSzo, 18:00):",
    "Outflank <outflank@example.org>:",
    "--- Outflank <outflank@example.org> schrieb am Sa, 21.11.2026:",
    "Outflank <outflank@example.org> wrote on 21/11/2026 18:00:00:",
    "21.11.2026, 18:00, \"Outflank\" <outflank@example.org>:",
    "շբթ, 21 նոյ, 2026 թ., 18:00-ին, Outflank <outflank@example.org>-ը գրել է․",
    "2026-11-21 18:00-ին Outflank-ը գրել է.",
    "26. 11. 21. 오후 6:00에 Outflank 이(가) 쓴 글:",
    "Outflank 이(가) 2026-11-21 18:00에 쓴 글:",
    "On 21 Nov 2026, 18:00 +0100, Outflank <outflank@example.org>, wrote:",
    "Outflank <outflank@example.org>, Sat, 21 Nov 2026 18:00",
    "Sat, Nov 21, 2026 at 6:00 PM Outflank",
    "Outflank, 21 November 2026",
    "21.11.26 18:00 Outflank",
    "Le sam. 21 nov. 2026 à 18:00, Outflank",
    "On Sat, Nov 21, 2026 at 6:00 PM\n\nOutflank <outflank@example.org>\n\nwrote:",
    "On Sat, Nov 21, Outflank\n\n<outflank@example.org>\n\nwrote:",
    "Outflank <outflank@example.org>\n\n21.11.2026 18:00",
    "21.11.2026 18:00\n\n\nOutflank <outflank@example.org>",
    "Am 21.11.26 um 18:00\n\nschrieb Outflank:",
];

/// Headers above a quote.
const HEADERS: &[&str] = &[
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
    "Nuo: Outflank\nIšsiųsta: šeštadienis\nKam: bob\nTema: #1",
    "No: Outflank\nNosūtīts: sestdiena\nKam: bob\nTemats: #1",
    "प्रेषक: Outflank\nभेजा गया: शनिवार\nप्रति: bob\nविषय: #1",
    "Од: Outflank\nПослато: субота\nЗа: bob\nПредмет: #1",
    "Od: Outflank\nPoslato: subota\nZa: bob\nPredmet: #1",
    "De: Outflank\nEnviat: dissabte\nPer a: bob\nAssumpte: #1",
    "از: Outflank\nارسال شده: شنبه\nبه: bob\nموضوع: #1",
    "Кімнен: Outflank\nЖіберілді: сенбі\nКімге: bob\nТақырып: #1",
    "Nork: Outflank\nBidalita: larunbata\nNori: bob\nGaia: #1",
    "发件人：Outflank\n发件时间：今天\n收件人：bob\n主题：#1",
    "Fan: Outflank <o@example.org>\nDei: 21 novimber 2026 18:00\nOan: bob\nUnderwerp: #1",
    "보낸 사람: Outflank\n보낸 날짜: 2026년 11월 21일\n받는 사람: bob",
];

/// Dividers between a reply and the mail that it answers.
const DIVIDERS: &[&str] = &[
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
    "-------- Messaggio originale --------Da: Outflank <o@example.org> Data: 21/11/26 18:00 A: bob",
    "Risposta:",
    "Original Email",
    "回复的原邮件",
    "\u{2014}\u{2014}\u{2014}\u{2014}Original Message\u{2014}\u{2014}\u{2014}\u{2014}",
];

/// Signatures of mail programs and phones.
const SIGNED: &[&str] = &[
    "Sent from my iPhone",
    "Sent from my Verizon Wireless BlackBerry",
    "Sent via BlackBerry by AT&T",
    "Sent from Mail for Windows 10",
    "Sent with Proton Mail secure email.",
    "Sent from my Android device with K-9 Mail. Please excuse my brevity, I am on the road.",
    "Secured with Tuta Mail:",
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
];

/// Checks that the typed part of a mail ends before this text.
fn ends(quote: &str) {
    for gap in ["\n", "\n\n"] {
        let text = format!("d3{gap}{quote}\n\nYour turn\ne6\n> f5\n\nc4");
        assert_eq!(fresh(&text), ["d3"], "{text}");
        assert!(fresh(&format!("{quote}{gap}e6")).is_empty(), "{quote}");
    }
}

#[test]
fn a_mail_without_quotes_is_fresh() {
    assert_eq!(fresh("d3"), ["d3"]);
    assert_eq!(fresh("d3\r\n"), ["d3"]);
    assert_eq!(fresh("\u{feff}d3"), ["d3"]);
    assert_eq!(fresh("\u{200f}d3\u{a0}\n"), ["d3"]);
    assert_eq!(fresh("Hi Bob,\n\nd3\n\nThanks"), ["Hi Bob,", "", "d3", "", "Thanks"]);
    assert_eq!(fresh("It is your turn, bob\nd3"), ["It is your turn, bob", "d3"]);
    assert!(fresh("").is_empty());
    assert!(fresh("\r\n \n\t\n").is_empty());
}

#[test]
fn an_answer_may_stand_above_below_and_between() {
    assert_eq!(fresh("d3\n\n> Your turn\n> e6\n"), ["d3"]);
    assert_eq!(fresh("> Your turn\n> e6\n\nd3\n"), ["d3"]);
    assert_eq!(fresh("> one\nd3\n> two\n>\nsee you\n"), ["d3", "see you"]);
    assert_eq!(fresh("On 1 May 2026 Bob wrote:\n\n> e6\n\nd3\n\n> f5\n"), ["d3"]);
}

#[test]
fn without_marks_an_attribution_ends_the_mail() {
    assert_eq!(fresh("d3\n\nOn 1 May 2026, at 18:00, Bob wrote:\n\nYour turn\ne6\n"), ["d3"]);
    assert!(fresh("On 1 May 2026, at 18:00, Bob wrote:\nYour turn\n> e6\n\nf5").is_empty());
}

#[test]
fn attributions_in_many_languages() {
    for attribution in ATTRIBUTIONS {
        for gap in ["\n", "\n\n"] {
            let text = format!("d3\n{attribution}{gap}Your turn:\ne6\n");
            assert_eq!(fresh(&text), ["d3"], "{text}");
            let text = format!("d3\n\n{attribution}{gap}> Your turn:\n> e6\n\nThanks");
            assert_eq!(written(&text), ["d3", "Thanks"], "{text}");
            let text = format!("> {}\n>\n> e6\n\nd3", attribution.replace('\n', "\n> "));
            assert_eq!(fresh(&text), ["d3"], "{text}");
        }
    }
}

#[test]
fn sentences_like_attributions_are_typed() {
    for text in [
        "On the surface this looks like one:",
        "On Thursday:",
        "I saw it at 18:00:",
        "In 2026 bob@example.org wrote a program for this",
        "Check https://example.org/on-date-somebody-wrote-about-parsing",
        "I arrive at 18:00 on 1 May 2026",
        "Happy New Year 2026",
        "d3",
        "Hi Bob:",
    ] {
        assert_eq!(fresh(&format!("{text}\ne6")), [text, "e6"]);
    }
}

#[test]
fn an_answer_above_an_attribution_is_not_part_of_it() {
    for answer in ["d3", "move 1234 d3", "I leave on 1 May 2026.\nmove 12 d3", "On 1 May 2026!\nd3"]
    {
        for attribution in ATTRIBUTIONS {
            for gap in ["\n", "\n\n"] {
                let text = format!("{answer}{gap}{attribution}\n> e6");
                assert_eq!(written(&text), answer.lines().collect::<Vec<_>>(), "{text}");
            }
        }
    }
}

#[test]
fn years_and_times_are_dates() {
    let text = |date: &str| format!("bob@example.org, {date}:");
    for date in ["2026", "at 18:00", "6.30", "18h05", "18時05分", "٢٠٢٦", "21.11.26", "11/21/26"]
    {
        assert!(fresh(&text(date)).is_empty(), "{date}");
    }
    for other in ["d3", "move 12 d3", "1.d3", "12 34", "12345", "1234", "", "1/2/3", "1-2"] {
        assert_eq!(fresh(&text(other)), [text(other)]);
    }
}

#[test]
fn headers_begin_a_quote() {
    for headers in HEADERS {
        ends(headers);
        ends(&format!("________________________________\n{headers}"));
        ends(&format!("-----------\n\n{headers}"));
        // A line may interrupt them.
        for (at, _) in headers.match_indices('\n') {
            ends(&format!("{}\n\ne6\n{}", &headers[..at], &headers[at..]));
        }
    }
}

#[test]
fn a_sender_alone_begins_a_quote() {
    for sender in ["Da: Outflank <o@example.org>", "Da: o@example.org", "From: Outflank", "Da:"] {
        for above in ["", "d3\n", "d3\n\n"] {
            let text = format!("{above}{sender}\n\ne6");
            let typed: Vec<_> = above.lines().take(1).collect();
            assert_eq!(fresh(&text), typed, "{text}");
        }
    }
    for typed in ["From: the left side I would play\n\nd3", "No: never\n\nd3", "De: Bob\nd3"] {
        assert_eq!(fresh(typed), typed.lines().collect::<Vec<_>>());
    }
}

#[test]
fn groupwise_puts_the_attribution_between_marks() {
    for attribution in [
        ">>> Outflank <outflank@example.org> 11/21/2026 6:00 PM >>>",
        ">>> Outflank 21.11.26 18:00 >>>",
        ">>> \"Outflank\" <outflank@example.org> 21.11.2026 18:00\n>>>",
        ">>> Outflank\n<outflank@example.org> 11/21/2026 6:00 PM >>>",
        ">>> On 21.11.2026 at 18:00, in message <5@example.org>, Outflank wrote:",
    ] {
        ends(attribution);
    }
    assert_eq!(fresh("d3, 18:00\n>>> Bob <bob@example.org> wrote:\n>>> e6"), ["d3, 18:00"]);
    assert_eq!(fresh(">>> one\n>> two\n> three\n\nd3"), ["d3"]);
}

#[test]
fn spark_names_the_element_with_the_quote() {
    let quote = "<div name=\"messageReplySection\">On 21 Nov 2026, 18:00 +0100, Outflank \
        &lt;o@example.org&gt;, wrote:<br><div style=\"margin: 5px\"><p>Your turn</p>e6</div></div>";
    let html = format!("<div name=\"messageBodySection\">d3<br></div>{quote}<div>f5</div>");
    assert_eq!(fresh(&html::text(&html)), ["d3", "f5"]);
}

#[test]
fn marked_signatures_in_html_are_left_out() {
    for element in [
        "p class=MsoAutoSig",
        "div class=\"front-signature\"",
        "div name=\"messageSignatureSection\"",
        "div class=\"mb_sig\"",
        "div class=\"ydp3a5b7csignature\"",
        "table id=\"ExclaimerSignature1\"",
        "div id=\"x_Signature\"",
        "div class=\"email-signature-block\"",
        "div class=sig",
    ] {
        let name = element.split(' ').next().unwrap();
        let html = format!("<div>d3</div><{element}>e6</{name}><div>f5</div>");
        assert_eq!(fresh(&html::text(&html)), ["d3", "f5"], "{element}");
    }
    let typed = "<div id=\"ymail_android_signature\">d3</div>";
    assert_eq!(fresh(&html::text(typed)), ["d3"]);
}

#[test]
fn the_line_with_a_reply_token_is_left_out() {
    for line in ["Reply token: abc", "*Reply token:* abc (leave this line in your reply)"] {
        assert_eq!(fresh(&format!("d3\n{line}\ne6")), ["d3", "e6"], "{line}");
    }
}

#[test]
fn dividers_begin_a_quote() {
    DIVIDERS.iter().for_each(|divider| ends(divider));
}

#[test]
fn lines_with_colons_are_typed() {
    for text in [
        "From: our house to yours\nd3",
        "To: bob\nd3",
        "----\nd3",
        "Note: this is d3\nRe: that\nd3",
        "The data comes From: here\nTo: there\nd3",
        "Phone: 0123 456789\nMail: bob@example.org\nWeb: https://example.org\nd3",
    ] {
        assert_eq!(fresh(text).last(), Some(&"d3"), "{text}");
    }
}

#[test]
fn a_signature_ends_the_text() {
    for delimiter in ["-- ", "--", "\u{2014}", "\u{2014}-", "__", "_______________________"] {
        assert_eq!(fresh(&format!("d3\n{delimiter}\ne6\n")), ["d3"], "{delimiter}");
    }
    assert_eq!(fresh("a -- b\nd3"), ["a -- b", "d3"]);
    assert_eq!(fresh("-- first point\nd3").last(), Some(&"d3"));
    for line in SIGNED {
        assert_eq!(fresh(&format!("d3\n{line}\ne6\n")), ["d3"], "{line}");
    }
}

#[test]
fn sentences_like_signatures_are_typed() {
    for line in [
        "Sent from my desk, is much easier than my mobile phone.",
        "The notification was sent from my iPhone app to all users.",
        "I have sent you a mail",
        "Ich habe dir gestern etwas gesendet",
        "d3",
    ] {
        assert_eq!(fresh(&format!("{line}\ne6")), [line, "e6"]);
    }
}

#[test]
fn marks_of_many_kinds() {
    for quote in [">e6", "> e6", ">> e6", "> > e6", "  > e6", "\t> e6", "| e6", "|e6", "&gt; e6"] {
        assert_eq!(fresh(&format!("d3\n{quote}\n")), ["d3"], "{quote}");
    }
    for quote in ["» e6", "│ e6", "＞e6", "AB> e6", "bob>> e6", "\u{200f}> e6"] {
        assert_eq!(fresh(&format!("d3\n{quote}\n")), ["d3"], "{quote}");
    }
    assert_eq!(fresh("a -> b\nd3"), ["a -> b", "d3"]);
}

#[test]
fn the_rest_of_a_broken_line_is_quoted() {
    let long = "> Legal moves: a1 a2 a3 a4 a5 a6 a7 a8 b1 b2 b3 b4 b5 b6 b7 b8 c1 c2 c3";
    assert_eq!(fresh(&format!("{long}\nd3\n> Score\n\ne6\n")), ["e6"]);
    assert_eq!(fresh(&format!("{long}\n\nd3\n> Score\n")), ["d3"]);
    let url = format!("> https://example.org/{}", "x".repeat(90));
    assert_eq!(fresh(&format!("{url}\nd3\n")), ["d3"]);
}

#[test]
fn a_quoted_figure_is_not_typed() {
    for line in [
        "+---+---+",
        "a   b   c",
        "A B C D",
        "1  . . . . 1",
        "12 . x O 12",
        "-1 . x -1",
        "3 . o'o'x O x'. 3",
    ] {
        assert_eq!(fresh(&format!("d3\n{line}\ne6")), ["d3", "e6"], "{line}");
    }
    for line in ["d3", "a", "+1", "++", "12 d3", "1 d3 1", "a c", "Hello", "-"] {
        assert_eq!(fresh(&format!("c4\n{line}\ne6")), ["c4", line, "e6"]);
    }
    assert_eq!(fresh("d3\n\n+---+\n| W | 1\n+---+\n  a   b\n\nThanks"), ["d3", "", "", "Thanks"]);
}

/// A text that OpenPGP signed in the clear.
const PGP: &str = "-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\nd3\r\n\r\n\
    > Your turn\r\n- -----Original Message-----\r\ne6\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\n\
    iQEzBAEBCAAdFiEE\r\n=abcd\r\n-----END PGP SIGNATURE-----\r\n";

#[test]
fn a_text_in_pgp_armour_is_read() {
    assert_eq!(fresh(PGP), ["d3"]);
    assert_eq!(fresh("-----BEGIN PGP SIGNED MESSAGE-----\n\nd3"), ["d3"]);
    assert_eq!(fresh("-----BEGIN PGP SIGNED MESSAGE-----\nd3"), ["d3"]);
    assert_eq!(fresh(&PGP.replace("- -----Original Message-----", "- - x")).len(), 4);
    assert_eq!(fresh(&format!("d3\n\n> {}", PGP.replace("\r\n", "\r\n> "))), ["d3"]);
    let encrypted = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----";
    assert!(fresh(encrypted).is_empty());
}
