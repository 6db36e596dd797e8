//! Suggested next calls after an error, for programs.

use super::codes::Code;

/// Where operations are described, one by one.
pub const OPERATIONS: &str = "/api/operations/";

/// A suggested call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// Name of the operation, which is also its MCP tool's.
    pub operation: &'static str,
    /// HTTP method.
    pub method: &'static str,
    /// Path.
    pub path: &'static str,
}

const fn call(operation: &'static str, method: &'static str, path: &'static str) -> Option<Next> {
    Some(Next { operation, method, path })
}

impl Code {
    /// The suggested call after this error; `None` where reading the description of the operation that failed helps most.
    pub fn next(self) -> Option<Next> {
        match self {
            Self::GuestTokenRequired | Self::GuestTokenInvalid => call("create_guest", "POST", "/api/guest"),
            Self::AuditNotFound => call("audit_page", "POST", "/api/audit"),
            Self::TabNotFound => call("get_workspace", "GET", "/api/tabs"),
            Self::SiteNotFound | Self::SiteLimit => call("list_sites", "GET", "/api/sites"),
            Self::SiteWatchNotFound | Self::SiteWatchLimit => call("list_site_watches", "GET", "/api/site-watches"),
            Self::SitePageNotFound => call("list_site_pages", "GET", "/api/sites/{id}/pages"),
            Self::SiteNotFinished => call("get_site", "GET", "/api/sites/{id}"),
            Self::WebhookNotFound | Self::WebhookLimit => call("list_webhooks", "GET", "/api/webhooks"),
            Self::CheckNotFound => call("list_checks", "GET", "/api/checks"),
            Self::ToolNotFound => call("list_seo_tools", "GET", "/api/tools"),
            Self::PixRequestNotFound => call("get_pix_offer", "GET", "/api/credito/pix"),
            Self::InvalidOrigin | Self::InvalidCsrf => call("bootstrap", "GET", "/api/auth/bootstrap"),
            Self::InvalidSession | Self::SessionEnded => call("sign_in", "POST", "/api/auth/sign-in"),
            Self::CreditRequired
            | Self::InsufficientCredit
            | Self::CreditRefused
            | Self::CreditWithoutValue
            | Self::PixUnavailable => call("buy_credit", "POST", "/api/credito"),
            Self::PaymentRequired | Self::InvalidPayment | Self::PaymentRefused => {
                call("get_pricing", "GET", "/api/pricing")
            }
            Self::AllowanceSpent => call("get_gate", "GET", "/api/gate"),
            Self::NotFound | Self::MethodNotAllowed => call("get_index", "GET", "/api/"),
            Self::DatabaseUnavailable | Self::StorageFull | Self::Overloaded | Self::Internal => {
                call("get_health", "GET", "/api/health")
            }
            _ => None,
        }
    }
}
