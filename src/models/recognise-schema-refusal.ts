/**
 * Recognises refusals because of the answer's schema: servers without schema support, models with plain JSON only, and
 * dialects that lack a keyword. The same request with the schema as text may succeed.
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

/** The AI SDK's error for features that a provider's package lacks. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Error && error.name === "AI_UnsupportedFunctionalityError";
}
