// Compiles contracts.sol and puts its code in place on a chain: contracts.mjs NODE
import { readFileSync } from "node:fs";
import solc from "solc";

const PLACES = {
  Token: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  Calls: "0xcA11bde05977b3631167028862bE2a173976CA11",
};

const [node] = process.argv.slice(2);

function compiled() {
  const content = readFileSync(new URL("contracts.sol", import.meta.url), "utf8");
  const input = {
    language: "Solidity",
    sources: { "contracts.sol": { content } },
    settings: {
      // The oldest that every chain understands which these contracts may be put on.
      evmVersion: "paris",
      optimizer: { enabled: true },
      outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
  return output.contracts["contracts.sol"];
}

async function ask(method, params) {
  const response = await fetch(node, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

for (const [name, contract] of Object.entries(compiled())) {
  await ask("anvil_setCode", [PLACES[name], `0x${contract.evm.deployedBytecode.object}`]);
}
