//! Statistics: what is published of the service's use, what its operator sees, and the visits that our pages report.

mod document;
mod metrics;
mod operator;
mod peers;
mod showcase;
mod status;
mod visit;

pub use document::{DaySums, Showcase, ShowcaseBody};
pub use metrics::{Metrics, metrics};
pub use operator::{
    Board, OperatorAnswer, OperatorFigures, PlaceCursors, RouteFigures, board, cursors, operator_figures,
};
pub use showcase::{measured, publish, showcase};
pub use status::status;
pub use visit::{Visit, VisitAnswer, visit};
