/** Adds the requirements that a test shows to its title. `npm run trace` reads them from the sources. */
export function shows(ids: string | readonly string[], fact: string): string {
  return `${fact} [${typeof ids === "string" ? ids : ids.join(" ")}]`;
}
