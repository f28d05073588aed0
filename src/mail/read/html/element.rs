//! Which elements mail programs quote in.

/// What becomes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Shown,
    /// It is nothing to read, or a signature, or the attribution of a quote.
    Silent,
    Quote,
    /// It holds an attribution and a quote, and perhaps answers and further quotes below that.
    Carrier,
    /// It and everything after it is quoted.
    Rest,
}

/// A start tag: the parts of it that matter.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    /// Its classes and its id, in small letters.
    labels: String,
    /// Its attribute `name`.
    title: String,
    /// Its style, in small letters without white space.
    style: String,
    hidden: bool,
    /// Where the value goes that comes next.
    attribute: Attribute,
}

#[derive(Debug, Default)]
enum Attribute {
    Label,
    Title,
    Style,
    #[default]
    Other,
}

/// Parts of classes and ids. A mail program that quotes HTML of another may put a prefix before
/// them (`x_`, `m_123`), and numbers after.
const SILENT: &[&str] = &[
    "moz-cite-prefix",
    "moz-signature",
    "gmail_attr",
    "gmail_signature",
    "protonmail_signature",
    "ms-outlook-mobile-signature",
    "applemailsignature",
    "composer_signature",
    "messagesignaturesection",
    "fairemail_signature",
    "k9mail-signature",
    "zmail_signature",
    "ymail_signature",
    "reply-intro",
    "_rc_sig",
    "bloop_sign",
    "__sig_pre__",
    "__sig_post__",
];

/// As [`SILENT`]. The mails of the house have a class of their own.
const QUOTES: &[&str] = &[
    "outflank",
    "yahoo_quoted",
    "yqtd",
    "qtdseparatebr",
    "moz-forward-container",
    "tutanota_quote",
    "zmail_extra",
    "blockquote_zmail",
    "qmquote",
    "isreplycontent",
    "isforwardcontent",
    "fairemail_quote",
    "messagereplysection",
    "mail-app-auto-quote",
    "mailru-blockquote",
    "appleoriginalcontents",
    "reference-message",
    "__quoted_text__",
];

const CARRIERS: &[&str] = &["gmail_quote", "protonmail_quote"];

/// As [`SILENT`]. What Outlook and Zimbra put above a quote, which has no element of its own.
const RESTS: &[&str] = &[
    "divrplyfwdmsg",
    "appendonsend",
    "outlookmessageheader",
    "zwchr",
    "__divider__",
    "__headers__",
];

impl Element {
    pub(super) fn new(name: &[u8]) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Takes the name of an attribute, whose value may follow.
    pub(super) fn attribute(&mut self, name: &[u8]) {
        self.hidden |= name == b"hidden";
        self.attribute = match name {
            b"class" | b"id" | b"data-marker" => Attribute::Label,
            b"name" => Attribute::Title,
            b"style" => Attribute::Style,
            _ => Attribute::Other,
        };
    }

    /// Takes the value of the attribute named last.
    pub(super) fn value(&mut self, value: &[u8]) {
        let value = || String::from_utf8_lossy(value).to_lowercase();
        match self.attribute {
            Attribute::Label => self.labels += &(value() + " "),
            Attribute::Title => self.title += &value(),
            Attribute::Style => {
                self.style.extend(value().chars().filter(|c| !c.is_whitespace()));
            }
            Attribute::Other => {}
        }
    }

    /// What becomes of it. Where two roles fit, the one that leaves out more.
    pub(super) fn role(&self) -> Role {
        let labelled = |names: &[&str]| names.iter().any(|name| self.labels.contains(name));
        if labelled(RESTS) || self.heads_outlook() {
            Role::Rest
        } else if self.is_blockquote() || labelled(QUOTES) || self.is_barred() {
            Role::Quote
        } else if labelled(CARRIERS) {
            Role::Carrier
        } else if self.is_unread() || self.is_signature() || labelled(SILENT) {
            Role::Silent
        } else {
            Role::Shown
        }
    }

    pub(super) fn is_blockquote(&self) -> bool {
        self.name == b"blockquote"
    }

    /// Whether it has no end tag, and nothing in it.
    pub(super) fn is_void(&self) -> bool {
        matches!(
            &*self.name,
            b"area"
                | b"base"
                | b"basefont"
                | b"bgsound"
                | b"br"
                | b"col"
                | b"embed"
                | b"frame"
                | b"hr"
                | b"img"
                | b"input"
                | b"keygen"
                | b"link"
                | b"meta"
                | b"param"
                | b"source"
                | b"track"
                | b"wbr"
        )
    }

    /// Whether white space counts in it.
    pub(super) fn keeps_space(&self) -> bool {
        self.name == b"pre" || self.style.contains("white-space:pre")
    }

    /// Whether it is the `div` with a line on top that Outlook on a desktop puts around the
    /// headers of what it quotes.
    fn heads_outlook(&self) -> bool {
        self.name == b"div" && self.style.contains("border-top:solid")
    }

    /// Whether it is a quote of those that know no `blockquote`: a bar on its left, or a name.
    fn is_barred(&self) -> bool {
        self.name == b"div" && (self.style.contains("border-left:") || self.title == "quote")
    }

    fn is_signature(&self) -> bool {
        self.labels.split_whitespace().any(|label| label.trim_start_matches("x_") == "signature")
    }

    /// Whether a browser shows nothing of it. The head is not here, since its end tag may be left
    /// out: what stands in it is.
    fn is_unread(&self) -> bool {
        self.hidden
            || self.style.contains("display:none")
            || self.style.contains("mso-hide:all")
            || matches!(
                &*self.name,
                b"script"
                    | b"style"
                    | b"title"
                    | b"xml"
                    | b"template"
                    | b"noscript"
                    | b"noframes"
                    | b"noembed"
                    | b"iframe"
                    | b"object"
                    | b"applet"
                    | b"audio"
                    | b"video"
                    | b"canvas"
                    | b"svg"
                    | b"math"
                    | b"select"
                    | b"textarea"
                    | b"button"
                    | b"xmp"
                    | b"plaintext"
            )
    }
}
