// Reads {schemas: [schema], cases: [{schema: $id, data}], formats: [[format, value]]} from standard
// input; writes {valid: [boolean for each case], refused: [boolean for each format]}. The schemas are
// read in Ajv's strict mode, its default, so that a keyword unknown to it ends with an error.
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { schemas, cases, formats } = JSON.parse(Buffer.concat(chunks).toString("utf8"));

const ajv = addFormats(new Ajv2020({ allErrors: true, allowUnionTypes: true }));
for (const schema of schemas) ajv.addSchema(schema);
const valid = cases.map(({ schema, data }) => ajv.getSchema(schema)(data));
const refused = formats.map(([format, value]) => !ajv.compile({ type: "string", format })(value));
process.stdout.write(JSON.stringify({ valid, refused }));
