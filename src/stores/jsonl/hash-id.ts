/** Forty-eight bits that stand for an id in an index. Whoever finds one reads the line and compares the id itself. */
import { createHash } from "node:crypto";

const HASH_BYTES = 6;

export function hashId(id: string): number {
  return createHash("sha1").update(JSON.stringify(id)).digest().readUIntBE(0, HASH_BYTES);
}
