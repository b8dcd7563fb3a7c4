// Runs the action that the guide for Zapier shows, without Zapier: reads {code, input, base} from
// standard input, and prints {data} or {error} as JSON. `z.request` is what Zapier documents of it.
import { readFileSync } from "node:fs";

const { code, input, base } = JSON.parse(readFileSync(0, "utf8"));
class Told extends Error {
  constructor(message, ...more) {
    super(message);
    this.more = more;
  }
}
const z = {
  errors: { Error: class extends Told {}, HaltedError: class extends Told {} },
  request: async ({ method, url, body, skipThrowForStatus }) => {
    const answer = await fetch(url.replace("https://hotel.example.com", base), {
      method,
      headers: { "content-type": "application/json" },
      body: method === "GET" ? undefined : JSON.stringify(body),
    });
    if (!answer.ok && !skipThrowForStatus) throw new Told(await answer.text());
    return { status: answer.status, data: await answer.json() };
  },
};
let printed;
try {
  printed = { data: await new Function(`${code}\nreturn perform;`)()(z, { inputData: input }) };
} catch (error) {
  if (!(error instanceof Told)) throw error;
  printed = { error: error.message, more: error.more };
}
process.stdout.write(JSON.stringify(printed));
