/**
 * Model ids as people and gateways write them, brought to one form: `openai/gpt-5-2025-08-07`, `anthropic.claude-…-v1:0`
 * and `models/gemini-2.5-pro` name models that the catalogue knows by a shorter name. Nothing is guessed beyond
 * prefixes, dates and versions: `gpt-5-foo` stays what it is.
 */

/**
 * Lower case, without the path before the name, and Claude's version numbers joined by dashes. Ids of Workers AI keep
 * their path: it serves well-known models with windows of its own.
 */
export function canonicalModelId(id: string): string {
  const whole = id.trim().toLowerCase();
  if (whole.startsWith("@cf/")) return whole;
  const bare = whole.slice(whole.lastIndexOf("/") + 1).replace(HOST_PREFIX, "");
  return bare.startsWith("claude") ? bare.replaceAll(".", "-") : bare;
}

/** How Bedrock and others name the region and the maker before the model. */
const HOST_PREFIX =
  /^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|amazon|openai|meta|mistral|deepseek|google|qwen|zai|moonshotai)\./;

/** The canonical id, then shorter names that it may be a dated, versioned or tagged form of. */
export function candidateIds(id: string): readonly string[] {
  const canonical = canonicalModelId(id);
  const untagged = canonical.replace(/\[[^\]]*\]$|:(?:free|thinking|extended|beta|online|nitro|floor)$/, "");
  const unversioned = untagged.replace(/-v\d+(?::\d+(?::\w+)?)?$/, "").replace(/@[\w.-]*$/, "");
  const undated = unversioned.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest)$/, "");
  const reordered = undated.replace(/^claude-(\d)(?:-(\d))?-(opus|sonnet|haiku)$/, joinReversed);
  const names = [canonical, untagged, unversioned, undated, reordered];
  return [...new Set([...names, ...names.flatMap((name) => [`${name}-latest`, `${name}-0`])])];
}

/** Claude's numbers stood before the name until version 3.7 and stand after it since. */
function joinReversed(_whole: string, ...[major, minor, name]: readonly string[]): string {
  return ["claude", name, major, minor].filter((word) => word !== undefined).join("-");
}
