//! Opening a followed page, and reading one of its owner.

use model::account::Assurance;
use model::id::{Owner, TabId};
use model::lang::text;
use model::tab::Tab;
use store::{MOST_TABS, NewTab, Opening};
use url::Url;

use crate::accounts::organizations;
use crate::caller::{Cx, Identity};
use crate::config::Sku;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::gate;
use crate::services::Services;

/// Characters of a tab's name at most.
pub(crate) const ALIAS_CHARS: usize = 100;

/// The URL that a tab follows: parsed as for every audit, without its fragment, which is never sent to a server.
pub fn page_of(services: &Services, typed: &str) -> Result<Url, ServiceError> {
    let mut url = services.engine().fetcher().intake(typed)?;
    url.set_fragment(None);
    Ok(url)
}

/// Parses a tab's name; `None` for an empty one.
pub fn alias_of(typed: Option<&str>) -> Result<Option<String>, ServiceError> {
    let alias = typed.unwrap_or_default().trim();
    if alias.chars().count() > ALIAS_CHARS || alias.chars().any(char::is_control) {
        let shape =
            text("alias: use at most 100 characters on one line", "alias: use no máximo 100 caracteres em uma linha");
        return Err(ServiceError::new(Code::InvalidBody).explained(shape.into()));
    }
    Ok((!alias.is_empty()).then(|| alias.to_owned()))
}

/// Tags of a tab at most, and characters of each.
const MOST_TAGS: usize = 10;
const TAG_CHARS: usize = 40;
/// Characters of a note at most.
const NOTE_CHARS: usize = 2_000;

/// Parses the words to find a tab by: without empty ones, each once, in alphabetical order.
pub fn tags_of<T: AsRef<str>>(typed: &[T]) -> Result<Vec<String>, ServiceError> {
    let mut tags: Vec<String> = typed.iter().map(|tag| tag.as_ref().trim().to_owned()).collect();
    tags.retain(|tag| !tag.is_empty());
    tags.sort_unstable();
    tags.dedup();
    let is_tag = |tag: &String| tag.chars().count() <= TAG_CHARS && !tag.chars().any(char::is_control);
    if tags.len() > MOST_TAGS || !tags.iter().all(is_tag) {
        let shape = text(
            "tags: use at most 10, of at most 40 characters each",
            "tags: use no máximo 10, com no máximo 40 caracteres cada",
        );
        return Err(ServiceError::new(Code::InvalidBody).explained(shape.into()));
    }
    Ok(tags)
}

/// Parses the note of a tab; `None` for an empty one.
pub fn note_of(typed: Option<&str>) -> Result<Option<String>, ServiceError> {
    let note = typed.unwrap_or_default().replace("\r\n", "\n");
    let note = note.trim();
    if note.chars().count() > NOTE_CHARS || note.chars().any(|c| c.is_control() && c != '\n') {
        let shape = text("note: use at most 2,000 characters", "note: use no máximo 2.000 caracteres");
        return Err(ServiceError::new(Code::InvalidBody).explained(shape.into()));
    }
    Ok((!note.is_empty()).then(|| note.to_owned()))
}

/// Opens a tab for the caller, or finds the one that follows this page; either becomes active.
pub async fn open(cx: &Cx, owner: &Owner, url: &Url, alias: Option<String>) -> Result<Tab, ServiceError> {
    let (id, created_at) = (TabId(cx.services.ports().id()), cx.services.ports().now());
    let withheld = cx.withheld.as_deref().map(str::to_owned);
    let new = NewTab { id, owner: owner.clone(), url: url.as_str().to_owned(), alias, withheld, created_at };
    let free = cx.services.config().limits.free_tabs;
    let most = if gate::is_let_through(cx, Sku::Tab) { MOST_TABS } else { free };
    match cx.services.database().write(|store| store.open_tab(new, most)).await? {
        // Another call opened it meanwhile, so there is nothing to pay for: the held payment is released, and a retry
        // of this call is free.
        Opening::Known(_) if cx.withheld.is_some() => Err(ServiceError::new(Code::PaymentInProgress).retry_after(1)),
        Opening::New(tab) | Opening::Known(tab) => Ok(tab),
        Opening::Full if most < MOST_TABS => Err(ServiceError::new(Code::PaymentRequired)),
        Opening::Full => Err(ServiceError::new(Code::TabLimit)),
    }
}

/// Whether opening a tab is free: it is open already, or the owner has free tabs left.
pub async fn is_free(cx: &Cx, url: &Url) -> Result<bool, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let database = cx.services.database();
    if database.ask(|store| store.count_tabs(&owner)).await? < cx.services.config().limits.free_tabs {
        return Ok(true);
    }
    Ok(database.ask(|store| store.tab_of_page(&owner, url.as_str())).await?.is_some())
}

/// Reads a tab of an owner.
pub async fn tab(services: &Services, owner: &Owner, id: &str) -> Result<Tab, ServiceError> {
    let id = tab_id(id)?;
    services.database().ask(|store| store.tab_of(owner, &id)).await.map_err(unknown_tab)
}

/// A tab that a caller may read.
#[derive(Debug)]
pub struct ReadableTab {
    /// Who follows the page.
    pub owner: Owner,
    /// The tab.
    pub tab: Tab,
    /// Whether it is the caller's own. Of an organization's, a member reads only.
    pub is_own: bool,
}

/// Reads a tab of the caller or, for a session, of an organization that its account is a member of. Where an organization
/// requires a second factor, the session must have one.
pub async fn readable(cx: &Cx, id: &str) -> Result<ReadableTab, ServiceError> {
    let (owner, id, database) = (cx.caller.required_owner()?, tab_id(id)?, cx.services.database());
    match (database.ask(|store| store.tab_of(&owner, &id)).await, &cx.caller.identity) {
        (Err(DatabaseError::NotFound), Identity::Session(session)) => {
            let has_factor = session.assurance >= Assurance::Aal2;
            let found = database.ask(|store| store.tab_of_member(&session.account, has_factor, &id)).await;
            let (owner, tab) = found.map_err(unknown_tab)?;
            Ok(ReadableTab { owner, tab, is_own: false })
        }
        (found, _) => Ok(ReadableTab { tab: found.map_err(unknown_tab)?, owner, is_own: true }),
    }
}

/// The tabs of an organization that the caller is a member of, oldest first.
pub async fn of_organization(cx: &Cx, id: &str) -> Result<Vec<Tab>, ServiceError> {
    let organization = organizations::read(cx, id).await?;
    list(&cx.services, &Owner::Organization(organization.id)).await
}

/// The tab of an owner that follows a page, if any.
pub async fn of_page(services: &Services, owner: &Owner, url: &str) -> Result<Option<Tab>, ServiceError> {
    Ok(services.database().ask(|store| store.tab_of_page(owner, url)).await?)
}

/// Parses a tab's id; an invalid one is "not found", without a query.
pub fn tab_id(id: &str) -> Result<TabId, ServiceError> {
    uuid::Uuid::try_parse(id).map_err(|_| ServiceError::new(Code::TabNotFound))?;
    Ok(TabId(id.to_owned()))
}

/// Maps a database error; a missing row is [`Code::TabNotFound`].
pub fn unknown_tab(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => ServiceError::new(Code::TabNotFound),
        other => other.into(),
    }
}

/// The tabs of an owner, oldest first.
pub async fn list(services: &Services, owner: &Owner) -> Result<Vec<Tab>, ServiceError> {
    Ok(services.database().ask(|store| store.tabs_of(owner)).await?)
}

/// Closes a tab; its runs stay audits of the owner.
pub async fn close(services: &Services, owner: &Owner, id: &str) -> Result<(), ServiceError> {
    let id = tab_id(id)?;
    services.database().write(|store| store.close_tab(owner, &id)).await.map_err(unknown_tab)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::service_on;

    #[test]
    fn a_name_has_a_hundred_characters_on_one_line() {
        assert_eq!(alias_of(Some(" Home ")).unwrap().as_deref(), Some("Home"));
        assert_eq!((alias_of(Some(" ")).unwrap(), alias_of(None).unwrap()), (None, None));
        assert!(alias_of(Some(&"é".repeat(100))).is_ok());
        for typed in ["é".repeat(101), "a\nb".to_owned()] {
            assert_eq!(alias_of(Some(&typed)).unwrap_err().code, Code::InvalidBody, "{typed}");
        }
    }

    #[test]
    fn a_page_has_ten_tags_of_forty_characters_each_once() {
        assert_eq!(tags_of(&["b", " a", "b ", ""]).unwrap(), ["a", "b"]);
        let numbered = |count: u32| (0..count).map(|n| format!("tag {n}")).collect::<Vec<_>>();
        assert_eq!(tags_of(&[numbered(10), numbered(10)].concat()).unwrap().len(), 10);
        assert!(tags_of(&["é".repeat(40)]).is_ok());
        for typed in [numbered(11), vec!["é".repeat(41)], vec!["a\tb".to_owned()]] {
            assert_eq!(tags_of(&typed).unwrap_err().code, Code::InvalidBody, "{typed:?}");
        }
    }

    #[test]
    fn a_note_has_two_thousand_characters_on_many_lines() {
        assert_eq!(note_of(Some(" a\r\nb ")).unwrap().as_deref(), Some("a\nb"));
        assert_eq!((note_of(Some("\n")).unwrap(), note_of(None).unwrap()), (None, None));
        assert!(note_of(Some(&"é".repeat(2_000))).is_ok());
        for typed in ["é".repeat(2_001), "a\tb".to_owned()] {
            assert_eq!(note_of(Some(&typed)).unwrap_err().code, Code::InvalidBody, "{typed}");
        }
    }

    #[tokio::test]
    async fn a_page_is_found_among_the_tabs_of_its_owner() {
        let test = service_on(|_| {}).await;
        let (ana, bia) = (Owner::parse("account:ana").unwrap(), Owner::parse("account:bia").unwrap());
        let url = "https://example.com/".parse().unwrap();
        let opened = open(&test.nobody(), &ana, &url, None).await.unwrap();
        let found = async |owner: &Owner| of_page(&test.services, owner, url.as_str()).await.unwrap().map(|tab| tab.id);
        assert_eq!((found(&ana).await, found(&bia).await), (Some(opened.id), None));
    }
}
