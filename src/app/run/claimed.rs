//! Mails that this process has claimed.

use crate::app::{Env, Error, contain_part};
use crate::store::{Claim, Lease, MailId, Tx};

/// Mails that were claimed and checked.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// Those to be tried now.
    pub claims: Vec<Claim>,
    /// Those that could not be checked, with the reasons.
    pub failed: Vec<(Claim, Error)>,
    /// Those that do not go now.
    pub others: Vec<MailId>,
}

impl Checked {
    /// Returns all claims, to release them before any mail was tried.
    pub fn untried(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().chain(self.failed.iter().map(|(claim, _)| claim))
    }
}

/// The mails of a command, which were claimed in the transaction that queued them. The claims hold until
/// this is dropped.
#[derive(Debug)]
pub struct ClaimedMails {
    pub(crate) lease: Lease,
    pub(crate) checked: Checked,
}

/// How the mails of a command are claimed, in a front end that delivers them as soon as the reply is printed.
#[derive(Debug, Clone, Copy)]
pub struct ClaimMails(pub(crate) fn(&Env, &Tx, &[MailId]) -> Result<ClaimedMails, Error>);

impl ClaimMails {
    /// Claims these mails in the transaction that queued them.
    pub(crate) fn of(
        self,
        env: &Env,
        tx: &Tx,
        mails: &[MailId],
    ) -> Result<Option<ClaimedMails>, Error> {
        if mails.is_empty() {
            return Ok(None);
        }
        // The change does not depend on it: `send` delivers the mails otherwise.
        Ok(contain_part(tx, || (self.0)(env, tx, mails))?.ok())
    }
}
