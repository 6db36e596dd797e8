//! Followed pages, the focused one among them.

use model::id::{AccountId, Owner, TabId};
use model::tab::Tab;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::statement::member_reads;
use crate::store::Store;
use crate::transaction::Transaction;

/// Tabs of one owner at most, paid ones included, so that one answer can hold a workspace.
pub const MOST_TABS: u32 = 500;

/// A page to follow.
#[derive(Debug, Clone)]
pub struct NewTab {
    /// Its id, unique.
    pub id: TabId,
    /// Who follows it.
    pub owner: Owner,
    /// The page, without a fragment.
    pub url: String,
    /// Its name.
    pub alias: Option<String>,
    /// The debit or payment that withholds it; the tab is closed when that fails.
    pub withheld: Option<String>,
    /// Now.
    pub created_at: Timestamp,
}

/// Outcome of opening a tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// It is new.
    New(Tab),
    /// The owner followed this page already.
    Known(Tab),
    /// The owner has reached the limit of tabs.
    Full,
}

/// A change of a tab; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct TabChange {
    /// Its name, or none.
    pub alias: Option<Option<String>>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// What its owner writes down of it, or nothing.
    pub note: Option<Option<String>>,
    /// Whether it has the focus; the page that had it loses it.
    pub active: Option<bool>,
    /// When the daily watch begins, or that it ends.
    pub watch: Option<Option<Timestamp>>,
    /// Where alerts go.
    pub alert: Option<AlertTo>,
}

/// Where alerts go.
#[derive(Debug, Clone)]
pub enum AlertTo {
    /// To the account's own address.
    Account,
    /// To another one, whose holder has to confirm.
    Other {
        /// The address.
        email: String,
        /// Digest of the token in the confirmation mail.
        token_digest: [u8; 32],
        /// Expiry of the confirmation.
        expires_at: Timestamp,
        /// The confirmation mail.
        question: NewJob,
    },
}

/// Outcome of changing a tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changing {
    /// The tab as it is now.
    Done(Box<Tab>),
    /// The owner has reached the limit of watched pages.
    TooManyWatched,
}

/// The statement that reads tabs. A macro, as `concat!` takes literals only.
macro_rules! tabs_where {
    ($condition:literal) => {
        concat!(
            "SELECT t.id, t.url, t.alias, t.created_at, t.monitor, t.alert_email, t.alert_agreed, t.watched_at, t.watch_at, t.tags, t.note, \
             CAST(CASE WHEN w.active_id = t.id THEN 1 ELSE 0 END AS BIGINT) AS active, a.id AS audit_id, a.score, \
             a.failed FROM tabs t LEFT JOIN workspaces w ON w.owner = t.owner LEFT JOIN audits a ON a.id = \
             (SELECT l.id FROM audits l WHERE l.owner = t.owner AND l.requested_url = t.url \
             ORDER BY l.created_at DESC, l.id DESC LIMIT 1) WHERE t.owner = $1 AND ",
            $condition
        )
    };
}

const ALL: &str = tabs_where!("1 = 1 ORDER BY t.created_at, t.id LIMIT $2");
const BY_ID: &str = tabs_where!("t.id = $2");
const BY_URL: &str = tabs_where!("t.url = $2");

const OWNER_FOR_MEMBER: &str = concat!("SELECT owner FROM tabs WHERE id = $1 AND ", member_reads!());

// The update changes nothing: it locks the owner's row and so serializes changes of the owner's tabs.
const LOCK: &str =
    "INSERT INTO workspaces (owner) VALUES ($1) ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner";

const COUNT: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS n FROM tabs WHERE owner = $1";

const COUNT_OTHERS_WATCHED: &str =
    "SELECT CAST(COUNT(*) AS BIGINT) AS n FROM tabs WHERE owner = $1 AND id <> $2 AND monitor = 1";

const INSERT: &str = "INSERT INTO tabs (id, owner, url, alias, created_at, withheld, monitor, alert_agreed) \
    VALUES ($1, $2, $3, $4, $5, $6, 0, 0)";

const FOCUS: &str = "UPDATE workspaces SET active_id = $2 WHERE owner = $1";

const UNFOCUS: &str = "UPDATE workspaces SET active_id = NULL WHERE owner = $1 AND active_id = $2";

const FOCUS_NEWEST: &str = "UPDATE workspaces SET active_id = \
    (SELECT id FROM tabs WHERE owner = $1 ORDER BY created_at DESC, id DESC LIMIT 1) WHERE owner = $1 AND active_id = $2";

const RENAME: &str = "UPDATE tabs SET alias = $3 WHERE owner = $1 AND id = $2";

const TAG: &str = "UPDATE tabs SET tags = $3 WHERE owner = $1 AND id = $2";

const NOTE: &str = "UPDATE tabs SET note = $3 WHERE owner = $1 AND id = $2";

const WATCH: &str = "UPDATE tabs SET monitor = $3, watch_at = $4 WHERE owner = $1 AND id = $2";

const ALERT: &str = "UPDATE tabs SET alert_email = $3, alert_agreed = 0 WHERE owner = $1 AND id = $2";

const FORGET_QUESTIONS: &str = "DELETE FROM watch_links WHERE tab_id = $1 AND purpose = 'agree'";

const ASK: &str = "INSERT INTO watch_links (token_digest, tab_id, purpose, email, expires_at) \
    VALUES ($1, $2, 'agree', $3, $4)";

const CLOSE: &str = "DELETE FROM tabs WHERE owner = $1 AND id = $2 RETURNING id";

impl Store {
    /// All tabs of `owner`, oldest first.
    pub async fn tabs_of(&self, owner: &Owner) -> Result<Vec<Tab>, StoreError> {
        let subject = "listing tabs";
        let statement = sqlx::query(ALL).bind(owner.to_string()).bind(i64::from(MOST_TABS));
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| tab(subject, row)).collect()
    }

    /// The tab `id` of `owner`; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn tab_of(&self, owner: &Owner, id: &TabId) -> Result<Tab, StoreError> {
        let subject = "reading a tab";
        let row = self.db.read(subject, sqlx::query(BY_ID).bind(owner.to_string()).bind(id.0.clone())).await?;
        tab(subject, &row.ok_or(StoreError::NotFound { subject })?)
    }

    /// The tab `id` of an organization that `account` is a member of, and its owner; [`StoreError::NotFound`] otherwise, and where the
    /// organization requires a second factor of members and this one has none.
    pub async fn tab_of_member(
        &self,
        account: &AccountId,
        has_second_factor: bool,
        id: &TabId,
    ) -> Result<(Owner, Tab), StoreError> {
        let subject = "reading an organization's tab";
        let statement =
            sqlx::query(OWNER_FOR_MEMBER).bind(id.0.clone()).bind(account.0.clone()).bind(i64::from(has_second_factor));
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        let owner: String = row.try_get("owner").map_err(|error| StoreError::of_driver(subject, error))?;
        let owner = Owner::parse(&owner).ok_or_else(|| StoreError::corrupt(subject, "its owner can't be read"))?;
        let tab = self.tab_of(&owner, id).await?;
        Ok((owner, tab))
    }

    /// The tab of `owner` that follows `url`, if any.
    pub async fn tab_of_page(&self, owner: &Owner, url: &str) -> Result<Option<Tab>, StoreError> {
        let subject = "reading a tab";
        let row = self.db.read(subject, sqlx::query(BY_URL).bind(owner.to_string()).bind(url.to_owned())).await?;
        row.map(|row| tab(subject, &row)).transpose()
    }

    /// How many tabs `owner` has.
    pub async fn count_tabs(&self, owner: &Owner) -> Result<u32, StoreError> {
        let subject = "counting tabs";
        let row = self.db.read(subject, sqlx::query(COUNT).bind(owner.to_string())).await?;
        counted(subject, row)
    }

    /// Opens a tab and focuses it, also when the page was followed already. `most`: the owner's limit of tabs.
    pub async fn open_tab(&self, new: NewTab, most: u32) -> Result<Opening, StoreError> {
        let most = most.min(MOST_TABS);
        self.db
            .transact("opening a tab", move |transaction| {
                let new = new.clone();
                Box::pin(async move { open(transaction, new, most).await })
            })
            .await
    }

    /// Changes a tab. `most_watched`: the owner's limit of watched pages. [`StoreError::NotFound`] also when it is
    /// someone else's.
    pub async fn change_tab(
        &self,
        owner: &Owner,
        id: &TabId,
        change: TabChange,
        most_watched: u32,
    ) -> Result<Changing, StoreError> {
        let (owner, id) = (owner.to_string(), id.0.clone());
        self.db
            .transact("changing a tab", move |transaction| {
                let (owner, id, change) = (owner.clone(), id.clone(), change.clone());
                Box::pin(async move { change_within(transaction, owner, id, change, most_watched).await })
            })
            .await
    }

    /// Closes a tab; its audits stay. If it was focused, the newest tab gets the focus. [`StoreError::NotFound`] also
    /// when it is someone else's.
    pub async fn close_tab(&self, owner: &Owner, id: &TabId) -> Result<(), StoreError> {
        let subject = "closing a tab";
        let (owner, id) = (owner.to_string(), id.0.clone());
        self.db
            .transact(subject, move |transaction| {
                let (owner, id) = (owner.clone(), id.clone());
                Box::pin(async move {
                    if close(transaction, owner, id).await? { Ok(()) } else { Err(StoreError::NotFound { subject }) }
                })
            })
            .await
    }
}

async fn open(transaction: &mut Transaction<'_>, new: NewTab, most: u32) -> Result<Opening, StoreError> {
    let subject = "opening a tab";
    let owner = new.owner.to_string();
    transaction.run(sqlx::query(LOCK).bind(owner.clone())).await?;
    let by_url = || sqlx::query(BY_URL).bind(owner.clone()).bind(new.url.clone());
    let known = transaction.first(by_url()).await?.map(|row| tab(subject, &row)).transpose()?;
    let id = match &known {
        Some(known) => known.id.clone(),
        None => {
            let count = counted(subject, transaction.first(sqlx::query(COUNT).bind(owner.clone())).await?)?;
            if count >= most {
                return Ok(Opening::Full);
            }
            let statement = sqlx::query(INSERT)
                .bind(new.id.0.clone())
                .bind(owner.clone())
                .bind(new.url.clone())
                .bind(new.alias.clone())
                .bind(new.created_at.0)
                .bind(new.withheld);
            transaction.run(statement).await?;
            new.id.0.clone()
        }
    };
    transaction.run(sqlx::query(FOCUS).bind(owner.clone()).bind(id)).await?;
    let row = transaction.first(by_url()).await?.ok_or(StoreError::NotFound { subject })?;
    let opened = tab(subject, &row)?;
    Ok(if known.is_some() { Opening::Known(opened) } else { Opening::New(opened) })
}

/// Closes a tab of an owner; `false` where there is none. If it was focused, the newest tab gets the focus.
pub(crate) async fn close(transaction: &mut Transaction<'_>, owner: String, id: String) -> Result<bool, StoreError> {
    transaction.run(sqlx::query(LOCK).bind(owner.clone())).await?;
    if transaction.first(sqlx::query(CLOSE).bind(owner.clone()).bind(id.clone())).await?.is_none() {
        return Ok(false);
    }
    transaction.run(sqlx::query(FOCUS_NEWEST).bind(owner).bind(id)).await?;
    Ok(true)
}

async fn change_within(
    transaction: &mut Transaction<'_>,
    owner: String,
    id: String,
    change: TabChange,
    most_watched: u32,
) -> Result<Changing, StoreError> {
    let subject = "changing a tab";
    let of_tab = |sql: &'static str| sqlx::query(sql).bind(owner.clone()).bind(id.clone());
    transaction.run(sqlx::query(LOCK).bind(owner.clone())).await?;
    transaction.first(of_tab(BY_ID)).await?.ok_or(StoreError::NotFound { subject })?;
    if let Some(watch_at) = change.watch {
        if watch_at.is_some() {
            let others = counted(subject, transaction.first(of_tab(COUNT_OTHERS_WATCHED)).await?)?;
            if others >= most_watched {
                return Ok(Changing::TooManyWatched);
            }
        }
        let statement = of_tab(WATCH).bind(i64::from(watch_at.is_some())).bind(watch_at.map(|at| at.0));
        transaction.run(statement).await?;
    }
    if let Some(alias) = change.alias {
        transaction.run(of_tab(RENAME).bind(alias)).await?;
    }
    if let Some(tags) = change.tags {
        transaction.run(of_tab(TAG).bind((!tags.is_empty()).then(|| tags.join("\n")))).await?;
    }
    if let Some(note) = change.note {
        transaction.run(of_tab(NOTE).bind(note)).await?;
    }
    match change.active {
        Some(true) => drop(transaction.run(of_tab(FOCUS)).await?),
        Some(false) => drop(transaction.run(of_tab(UNFOCUS)).await?),
        None => {}
    }
    if let Some(alert) = change.alert {
        // An older confirmation is for an address that alerts no longer go to.
        transaction.run(sqlx::query(FORGET_QUESTIONS).bind(id.clone())).await?;
        match alert {
            AlertTo::Account => drop(transaction.run(of_tab(ALERT).bind(None::<String>)).await?),
            AlertTo::Other { email, token_digest, expires_at, question } => {
                transaction.run(of_tab(ALERT).bind(Some(email.clone()))).await?;
                let link = sqlx::query(ASK).bind(token_digest.to_vec()).bind(id.clone()).bind(email).bind(expires_at.0);
                transaction.run(link).await?;
                transaction.enqueue(&question).await?;
            }
        }
    }
    let row = transaction.first(of_tab(BY_ID)).await?.ok_or(StoreError::NotFound { subject })?;
    Ok(Changing::Done(Box::new(tab(subject, &row)?)))
}

fn tab(subject: &'static str, row: &AnyRow) -> Result<Tab, StoreError> {
    read_tab(row).map_err(|error| StoreError::of_driver(subject, error))
}

fn read_tab(row: &AnyRow) -> Result<Tab, sqlx::Error> {
    let is = |column: &str| Ok::<_, sqlx::Error>(row.try_get::<i64, _>(column)? != 0);
    let failed: Option<i64> = row.try_get("failed")?;
    let score: Option<i64> = row.try_get("score")?;
    let score = score.filter(|_| failed == Some(0)).map(u32::try_from).transpose();
    let monitor_email: Option<String> = row.try_get("alert_email")?;
    let tags: Option<String> = row.try_get("tags")?;
    Ok(Tab {
        id: row.try_get("id")?,
        url: row.try_get("url")?,
        alias: row.try_get("alias")?,
        active: is("active")?,
        audit_id: row.try_get("audit_id")?,
        score: score.map_err(|error| sqlx::Error::Decode(error.into()))?,
        monitor: is("monitor")?,
        monitor_email_confirmed: monitor_email.is_none() || is("alert_agreed")?,
        monitor_email,
        monitor_checked_at: row.try_get::<Option<i64>, _>("watched_at")?.map(Timestamp),
        monitor_next_at: row.try_get::<Option<i64>, _>("watch_at")?.map(Timestamp),
        tags: tags.map(|tags| tags.lines().map(str::to_owned).collect()).unwrap_or_default(),
        note: row.try_get("note")?,
        created_at: Timestamp(row.try_get("created_at")?),
    })
}

fn counted(subject: &'static str, row: Option<AnyRow>) -> Result<u32, StoreError> {
    let row = row.ok_or(StoreError::NotFound { subject })?;
    let count: i64 = row.try_get("n").map_err(|error| StoreError::of_driver(subject, error))?;
    u32::try_from(count).map_err(|error| StoreError::corrupt(subject, error))
}
