//! Reply tokens: made as the program makes them, and found in its output.

pub use outflank::mail::token::{Purpose, Token};

use outflank::app::{App, Rng, load_config};
use outflank::clock::FixedClock;
use outflank::mail::token::{Claims, Secret};
use outflank_model::log::GameId;
use ring::hmac;
use rusqlite::types::FromSql;
use rusqlite::{OptionalExtension, Params};

use super::{Mail, TestEnvironment};

impl TestEnvironment {
    fn query<T: FromSql>(&self, sql: &str, params: impl Params) -> T {
        self.sqlite().query_row(sql, params, |row| row.get(0)).unwrap()
    }

    pub fn player_id(&self, name: &str) -> i64 {
        self.query("SELECT id FROM player WHERE name = ?1", [name])
    }

    pub fn secret(&self, name: &str) -> [u8; 32] {
        self.query("SELECT secret FROM player WHERE name = ?1", [name])
    }

    /// Returns the history that the page of a game and its forms contain.
    pub fn history(&self, game: i64) -> String {
        self.app().stage(GameId(game), true).unwrap().unwrap().history
    }

    /// Opens the application as the web server does.
    pub fn app(&self) -> App {
        let config = load_config(Some(&self.config_file())).unwrap();
        let clock = Box::new(FixedClock(self.now()));
        App::open(&self.database(), false, config, clock, Rng::seeded(1)).unwrap()
    }

    /// Returns a token of this player as it was before tokens included the last event of their game.
    pub fn token(&self, purpose: Purpose, player: &str, number: i64, event: usize) -> String {
        let claims = (Some(self.player_id(player)), number);
        token(purpose, claims, event, self.secret(player))
    }

    /// Returns the server's address with this token.
    pub fn token_address(
        &self,
        purpose: Purpose,
        player: &str,
        number: i64,
        event: usize,
    ) -> String {
        format!("outflank+{}@club.example", self.token(purpose, player, number, event))
    }

    /// Checks that each mail shows tokens of its reader only.
    pub fn check_tokens(&self) {
        for (id, mail) in self.all_mails() {
            let tokens = tokens_in(&mail.everything());
            for token in tokens.into_iter().filter(|token| !self.is_erased(token, &id)) {
                let (owner, reader) = (self.owner(&token), self.reader(&id, &mail));
                assert_eq!(owner, reader, "a token of {owner} in {}", mail.raw);
            }
        }
    }

    /// Returns whether the reader of the mail with this token and Message-ID has left.
    fn is_erased(&self, token: &Token, message_id: &str) -> bool {
        self.query(
            "SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE message_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM player WHERE id = ?2 AND left_at IS NULL)",
            (message_id, token.claims().player),
        )
    }

    /// Returns the owner of a token: a player's name, or the address of a person without a name.
    fn owner(&self, token: &Token) -> String {
        let Claims { purpose, player, number, .. } = *token.claims();
        match (player, purpose) {
            (Some(id), _) => self.query("SELECT name FROM player WHERE id = ?1", [id]),
            (None, Purpose::Confirm) => {
                self.query("SELECT address FROM held WHERE id = ?1", [number])
            }
            (None, _) => self.query("SELECT address FROM outbox WHERE id = ?1", [number]),
        }
    }

    /// Returns the reader of the mail with this Message-ID, as `owner` does.
    fn reader(&self, message_id: &str, mail: &Mail) -> String {
        let sql = "SELECT coalesce(name, outbox.address) FROM outbox
                   LEFT JOIN player ON player.id = player WHERE message_id = ?1";
        let recorded = self.sqlite().query_row(sql, [message_id], |row| row.get(0)).optional();
        recorded.unwrap().unwrap_or_else(|| {
            // The outbox entry was deleted.
            self.query("SELECT name FROM player WHERE address = ?1", [&mail.to])
        })
    }
}

/// Returns a token of the first version. `of` is its player, or `None`, and its number.
pub fn token(purpose: Purpose, of: (Option<i64>, i64), event: usize, secret: [u8; 32]) -> String {
    let (player, number) = of;
    let claims = Claims { purpose, player, number, event, known: None, asks: false };
    first_version(claims, secret)
}

/// Returns a token of the first version, which is not bound to a history.
pub fn first_version(claims: Claims, secret: [u8; 32]) -> String {
    let base32 = data_encoding::BASE32_NOPAD;
    let bound = Token::new(claims, &Secret(secret), &[]).to_string().to_uppercase();
    let mut bytes = base32.decode(bound.as_bytes()).unwrap();
    bytes.truncate(bytes.len() - 10);
    bytes[0] = 1;
    let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), &bytes);
    bytes.extend(&mac.as_ref()[..10]);
    base32.encode(&bytes).to_lowercase()
}

/// Returns everything that looks like a token, also directly after an escape such as `%2B`.
pub fn tokens_in(text: &str) -> Vec<Token> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let ends = words.flat_map(|word| (0..word.len()).map(move |at| &word[at..]));
    ends.filter(|end| end.len() >= Token::MIN_LEN).filter_map(|end| end.parse().ok()).collect()
}

impl Mail {
    /// Returns the header unfolded, and all parts decoded.
    fn everything(&self) -> String {
        let header = self.raw.replace("\r\n", "\n");
        let header = header.split("\n\n").next().unwrap().replace("\n ", "").replace("\n\t", "");
        [header, self.text.clone(), self.html().unwrap_or_default()].join("\n")
    }
}
