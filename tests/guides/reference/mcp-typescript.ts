import { createServer } from 'node:http';
import { localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { install } from './atdf-errors.ts';
import { TOOLS, zodOf } from './tools.mjs';

function reference() {
  const server = new McpServer({ name: 'reference', version: '1.0.0' });
  install(server);
  for (const tool of TOOLS) {
    const { name, description } = tool;
    server.registerTool(name, { description, inputSchema: zodOf(tool) }, () => ({
      content: [{ type: 'text', text: 'Done.' }],
    }));
  }
  return server;
}

const handle = toNodeHandler(createMcpHandler(reference));
const isOwn = localhostOriginValidation();
createServer((request, response) => {
  if (isOwn(request, response)) void handle(request, response);
}).listen(Number(process.argv[2]), '127.0.0.1');
