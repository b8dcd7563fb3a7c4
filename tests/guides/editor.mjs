// Asks the language service of Visual Studio Code what it shows for a JSON text. Reads {text,
// schemas} from standard input; "|" in the text is the place of the cursor. Prints as JSON: `faults`,
// `help` for what is under the cursor, and `choices`, what can be written there, with their help.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const given = JSON.parse(readFileSync(0, "utf8"));
const packages = new URL("../../fixtures/guides/package.json", import.meta.url);
const { getLanguageService, TextDocument } = createRequire(packages)("vscode-json-languageservice");
const service = getLanguageService({
  schemaRequestService: async (address) => given.schemas[address] ?? Promise.reject("not there"),
  workspaceContext: { resolveRelativePath: (path, from) => new URL(path, from).href },
});
const cursor = given.text.indexOf("|");
const text = TextDocument.create("file:///a.json", "json", 1, given.text.replace("|", ""));
const json = service.parseJSONDocument(text);
const at = text.positionAt(cursor);
const words = (said) => (said?.value ?? said ?? "").replaceAll("\\", "");
const faults = (await service.doValidation(text, json)).map(({ message }) => message);
const help = ((await service.doHover(text, at, json))?.contents ?? []).map(words);
const { items } = await service.doComplete(text, at, json);
const choices = Object.fromEntries(items.map((each) => [each.label, words(each.documentation)]));
process.stdout.write(JSON.stringify({ faults, help, choices }));
