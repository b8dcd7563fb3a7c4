import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
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

const port = Number(process.argv[2]);
createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableDnsRebindingProtection: true,
    allowedOrigins: [`http://127.0.0.1:${port}`],
  });
  response.on('close', () => void transport.close());
  await reference().connect(transport);
  await transport.handleRequest(request, response);
}).listen(port, '127.0.0.1');
