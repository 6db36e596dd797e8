//! Handlers of operations: typed functions, stored as functions from JSON to bytes.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answer::Reply;
use super::call::{Call, FromCall};
use super::input;
use service::Services;
use service::error::ServiceError;

/// The input of a handler: a type that reads a JSON object and describes its schema.
pub trait Input: DeserializeOwned + JsonSchema + 'static {}

impl<T: DeserializeOwned + JsonSchema + 'static> Input for T {}

/// The function of an operation: any `async fn(C, I) -> Result<O, ServiceError>`, where `C` is [`FromCall`].
pub trait Handler<C, I, O>: Send + Sync + 'static {
    /// The future of a call.
    type Doing: Future<Output = Result<O, ServiceError>> + Send + 'static;

    /// Calls the function.
    fn handle(&self, call: Call, input: I) -> Self::Doing;
}

impl<C, I, O, F, Doing> Handler<C, I, O> for F
where
    C: FromCall,
    F: Fn(C, I) -> Doing + Send + Sync + 'static,
    Doing: Future<Output = Result<O, ServiceError>> + Send + 'static,
{
    type Doing = Doing;

    fn handle(&self, call: Call, input: I) -> Doing {
        self(C::from_call(call), input)
    }
}

/// A type-erased handler.
type Erased<R> = Arc<
    dyn Fn(Call, Map<String, Value>) -> Pin<Box<dyn Future<Output = Result<R, ServiceError>> + Send>> + Send + Sync,
>;

/// Runs an operation.
pub(super) type RunOperation = Erased<Reply>;

/// Whether a call costs nothing.
pub(super) type IsFree = Erased<bool>;

/// Validates an input.
pub(super) type InputCheck = Arc<dyn Fn(&Services, &Map<String, Value>) -> Result<(), ServiceError> + Send + Sync>;

/// A handler that reads its input first, and whose answer is `finished`. `in_body`: whether a wrong field is the body's
/// or a parameter.
pub(super) fn erased<C, I: Input, O: 'static, R: 'static>(
    handler: impl Handler<C, I, O>,
    in_body: bool,
    finished: fn(O) -> Result<R, ServiceError>,
) -> Erased<R> {
    Arc::new(move |call, input| {
        match input::typed(input, in_body) {
            // Not an `async` block, which would hold the whole of it twice.
            Ok(input) => Box::pin(handler.handle(call, input).map(move |done| finished(done?))),
            Err(error) => Box::pin(async { Err(error) }),
        }
    })
}
