// One call by the published client: pay.mjs VERSION KEY METHOD URL [BODY]
// Says status, headers and body of the answer, the payment that was sent, and the receipt as the client reads it.
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client";
import { privateKeyToAccount } from "viem/accounts";

const [version, key, method, url, body] = process.argv.slice(2);
const account = privateKeyToAccount(key);
const client = new x402Client()
  .register("eip155:84532", new ExactEvmScheme(account))
  .registerV1("base-sepolia", new ExactEvmSchemeV1(account));
let sent = {};

async function watched(input) {
  sent = Object.fromEntries(input.headers);
  const response = await fetch(input);
  if (version !== "1") return response;
  // A client of version 1 knows nothing of the header of version 2, and takes what the body offers.
  const headers = new Headers(response.headers);
  headers.delete("payment-required");
  return new Response(response.body, { status: response.status, headers });
}

const headers = body === undefined ? {} : { "content-type": "application/json" };
const response = await wrapFetchWithPayment(watched, client)(url, { method, headers, body });
const receipt = response.headers.get("payment-response") ?? response.headers.get("x-payment-response");
console.log(
  JSON.stringify({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    sent,
    receipt: receipt && decodePaymentResponseHeader(receipt),
  }),
);
