// Runs a flow of n8n with the few nodes that the guide uses, without n8n: FLOW URL on the command
// line. Prints the status of each call and the node that the flow ends at, as JSON.
import { readFileSync } from "node:fs";

const [file, base] = process.argv.slice(2);
const flow = JSON.parse(readFileSync(file, "utf8"));
const nodes = new Map(flow.nodes.map((node) => [node.name, node]));
const runs = new Map();
const statuses = [];

const scope = (input, runIndex) => ({
  $input: { first: () => input },
  $json: input.json,
  $runIndex: runIndex,
  $: (name) => ({ first: (_, run = 0) => runs.get(name)[run] }),
});
const evaluate = (code, names) => new Function(...Object.keys(names), code)(...Object.values(names));
const resolved = (value, names) => {
  const found = /^=\{\{([^]*)\}\}$/.exec(value);
  return found ? evaluate(`return (${found[1]});`, names) : value;
};

const kinds = {
  "n8n-nodes-base.manualTrigger": async () => [{ json: {} }, 0],
  "n8n-nodes-base.noOp": async (_, input) => [input, 0],
  "n8n-nodes-base.code": async ({ jsCode }, _, names) => [evaluate(jsCode, names)[0], 0],
  "n8n-nodes-base.httpRequest": async ({ method, url, jsonBody, options }, _, names) => {
    const { fullResponse, neverError } = options.response.response;
    if (!fullResponse || !neverError) throw new Error("A refusal would stop the flow.");
    const answer = await fetch(url.replace("http://127.0.0.1:8000", base), {
      method,
      headers: { "content-type": "application/json" },
      body: resolved(jsonBody, names),
    });
    statuses.push(answer.status);
    return [{ json: { statusCode: answer.status, body: await answer.json() } }, 0];
  },
  "n8n-nodes-base.if": async ({ conditions }, input, names) => {
    const [{ leftValue, rightValue, operator }] = conditions.conditions;
    if (operator.operation !== "lt") throw new Error(`No such comparison here: ${operator.operation}`);
    return [input, resolved(leftValue, names) < rightValue ? 0 : 1];
  },
};

let [name, input] = ["Start", { json: {} }];
for (let steps = 0; steps < 50; steps += 1) {
  const { type, parameters } = nodes.get(name);
  const done = runs.get(name) ?? [];
  const [output, branch] = await kinds[type](parameters, input, scope(input, done.length));
  runs.set(name, [...done, output]);
  const next = flow.connections[name]?.main[branch]?.[0];
  if (!next) break;
  [name, input] = [next.node, output];
}
process.stdout.write(JSON.stringify({ statuses, end: name }));
