//! The service put together: configuration in, routes out.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use api::site::Site;
use api::web::{self, Routes};
use service::Services;
use service::config::Config;
use service::database::ANSWER_WITHIN;
use service::ports::Ports;
use service::services::Build;

/// The build of this program.
pub fn build() -> Build {
    let day = env!("BUILD_DAY");
    // The day of the catalog of checks, where the program was built outside a checkout.
    Build { commit: env!("BUILD_COMMIT"), day: if day.is_empty() { audit::report::CATALOG_VERSION } else { day } }
}

/// Opens the database and sets the service up. `address` is where it listens.
pub async fn open(config: Config, ports: Ports, address: SocketAddr) -> Result<Site> {
    open_patient(config, ports, address, ANSWER_WITHIN).await
}

/// [`open`] with another timeout for database queries of a call, for tests on machines of any speed.
pub async fn open_patient(config: Config, ports: Ports, address: SocketAddr, answer_within: Duration) -> Result<Site> {
    Site::new(Services::open_patient(config, ports, address, build(), answer_within).await?)
}

/// Everything the service answers.
pub fn routes(site: Site) -> Routes {
    web::router(site, pages::pages())
}
