/**
 * What a model sees of the tools it is given: name, description and the schema of the input. Functions and anything
 * else that never leaves the host are not part of it.
 */
import { isObject } from "../../core/check-value.ts";
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** From a list of definitions in any provider's shape, or the AI SDK's record by name. */
export function describeTools(tools: unknown): readonly ToolDescription[] {
  if (Array.isArray(tools)) {
    return tools.flatMap((tool) => nestedTools(tool)).map((tool, index) => describeTool(tool, `tool${index}`));
  }
  if (!isObject(tools)) return [];
  return Object.entries(tools).map(([name, tool]) => describeTool(tool, name));
}

/** Gemini puts a list of declarations into one tool. */
function nestedTools(tool: unknown): readonly unknown[] {
  const nested = isObject(tool) ? (tool.functionDeclarations ?? tool.function_declarations) : undefined;
  return Array.isArray(nested) ? nested : [tool];
}

function describeTool(tool: unknown, fallbackName: string): ToolDescription {
  const outer = isObject(tool) ? tool : {};
  const inner = isObject(outer.function) ? outer.function : outer;
  return {
    name: typeof inner.name === "string" ? inner.name : fallbackName,
    description: typeof inner.description === "string" ? inner.description : "",
    inputSchema: toJsonSchema(
      inner.inputSchema ?? inner.input_schema ?? inner.parameters ?? inner.parametersJsonSchema ?? {},
    ),
  };
}

/** Schema libraries wrap what goes over the wire: the AI SDK in `jsonSchema`, zod behind `toJSONSchema()`. */
function toJsonSchema(schema: unknown): unknown {
  if (!isObject(schema)) return UNREADABLE_SCHEMA;
  const written = typeof schema.toJSONSchema === "function" ? schema.toJSONSchema() : (schema.jsonSchema ?? schema);
  if (!isObject(written) || typeof written.then === "function") return UNREADABLE_SCHEMA;
  try {
    return JSON.parse(JSON.stringify(written));
  } catch {
    // Cyclic, or made of what JSON cannot hold: only the library knows what it will send.
    return UNREADABLE_SCHEMA;
  }
}

/** Stands for a schema that cannot be read here, at the size of a tool with a handful of documented fields. */
const UNREADABLE_SCHEMA = { unreadable: "a field and what it is for, ".repeat(30) };
