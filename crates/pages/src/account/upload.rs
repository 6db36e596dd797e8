//! A form with a file, as a browser sends it without a script (RFC 7578).

use axum::body::Body;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;

use api::operation::UnreadForm;
use service::Services;
use service::accounts::avatar::MOST_BYTES;
use service::error::ServiceError;

/// Bytes of such a form. Larger than the limit of a picture, so that a photo somewhat too large is refused beside the
/// field; longer forms are cut off while they are being sent, which browsers show as a broken connection.
const FORM_BYTES: usize = 4 * MOST_BYTES;
/// The field that is the file; all others are text.
pub(super) const FILE: &str = "image";

/// The fields and the file of a form.
pub(super) struct UploadedForm {
    pub(super) fields: Vec<(String, String)>,
    /// Empty where none was chosen.
    pub(super) file: Option<Bytes>,
}

/// Whether a request announces a multipart form.
pub(super) fn is_announced(parts: &Parts) -> bool {
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")
}

/// Reads the form. Invalid UTF-8 in texts becomes U+FFFD, as in every other form.
pub(super) async fn read(services: &Services, parts: &Parts, body: Body) -> Result<UploadedForm, ServiceError> {
    let mut sent = UploadedForm { fields: Vec::new(), file: None };
    let form = UnreadForm::new(parts.clone(), body).read(services, FORM_BYTES).await?;
    for field in form.as_ref() {
        if field.name == FILE {
            sent.file = Some(field.content.clone());
        } else {
            sent.fields.push((field.name.clone(), String::from_utf8_lossy(&field.content).into_owned()));
        }
    }
    Ok(sent)
}
