//! The elements that mail programs use to mark quotes.

/// The treatment of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Shown,
    /// Left out: invisible, or a signature.
    Silent,
    /// The attribution of the quote below it.
    Attribution,
    Quote,
    /// Contains an attribution and a quote, perhaps with replies and more quotes below.
    Carrier,
    /// Quoted, with everything after it.
    Rest,
}

/// The relevant parts of a start tag.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    /// Its classes and its id, in lower case.
    labels: String,
    /// Its attribute `name`.
    title: String,
    /// Its style, in lower case without white space.
    style: String,
    hidden: bool,
    /// The name of its last attribute.
    attribute: Vec<u8>,
}

/// Parts of classes and ids. A mail program that quotes the HTML of another may add a prefix (`x_`,
/// `m_123`) and a number at the end.
const SILENT: &str = "\
    signature _rc_sig bloop_sign __sig_pre__ __sig_post__ msoautosig mb_sig exclaimer";

/// Labels of elements that may contain typed text, although they have a word of [`SILENT`]. Yahoo's
/// app for Android is one that puts it there.
const TYPED: &str = "\
    ymail_android_signature withsignature with-signature has-signature no-signature ofsignature \
    beforesignature";

/// Like [`SILENT`].
const ATTRIBUTIONS: &str = "moz-cite-prefix gmail_attr reply-intro";

/// Like [`SILENT`]. Our own mails have the first class.
const QUOTES: &str = "\
    outflank yahoo_quoted yqtd qtdseparatebr moz-forward-container tutanota_quote zmail_extra \
    blockquote_zmail qmquote isreplycontent isforwardcontent fairemail_quote messagereplysection \
    mail-app-auto-quote mailru-blockquote mail-quote-collapse js-readmsg-msg reply139content \
    orimsghtmlseperator origbody appleoriginalcontents reference-message __quoted_text__";

/// Like [`SILENT`].
const CARRIERS: &str = "gmail_quote protonmail_quote";

/// Like [`SILENT`]. Outlook, Hotmail, NetEase and Zimbra put these above a quote, which has no element of its
/// own.
const RESTS: &str = "\
    divrplyfwdmsg stopspelling replysplit appendonsend outlookmessageheader zwchr __divider__ \
    __headers__";

/// Elements without content.
const VOID: &str = "\
    area base basefont bgsound br col embed frame hr img input keygen link meta param source \
    track wbr";

/// Elements without text to read.
const UNREAD: &str = "\
    script style title xml template noscript noframes noembed iframe object applet audio video \
    canvas svg math select textarea button xmp plaintext";

impl Element {
    pub(super) fn new(name: &[u8]) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Handles the name of an attribute. Its value may follow.
    pub(super) fn attribute(&mut self, name: &[u8]) {
        self.hidden |= name == b"hidden";
        self.attribute = name.to_owned();
    }

    /// Handles the value of the last attribute.
    pub(super) fn value(&mut self, value: &[u8]) {
        let value = || String::from_utf8_lossy(value).to_lowercase();
        match &self.attribute[..] {
            b"class" | b"id" | b"data-marker" => self.labels += &(value() + " "),
            b"name" => self.title += &value(),
            b"style" => self.style.extend(value().chars().filter(|c| !c.is_whitespace())),
            _ => {}
        }
    }

    /// Returns its role. If two roles fit, it is the one that omits more.
    pub(super) fn role(&self) -> Role {
        let labelled = |names: &str| names.split(' ').any(|name| self.labels.contains(name));
        if labelled(RESTS) || self.heads_outlook() {
            Role::Rest
        } else if self.is_blockquote() || labelled(QUOTES) || self.is_barred() {
            Role::Quote
        } else if labelled(CARRIERS) {
            Role::Carrier
        } else if labelled(ATTRIBUTIONS) {
            Role::Attribution
        } else if self.is_unread() || self.is_signature() {
            Role::Silent
        } else {
            Role::Shown
        }
    }

    pub(super) fn is_blockquote(&self) -> bool {
        self.name == b"blockquote"
    }

    /// Returns whether it has no content and no end tag.
    pub(super) fn is_void(&self) -> bool {
        is_one_of(&self.name, VOID)
    }

    /// Returns whether it preserves white space.
    pub(super) fn keeps_space(&self) -> bool {
        self.name == b"pre" || self.style.contains("white-space:pre")
    }

    /// Returns whether it is the `div` with a line on top that desktop Outlook puts around the
    /// headers of the quoted mail.
    fn heads_outlook(&self) -> bool {
        self.name == b"div" && self.style.contains("border-top:solid")
    }

    /// Returns whether it is a quote without `blockquote`: a `div` with a bar on its left or a name.
    fn is_barred(&self) -> bool {
        self.name == b"div"
            && (self.style.contains("border-left:")
                || matches!(&*self.title, "quote" | "messagereplysection"))
    }

    /// Returns whether a mail program marks it as a signature: in its labels, or as Spark does.
    fn is_signature(&self) -> bool {
        let has = |label: &str, names: &str| names.split(' ').any(|name| label.contains(name));
        let is_one = |label: &str| label == "sig" || has(label, SILENT) && !has(label, TYPED);
        self.labels.split_whitespace().any(is_one) || self.title == "messagesignaturesection"
    }

    /// Returns whether a browser hides it. The head does not count, since its end tag may be
    /// missing: its children do.
    fn is_unread(&self) -> bool {
        self.hidden
            || self.style.contains("display:none")
            || self.style.contains("mso-hide:all")
            || is_one_of(&self.name, UNREAD)
    }
}

/// Returns whether the name of an element is a word of the list.
pub(super) fn is_one_of(name: &[u8], list: &str) -> bool {
    list.split(' ').any(|it| it.as_bytes() == name)
}
