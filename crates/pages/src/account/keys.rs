//! API keys of the account.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use model::id::ApiKeyId;
use store::{KeyRecord, OrganizationRecord};

use super::visit::{AccountVisit, AppState, leads_away, refused, visit};
use crate::error::{self, FormProblem};
use crate::filters;
use crate::frame::Frame;
use service::accounts::{keys, organizations};
use service::error::{Code, ServiceError};

const PATH: &str = "/conta/keys";

#[derive(Template)]
#[template(path = "account_keys.html")]
struct KeysPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    live: Vec<KeyRow>,
    revoked: Vec<KeyRow>,
    /// Organizations that the reader may create keys for.
    organizations: Vec<OrganizationRecord>,
    /// A key just made; shown this once.
    secret: Option<&'a str>,
    name: &'a str,
    /// Id of the chosen organization; empty: the account.
    chosen: &'a str,
    problem: Option<FormProblem>,
}

/// A key, and the name of its organization.
struct KeyRow {
    key: KeyRecord,
    organization: Option<String>,
}

/// Shows the keys, or makes one.
pub(super) async fn show(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let made = if visit.is_sent { make(&visit).await.map(Some) } else { Ok(None) };
        let (secret, problem) = match made {
            Ok(secret) => (secret, None),
            Err(error) if leads_away(&error) => return refused(&visit, &error, PATH),
            Err(error) => (None, Some(error)),
        };
        match page(&visit, secret.as_deref(), problem.as_ref()).await {
            Ok(page) => visit.form_page(problem.as_ref(), &page),
            Err(error) => refused(&visit, &error, PATH),
        }
    })
    .await
}

/// Revokes a key.
pub(super) async fn revoke(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let revoked = match uuid::Uuid::try_parse(visit.field("id")) {
            Ok(id) if visit.is_sent => keys::revoke(&visit.cx, &ApiKeyId(id.to_string())).await,
            _ => Ok(()),
        };
        match revoked {
            Ok(()) if visit.is_sent => visit.lead_after(PATH, "key_revoked"),
            Ok(()) => visit.lead(PATH),
            Err(error) => refused(&visit, &error, PATH),
        }
    })
    .await
}

async fn make(visit: &AccountVisit) -> Result<String, ServiceError> {
    let name = keys::key_name(visit.field("name"))?;
    let organization = match visit.field("organization") {
        "" => None,
        id => Some(keys::organization_id(id)?),
    };
    Ok(keys::create(&visit.cx, name, organization).await?.secret)
}

async fn page<'a>(
    visit: &'a AccountVisit,
    secret: Option<&'a str>,
    problem: Option<&ServiceError>,
) -> Result<KeysPage<'a>, ServiceError> {
    let organizations = organizations::list(&visit.cx).await?;
    let row = |key: KeyRecord| {
        let organization =
            organizations.iter().find(|organization| key.organization.as_ref() == Some(&organization.id));
        KeyRow { organization: organization.map(|organization| organization.name.clone()), key }
    };
    let keys = keys::list(&visit.cx).await?.into_iter();
    let (live, revoked): (Vec<KeyRow>, Vec<KeyRow>) = keys.map(row).partition(|row| row.key.revoked_at.is_none());
    let typed = |name| if secret.is_some() { "" } else { visit.field(name) };
    let organizations: Vec<OrganizationRecord> =
        organizations.into_iter().filter(|of| of.role > model::organization::Role::Member).collect();
    Ok(KeysPage {
        frame: visit.frame().below(PATH),
        csrf: &visit.csrf,
        live,
        revoked,
        secret,
        name: typed("name"),
        chosen: typed("organization"),
        problem: problem.map(|error| {
            let field = match error.code {
                Code::InvalidKeyName => "name",
                Code::OrganizationForbidden | Code::OrganizationMfaRequired if !organizations.is_empty() => {
                    "organization"
                }
                _ => "",
            };
            FormProblem::at(field, error::sentence(error, visit.lang()))
        }),
        organizations,
    })
}
