/**
 * Checks that a stored message still has the shape that readers rely on. A changed byte can leave valid JSON that is
 * not a message; whether its text is unchanged, the hash shows.
 */

/** A message, part or output before it is checked: any key may be missing or wrong. */
interface UncheckedValue {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly output?: UncheckedValue;
  readonly parts?: readonly UncheckedValue[];
}

export function isWholeMessage(message: UncheckedValue | null | undefined): boolean {
  return areWholeParts(message?.parts);
}

function areWholeParts(parts: readonly UncheckedValue[] | undefined): boolean {
  return Array.isArray(parts) && parts.every(isWholePart);
}

function isWholePart(part: UncheckedValue | null): boolean {
  if (part?.type === "text" || part?.type === "reasoning") return typeof part.text === "string";
  return part?.type === "tool-result" ? isWholeOutput(part.output) : typeof part?.type === "string";
}

function isWholeOutput(output: UncheckedValue | null | undefined): boolean {
  if (output?.type === "text") return typeof output.text === "string";
  return output?.type === "json" || (output?.type === "parts" && areWholeParts(output.parts));
}
