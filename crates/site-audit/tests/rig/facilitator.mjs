// The facilitator of the published packages behind its three routes: facilitator.mjs NODE KEY PATIENCE
// PATIENCE: milliseconds that it waits for a transaction to be on the chain. Says where it listens.
import { createServer } from "node:http";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createWalletClient, http, nonceManager, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";

const [node, key, patience] = process.argv.slice(2);

const client = createWalletClient({
  // Without it settlements at the same time take the same nonce.
  account: privateKeyToAccount(key, { nonceManager }),
  chain: baseSepolia,
  transport: http(node),
  // Milliseconds between two looks for a receipt; blocks come at once here.
  pollingInterval: 50,
}).extend(publicActions);
const signer = toFacilitatorEvmSigner(
  { ...client, address: client.account.address },
  { confirmationTimeoutMs: Number(patience) },
);
const facilitator = new x402Facilitator().register("eip155:84532", new ExactEvmScheme(signer));

const routes = {
  "GET /supported": () => facilitator.getSupported(),
  "POST /verify": (body) => facilitator.verify(body.paymentPayload, body.paymentRequirements),
  "POST /settle": (body) => facilitator.settle(body.paymentPayload, body.paymentRequirements),
};

async function answer(request) {
  const route = routes[`${request.method} ${request.url}`];
  if (!route) return [404, { error: "not found" }];
  try {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    return [200, await route(text ? JSON.parse(text) : undefined)];
  } catch (error) {
    return [500, { error: error instanceof Error ? error.message : String(error) }];
  }
}

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request);
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(body));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
