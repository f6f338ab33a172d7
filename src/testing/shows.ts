/**
 * A test's title that says which requirements it shows: `test(shows("S3-23", "falls back …"), …)`. `npm run trace`
 * reads these citations from the sources; the helper itself only joins them, so that reports show the ids too.
 */
export function shows(ids: string | readonly string[], fact: string): string {
  return `${fact} [${typeof ids === "string" ? ids : ids.join(" ")}]`;
}
