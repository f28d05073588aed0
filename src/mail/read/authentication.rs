//! The checks of the author by the receiving mail server (RFC 8601).

use super::address::without_comments;
use super::header::Header;

/// The first Authentication-Results field of a message, which the last server wrote. The sender can
/// forge the fields below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Authentication {
    /// The authserv-id, the name of the server that wrote it. Empty when there is no valid field.
    server: String,
    results: Vec<MethodResult>,
}

/// The result of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MethodResult {
    /// `dkim`, `dmarc`, ... in lower case.
    method: String,
    /// `pass`, `fail`, ... in lower case.
    result: String,
    /// Names such as `header.from` in lower case, with their values.
    properties: Vec<(String, String)>,
}

impl Authentication {
    pub(super) fn of(header: &Header) -> Self {
        header.text("Authentication-Results").and_then(|it| parse(&it)).unwrap_or_default()
    }

    /// Returns the name of the server that wrote the field; `None` without a valid field. Everybody may
    /// have written it.
    pub fn server(&self) -> Option<&str> {
        Some(self.server.as_str()).filter(|server| !server.is_empty())
    }

    /// Returns the results without their subjects: `dkim=pass dmarc=fail`.
    pub fn results(&self) -> String {
        let results = self.results.iter().map(|it| format!("{}={}", it.method, it.result));
        results.collect::<Vec<_>>().join(" ")
    }

    /// Returns whether our server `authserv_id` confirms that the domain of the address `from` sent the
    /// message: by `dmarc=pass` (RFC 7489), or by `dkim=pass` for this domain or a parent of it
    /// with at least two labels. A `dmarc=fail` overrides both.
    pub fn confirms(&self, authserv_id: &str, from: &str) -> bool {
        let Some(domain) = domain(from) else { return false };
        let is_ours = !self.server.is_empty() && self.server.eq_ignore_ascii_case(authserv_id);
        let dmarc = || self.results.iter().filter(|it| it.method == "dmarc");
        is_ours
            && !dmarc().any(|it| it.result == "fail" || !it.is_about(&domain))
            && self.results.iter().any(|it| it.result == "pass" && it.proves(&domain))
    }
}

impl MethodResult {
    /// Returns the values of a property.
    fn property(&self, name: &str) -> impl Iterator<Item = &str> {
        self.properties.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether this domain is the only one that it names for the From field.
    fn is_about(&self, domain: &str) -> bool {
        self.property("header.from").all(|it| self::domain(it).as_deref() == Some(domain))
    }

    fn proves(&self, domain: &str) -> bool {
        match self.method.as_str() {
            "dmarc" => self.is_about(domain),
            "dkim" => {
                let mut signers =
                    self.property("header.d").chain(self.property("header.i")).peekable();
                signers.peek().is_some()
                    && signers.all(|it| self::domain(it).is_some_and(|it| is_aligned(&it, domain)))
            }
            _ => false,
        }
    }
}

/// Returns whether a signer is the domain itself, or a parent of it with at least two labels.
fn is_aligned(signer: &str, domain: &str) -> bool {
    let parent = || domain.strip_suffix(signer).is_some_and(|rest| rest.ends_with('.'));
    signer.contains('.') && (signer == domain || parent())
}

/// Returns the domain of an address, or a bare domain, in lower case.
fn domain(text: &str) -> Option<String> {
    let domain = text.rsplit_once('@').map_or(text, |(_, domain)| domain);
    let domain = domain.strip_suffix('.').unwrap_or(domain).to_ascii_lowercase();
    let is_domain = domain.split('.').all(|label| {
        !label.is_empty()
            && label.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
    });
    is_domain.then_some(domain)
}

#[derive(Debug, PartialEq, Eq)]
enum Lexeme {
    Word(String),
    Quoted(String),
    Equals,
    Semicolon,
}

fn parse(value: &str) -> Option<Authentication> {
    let tokens = tokens(&without_comments(value)?)?;
    let mut sections = tokens.split(|token| *token == Lexeme::Semicolon);
    let server = match sections.next()? {
        [Lexeme::Word(id) | Lexeme::Quoted(id)] => id,
        // A version may follow; 1 is the only one.
        [Lexeme::Word(id) | Lexeme::Quoted(id), Lexeme::Word(version)] if version == "1" => id,
        _ => return None,
    };
    Some(Authentication { server: server.clone(), results: sections.filter_map(outcome).collect() })
}

/// Parses one `method=result` with its properties; `None` for the word `none` and for malformed sections.
fn outcome(section: &[Lexeme]) -> Option<MethodResult> {
    let [Lexeme::Word(method), Lexeme::Equals, Lexeme::Word(result), rest @ ..] = section else {
        return None;
    };
    let mut properties = Vec::new();
    let mut rest = rest;
    while let [first, more @ ..] = rest {
        rest = match (first, more) {
            (
                Lexeme::Word(key),
                [Lexeme::Equals, Lexeme::Word(value) | Lexeme::Quoted(value), more @ ..],
            ) => {
                properties.push((key.to_ascii_lowercase(), value.clone()));
                more
            }
            // Such as the end of a base64 value that should have been quoted.
            _ => more,
        };
    }
    // The method may carry a version: `dkim/1`.
    let method = method.split('/').next().unwrap_or_default().to_ascii_lowercase();
    Some(MethodResult { method, result: result.to_ascii_lowercase(), properties })
}

/// Splits a value without comments into tokens. `None` when a quoted string is not closed.
fn tokens(value: &str) -> Option<Vec<Lexeme>> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        let single = match c {
            '=' => Some(Lexeme::Equals),
            ';' => Some(Lexeme::Semicolon),
            '"' => Some(Lexeme::Quoted(quoted(&mut chars)?)),
            c if c.is_whitespace() => None,
            c => {
                word.push(c);
                continue;
            }
        };
        tokens.extend((!word.is_empty()).then(|| Lexeme::Word(std::mem::take(&mut word))));
        tokens.extend(single);
    }
    tokens.extend((!word.is_empty()).then_some(Lexeme::Word(word)));
    Some(tokens)
}

/// Reads the rest of a quoted string, without its closing mark and its backslashes.
fn quoted(chars: &mut std::str::Chars) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(chars.next()?),
            c => text.push(c),
        }
    }
}
