/**
 * Lists the models of a server of OpenAI's protocol. A server that is slow or answers something else has none; the
 * reason leaves out its address, which may contain a password.
 */
import type { Connection } from "./connection.ts";

/** A local server answers at once or is not running. */
const TIMEOUT_MS = 1_500;
const MAX_BYTES = 1_000_000;
const MAX_MODELS = 50;

export type ServedModels =
  | { readonly type: "served"; readonly ids: readonly string[] }
  | { readonly type: "unknown"; readonly reason: string };

export async function listServedModels({ baseUrl, apiKey }: Connection): Promise<ServedModels> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) return { type: "unknown", reason: `it answered with status ${response.status}` };
    const ids = text.length > MAX_BYTES ? [] : readIds(JSON.parse(text));
    return ids.length === 0 ? { type: "unknown", reason: "it lists no models" } : { type: "served", ids };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return { type: "unknown", reason: isLate ? `it did not answer within ${TIMEOUT_MS} ms` : "it cannot be reached" };
  }
}

function readIds(answer: unknown): readonly string[] {
  const rows = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  if (!Array.isArray(rows)) return [];
  return rows
    .flatMap((row: unknown) => {
      const id = typeof row === "object" && row !== null && "id" in row ? row.id : undefined;
      return typeof id === "string" && id !== "" && id.length <= 200 ? [id] : [];
    })
    .slice(0, MAX_MODELS);
}
