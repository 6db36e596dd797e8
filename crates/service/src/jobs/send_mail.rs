//! The job that sends one mail.

use model::time::Timestamp;

use super::ending::Unfinished;
use render::mail::Mail;

use crate::mail::{Mailer, NotSent};

/// Sends `mail`; `id` is the job's.
pub(super) async fn run(mailer: Option<&Mailer>, id: &str, mail: &Mail, now: Timestamp) -> Result<(), Unfinished> {
    let Some(mailer) = mailer else {
        return Err(Unfinished::Later("smtp.url is not set".to_owned()));
    };
    mailer.send(id, mail, now).await.map_err(|error| match error {
        NotSent::Later(why) => Unfinished::Later(why),
        NotSent::Never(why) => Unfinished::Never(why),
    })
}
