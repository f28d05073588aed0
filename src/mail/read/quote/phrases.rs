//! The words by which mail programs introduce quotes and sign mails, all in small letters.
//!
//! The entries of each list are in no particular order.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A set of lists of [`PHRASES`]: a bit for each, from the lowest.
pub(super) type Kinds = u8;

pub(super) const FROM: Kinds = 1;
pub(super) const HEADERS: Kinds = 31;
pub(super) const WROTE: Kinds = 32;
pub(super) const OPENING: Kinds = 64;
pub(super) const DIVIDER: Kinds = 128;

/// Returns the lists that have this phrase.
pub(super) fn kinds(phrase: &str) -> Kinds {
    static KINDS: LazyLock<HashMap<&str, Kinds>> = LazyLock::new(|| {
        let mut kinds = HashMap::new();
        for (bit, list) in PHRASES.iter().enumerate() {
            list.split('|').for_each(|phrase| *kinds.entry(phrase).or_default() |= 1 << bit);
        }
        kinds
    });
    KINDS.get(phrase).copied().unwrap_or_default()
}

/// The names of headers as mail programs show them: sender, date, recipient, copy, subject. Then
/// "wrote" as a word, the first word of an attribution, and the divider between a reply and a quote.
const PHRASES: [&str; 8] = [
    "from|sender|von|de|da|van|från|fra|lähettäjä|od|feladó|de la|от|от кого|від|від кого|από|kimden|\
    gönderen|差出人|送信者|发件人|發件人|寄件者|寄件人|보낸 사람|보낸사람|מאת|من|expéditeur|\
    remitente|remetente|mittente|afzender|avsändare|absender|saatja|nuo|siuntėjas|no|sūtītājs|\
    dari|từ|จาก|pošiljatelj|pošiljalac|пошиљалац|од|frá|प्रेषक|द्वारा|से|emissor|remitent|از|\
    فرستنده|кімнен|жіберуші|nork|igorlea|bidaltzailea",
    "sent|sent time|date|gesendet|gesendet am|datum|envoyé|envoyé le|message du|enviado|enviado el|\
    enviado em|enviada|enviada em|fecha|data|inviato|verzonden|verzonden op|skickat|sendt|dato|\
    lähetetty|päivämäärä|päiväys|wysłano|wysłane|odesláno|odoslané|dátum|elküldve|küldve|trimis|\
    отправлено|отправлен|дата|надіслано|відправлено|στάλθηκε|εστάλη|ημερομηνία|gönderildi|\
    gönderilme tarihi|tarih|送信日時|日時|日付|发送时间|發送時間|发件时间|傳送時間|时间|時間|日期|\
    寄件日期|傳送日期|보낸 날짜|날짜|보낸 시간|נשלח|תאריך|تاريخ الإرسال|تم الإرسال|التاريخ|تاريخ|\
    tanggal|dikirim|ngày|วันที่|изпратено|poslano|saadetud|kuupäev|išsiųsta|išsiųstas|nusiųsta|\
    nosūtīts|nosūtīta|sūtīts|datums|भेजा गया|भेजा|प्रेषित|दिनांक|तारीख|послато|датум|poslato|\
    enviat|enviat el|ارسال شده|ارسال‌شده|ارسالشده|ارسال|تاریخ|تاریخ ارسال|жіберілді|жіберілген|\
    жіберілген күні|күні|bidalia|bidalita|bidaltze-data",
    "to|an|à|a|para|aan|naar|till|til|vastaanottaja|do|komu|címzett|către|catre|кому|προς|kime|\
    alıcı|宛先|收件人|收件者|받는 사람|받는사람|אל|إلى|kepada|đến|ถึง|до|za|destinataire|\
    destinatario|destinatário|empfänger|mottagare|modtager|kam|skirta|gavėjas|adresāts|saņēmējs|\
    प्रति|को|प्राप्तकर्ता|за|коме|прималац|kome|primalac|per a|per|destinatari|به|گیرنده|кімге|алушы|\
    nori|hartzailea",
    "cc|bcc|kopie|copie à|copie|cópia|kopi|kopia|kopio|dw|копия|копія|másolatot kap|másolat|bilgi|\
    抄送|副本|참조|עותק|نسخة|reply-to|antwort an|répondre à|risposta|rispondi a|kopija|प्रतिलिपि|копија|còpia|a/c|\
    رونوشت|көшірме|көшірмесі",
    "subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|aihe|temat|předmět|predmet|\
    tárgy|subiect|тема|θέμα|konu|件名|主题|主題|主旨|제목|נושא|الموضوع|subjek|chủ đề|เรื่อง|teema|\
    относно|tema|tēma|temats|विषय|предмет|наслов|naslov|assumpte|موضوع|тақырып|тақырыбы|gaia",
    "wrote|writes|schrieb|geschrieben|écrit|ecrit|escribió|escribio|escreveu|scritto|scrive|\
    schreef|skrev|skriver|kirjoitti|napisał|napisała|napisal|pisze|napsal|napsala|napísal|\
    napísala|írta|írt|scris|написал|написала|написав|написа|написао|напісаў|пишет|пише|жазды|\
    έγραψε|yazdı|yazdi|כתב|כתבה|כתבו|كتب|كتبت|نوشت|napisao|napisala|kirjutas|rakstīja|rašė|viết|\
    menulis|escriure|escrit|escribiu|idatzi|skrifaði|shkroi|skreiv|skreau|scríobh",
    "on|am|le|el|il|em|op|den|in|w|dnia|dne|dňa|στις|la|pe|în|date|no|a|tarihinde|pada|vào|בתאריך|\
    في|在|於",
    "original message|original mail|original email|replied message|reply message|forwarded message|forwarded by|\
    begin forwarded message|start of forwarded message|ursprüngliche nachricht|originalnachricht|\
    weitergeleitete nachricht|anfang der weitergeleiteten nachricht|message d'origine|\
    message d’origine|message original|message transféré|début du message transféré|\
    début du message réexpédié|mensaje original|mensaje reenviado|inicio del mensaje reenviado|\
    mensagem original|mensagem encaminhada|início da mensagem reencaminhada|messaggio originale|\
    messaggio inoltrato|risposta|inizio messaggio inoltrato|oorspronkelijk bericht|doorgestuurd bericht|\
    begin doorgestuurd bericht|ursprungligt meddelande|vidarebefordrat brev|\
    vidarebefordrat meddelande|oprindelig meddelelse|oprindelig besked|videresendt besked|\
    videresendt meddelelse|opprinnelig melding|alkuperäinen viesti|oryginalna wiadomość|\
    wiadomość oryginalna|původní zpráva|pôvodná správa|eredeti üzenet|mesaj original|\
    mesajul original|исходное сообщение|пересылаемое сообщение|оригінальне повідомлення|\
    αρχικό μήνυμα|orijinal mesaj|özgün ileti|元のメッセージ|原始邮件|原始郵件|回复的原邮件|转发的原邮件|转发的邮件|\
    원본 메시지|원본 메일|הודעה מקורית|الرسالة الأصلية|missatge original|jatorrizko mezua|\
    originalus laiškas|मूल संदेश|оригинална порука|originalna poruka|پیام اصلی|бастапқы хабар",
];

/// "Wrote" in languages that put no spaces between words or need more than one word.
pub(super) const WROTE_INSIDE: &str = "写道|寫道|写到|写于|撰寫|書きました|のメール|작성|썼습니다|\
    님이 쓴|쓴 글|เขียน|գրել է|लिखा|សរសេរ";

/// The beginnings of lines where a mail program or a phone names itself.
pub(super) const SIGNED: &str = "sent from |secured with tuta|gesichert mit tuta|sent via |sent with |sent using |get outlook for|\
    gesendet von |gesendet mit |gesendet aus |gesendet über |diese nachricht wurde von meine|\
    envoyé de |envoyé depuis |envoyé à partir |envoyé avec |envoyé par |enviado desde |\
    enviado con |enviado de |enviado do |enviado a partir |enviado via |enviado com |inviato da|\
    inviato con |verstuurd v|verzonden v|verzonden met |skickat från |skickades från |\
    skickat med |sendt fra |sendt med |lähetetty |wysłane z |wysłano z |odesláno z|odesláno přes |\
    odoslané z|trimis de pe |trimis din |отправлено с |отправлено из |надіслано з |надіслано із |\
    відправлено з |στάλθηκε από |εστάλη από |poslano s |poslano z |изпратено от |发自|發自|从我的|\
    從我的|傳送自|寄自|发送自|נשלח מ|أرسلت من|أُرسلت من|مرسل من|تم الإرسال من";

/// The end of such a line in languages that put the verb last.
pub(super) const SIGNED_LAST: &str = "から送信|gönderildi|에서 보냄|küldve";

/// The beginnings of sentences of our mails. `#` stands for a number, `*` for any text. A test over
/// all mails fails when one is missing. Sentences of older mails stay, since replies quote them for
/// months.
pub(super) const OURS: &str = "your turn, *# by |your turn, * passed)|your turn, *: game #|\
    move number # of game #|was it you? a mail from your address|\
    was it you? this was asked for in|is this your address, *? a player|annulled: *has left|\
    it is your turn, *of game #|game # has begun:|game # is over.|\
    you won, #-#|you lost, #-#|draw, #-#.|you won: *cannot flip|you won: * resigned.|\
    you lost: you |game # against|transcript: *#|you have moved in game #|mail to * cannot be delivered, so no|a mail from your address asked|\
    a reply with your reply token came|rules: # rows, # columns|rules: a hex lattice without|\
    rules: discs go on any|rules: players must|rules: fewer discs win|last move: #.|\
    last moves: #.|last move, number #: |then number #: |before that, number #: |row #: |rows # to #: empty|\
    legal moves:|the club has signed this game|score: black #|the game is paused, so|you cannot place a disc|\
    what each move flips, and|the # of # moves that flip most|reply with your move, such as|\
    reply `resign` to give up|reply `history` to see all moves|\
    reply `analyze` to see where|reply `hint` to see what your|to move from a shell:|\
    to see in a shell where the game|to see the game again in a shell:|to see all moves in a shell:|not done (|done (|`*` was not done:|`*` is done.|reply to `|reply to (|reply to \"|\
    # games wait for |# game waits for |# *left in game #|\
    less than a minute left in game #|no game waits for |the next mail without a command|\
    this is only a preview: no move|moves # to # are left out; see|your time in game # against|\
    the time of *in game # is over.|you can claim the game, or wait.|\
    reply `claim` to win the game|to win the game from a shell:|your time ends on *, # |\
    the time of *ends on *, # |time control: *; left: you |time control: *. you have |*'s time ends on *, # |a game waits for you.|\
    games wait for you, the most|your comment was passed on as:|this looks like a signature and|game #: *, against |reply `games` for a list of|\
    reply `next` to see the|your opponent *is absent|your opponent *is not absent|your opponent *is back.|\
    in your games the clock of|to see the most urgent one in|the host has given *more|\
    reply with the number of a game and your|to move, write for example|to add a word to *, write|\
    boards that did not fit here|to see your games in a shell:|reply `help` for all|\
    draw by agreement, #|you declined the game|annulled by the host|*has offered a |*offers a draw in this|\
    *offers a rematch with|*asks to take back #|*asks for a pause, in|*agreed, so these moves|\
    *agreed to the pause, so|*ended the pause, so the|*ended the pause. the time of|*ended the pause. your time is over|*declined your offer of|*withdrew the offer of|*declined your request for|*withdrew the request for|\
    reply `accept` or `decline` on|*would have no time left without that|to answer the offer from a|your plan replied for you: #|\
    your plan for this game was|the computer player *cannot move at|\
    the game waits, and you will be mailed|the hint that you asked for:|\
    the analysis of game #:|if you do not want to play, reply|reply `page` for a link|to end the game before your first move|\
    the club from # |you finished # game|others played # game|the greatest upset was game #|\
    the closest game was game #|changes in the standings:|tournaments that ended:|\
    open tournaments, which|to get no more letters, write|the tournament *has started.|\
    the tournament *is over.|the tournament *starts later.|the tournament *does not take place.|\
    season # of the league *has started.|season # of the league *is over.|the league *rests.|\
    the league *has no more seasons.|round # of the tournament *has started.|it needs three players|\
    you play # games|you play one game in each round|\
    in round # you |a win is one point, a draw|your place is # of #|you are out of the |\
    your games in it that are not over|it ended after round #|season # starts on *. you";

/// The beginnings of the first lines of our mails, however short a mail program broke them.
pub(super) const OURS_FIRST: &str = "your turn,|game #|# games wait for|# game waits for|you won|\
    you lost|draw, #|draw by |you have moved|your opponent |your time in game|the time of |\
    a game waits|games wait|less than a minute left|# minutes left|# minute left|# hours left|# hour left|# days left|# day left|the host has|annulled by|annulled: |is this your address|you declined|your plan |\
    the club from #|the tournament |season # of the league|round # of the tournament|the league |\
    you are out of the |the computer player |the hint that|the analysis of|mail to |was it you?|a reply with your|done (|not done (|reply to `|reply to (|reply to \"";

/// The ends of lines of our mails right below which people write their answers.
pub(super) const OURS_LAST: &str = "or ignore this mail, and nothing happens.|\
    (leave this line in your reply)|above this line ----|for all commands.|to see all moves.|\
    game counts for nobody.|to get no more mails about this game.|to see how it is played.|END OUTFLANK GAME-----";
