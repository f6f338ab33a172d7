/** Writes the protocol as an OpenAPI document, from the schemas that validate requests. */

import { z } from "zod";
import type { JsonObject, JsonValue } from "../core/message/json.ts";
import type { BodyKind } from "./addresses.ts";
import { budget, explanation, plan, promptAnswer, promptReport, strip, workspace } from "./plan-schemas.ts";
import { sessionUsage } from "./review-routes.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { entry, message, sessionSummary } from "./session-schemas.ts";
import { attempt, compactionReport, facets, summaryRecord, verification } from "./summary-schemas.ts";
import { errorSchema, usageSchema } from "./values.ts";

const needsToken = ({ isOpen }: Route): boolean => isOpen !== true;
const isForOwner = (row: Route): boolean => row.isForOwner === true;
const hasBody = ({ body, takes }: Route): boolean => body !== undefined || takes !== undefined;
const isAboutSession = ({ params, tag }: Route): boolean => params !== undefined || tag === "chat";
const writes = (row: Route): boolean => needsToken(row) && row.method !== "GET";
const makesPrompt = ({ tag }: Route): boolean => ["prompts", "chat", "sample", "compaction"].includes(tag);

/** Error statuses, and the routes that answer with them. */
const REFUSALS: readonly (readonly [status: number, description: string, appliesTo: (route: Route) => boolean])[] = [
  [400, "The request is invalid; `details` has the path.", (row) => hasBody(row) || Boolean(row.params ?? row.query)],
  [401, "No token, or an unknown one.", needsToken],
  [
    403,
    "The host or the origin is not allowed, or the token's role or session does not permit it.",
    (row) => !isForOwner(row),
  ],
  [403, "The host or the origin is not allowed, or the token does not belong to the tenant `local`.", isForOwner],
  [404, "There is no such session, message or preview.", isAboutSession],
  [409, "The id is taken, a reply is running, or this cannot be changed.", writes],
  [413, "The body is too large.", hasBody],
  [415, "The media type of the body is not supported.", hasBody],
  [422, "The prompt cannot be made to fit; `details` names the floor.", makesPrompt],
  [429, "Too many requests; `retry-after` says when to try again.", () => true],
  [
    503,
    "The store is unavailable, the server is busy, or it is shutting down; `retry-after` says when to try again.",
    () => true,
  ],
  [507, "The store is full.", writes],
];

/** Schemas with a name: written once, and named types in generated code. */
const NAMED = {
  Budget: budget,
  CompactionReport: compactionReport,
  Entry: entry,
  Error: errorSchema,
  Explanation: explanation,
  Facets: facets,
  Message: message,
  Plan: plan,
  Prompt: promptAnswer,
  PromptReport: promptReport,
  Session: sessionSummary,
  SessionUsage: sessionUsage,
  Strip: strip,
  SummaryAttempt: attempt,
  SummaryRecord: summaryRecord,
  Usage: usageSchema,
  Verification: verification,
  Workspace: workspace,
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** Adds names to the descriptions of fields, which zod keeps in its global registry. */
class SchemaRegistry extends z.core.$ZodRegistry<{ readonly id?: string | undefined }> {
  override get<Schema extends z.core.$ZodType>(schema: Schema) {
    const found = { ...z.globalRegistry.get(schema), ...super.get(schema) };
    return Object.keys(found).length === 0 ? undefined : found;
  }
}

const PLAIN_SCHEMAS = new SchemaRegistry();

const NAMED_SCHEMAS = new SchemaRegistry();
for (const [id, schema] of Object.entries(NAMED)) NAMED_SCHEMAS.add(schema, { id });

export const MEDIA_TYPES: Readonly<Record<BodyKind, string>> = {
  json: "application/json",
  lines: "application/x-ndjson",
  events: "text/event-stream",
  stream: "text/event-stream",
  bytes: "application/octet-stream",
  text: "text/plain",
  html: "text/html",
  css: "text/css",
};

/** Schemas by name, collected while routes are written. */
type Components = Record<string, JsonObject>;

export function writeOpenApi({ version }: { readonly version: string }): JsonObject {
  const schemas: Components = {};
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const [name, row] of Object.entries<Route>(ROUTES)) {
    const path = row.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: createOperation(name, row, schemas) };
  }
  const tags = [...new Set(Object.values<Route>(ROUTES).map(({ tag }) => tag))].map((name) => ({ name }));
  return {
    openapi: "3.1.0",
    info: { title: "Palimpsest", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    security: [{ token: [] }, {}],
    tags,
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } }, schemas },
  };
}

function createOperation(operationId: string, row: Route, schemas: Components): JsonObject {
  const parameters = [...parametersOf(row.params, "path"), ...parametersOf(row.query, "query")];
  const takes = row.takes ?? (row.body === undefined ? undefined : "json");
  const body = row.body && toSchema(row.body, "input");
  const answer = row.response && toSchema(row.response, "output", schemas);
  return {
    operationId,
    tags: [row.tag],
    summary: row.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes === undefined ? {} : { requestBody: { required: true, content: createContent(takes, body) } }),
    responses: {
      "200": { description: "Success.", content: createContent(row.gives, answer) },
      ...(row.mayBeEmpty === undefined ? {} : { "204": { description: row.mayBeEmpty } }),
      ...describeErrors(row, schemas),
    },
  };
}

function describeErrors(row: Route, schemas: Components): JsonObject {
  const content = createContent("json", toSchema(errorSchema, "output", schemas));
  const refusals = REFUSALS.filter(([, , appliesTo]) => appliesTo(row));
  const described = refusals.map(([status, description]) => [status, { description, content }]);
  const description = "What went wrong and what to do.";
  return { ...Object.fromEntries(described), default: { description, content } };
}

function createContent(kind: BodyKind, schema: JsonValue | undefined): JsonObject {
  return { [MEDIA_TYPES[kind]]: schema === undefined ? {} : { schema } };
}

function parametersOf(schema: z.ZodObject | undefined, place: "path" | "query"): readonly JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === "path" || !z.safeParse(field as z.ZodType, undefined).success,
    schema: toSchema(field as z.ZodType, "input"),
  }));
}

function toSchema(schema: z.ZodType, io: "input" | "output", schemas?: Components): JsonObject {
  const metadata = schemas === undefined ? PLAIN_SCHEMAS : NAMED_SCHEMAS;
  const written = z.toJSONSchema(schema, { io, unrepresentable: "any", metadata });
  const { $schema: _, $defs = {}, id, ...whole } = pointToComponents(written);
  for (const [name, definition] of Object.entries($defs)) add(schemas, name, definition);
  if (schemas === undefined || typeof id !== "string") return whole;
  add(schemas, id, whole);
  return { $ref: `#/components/schemas/${id}` };
}

function add(schemas: Components | undefined, name: string, { id: _, ...definition }: JsonObject): void {
  if (schemas !== undefined) schemas[name] = definition;
}

function pointToComponents(written: object): JsonObject & { readonly $defs?: Readonly<Record<string, JsonObject>> } {
  return JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
