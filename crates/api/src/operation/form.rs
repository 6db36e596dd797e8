//! Multipart forms (RFC 7578). A handler reads the form after all other checks of the call.

use std::sync::{Mutex, PoisonError};

use axum::body::Body;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use model::lang::{Text, text};
use tokio::sync::OwnedSemaphorePermit;

use crate::request::{Received, read_body};
use service::Services;
use service::error::{Code, ServiceError};
use service::form::Field;

/// Fields of a form at most.
const MOST_FIELDS: usize = 16;

/// A multipart form whose body was not read yet.
#[derive(Debug)]
pub struct UnreadForm {
    parts: Parts,
    body: Mutex<Option<Body>>,
}

/// The fields of a form, and their share of the memory of large bodies, which is released with them.
#[derive(Debug)]
pub struct FormFields {
    fields: Vec<Field>,
    _room: Option<OwnedSemaphorePermit>,
}

impl AsRef<[Field]> for FormFields {
    fn as_ref(&self) -> &[Field] {
        &self.fields
    }
}

impl UnreadForm {
    /// The form of a request.
    pub fn new(parts: Parts, body: Body) -> Self {
        Self { parts, body: Mutex::new(Some(body)) }
    }

    /// The head of its request.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Reads at most `most` bytes of a body that is no form; [`Code::BodyTooLarge`] for more.
    pub async fn whole(&self, services: &Services, most: usize) -> Result<Received, ServiceError> {
        let body = self.body.lock().unwrap_or_else(PoisonError::into_inner).take();
        read_body(services, &self.parts, body.unwrap_or_default(), most).await
    }

    /// Reads at most `most` bytes of it, boundaries included; [`Code::BodyTooLarge`] for more.
    pub async fn read(&self, services: &Services, most: usize) -> Result<FormFields, ServiceError> {
        const NO_FORM: Text = text("body: must be a multipart form", "body: deve ser um formulário multipart");
        const TOO_MANY: Text = text("body: has too many fields", "body: tem campos demais");
        let refused = |why: Text| ServiceError::new(Code::InvalidBody).explained(why.into());
        let content_type = self.parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let boundary = content_type.and_then(|value| multer::parse_boundary(value).ok());
        let body = self.body.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Received { bytes: whole, room } = read_body(services, &self.parts, body.unwrap_or_default(), most).await?;
        let boundary = boundary.ok_or_else(|| refused(NO_FORM))?;
        let stream = futures_util::stream::once(async move { Ok::<_, std::convert::Infallible>(whole) });
        let mut form = multer::Multipart::new(stream, boundary);
        let mut fields = Vec::new();
        while let Some(field) = form.next_field().await.map_err(|_| refused(NO_FORM))? {
            if fields.len() == MOST_FIELDS {
                return Err(refused(TOO_MANY));
            }
            let name = field.name().unwrap_or_default().to_owned();
            fields.push(Field { name, content: field.bytes().await.map_err(|_| refused(NO_FORM))? });
        }
        Ok(FormFields { fields, _room: room })
    }
}
