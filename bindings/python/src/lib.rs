//! The pure core as a Python module, `site_audit._core`. It does no I/O: pages come as bytes or as Arrow tables.

mod batch;
mod columns;
mod failure;
mod input;
mod report;
mod rows;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use audit::report::CATALOG_VERSION;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::{audit_batch, audit_batches, batch_schema};
    #[pymodule_export]
    use crate::failure::AuditError;
    #[pymodule_export]
    use crate::report::{PythonReport, audit_page, checks};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("CATALOG_VERSION", CATALOG_VERSION)
    }
}
