//! The job that sends one mail.

use super::ending::Unfinished;
use crate::services::Services;
use render::mail::Mail;

use crate::mail::NotSent;

/// Sends `mail`; `id` is the job's.
pub(super) async fn run(services: &Services, id: &str, mail: &Mail) -> Result<(), Unfinished> {
    let Some(mailer) = services.mailer() else {
        return Err(Unfinished::Later("smtp.url is not set".to_owned()));
    };
    mailer.send(id, mail, services.ports().now()).await.map_err(|error| match error {
        NotSent::Later(why) => Unfinished::Later(why),
        NotSent::Never(why) => Unfinished::Never(why),
    })
}
