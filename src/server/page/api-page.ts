/** Writes the HTTP API as a page of HTML without scripts, which the strictest content security policy allows. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import { escapeHtml } from "./plain-page.ts";

type Operation = ReturnType<typeof readOperations>[number];

export function writeApiPage(document: JsonObject): string {
  const operations = readOperations(document);
  const { title, version } = objectOf(document.info);
  const groups = [...Map.groupBy(operations, ({ tag }) => tag)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(String(title))}: the HTTP API</title>
<link rel="stylesheet" href="/api/page.css">
</head>
<body>
<main>
<h1>${escapeHtml(String(title))} <small>${escapeHtml(String(version))}</small></h1>
<p>All operations of this server, also as <a href="/openapi.json">openapi.json</a>.
Errors have the form <code>{"error": {"code", "message", "advice", "retryable", "details"}}</code>.</p>
<nav aria-label="Groups">${groups.map(([tag]) => `<a href="#group-${escapeHtml(tag)}">${escapeHtml(tag)}</a>`).join(" ")}</nav>
${groups.map(([tag, members]) => writeGroup(tag, members)).join("\n")}
<section aria-labelledby="group-schemas">
<h2 id="group-schemas">schemas</h2>
${Object.entries(objectOf(objectOf(document.components).schemas))
  .map(writeNamed)
  .join("\n")}
</section>
</main>
</body>
</html>
`;
}

function writeNamed([name, schema]: readonly [string, JsonValue | undefined]): string {
  return `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${writeSchema(schema)}</details>`;
}

/** Links the names of other schemas. */
function writeSchema(schema: JsonValue | undefined): string {
  const text = escapeHtml(JSON.stringify(schema, null, 2));
  return `<pre><code>${text.replaceAll(/#\/components\/schemas\/(\w+)/g, '<a href="#schema-$1">$1</a>')}</code></pre>`;
}

function writeGroup(tag: string, operations: readonly Operation[]): string {
  return `<section aria-labelledby="group-${escapeHtml(tag)}">
<h2 id="group-${escapeHtml(tag)}">${escapeHtml(tag)}</h2>
${operations.map(writeOperation).join("\n")}
</section>`;
}

function writeOperation(operation: Operation): string {
  const { method, path, id, summary, parameters, request, response } = operation;
  return `<details id="${escapeHtml(id)}">
<summary><b class="${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>
<h3>Client method <code>client.${escapeHtml(id)}</code></h3>
${parameters.length === 0 ? "" : writeParameters(parameters)}
${writeBodies("Request", request)}
${writeBodies("Response", response)}
</details>`;
}

function writeParameters(parameters: readonly JsonObject[]): string {
  const rows = parameters.map(({ name, in: place, required, schema }) => {
    const presence = required === true ? "required" : "optional";
    const cells = [String(name), String(place), presence].map((cell) => `<td>${escapeHtml(cell)}</td>`).join("");
    return `<tr>${cells}<td><code>${escapeHtml(JSON.stringify(schema))}</code></td></tr>`;
  });
  const heads = ["Name", "Where", "Required", "Schema"].map((head) => `<th scope="col">${head}</th>`).join("");
  return `<table><thead><tr>${heads}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function writeBodies(title: string, content: JsonObject): string {
  const bodies = Object.entries(content).map(([type, body]) => {
    const { schema } = objectOf(body);
    return `<h3>${title} <code>${escapeHtml(type)}</code></h3>${schema === undefined ? "" : writeSchema(schema)}`;
  });
  return bodies.join("\n");
}

function readOperations(document: JsonObject) {
  return Object.entries(objectOf(document.paths)).flatMap(([path, methods]) =>
    Object.entries(objectOf(methods)).map(([method, row]) => {
      const { operationId, summary, tags, parameters, requestBody, responses } = objectOf(row);
      return {
        method,
        path,
        id: String(operationId),
        summary: String(summary),
        tag: String(Array.isArray(tags) ? tags[0] : ""),
        parameters: Array.isArray(parameters) ? parameters.map(objectOf) : [],
        request: objectOf(objectOf(requestBody).content),
        response: objectOf(objectOf(objectOf(responses)["200"]).content),
      };
    }),
  );
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export const API_STYLE = `:root { color-scheme: light dark; --ink: #1c1a17; --paper: #fbf8f1; --line: #d8d0be; --soft: #6b6253; --leaf: #f2ecdf; }
@media (prefers-color-scheme: dark) { :root { --ink: #ece6d8; --paper: #191713; --line: #3b362c; --soft: #a69c88; --leaf: #221f19; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; }
h1 { font-weight: 600; } h1 small { color: var(--soft); font-weight: 400; font-size: 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; text-transform: capitalize; }
h3 { font-size: .9rem; margin: 1rem 0 .25rem; color: var(--soft); font-weight: 500; }
nav a { margin-right: .75rem; } a { color: inherit; }
details { border-bottom: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; } summary span { color: var(--soft); }
summary b { display: inline-block; min-width: 4.5rem; font: 600 .85rem ui-monospace, monospace; }
code, pre { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { background: var(--leaf); padding: .75rem; overflow-x: auto; border-radius: .25rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin-top: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
`;
