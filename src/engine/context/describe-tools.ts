/** Describes tools as the model sees them: name, description and input schema. */
import { isObject } from "../../core/check-value.ts";
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** Reads a list of definitions in any provider's format, or the AI SDK's record by name. */
export function describeTools(tools: unknown): readonly ToolDescription[] {
  if (Array.isArray(tools)) {
    return tools.flatMap((tool) => listNestedTools(tool)).map((tool, index) => describeTool(tool, `tool${index}`));
  }
  if (!isObject(tools)) return [];
  return Object.entries(tools).map(([name, tool]) => describeTool(tool, name));
}

/** Gemini puts a list of declarations into one tool. */
function listNestedTools(tool: unknown): readonly unknown[] {
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

/** Unwraps the schema of a library: the AI SDK's `jsonSchema`, zod's `toJSONSchema()`. */
function toJsonSchema(schema: unknown): unknown {
  if (!isObject(schema)) return UNREADABLE_SCHEMA;
  const written = typeof schema.toJSONSchema === "function" ? schema.toJSONSchema() : (schema.jsonSchema ?? schema);
  if (!isObject(written) || typeof written.then === "function") return UNREADABLE_SCHEMA;
  try {
    return JSON.parse(JSON.stringify(written));
  } catch {
    // Cyclic, or not representable as JSON: only the library knows what it sends.
    return UNREADABLE_SCHEMA;
  }
}

/** Counted in place of an unreadable schema: the size of a tool with a few documented fields. */
const UNREADABLE_SCHEMA = { unreadable: "a field and what it is for, ".repeat(30) };
