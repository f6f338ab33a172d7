/**
 * A file name for any id. It cannot leave its folder, names no device, and differs from every other id's also where
 * the file system does not tell upper from lower case: a readable piece for people, then a hash that decides.
 */
import { createHash } from "node:crypto";

const READABLE_CHARACTERS = 40;
const HASH_DIGITS = 32;

export function safeName(id: string): string {
  const readable = id
    .slice(0, READABLE_CHARACTERS)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
  // Through JSON, because UTF-8 alone would make one of all lone surrogates.
  const hash = createHash("sha256").update(JSON.stringify(id)).digest("hex").slice(0, HASH_DIGITS);
  return readable === "" ? hash : `${readable}-${hash}`;
}
