//! Prepaid credit: packs, list and statement.

use model::credit::{ListedCredit, Movement};
use model::id::Owner;
use store::Credit;

use crate::credential::{TokenKind, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::payments::debit::credit_state;
use crate::services::Services;
use crate::x402::{NO_PACK, PACKS};

/// Credits listed per owner at most.
const LISTED: u32 = 100;

/// The credit pack of a dollar amount; an error when there is none.
pub fn pack(usd: u32) -> Result<u32, ServiceError> {
    if PACKS.contains(&usd) {
        Ok(usd)
    } else {
        Err(ServiceError::new(Code::InvalidParameter).explained(NO_PACK.into()))
    }
}

/// Lists the credits that `owner` bought, newest first, at most [`LISTED`].
pub async fn list(services: &Services, owner: &Owner) -> Result<Vec<ListedCredit>, ServiceError> {
    let owner = owner.to_string();
    let credits = services.database().ask(|store| store.credits_of(&owner, LISTED)).await?;
    Ok(credits.into_iter().map(|credit| listed(services, credit)).collect())
}

/// A credit as a list entry.
pub fn listed(services: &Services, credit: Credit) -> ListedCredit {
    ListedCredit {
        state: credit_state(services.payments(), &credit),
        id: credit.id,
        balance_micros: credit.balance.0,
        balance_usd: credit.balance.to_string(),
        created_at: credit.created_at,
    }
}

/// The credit of a token, with its latest movements; [`Code::InvalidCredential`] when there is none. A malformed token needs
/// no look-up.
pub async fn statement_of_token(services: &Services, token: &str) -> Result<(Credit, Vec<Movement>), ServiceError> {
    if !TokenKind::Credit.fits(token) {
        return Err(ServiceError::new(Code::InvalidCredential));
    }
    statement(services, &token_digest(token)).await
}

/// The credit of a token digest, with its latest movements; [`Code::InvalidCredential`] when there is none.
pub async fn statement(services: &Services, digest: &[u8; 32]) -> Result<(Credit, Vec<Movement>), ServiceError> {
    match services.database().ask(|store| store.credit_statement(digest)).await {
        Ok(Some(statement)) => Ok(statement),
        Ok(None) | Err(DatabaseError::NotFound) => Err(ServiceError::new(Code::InvalidCredential)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::service_on;

    #[tokio::test]
    async fn an_owner_is_shown_a_hundred_credits() {
        let test = service_on(|_| {}).await;
        let insert = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 101) \
            INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
            SELECT 'credit ' || n, randomblob(32), 'account:a', 0, 5000000, n FROM numbers";
        test.database.execute(insert).await;
        let listed = list(&test.services, &Owner::parse("account:a").unwrap()).await.unwrap();
        assert_eq!((listed.len(), &*listed[0].id, &*listed[99].id), (100, "credit 101", "credit 2"));
    }
}
