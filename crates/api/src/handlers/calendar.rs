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
            .title("Get the calendar of followed pages", "Obter o calendário das páginas seguidas")
            .doc(
                "Until when what the followed pages declare is valid, as their latest audits found it: TLS certificates, \
                 security.txt files, `unavailable_after`, `Sunset`, structured data (`validThrough`, `priceValidUntil`, \
                 `availabilityEnds`, `expires`), and links that confirm an address for alerts. Earliest first. As \
                 iCalendar it is beside the feed (`POST /api/feed`).",
                "Até quando vale o que as páginas seguidas declaram, como as últimas auditorias encontraram: \
                 certificados TLS, arquivos security.txt, `unavailable_after`, `Sunset`, dados estruturados \
                 (`validThrough`, `priceValidUntil`, `availabilityEnds`, `expires`) e links que confirmam um endereço \
                 para alertas. Os que vencem antes vêm primeiro. Como iCalendar, fica ao lado do feed (`POST \
                 /api/feed`).",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::DatabaseUnavailable]),
        Operation::get("/feeds/{token}/calendar.ics", "read_calendar", read)
            .title("Read a calendar", "Ler um calendário")
            .doc(
                "The same dates as iCalendar (RFC 5545), for calendar programs: each a day with a reminder two weeks \
                 before. The address itself is the credential.",
                "As mesmas datas como iCalendar (RFC 5545), para programas de calendário: cada uma é um dia, com um \
                 lembrete duas semanas antes. O próprio endereço é a credencial.",
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
    #[schemars(extend("x-pt" = "O token do endereço."))]
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
