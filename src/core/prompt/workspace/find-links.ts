/** Finds the web pages that a message refers to. */

/** Further links of one message are not fetched. */
export const MAX_LINKS = 3;

const LINK = /https?:\/\/[^\s<>"'`\\^{}|]+/giu;
/** Longer matches are skipped, because finding the end of a link takes quadratic time. */
const MAX_CHARACTERS = 2_000;
/** Punctuation after a link is not part of it. */
const TRAILING = /[.,;:!?*_~。，、；：！？…»”’）】」]+$/u;

/**
 * Returns distinct links in order.
 *
 * @example
 * ```ts
 * console.log(findLinks("See https://example.com/plan."));
 * ```
 */
export function findLinks(text: string, most: number = MAX_LINKS): readonly string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(LINK)) {
    if (match.length > MAX_CHARACTERS) continue;
    const link = parseLink(withoutClosing(match.replace(TRAILING, "")));
    if (link !== undefined) found.add(link);
    if (found.size === most) break;
  }
  return [...found];
}

/** Removes a closing bracket whose opening bracket is before the link. */
function withoutClosing(link: string): string {
  const count = (sign: string): number => link.split(sign).length - 1;
  if (link.endsWith(")") && count(")") > count("(")) return withoutClosing(link.slice(0, -1).replace(TRAILING, ""));
  if (link.endsWith("]") && count("]") > count("[")) return withoutClosing(link.slice(0, -1).replace(TRAILING, ""));
  return link;
}

function parseLink(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}
