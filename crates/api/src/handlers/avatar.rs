//! The avatar of an account.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::auth::Done;
use crate::operation::{Access, IntoReply, JsonAnswer, Nothing, Operation, Reply};
use service::accounts::avatar::{self, MOST_BYTES};
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// Bytes of a body with a picture: base64 has four characters for three bytes; and what is around it.
const BODY_BYTES: usize = MOST_BYTES.div_ceil(3) * 4 + 1_024;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    vec![
        signed_in(Operation::get("/api/account/avatar", "get_avatar", read))
            .title("Get your picture", "Obter a sua foto")
            .doc(
                "WebP of 256 by 256 pixels, at most 64 KB. Only you can read it.",
                "WebP de 256 por 256 pixels, no máximo 64 KB. Só você pode lê-la.",
            )
            .errors(&[Code::NotFound, Code::AuthUnavailable]),
        signed_in(Operation::put("/api/auth/avatar", "set_avatar", set))
            .title("Set your picture", "Definir a sua foto")
            .doc(
                "`image`: a JPEG, PNG or WebP in base64, of at most 2 MB and 12 megapixels (5 for WebP, progressive \
                 JPEG and 16-bit PNG). It is cropped to a square and encoded again, which removes its metadata.",
                "`image`: um JPEG, PNG ou WebP em base64, de no máximo 2 MB e 12 megapixels (5 para WebP, JPEG \
                 progressivo e PNG de 16 bits). A foto é cortada em um quadrado e codificada de novo, o que remove os \
                 metadados.",
            )
            .body(BODY_BYTES)
            .errors(&[Code::InvalidImage, Code::AuthUnavailable]),
        signed_in(Operation::delete("/api/auth/avatar", "remove_avatar", remove))
            .title("Remove your picture", "Remover a sua foto")
            .doc("Idempotent.", "Idempotente.")
            .errors(&[Code::AuthUnavailable]),
    ]
}

/// The avatar as a response. It is not cached.
#[derive(Debug)]
struct AvatarImage(Bytes);

impl IntoReply for AvatarImage {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: "image/webp", ..Reply::json(self.0) })
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("image/webp", None)
    }
}

/// A picture to set.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ToSet")]
struct AvatarToSet {
    /// The file, in base64 (RFC 4648 §4).
    image: String,
}

async fn read(cx: Cx, _: Nothing) -> Result<AvatarImage, ServiceError> {
    Ok(AvatarImage(avatar::read(&cx).await?.into()))
}

async fn set(cx: Cx, input: AvatarToSet) -> Result<JsonAnswer<Done>, ServiceError> {
    let bytes = STANDARD.decode(input.image.trim_end()).map_err(|_| ServiceError::new(Code::InvalidImage))?;
    avatar::set(&cx, bytes).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn remove(cx: Cx, _: Nothing) -> Result<JsonAnswer<Done>, ServiceError> {
    avatar::remove(&cx).await?;
    Ok(JsonAnswer::new(Done::OK))
}
