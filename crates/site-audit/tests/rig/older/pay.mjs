// One call by the older client: pay.mjs KEY CAP METHOD URL [BODY], where CAP is the most that it pays, in atomic units of
// USDC; empty for what it takes by itself. Says what the client made of it: the answer, the payment and the receipt, or why not.
import { createSigner, decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch";

const [key, cap, method, url, body] = process.argv.slice(2);
let sent = {};

function watched(input, init) {
  sent = Object.fromEntries(Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return fetch(input, init);
}

const headers = body === undefined ? {} : { "content-type": "application/json" };
const pay = wrapFetchWithPayment(watched, await createSigner("base-sepolia", key), cap === "" ? undefined : BigInt(cap));
try {
  const response = await pay(url, { method, headers, body });
  const receipt = response.headers.get("x-payment-response");
  console.log(
    JSON.stringify({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
      sent,
      receipt: receipt && decodeXPaymentResponse(receipt),
    }),
  );
} catch (error) {
  console.log(JSON.stringify({ refused: String(error.message ?? error), sent }));
}
