/**
 * Whether a provider refused a request because of the schema for its answer: servers that know none, models that know
 * only plain JSON, and dialects that lack a keyword. The same request in words may succeed.
 */
import { readVendorError } from "./read-vendor-error.ts";
import { recogniseOverflow } from "./recognise-refusal.ts";

const REFUSING_STATUS: ReadonlySet<number> = new Set([400, 404, 405, 415, 422, 501]);
const SCHEMA =
  /response.?format|json.?schema|json_object|json mode|structured.?output|response_?(?:json_?)?schema|response_?mime_?type|output_(?:format|config)/i;

export function isSchemaRefusal(error: unknown): boolean {
  const { status, text } = readVendorError(error);
  if (isUnsupported(error)) return SCHEMA.test(text);
  if (status === undefined || !REFUSING_STATUS.has(status)) return false;
  return SCHEMA.test(text) && recogniseOverflow(error) === undefined;
}

/** The AI SDK's own word for what a provider's package does not offer. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Error && error.name === "AI_UnsupportedFunctionalityError";
}
