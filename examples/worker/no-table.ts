/** Replaces a tokenizer's table in the bundle of a Worker that counts without one. It must never be loaded. */
const text = "This Worker was bundled without the tables of tokenizers; remove the aliases from wrangler.jsonc.";

export function setMergeCacheSize(): never {
  throw new Error(text);
}

export function countTokens(): never {
  throw new Error(text);
}

export function clearMergeCache(): never {
  throw new Error(text);
}
