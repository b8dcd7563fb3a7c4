import express from 'express';
import { checked, install } from './atdf-errors.ts';
import { TOOLS, zodOf } from './tools.mjs';

const app = express();
for (const tool of TOOLS) {
  app.post(`/${tool.name}`, checked(tool.name, zodOf(tool)), (_, response) => response.json({ done: true }));
}
install(app);
app.listen(Number(process.argv[2]), '127.0.0.1');
