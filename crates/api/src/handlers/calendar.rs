//! The calendar of followed pages.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::operation::{Access, IntoReply, Nothing, Operation, Reply, WrittenJson};
use service::calendar::{self, Calendar};
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// Media type of calendars (RFC 5545 §8.1).
const ICALENDAR: &str = "text/calendar; charset=utf-8";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/calendar", "get_calendar", calendar)
            .text(
                "Get the calendar of followed pages",
                "Until when what the followed pages declare is valid, as their latest audits found it: TLS certificates, \
                 security.txt files, `unavailable_after`, `Sunset`, structured data (`validThrough`, `priceValidUntil`, \
                 `availabilityEnds`, `expires`), and links that confirm an address for alerts. Earliest first. As \
                 iCalendar it is beside the feed (`POST /api/feed`).",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::DatabaseUnavailable]),
        Operation::get("/feeds/{token}/calendar.ics", "read_calendar", read)
            .text(
                "Read a calendar",
                "The same dates as iCalendar (RFC 5545), for calendar programs: each a day with a reminder two weeks \
                 before. The address itself is the credential.",
            )
            .without_tool()
            .unshared()
            .errors(&[Code::NotFound, Code::DatabaseUnavailable]),
    ]
}

async fn calendar(cx: Cx, _: Nothing) -> Result<WrittenJson<Calendar>, ServiceError> {
    let calendar = calendar::calendar(&cx).await?;
    WrittenJson::speaking(move || Ok(calendar)).await
}

/// Which calendar.
#[derive(Debug, Deserialize, JsonSchema)]
struct CalendarPath {
    /// The token in its address.
    token: String,
}

/// Dates as iCalendar.
#[derive(Debug)]
struct CalendarFile(String);

impl IntoReply for CalendarFile {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: ICALENDAR, speaks: true, ..Reply::json(self.0.into()) })
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        (ICALENDAR, None)
    }
}

async fn read(cx: Cx, input: CalendarPath) -> Result<CalendarFile, ServiceError> {
    calendar::read(&cx.services, &input.token, cx.lang).await.map(CalendarFile)
}
