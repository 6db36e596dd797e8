//! The function behind an operation: with its own types outside, of JSON to bytes inside.

use std::pin::Pin;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Cx, Reply, input};
use crate::app::App;
use crate::error::ApiError;

/// What a handler asks for: an object that is read and described by its own type.
pub trait Input: DeserializeOwned + JsonSchema + 'static {}

impl<T: DeserializeOwned + JsonSchema + 'static> Input for T {}

/// What does an operation: any `async fn(Cx, I) -> Result<O, ApiError>`.
pub trait Handler<I, O>: Send + Sync + 'static {
    /// The doing.
    type Doing: Future<Output = Result<O, ApiError>> + Send + 'static;

    /// Begins it.
    fn handle(&self, cx: Cx, input: I) -> Self::Doing;
}

impl<I, O, F, Doing> Handler<I, O> for F
where
    F: Fn(Cx, I) -> Doing + Send + Sync + 'static,
    Doing: Future<Output = Result<O, ApiError>> + Send + 'static,
{
    type Doing = Doing;

    fn handle(&self, cx: Cx, input: I) -> Doing {
        self(cx, input)
    }
}

/// A handler whose types are gone: all that is left is what it gives in the end.
type Erased<R> =
    Arc<dyn Fn(Cx, Map<String, Value>) -> Pin<Box<dyn Future<Output = Result<R, ApiError>> + Send>> + Send + Sync>;

/// Does an operation.
pub(super) type Call = Erased<Reply>;

/// Tells whether a call costs nothing.
pub(super) type IsFree = Erased<bool>;

/// Judges an input.
pub(super) type Check = Arc<dyn Fn(&App, &Map<String, Value>) -> Result<(), ApiError> + Send + Sync>;

/// A handler that reads its input first, and whose answer is `finished`. `in_body`: whether a wrong field is the body's
/// or a parameter.
pub(super) fn erased<I: Input, O: 'static, R: 'static>(
    handler: impl Handler<I, O>,
    in_body: bool,
    finished: fn(O) -> Result<R, ApiError>,
) -> Erased<R> {
    Arc::new(move |cx, input| {
        let doing = input::typed(input, in_body).map(|input| handler.handle(cx, input));
        Box::pin(async move { finished(doing?.await?) })
    })
}
