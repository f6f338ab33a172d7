/**
 * Whether what a database gave back has the shape that everybody who reads it goes by. A byte that was changed can leave
 * JSON behind that is JSON and no message; whether the words are the ones that were written, the hash says.
 */

/** Of messages, parts and outputs: each may be there or not, and may be anything. */
interface Doubtful {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly output?: Doubtful;
  readonly parts?: readonly Doubtful[];
}

export function isWholeMessage(message: Doubtful | null | undefined): boolean {
  return areWhole(message?.parts);
}

function areWhole(parts: readonly Doubtful[] | undefined): boolean {
  return Array.isArray(parts) && parts.every(isWholePart);
}

function isWholePart(part: Doubtful | null): boolean {
  if (part?.type === "text" || part?.type === "reasoning") return typeof part.text === "string";
  return part?.type === "tool-result" ? isWholeOutput(part.output) : typeof part?.type === "string";
}

function isWholeOutput(output: Doubtful | null | undefined): boolean {
  if (output?.type === "text") return typeof output.text === "string";
  return output?.type === "json" || (output?.type === "parts" && areWhole(output.parts));
}
