//! Receipts beside libraries of others: of JSON Web Signatures, and of canonical JSON.

use serde_json::Value;
use testkit::TestDatabase;

use super::{content, folder, pip};
use crate::api::receipts::audited;
use crate::api::tabs::{GOOD, Page, get};
use crate::app::{Call, TestApp};
use crate::command_line::{code, program, stderr, stdout};

/// As a receiver verifies a receipt, and refuses one that was changed.
const VERIFY: &str = "
import json, sys
import rfc8785
from jwcrypto import jwk, jws
keys = jwk.JWKSet.from_json(open(sys.argv[1]).read())
receipt = json.load(open(sys.argv[2]))
def verified(report):
    signature = jws.JWS()
    signature.deserialize(receipt['signature'])
    key = keys.get_key(signature.jose_header['kid'])
    assert key.thumbprint() == signature.jose_header['kid']
    signature.verify(key, detached_payload=rfc8785.dumps({k: v for k, v in report.items() if k != 'share_slug'}))
    return signature.jose_header
header = verified(receipt['report'])
assert header['typ'] == 'site-audit-receipt' and header['iss'] == sys.argv[3], header
try:
    verified({**receipt['report'], 'score': 101})
    sys.exit('a report that was changed passes')
except jws.InvalidJWSSignature:
    pass
";
/// Signs a report as a server of ours would.
const SIGN: &str = "
import json, sys
import rfc8785
from jwcrypto import jwk, jws
key = jwk.JWK.generate(kty='OKP', crv='Ed25519')
report = {'url': 'https://example.com/\\u00e9\\u2028', 'score': 82, 'created_at': '2026-01-31T09:30:00Z', 'share_slug': None,
          '\\U0001f600': [1e-7, 1.50, 1e21, 0.1 + 0.2, -0.0], '\\ufb33': '\\x7f\\x1f\\\"\\\\/'}
signed = {k: v for k, v in report.items() if k != 'share_slug'}
signature = jws.JWS(rfc8785.dumps(signed))
header = {'alg': 'EdDSA', 'kid': key.thumbprint(), 'typ': 'site-audit-receipt', 'iss': 'https://audit.example'}
signature.add_signature(key, alg='EdDSA', protected=json.dumps(header))
signature.detach_payload()
json.dump({'report': report, 'signature': signature.serialize(compact=True)}, open(sys.argv[1], 'w'))
open(sys.argv[2], 'w').write(json.dumps({'keys': [json.loads(key.export_public())]}))
";

#[tokio::test(flavor = "multi_thread")]
async fn a_library_of_jose_verifies_a_receipt() {
    let Some(mut python) = pip("python") else { return };
    let page = Page::start(GOOD).await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let (token, path) = audited(&app, &page).await;
    let receipt: Value = get(&app, &token, &format!("{path}/receipt?lang=pt-BR")).await;
    let keys = app.call(Call::get("/.well-known/jwks.json")).await.body;
    let files = folder(&[("keys.json", &keys), ("receipt.json", &receipt.to_string())]);
    python.args(["-c", VERIFY]).arg(files.path().join("keys.json")).arg(files.path().join("receipt.json"));
    python.arg(app.url(""));
    content(python).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_library_of_jose_signs_is_verified() {
    let Some(mut python) = pip("python") else { return };
    let files = folder(&[]);
    let (receipt, keys) = (files.path().join("receipt.json"), files.path().join("keys.json"));
    python.args(["-c", SIGN]).arg(&receipt).arg(&keys);
    content(python).await;
    let output = program().args(["receipt", "verify"]).arg(&receipt).arg("--jwks").arg(&keys).output().unwrap();
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
}
