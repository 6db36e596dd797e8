//! Authentication: the credentials of a request, the identity that they prove, and CSRF protection.

mod agent;
mod credential;
mod guard;
mod identity;
mod incoming;
mod origin;
mod renewal;

pub use agent::is_crawler;
pub(crate) use agent::{is_smoke, reader};
pub(crate) use guard::CONTEXT;
pub use guard::guard_form;
pub(crate) use identity::of_call;
pub use identity::{of_page, of_page_with, of_reader, operator_caller};
pub use incoming::{Incoming, Recognized};
pub use origin::{is_address_of, same_origin, same_site};
pub use renewal::renew;
