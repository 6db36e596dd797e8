//! The avatar of the account.

use askama::Template;
use axum::extract::Request;
use axum::response::Response;
use model::lang::{Text, text};

use super::upload;
use super::visit::{AccountVisit, AppState, leads_away, refused, visit};
use crate::error;
use crate::frame::Frame;
use service::accounts::avatar;
use service::error::{Code, ServiceError};

const PATH: &str = "/conta/avatar";
/// The message of [`Code::InvalidImage`] for people: without base64, which only the API takes.
const REFUSED: Text = text(
    "This picture can't be used. Choose a JPEG, PNG or WebP of at most 2 MB and 12 megapixels (5 for WebP, progressive JPEG and 16-bit PNG).",
    "Esta imagem não pode ser usada. Escolha um JPEG, PNG ou WebP de no máximo 2 MB e 12 megapixels (5 para WebP, JPEG progressivo e PNG de 16 bits).",
);

#[derive(Template)]
#[template(path = "account_avatar.html")]
struct AvatarPage<'a> {
    frame: Frame<'a>,
    csrf: &'a str,
    /// Name of the field that is the picture.
    field: &'static str,
    has_picture: bool,
    problem: Option<String>,
}

/// Shows the picture, or sets it.
pub(super) async fn show(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let set = if visit.is_sent { set(&visit).await } else { Ok(()) };
        let problem = match set {
            Ok(()) if visit.is_sent => return visit.lead_after(PATH, "saved"),
            Ok(()) => None,
            Err(error) if leads_away(&error) => return refused(&visit, &error, PATH),
            Err(error) => Some(error),
        };
        match page(&visit, problem.as_ref()).await {
            Ok(page) => visit.form_page(problem.as_ref(), &page),
            Err(error) => refused(&visit, &error, PATH),
        }
    })
    .await
}

async fn set(visit: &AccountVisit) -> Result<(), ServiceError> {
    let file = visit.file.as_ref().map(|file| file.to_vec()).unwrap_or_default();
    avatar::set(&visit.cx, file).await
}

async fn page<'a>(visit: &'a AccountVisit, problem: Option<&ServiceError>) -> Result<AvatarPage<'a>, ServiceError> {
    let lang = visit.lang();
    let problem = problem.map(|error| match error.code {
        Code::InvalidImage => REFUSED.in_lang(lang).to_owned(),
        _ => error::sentence(error, lang),
    });
    Ok(AvatarPage {
        frame: visit.frame().below(PATH),
        csrf: &visit.csrf,
        field: upload::FILE,
        has_picture: avatar::is_set(&visit.cx).await?,
        problem,
    })
}

/// Removes the picture.
pub(super) async fn remove(state: AppState, request: Request) -> Response {
    visit(state.0, request, async |visit| {
        let removed = if visit.is_sent { avatar::remove(&visit.cx).await } else { Ok(()) };
        match removed {
            Ok(()) => visit.lead_after(PATH, "saved"),
            Err(error) => refused(&visit, &error, PATH),
        }
    })
    .await
}
