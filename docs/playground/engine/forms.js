// What else people paste: tools as model providers take them, OpenAPI, and errors of other forms.
"use strict";

const OURS = ["inputs", "inputSchema", "how_to_use", "tool_id", "id"];
const LISTS = ["tools", "resources", "functionDeclarations"];
const ONLY_MCP = ["title", "outputSchema", "icons", "execution", "_meta"];
const FORMS = { resource: "ardf", collection: "ardf", error: "error", "enriched-response": "enriched", "retry-hint": "hint",
  "toolset-catalog": "toolsets", descriptor: "descriptor", "enhanced-descriptor": "descriptor" };
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

const isNamed = (item) => isObject(item) && typeof item.name === "string" && !OURS.some((name) => name in item);
const PROVIDERS = {
  openai: (item) => isObject(item) && item.type === "function" &&
    typeof (item.function === undefined ? item : item.function ?? {}).name === "string",
  anthropic: (item) => isNamed(item) && isObject(item.input_schema),
  gemini: (item) => isNamed(item) && !("type" in item) && (isObject(item.parametersJsonSchema) || isObject(item.parameters)),
};
const areFunctions = (listed) => Array.isArray(listed) && listed.length > 0 && listed.every((item) => PROVIDERS.openai(item) && !OURS.some((name) => name in item));
const isDescriptor = (item) => "tool_id" in item || "how_to_use" in item || ("id" in item && !("name" in item) && !("inputSchema" in item));
const listOf = (value, name) => (isObject(value) && Array.isArray(value[name]) ? value[name] : undefined);

// Whether this is a version of OpenAPI that is read. An object has no text.
const isCurrent = (version) => (typeof version === "string" || typeof version === "number") && /^3\.[012]/.test(String(version));

// The form from which a value can be converted; undefined where it has none.
function formOf(value, row) {
  if (isObject(value) && isCurrent(value.openapi)) return "openapi";
  if (listOf(value, "functionDeclarations")) return "gemini";
  const first = Array.isArray(value) ? value[0] : value;
  const tools = (listOf(first, "tools") ?? []).filter(isObject);
  for (const [name, tells] of Object.entries(PROVIDERS)) if ([value, first, ...tools.slice(0, 1)].some(tells)) return name;
  if (!row && isMistakes(value)) return "fastapi";
  if (!row) return isObject(value) && isProblem(value) && !looksLikeSchema(value) ? "problem" : undefined;
  const here = (item) => ONLY_MCP.some((name) => name in item);
  if (row.document === "tool") return here(value) ? "mcp" : "catalog";
  if (row.document !== "catalog") return FORMS[row.document];
  if (tools.length && tools.every(isDescriptor)) return "descriptor"; // which may have a title, too
  return tools.some(here) ? "mcp" : "catalog";
}

const isTyped = ({ type, title }) => typeof title === "string" || (typeof type === "string" && /[:/]/.test(type));
const isProblem = (value) => isTyped(value) || typeof value.detail === "string" ||
  (Number.isInteger(value.status) && value.status >= 400 && value.status <= 599);

// What FastAPI says of a call that it refused.
const isMistakes = (value) => isObject(value) && Array.isArray(value.detail) && value.detail.length > 0 &&
  value.detail.every((each) => isObject(each) && Array.isArray(each.loc) && typeof each.msg === "string" && each.msg);

// Whether this is an answer, or a chunk of one, of a model provider's API.
function isOfModelApi({ type, object, choices, candidates }) {
  const has = (listed, ...names) => Array.isArray(listed) && listed.some((each) => isObject(each) && names.some((name) => name in each));
  return (typeof type === "string" && /^(?:response\.|(?:message|content_block)_(?:start|stop)$|[a-z_]+_delta$)/.test(type)) ||
    (typeof object === "string" && /^(?:chat\.completion|text_completion)/.test(object)) ||
    has(choices, "delta", "message") || has(candidates, "content");
}

// Whether this has the content blocks of a tool's result in MCP, and no member that such a result lacks.
const OF_RESULT = ["content", "structuredContent", "isError", "_meta", "resultType"];
const BLOCKS = ["text", "image", "audio", "resource", "resource_link"];
const isToolResult = (value) => Array.isArray(value.content) && Object.keys(value).every((name) => OF_RESULT.includes(name)) &&
  (value.content.length > 0 || "structuredContent" in value) && value.content.every((each) => isObject(each) && BLOCKS.includes(each.type));

const areObjects = (listed) => Array.isArray(listed) && listed.length > 0 && listed.every(isObject);

// What a value that is none of the documents is, in a sentence; undefined where nobody can tell.
function elsewhere(value, data) {
  const known = (name, values) => ({ name, words: words(data, `${values ? "site.playground.is" : "documents.unknown"}.${name}`, values ?? {}) });
  if (isObject(value) && ("openapi" in value || "swagger" in value)) {
    const version = value.openapi ?? value.swagger;
    if (!isCurrent(version)) return { name: "openapi_other", words: words(data, "documents.unknown.openapi", { version: shown(version, 40) }) };
    const count = Object.values(isObject(value.paths) ? value.paths : {}).filter(isObject)
      .flatMap((item) => METHODS.filter((method) => isObject(item[method]))).length;
    return { ...known("openapi", { count }), title: `OpenAPI ${shown(version, 20).slice(1, -1)}` };
  }
  const form = formOf(value);
  if (form in PROVIDERS) {
    const items = Array.isArray(value) ? value : LISTS.map((name) => listOf(value, name)).find(Boolean) ?? [value];
    return { ...known("provider", { form: { openai: "OpenAI", anthropic: "Anthropic", gemini: "Gemini" }[form], count: items.length }), form };
  }
  if (areObjects(value) && value.every((each) => typeof each.clause === "string")) return known("waivers");
  if (!isObject(value)) return undefined;
  if (isSchemaAlone(value, data)) return { ...known("schema", {}), title: "JSON Schema" };
  if (isOfModelApi(value)) return known("model_api");
  if (isObject(value.error) && value.jsonrpc !== undefined) return known("rpc_error");
  if (value.isError === true) return known("tool_error");
  const result = value.jsonrpc !== undefined && isObject(value.result) && isObject(value.result.structuredContent) ? value.result : value;
  if (isToolResult(result)) return known(result.isError === true ? "tool_error" : "tool_result");
  if (isObject(value.mcpServers)) return known("configuration");
  if ("protocolVersion" in value && "serverInfo" in value) return known("initialize");
  const said = isObject(value.error) ? value.error.message : value.error;
  if (Array.isArray(value.detail) || (isProblem(value) && !("name" in value)) || typeof value.message === "string" ||
    typeof said === "string") return known(isTyped(value) ? "problem" : "error");
  const calls = Object.values(value).every(areObjects) && recognize(value, data).id === "documents.unknown";
  return calls ? known("calls") : undefined;
}
