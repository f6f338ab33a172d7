/** The protocol as an OpenAPI document, from the same schemas that requests are checked by. */
import { z } from "zod";
import type { JsonObject, JsonValue } from "../core/message/json.ts";
import { describeRefusals } from "./describe-refusals.ts";
import { NAMED_SCHEMAS, PLAIN_SCHEMAS } from "./named-schemas.ts";
import type { BodyKind, Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { errorSchema } from "./values.ts";

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

/** Schemas by name, found while the rows are written. */
type Components = Record<string, JsonObject>;

export function writeOpenApi({ version }: { readonly version: string }): JsonObject {
  const schemas: Components = {};
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const [name, row] of Object.entries<Route>(ROUTES)) {
    const path = row.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: describe(name, row, schemas) };
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

function describe(operationId: string, row: Route, schemas: Components): JsonObject {
  const parameters = [...parametersOf(row.params, "path"), ...parametersOf(row.query, "query")];
  const takes = row.takes ?? (row.body === undefined ? undefined : "json");
  const body = row.body && toSchema(row.body, { io: "input" });
  const given = row.response && toSchema(row.response, { io: "output", schemas });
  return {
    operationId,
    tags: [row.tag],
    summary: row.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes === undefined ? {} : { requestBody: { required: true, content: contentOf(takes, body) } }),
    responses: {
      "200": { description: "Done.", content: contentOf(row.gives ?? "json", given) },
      ...(row.mayBeEmpty === undefined ? {} : { "204": { description: row.mayBeEmpty } }),
      ...describeErrors(row, schemas),
    },
  };
}

function describeErrors(row: Route, schemas: Components): JsonObject {
  const content = contentOf("json", toSchema(errorSchema, { io: "output", schemas }));
  const refusals = describeRefusals(row).map(({ status, description }) => [status, { description, content }]);
  const description = "What went wrong and what to do about it.";
  return { ...Object.fromEntries(refusals), default: { description, content } };
}

function contentOf(kind: BodyKind, schema: JsonValue | undefined): JsonObject {
  return { [MEDIA_TYPES[kind]]: schema === undefined ? {} : { schema } };
}

function parametersOf(schema: z.ZodObject | undefined, place: "path" | "query"): readonly JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === "path" || !z.safeParse(field as z.ZodType, undefined).success,
    schema: toSchema(field as z.ZodType, { io: "input" }),
  }));
}

interface SchemaOptions {
  readonly io: "input" | "output";
  /** Where schemas with a name are put; without it they stand where they are used. */
  readonly schemas?: Components | undefined;
}

function toSchema(schema: z.ZodType, { io, schemas }: SchemaOptions): JsonObject {
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

interface Written extends JsonObject {
  readonly $defs?: Readonly<Record<string, JsonObject>>;
}

function pointToComponents(written: object): Written {
  return JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
