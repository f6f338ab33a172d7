import { createHash } from "node:crypto";

/** Tells whether a text has changed. Nothing has no hash. */
export function hashText(text: string): string {
  return text === "" ? "" : createHash("sha256").update(text).digest("hex");
}
