/** Finds variables that are set under the product's prefix and that nothing reads: a misspelt one would mean the default. */
import { findNearest } from "../core/check-value.ts";
import { type Environment, listVariables } from "../policies/read-environment.ts";

const PREFIX = "PALIMPSEST_";
/** Read by the commands and by the search for models. */
const OWN = [
  "HOME",
  "STORE",
  "CONFIG",
  "PORT",
  "TOKENS",
  "SERVER",
  "TOKEN",
  "MODEL",
  "BASE_URL",
  "API_KEY",
  "WINDOW_TOKENS",
];

/** One sentence for each. `named` are variables that the configuration file names for keys. */
export function findUnknownVariables(environment: Environment, named: readonly string[]): readonly string[] {
  const settings = listVariables().filter((name) => name.startsWith(PREFIX));
  const known = [...OWN, ...settings.map((name) => name.slice(PREFIX.length))];
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !named.includes(name));
  return unknown
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = findNearest(name, known);
      const advice =
        nearest === undefined
          ? "docs/serve.md and docs/policies.md list the variables."
          : `Did you mean ${PREFIX}${nearest}?`;
      return `${PREFIX}${name} is set, but nothing reads it. ${advice}`;
    });
}
