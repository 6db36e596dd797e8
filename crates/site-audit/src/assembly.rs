//! The service put together: configuration in, a service out.

use std::net::SocketAddr;

use anyhow::Result;
use api::site::Site;
use service::Services;
use service::config::Config;
use service::ports::Ports;
use service::services::{Build, Waits};

/// The build of this program.
pub fn build() -> Build {
    let day = env!("BUILD_DAY");
    // The day of the catalog of checks, where the program was built outside a checkout.
    Build { commit: env!("BUILD_COMMIT"), day: if day.is_empty() { audit::report::CATALOG_VERSION } else { day } }
}

/// Opens the database and sets the service up. `address` is where it listens.
pub async fn open(config: Config, ports: Ports, address: SocketAddr) -> Result<Site> {
    open_patient(config, ports, address, Waits::default()).await
}

/// [`open`] with other timeouts, for tests on machines of any speed.
pub async fn open_patient(config: Config, ports: Ports, address: SocketAddr, waits: Waits) -> Result<Site> {
    Site::new(Services::open_patient(config, ports, address, build(), waits).await?)
}
