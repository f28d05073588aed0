use std::path::PathBuf;
use std::time::SystemTime;

use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue, MIME_VERSION_1_0};
use lettre::message::{Mailbox, Message};

use super::facts::{Facts, Notice, Scene};
use super::ids::domain;
use super::templates::Templates;
use super::transport::Outgoing;

/// Why a message could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A template has a fault.
    #[error("the template {place} fails: {what}")]
    Template {
        /// File and line.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// The message cannot be put together: an address that cannot stand in a header.
    #[error("cannot compose the mail: {0}")]
    Message(String),
}

/// The Subject of a mail: that of all mails of its game, `Othello #12: alice - bob`, or whom it
/// is from.
fn subject(scene: Option<&Scene>) -> String {
    match scene {
        Some(Scene { title, id, names, .. }) => {
            format!("{title} #{id}: {} - {}", names.black, names.white)
        }
        None => "Outflank".to_owned(),
    }
}

/// Writes messages.
#[derive(Debug)]
pub struct Composer {
    from: Mailbox,
    templates: Templates,
}

/// `Auto-Submitted` (RFC 3834): no vacation responder answers.
#[derive(Clone)]
struct AutoSubmitted(&'static str);

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self("auto-generated"))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.to_owned())
    }
}

/// `List-Id` (RFC 2919): the mail of one installation can be filtered by it.
#[derive(Clone)]
struct ListId(String);

impl Header for ListId {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Id")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.clone())
    }
}

impl Composer {
    /// Writes mail from this sender, with the templates of this folder before the built-in ones.
    #[must_use]
    pub fn new(from: Mailbox, templates: Option<PathBuf>) -> Self {
        Self { from, templates: Templates::new(templates) }
    }

    /// The message for a notice. The same notice gives the same message.
    ///
    /// # Errors
    /// [`Error`] when the template fails or the address cannot stand in a header.
    pub fn compose(&self, notice: &Notice) -> Result<Outgoing, Error> {
        let text = self.templates.render(&format!("{}.txt", notice.event), &Facts::of(notice))?;
        let unfit = |error: &dyn std::fmt::Display| Error::Message(error.to_string());
        let address = notice.address.parse().map_err(|error| unfit(&error))?;
        let to = Mailbox::new(notice.name.map(str::to_owned), address);
        let bracketed = |id: &str| format!("<{id}>");
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(subject(notice.scene.as_ref()))
            .message_id(Some(bracketed(notice.message_id)));
        if let Some(answer) = notice.answer_to {
            let address = answer.address.parse().map_err(|error| unfit(&error))?;
            message = message.reply_to(Mailbox::new(self.from.name.clone(), address));
        }
        let thread = notice.scene.map(|scene| scene.thread);
        if let Some(earlier) = notice.answers.or(thread) {
            message = message.in_reply_to(bracketed(earlier));
        }
        let references: Vec<_> = thread.into_iter().chain(notice.answers).map(bracketed).collect();
        if !references.is_empty() {
            message = message.references(references.join(" "));
        }
        let submitted = if notice.is_answer { "auto-replied" } else { "auto-generated" };
        let message = message
            .date(SystemTime::from(notice.date))
            .header(AutoSubmitted(submitted))
            .header(ListId(format!("Outflank <outflank.{}>", domain(&self.from))))
            .header(MIME_VERSION_1_0)
            .header(ContentType::TEXT_PLAIN)
            .body(text)
            .map_err(|error| unfit(&error))?;
        Ok(Outgoing {
            from: notice.return_path.to_owned(),
            to: notice.address.to_owned(),
            message_id: notice.message_id.to_owned(),
            bytes: message.formatted(),
        })
    }
}
