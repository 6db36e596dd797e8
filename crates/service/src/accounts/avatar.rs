//! Profile pictures: setting, reading and removing one.

use model::lang::{Text, text};

use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::error::{Code, ServiceError};

/// Size limit of an uploaded picture, in bytes. Chosen: 2 MB, more than a phone's photo needs after cropping.
pub const MOST_BYTES: usize = 2 * 1_048_576;

/// Sets the caller's picture: a JPEG, PNG or WebP of at most 2 MB and 12 megapixels (5 for WebP, progressive JPEG and
/// 16-bit PNG).
pub async fn set(cx: &Cx, bytes: Vec<u8>) -> Result<(), ServiceError> {
    let session = cx.caller.required_session()?;
    if bytes.len() > MOST_BYTES {
        return Err(ServiceError::new(Code::InvalidImage));
    }
    let (image, now) = (cx.services.vault().easel().draw(bytes).await?, cx.services.ports().now());
    cx.services.database().write(|store| store.set_avatar(&session.account, image, now)).await.map_err(unavailable)
}

/// The caller's picture, WebP; [`Code::NotFound`] without one.
pub async fn read(cx: &Cx) -> Result<Vec<u8>, ServiceError> {
    const NONE: Text = text("This account has no picture.", "Esta conta não tem foto.");
    let session = cx.caller.required_session()?;
    let picture = cx.services.database().ask(|store| store.avatar(&session.account)).await.map_err(unavailable)?;
    picture.ok_or_else(|| ServiceError::new(Code::NotFound).saying(NONE))
}

/// Whether the caller has a picture.
pub async fn is_set(cx: &Cx) -> Result<bool, ServiceError> {
    match read(cx).await {
        Ok(_) => Ok(true),
        Err(error) if error.code == Code::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes the caller's picture.
pub async fn remove(cx: &Cx) -> Result<(), ServiceError> {
    let session = cx.caller.required_session()?;
    cx.services.database().write(|store| store.remove_avatar(&session.account)).await.map_err(unavailable)
}
