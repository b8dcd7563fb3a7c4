// Runs the integration of the guide for Zapier by Zapier's own library, as Zapier runs it. Reads
// {base, input} from standard input, and prints as JSON: `faults`, what Zapier says of the
// definition and of the fields that the action computes; and `data` or `error`, what a call gives.
import { readFileSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const { base, input } = JSON.parse(readFileSync(0, "utf8"));
process.env.LOGGING_ENDPOINT = base; // not Zapier's own
console.log = () => {};

const place = fileURLToPath(new URL("../../fixtures/guides/zapier/index.js", import.meta.url));
const zapier = createRequire(place)("zapier-platform-core");
const loaded = new Module(place);
loaded.paths = Module._nodeModulePaths(dirname(place));
loaded._compile(readFileSync(place, "utf8").replace("https://hotel.example.com", base), place);
const app = loaded.exports;
const [create] = Object.values(app.creates);
const [computed, ...written] = create.operation.inputFields;

const run = zapier.createAppTester(app);
const inputFields = [...(await run(computed, { inputData: {} })), ...written];
const whole = { ...create, operation: { ...create.operation, inputFields } };
const faults = [];
for (const each of [app, { ...app, creates: { [create.key]: whole } }]) {
  const { results } = await zapier.createAppHandler(each)({ command: "validate" });
  faults.push(...results.map((result) => result.stack));
}
const printed = { faults, fields: inputFields };
try {
  printed.data = await run(create.operation.perform, { inputData: input });
} catch (error) {
  if (error.name !== "AppError") throw error;
  printed.error = JSON.parse(error.message);
}
process.stdout.write(JSON.stringify(printed));
