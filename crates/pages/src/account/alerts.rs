//! Links of mails that follow a page with alerts, as somebody asked for on its report: what the page of such a link says, and what
//! its button does. The link carries the page, so it works in any browser.

use axum::response::Response;
use model::id::Owner;
use model::lang::{Phrase, Text, text};

use super::form::{FORGOTTEN, FormField, FormPage, Needs, PASSKEY, PASSWORD, SIGN_IN};
use super::visit::AccountVisit;
use crate::address::tab_to_watch;
use crate::done::with_done;
use service::accounts::entry::{self, RegistrationLink, SignIn};
use service::accounts::{OneTimeToken, claim};
use service::config::SecretText;
use service::error::{Code, ServiceError};
use service::{identity, tabs, watches};

/// Path of the page of a registration's link.
pub(super) const COMPLETE: &str = "/conta/global/complete";
/// Before the account of a guest who asked for alerts in this browser.
pub(super) const WITH_GUEST: Text = text(
    "Your account also gets the pages that this browser followed and its audits.",
    "A sua conta também recebe as páginas que este navegador seguiu e as auditorias dele.",
);

/// What the button of a link does, told before it is pressed: somebody else may have asked for it.
pub(super) fn asked(url: &str, email: &str) -> Phrase {
    const ASKED: Text = text(
        "Follow {url} and get alerts at {email} when the page gets worse.",
        "Seguir {url} e receber alertas em {email} quando a página piorar.",
    );
    ASKED.phrase(&[("url", url.into()), ("email", email.into())])
}

/// The page of a link whose address has an account: a button for who is signed in to it, for others the form to sign in, which does
/// the same.
pub(super) async fn confirm(visit: AccountVisit, link: RegistrationLink, url: String) -> Response {
    let token = visit.field("token").to_owned();
    let session = visit.cx.caller.required_session().ok();
    let is_signed_in = session.is_some_and(|session| Some(&session.account) == link.account.as_ref());
    let mut form = FormPage {
        title: Some(text("Turn on alerts", "Ativar os alertas")),
        about: Some(asked(&url, &link.email)),
        action: COMPLETE,
        button: Some(text("Follow and turn on alerts", "Seguir e ativar os alertas")),
        hidden: vec![("token", token.clone())],
        again: Some((SIGN_IN, "/conta/global")),
        ..FormPage::default()
    };
    if !is_signed_in {
        form.button = Some(text("Sign in and turn on alerts", "Entrar e ativar os alertas"));
        form.fields =
            vec![FormField::email(&link.email).fixed(), FormField::password("password", PASSWORD, "current-password")];
        // Who signs in another way comes back here.
        form.hidden.push(("return_to", format!("{COMPLETE}?token={token}")));
        form.links = vec![(PASSKEY, "/conta/passkey"), (FORGOTTEN, "/conta/global/reset")];
    }
    form.answer(visit, Needs::Nothing, async |visit| {
        if is_signed_in {
            return turn_on(visit, &token, &url).await;
        }
        let password = SecretText::new(visit.field("password"));
        Ok(match entry::sign_in(&visit.cx, &link.email, password).await? {
            SignIn::Done(session) => signed_in(visit, &session, &token).await,
            SignIn::SecondFactor(challenge) => FormPage::factor(visit, challenge.text).page(visit, None),
        })
    })
    .await
}

/// The token of the link that a way back leads to: it was opened before signing in.
pub(super) fn link_token(way_back: &str) -> Option<String> {
    let token = way_back.strip_prefix(COMPLETE)?.strip_prefix("?token=")?;
    service::credential::is_random_token(token).then(|| token.to_owned())
}

/// Signs in with a session, and does what a link asks for.
pub(super) async fn signed_in(visit: &mut AccountVisit, session: &OneTimeToken, token: &str) -> Response {
    visit.begin_session(session);
    let turned_on = async {
        sign_in_now(visit, session).await?;
        let link = entry::registration(&visit.cx, token).await?;
        let account = &visit.cx.caller.required_session()?.account;
        match link.followed_url {
            Some(url) if link.account.as_ref() == Some(account) => turn_on(visit, token, &url).await,
            // The link is another account's.
            _ => Ok(visit.lead(&visit.way_in_to("/conta"))),
        }
    };
    // The session is there whatever comes of the alerts, so an error is none of the form's.
    match turned_on.await {
        Ok(response) => response,
        Err(error) => visit.refuse(&error),
    }
}

/// Does what the link of a new account asks for: takes over what a guest of this browser has, and follows the page.
pub(super) async fn made(
    visit: &mut AccountVisit,
    session: &OneTimeToken,
    guest: Option<String>,
    url: &str,
) -> Response {
    let turned_on = async {
        sign_in_now(visit, session).await?;
        if let Some(guest) = guest {
            match claim::take(&visit.cx, &guest).await {
                // Claimed by another account meanwhile.
                Err(error) if error.code != Code::UnknownGuest => return Err(error),
                _ => visit.forget_guest(),
            }
        }
        follow(visit, url).await
    };
    // The account is there whatever comes of the alerts, so an error is none of the form's.
    match turned_on.await {
        Ok(response) => response,
        Err(error) => visit.refuse(&error),
    }
}

/// The guest of this browser, where it is the one that asked for alerts about a page: it followed the page, and remembers to begin
/// there.
pub(super) async fn asking_guest(visit: &AccountVisit, url: &str) -> Result<Option<String>, ServiceError> {
    let tab = visit.begins_at.as_deref().and_then(tab_to_watch).and_then(|tab| tabs::tab_id(tab).ok());
    let (Some(guest), Some(tab)) = (&visit.guest, tab) else { return Ok(None) };
    let page = claim::guests_page(&visit.cx, guest, &tab).await?;
    Ok(page.filter(|page| page == url).map(|_| guest.clone()))
}

/// The rest of a call is the signed-in account's.
async fn sign_in_now(visit: &mut AccountVisit, session: &OneTimeToken) -> Result<(), ServiceError> {
    visit.cx.caller.identity = identity::of_session(&visit.cx.services, &session.text).await?.identity;
    Ok(())
}

/// Follows the page of a link, which works no more afterwards. A limit that is reached leaves it for another try.
async fn turn_on(visit: &mut AccountVisit, token: &str, url: &str) -> Result<Response, ServiceError> {
    if visit.begins_at.take().is_some() {
        visit.forget_return();
    }
    let followed = follow(visit, url).await?;
    entry::use_registration(&visit.cx, token).await?;
    Ok(followed)
}

/// Follows a page with alerts for the account, and leads to it.
async fn follow(visit: &AccountVisit, url: &str) -> Result<Response, ServiceError> {
    let owner = Owner::Account(visit.cx.caller.required_session()?.account.clone());
    let url = tabs::page_of(&visit.cx.services, url)?;
    let tab = watches::follow(&visit.cx, &owner, &url).await?;
    Ok(visit.lead(&visit.way_in_to(&with_done(&format!("/workspace/{}", tab.id), "alerts_on"))))
}
