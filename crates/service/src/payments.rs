//! Ways to pay a call: a payment by x402 and prepaid credit, from what comes with the call to its end; and credit that is
//! sold.

pub mod answer;
pub mod by_credit;
pub mod by_x402;
pub mod purchase;
pub mod settling;
pub mod worker;
