// Runs a flow of n8n with the few nodes that the guide uses, without n8n: FLOW URL on the command
// line, and on standard input the code of the node "Arguments", or null for that of the flow.
// Prints the status of each call, and the node that the flow ends at or why it stopped, as JSON.
// What n8n itself refuses is refused here, too; `python -m scripts.n8n` runs it.
import { readFileSync } from "node:fs";

const [file, base] = process.argv.slice(2);
const flow = JSON.parse(readFileSync(file, "utf8"));
const given = JSON.parse(readFileSync(0, "utf8"));
if (!flow.id) throw new Error("n8n imports no flow without an id.");
const nodes = new Map(flow.nodes.map((node) => [node.name, node]));
const runs = new Map();
const statuses = [];

const scope = (input, runIndex) => ({
  $input: { first: () => input },
  $json: input.json,
  $runIndex: runIndex,
  $: (name) => ({ first: (_, run = 0) => runs.get(name)[run] }),
});
const evaluate = (code, names) =>
  new Function("structuredClone", ...Object.keys(names), code)(undefined, ...Object.values(names));
const resolved = (value, names) => {
  const found = /^=\{\{([^]*)\}\}$/.exec(value);
  if (/\.arguments\b/.test(found?.[1])) throw new Error("n8n forbids this name in expressions.");
  return found ? evaluate(`return (${found[1]});`, names) : value;
};

const kinds = {
  "n8n-nodes-base.manualTrigger": async () => [{ json: {} }, 0],
  "n8n-nodes-base.noOp": async (_, input) => [input, 0],
  "n8n-nodes-base.code": async ({ jsCode }, _, names) => [evaluate(jsCode, names)[0], 0],
  "n8n-nodes-base.httpRequest": async ({ method, url, jsonBody, options }, _, names) => {
    if (method === "GET") {
      const listed = await fetch(url.replace("http://127.0.0.1:8000", base));
      return [{ json: await listed.json() }, 0];
    }
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

if (given !== null) nodes.get("Arguments").parameters.jsCode = given;
let [name, input] = ["Start", { json: {} }];
let error = null;
for (let steps = 0; steps < 50; steps += 1) {
  const { type, parameters } = nodes.get(name);
  const done = runs.get(name) ?? [];
  let ended;
  try {
    ended = await kinds[type](parameters, input, scope(input, done.length));
  } catch (stopped) {
    error = stopped.message;
    break;
  }
  const [output, branch] = ended;
  runs.set(name, [...done, output]);
  const next = flow.connections[name]?.main[branch]?.[0];
  if (!next) break;
  [name, input] = [next.node, output];
}
const everywhere = Object.keys(Object.prototype); // what every object of the flow would have
process.stdout.write(JSON.stringify({ statuses, end: name, error, everywhere }));
