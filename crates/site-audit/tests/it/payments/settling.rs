//! How a payment comes to its end when the facilitator, the chain or the database make it hard.

mod chain;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use service::config::{PaymentNetwork, SecretText};
use service::payments::worker;
use store::{PaymentState, StoredPayment};
use testkit::TestDatabase;
use testkit::facilitator::Say;
use tokio::sync::Notify;

use super::{Shop, receipt, signed, signed_with};
use crate::app::{Call, NOW, Response, TestApp};
use crate::command_line::{code, program, stderr, stdout};

testkit::on_both_databases! {
    a_settlement_is_kept_while_the_database_is_left_alone,
    a_settlement_is_kept_at_the_third_try,
    a_round_has_an_end,
    a_payment_of_another_network_waits,
    what_is_kept_and_can_t_be_read_is_not_sent,
    a_reason_is_kept_without_its_control_characters,
    an_operator_decides_what_stays_unclear,
}

const HASH: &str = "0x00000000000000000000000000000000000000000000000000000000000000aa";
const REVERTED: &str = "invalid_exact_evm_transaction_failed";
const USED: &str = "invalid_exact_evm_nonce_already_used";

fn failed(reason: &str, transaction: &str) -> Value {
    json!({"success": false, "errorReason": reason, "transaction": transaction, "network": "eip155:84532"})
}

/// Answers calls of `settle` from now on with these, one after the other, and the usual after the last.
fn settles(shop: &Shop, says: Vec<Say>) {
    let before = shop.facilitator.asked("settle").len();
    shop.facilitator.script(move |question, number| {
        (question.what == "settle").then(|| says.get(number - before - 1).cloned()).flatten()
    });
}

/// Unclear payments by their nonces.
async fn unclear(shop: &Shop) -> Vec<StoredPayment> {
    let mut unclear = shop.app.app.database().store().unclear_payments(99).await.unwrap();
    unclear.sort_by(|one, other| one.key.nonce.cmp(&other.key.nonce));
    unclear
}

fn is_pending(answer: &Response) -> bool {
    answer.refusal() == (503, "settlement_pending".to_owned()) && answer.json()["accepts"].is_null()
}

/// Without a node nobody could ever tell it again: the facilitator says «used already» to who asks twice.
async fn a_settlement_is_kept_while_the_database_is_left_alone(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let go_on = Arc::new(Notify::new());
    settles(&shop, vec![Say::Waits(Arc::clone(&go_on))]);
    let others = async {
        shop.facilitator.wait_for("settle", 1).await;
        // Another call finds the database silent, so that it is left alone for a while.
        let held = shop.app.database.hold(&["guests"]).await;
        let silent = shop.app.call(Call::new("POST", "/api/guest")).await;
        assert_eq!(silent.refusal().1, "database_unavailable", "{}", silent.body);
        go_on.notify_one();
        held.release().await;
    };
    let (paid, ()) = tokio::join!(shop.app.call(payment.pays(shop.audit())), others);
    assert_eq!(paid.status, 200, "{}", paid.body);
    assert_eq!(receipt(&paid)["transaction"], shop.facilitator.moved()[0].transaction);
}

async fn a_settlement_is_kept_at_the_third_try(database: TestDatabase) {
    // Only PostgreSQL has something that counts through a rollback.
    if !database.is_postgres() {
        return;
    }
    let shop = Shop::open(database).await;
    let sql = "CREATE SEQUENCE tries; \
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
        'BEGIN IF nextval(''tries'') < 3 THEN RAISE EXCEPTION ''not now''; END IF; RETURN NEW; END'; \
        CREATE TRIGGER failing BEFORE UPDATE ON payments FOR EACH ROW WHEN (NEW.state IN ('settled', 'refused')) \
        EXECUTE FUNCTION fail()";
    shop.app.database.execute(sql).await;
    let asked = shop.app.call(shop.audit()).await;
    let paid = shop.app.call(signed(&asked, 1, 1).pays(shop.audit())).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    // A refusal is told once, too: the second time it could mean anything.
    shop.app.database.execute("ALTER SEQUENCE tries RESTART").await;
    settles(&shop, vec![Say::This(200, failed("insufficient_funds", ""))]);
    let refused = shop.app.call(signed(&asked, 1, 2).pays(shop.audit())).await;
    assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()));
    assert_eq!(unclear(&shop).await, []);
}

async fn a_round_has_an_end(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    shop.facilitator.script(|question, _| matches!(question.what.as_str(), "settle" | "node").then_some(Say::HangsUp));
    let asked = shop.app.call(shop.audit()).await;
    for number in [1, 2] {
        let payment = signed_with(&asked, 1, number, |authorization| {
            authorization.valid_before = (NOW.seconds() + 86_400).to_string();
        });
        assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
    }
    shop.app.pass(Duration::from_secs(61));
    // Each look takes longer than it is until the payment is due again.
    let go_on = Arc::new(Notify::new());
    let told = Arc::clone(&go_on);
    shop.facilitator.script(move |question, _| match question.what.as_str() {
        "settle" => Some(Say::HangsUp),
        "node" => Some(Say::Waits(Arc::clone(&told))),
        _ => None,
    });
    let before = shop.facilitator.asked("node").len();
    let time_passes = async {
        // Two questions for each of the two.
        for asked in 1..=4 {
            shop.facilitator.wait_for("node", before + asked).await;
            shop.app.pass(Duration::from_secs(120));
            go_on.notify_one();
        }
        shop.facilitator.wait_for("node", before + 5).await;
    };
    tokio::select! {
        round = worker::round(&shop.app.app) => assert_eq!(round.unwrap(), 2),
        () = time_passes => panic!("the round went on with what had become due in it"),
    }
}

async fn a_payment_of_another_network_waits(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    shop.facilitator.script(|question, _| match question.what.as_str() {
        "settle" => Some(Say::MovesAndHangsUp),
        "node" => Some(Say::HangsUp),
        _ => None,
    });
    assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
    shop.facilitator.script(|_, _| None);
    let moved_on = TestApp::start_on(&shop.app, |config| {
        super::charging(config, &shop.facilitator.url());
        config.payments.network = PaymentNetwork::Base;
        config.payments.rpc_url = Some(SecretText::new(shop.facilitator.node_url()));
    })
    .await;
    let asked = (shop.facilitator.asked("settle").len(), shop.facilitator.asked("node").len());
    moved_on.pass(Duration::from_secs(86_400));
    assert_eq!(worker::round(&moved_on.app).await.unwrap(), 1);
    assert_eq!((shop.facilitator.asked("settle").len(), shop.facilitator.asked("node").len()), asked);
    assert_eq!(unclear(&shop).await[0].reason.as_deref(), Some("payments.network is another one now"));
    // Back again it is found where it was paid.
    shop.app.pass(Duration::from_secs(2 * 86_400));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    let settled = shop.app.app.database().store().payment(&key(&payment)).await.unwrap().unwrap();
    assert_eq!(settled.state, PaymentState::Settled);
}

fn key(payment: &super::Payment) -> store::PaymentKey {
    store::PaymentKey {
        network: "eip155:84532".to_owned(),
        asset: "0x036cbd53842c5426634e7929541ec2318f3dcf7e".to_owned(),
        payer: payment.authorization.from.to_ascii_lowercase(),
        nonce: payment.authorization.nonce.to_ascii_lowercase(),
    }
}

async fn what_is_kept_and_can_t_be_read_is_not_sent(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    settles(&shop, vec![Say::HangsUp]);
    assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
    for column in ["payload", "requirements"] {
        shop.app.database.execute(&format!("UPDATE payments SET reason = {column}, {column} = '{{'")).await;
        shop.app.pass(Duration::from_secs(61));
        assert_eq!(worker::round(&shop.app.app).await.unwrap(), 1);
        assert_eq!(shop.facilitator.asked("settle").len(), 1);
        assert_eq!(unclear(&shop).await[0].reason.as_deref(), Some("a stored run can't be read"));
    }
}

async fn a_reason_is_kept_without_its_control_characters(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    shop.facilitator.script(|question, _| {
        let invalid = json!({"isValid": false, "invalidReason": "bad\u{0}\r\nthing"});
        (question.what == "verify").then_some(Say::This(200, invalid))
    });
    let payment = signed(&asked, 1, 1);
    for _ in 0..2 {
        let refused = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!((refused.status, &refused.json()["detail"]), (402, &json!("badthing")), "{}", refused.body);
    }
    settles(&shop, vec![Say::This(200, failed("odd\u{0}\u{1b}[2J", ""))]);
    let payment = signed(&asked, 1, 2);
    assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
    assert_eq!(unclear(&shop).await[0].reason.as_deref(), Some("odd[2J"));
}

async fn an_operator_decides_what_stays_unclear(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let operator = async |arguments: &[&str]| {
        let mut command = program();
        let place = ["--config", "/dev/null", "--database-url", shop.app.database.url()];
        command.args(["operator", "payments"]).args(arguments).args(place);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    };
    let none = operator(&[]).await;
    assert_eq!(stdout(&none), "no payments with an unknown outcome\n", "{}", stderr(&none));
    let asked = shop.app.call(shop.audit()).await;
    settles(&shop, vec![Say::HangsUp, Say::This(200, failed(REVERTED, HASH)), Say::This(200, failed(USED, ""))]);
    let (came, never) = (signed(&asked, 1, 1), signed(&asked, 1, 2));
    for payment in [&came, &never] {
        assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
    }
    let listed = stdout(&operator(&[]).await);
    for said in
        ["no transaction known: protocol", &format!("{HASH}: {USED}"), &came.authorization.nonce, "eip155:84532"]
    {
        assert!(listed.contains(said), "{said}: {listed}");
    }
    let ids: Vec<String> = unclear(&shop).await.into_iter().map(|payment| payment.lease.id).collect();
    let [came_id, never_id] = &ids[..] else { panic!("{ids:?}") };

    for (arguments, said) in [
        (vec!["settle", "nobody", "--transaction", HASH], "operator payments"),
        (vec!["lapse", "nobody"], "no payment nobody has an unknown outcome"),
        (vec!["settle", came_id], "--transaction"),
        (vec!["settle", came_id, "--transaction", "0x12"], "64 hex digits"),
    ] {
        let refused = operator(&arguments).await;
        assert!(code(&refused) == 2 && stderr(&refused).contains(said), "{arguments:?}: {}", stderr(&refused));
    }
    assert_eq!(unclear(&shop).await.len(), 2);

    let settled = operator(&["settle", came_id, "--transaction", HASH]).await;
    assert_eq!((code(&settled), stdout(&settled)), (0, "settled\n".to_owned()), "{}", stderr(&settled));
    let lapsed = operator(&["lapse", never_id]).await;
    assert_eq!((code(&lapsed), stdout(&lapsed)), (0, "lapsed\n".to_owned()), "{}", stderr(&lapsed));
    let paid = shop.app.call(came.pays(shop.audit())).await;
    assert_eq!((paid.status, paid.header("idempotent-replay")), (200, "true"), "{}", paid.body);
    assert_eq!(receipt(&paid)["transaction"], HASH);
    let refused = shop.app.call(never.pays(shop.audit())).await;
    assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()));
    // What is decided is decided.
    for arguments in [vec!["lapse", came_id], vec!["settle", never_id, "--transaction", HASH]] {
        assert_eq!(code(&operator(&arguments).await), 2);
    }
    let earned = shop.app.database.row("SELECT COUNT(*) FROM revenue").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&earned, 0), 1);
}
