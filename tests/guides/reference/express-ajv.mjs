import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import express from 'express';
import { checked, install } from './atdf-errors.ts';
import { TOOLS } from './tools.mjs';

const ajv = new Ajv2020({ allErrors: true, strict: false });
formats.default(ajv);
const app = express();
app.use(express.json());
for (const tool of TOOLS) {
  app.post(`/${tool.name}`, checked(tool.name, ajv.compile(tool.input)), (_, response) =>
    response.json({ done: true }),
  );
}
install(app);
app.listen(Number(process.argv[2]), '127.0.0.1');
