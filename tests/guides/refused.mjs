// Runs in a folder of a guide's files: prints what its `refusals` make of values.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';

const here = pathToFileURL(`${process.cwd()}/`);
const require = createRequire(here);
const { Ajv2020 } = require('ajv/dist/2020.js');
const formats = require('ajv-formats');
const { refusals } = await import(new URL(process.argv[2], here));

for (const [schema, value] of JSON.parse(readFileSync(0, 'utf8'))) {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false });
  formats.default(ajv);
  const around = { type: 'object', properties: { x: schema }, required: ['x'] };
  const validate = ajv.compile(around);
  validate(value === '(left out)' ? {} : { x: value });
  const isValid = (inner, each) => ajv.validate(inner, each);
  console.log(JSON.stringify(refusals(validate.errors ?? [], 'book', isValid)));
}
