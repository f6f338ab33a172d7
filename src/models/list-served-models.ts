/**
 * What a server of OpenAI's protocol says that it serves. One that does not answer at once, or answers something else,
 * serves nothing as far as we know; why is said in words without its address, which may hold a password.
 */
import type { Connection } from "./connection.ts";

/** A server on this machine answers at once or is not there. */
const LONGEST_MS = 1_500;
const MOST_BYTES = 1_000_000;
const MOST_MODELS = 50;

export type ServedModels =
  | { readonly type: "served"; readonly ids: readonly string[] }
  | { readonly type: "unknown"; readonly reason: string };

export async function listServedModels({ baseUrl, apiKey }: Connection): Promise<ServedModels> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      redirect: "error",
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    const text = await response.text();
    if (!response.ok) return { type: "unknown", reason: `it answered with status ${response.status}` };
    const ids = text.length > MOST_BYTES ? [] : readIds(JSON.parse(text));
    return ids.length === 0 ? { type: "unknown", reason: "it lists no models" } : { type: "served", ids };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return { type: "unknown", reason: isLate ? `it did not answer within ${LONGEST_MS} ms` : "it cannot be reached" };
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
    .slice(0, MOST_MODELS);
}
