/**
 * What a model sees of the tools it is given: name, description and the schema of the input. Functions and anything
 * else that never leaves the host are not part of it.
 */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** From a list of definitions in any provider's shape, or the AI SDK's record by name. */
export function describeTools(tools: unknown): readonly ToolDescription[] {
  if (Array.isArray(tools)) return tools.map((tool, index) => describeTool(tool, `tool${index}`));
  if (!isRecord(tools)) return [];
  return Object.entries(tools).map(([name, tool]) => describeTool(tool, name));
}

function describeTool(tool: unknown, fallbackName: string): ToolDescription {
  const outer = isRecord(tool) ? tool : {};
  const inner = isRecord(outer.function) ? outer.function : outer;
  return {
    name: typeof inner.name === "string" ? inner.name : fallbackName,
    description: typeof inner.description === "string" ? inner.description : "",
    inputSchema: toJsonSchema(inner.inputSchema ?? inner.input_schema ?? inner.parameters ?? {}),
  };
}

/** Schema libraries wrap what goes over the wire: the AI SDK in `jsonSchema`, zod behind `toJSONSchema()`. */
function toJsonSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return {};
  if (typeof schema.toJSONSchema === "function") return JSON.parse(JSON.stringify(schema.toJSONSchema()));
  return JSON.parse(JSON.stringify(isRecord(schema.jsonSchema) ? schema.jsonSchema : schema));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
