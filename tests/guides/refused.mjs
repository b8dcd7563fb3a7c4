// Runs in a folder of a guide's files: prints what its `refusals` make of values, by Ajv or by zod.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const here = pathToFileURL(`${process.cwd()}/`);
const require = createRequire(here);
const { Ajv2020 } = require('ajv/dist/2020.js');
const formats = require('ajv-formats');
const { z } = require('zod');
const { ofAjv, ofStandard, refusals } = await import(new URL('atdf-errors.ts', here));

function byAjv(schema) {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  return [schema, (value) => ofAjv(validate, value)];
}

function byZod(schema) {
  const standard = z.fromJSONSchema(schema)['~standard'];
  return [
    standard.jsonSchema.input({ target: 'draft-2020-12' }),
    (value) => ofStandard(standard.validate(value)),
  ];
}

for (const [schema, value] of JSON.parse(readFileSync(0, 'utf8'))) {
  const around = { type: 'object', properties: { x: schema }, required: ['x'] };
  const [published, check] = (process.argv[2] === 'zod' ? byZod : byAjv)(around);
  const given = value === '(left out)' ? {} : { x: value };
  console.log(JSON.stringify(await refusals('book', published, given, check)));
}
