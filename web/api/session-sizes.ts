/** The window that a session is shown in where it is not the model's own: the sample is played in a small one. */
import { findNumber, readFields } from "./fields.ts";

export interface Sizes {
  readonly windowTokens?: number | undefined;
  readonly reserveTokens?: number | undefined;
}

export function keepSizes(sessionId: string, sizes: Sizes): void {
  try {
    localStorage.setItem(keyOf(sessionId), JSON.stringify(sizes));
  } catch {
    // Where storage is forbidden the model's own window is shown.
  }
}

export function findSizes(sessionId: string): Sizes {
  try {
    const { windowTokens, reserveTokens } = readFields(JSON.parse(localStorage.getItem(keyOf(sessionId)) ?? "{}"));
    return { windowTokens: findNumber(windowTokens), reserveTokens: findNumber(reserveTokens) };
  } catch {
    return {};
  }
}

function keyOf(sessionId: string): string {
  return `palimpsest-sizes ${sessionId}`;
}
