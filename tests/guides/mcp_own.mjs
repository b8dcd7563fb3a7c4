// Runs in a folder of a guide's files: prints what a tool answers whose code refuses a call.
const { error, install, Refused } = await import(new URL('atdf-errors.ts', `file://${process.cwd()}/`));

const handles = {};
const server = { registerTool: (name, _, handle) => (handles[name] = handle) };
install(server);
server.registerTool('order', {}, () => {
  throw new Refused([error('conflict', 'Sold out', 'There is none left.')]);
});
console.log(JSON.stringify(await handles.order({})));
