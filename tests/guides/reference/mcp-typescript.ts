import { createServer } from 'node:http';
import { localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { install } from './atdf-errors.ts';
import { TOOLS, zodOf } from './tools.mjs';

// A server is made for each request; what it is made of is made once.
const tools = TOOLS.map((tool) => [tool, zodOf(tool)] as const);

function reference() {
  const server = new McpServer({ name: 'reference', version: '1.0.0' });
  install(server);
  for (const [{ name, description }, inputSchema] of tools) {
    server.registerTool(name, { description, inputSchema }, () => ({
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
