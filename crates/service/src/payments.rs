//! Paying a call, by x402 or from prepaid credit, and selling credit.
//!
//! `payment` is a payment by x402: its states and their transitions as one table, and the functions that move it.
//! `debit` is the other means, a debit of prepaid credit. `replay` answers a repeated call from storage, `pay` has a
//! call paid by what came with it, `purchase` sells credit, and `worker` ends what calls left unfinished. `answer` is
//! the answer of a call as it is stored for its replay.

pub mod answer;
pub mod debit;
pub mod pay;
mod payment;
pub mod purchase;
pub mod replay;
pub mod worker;
