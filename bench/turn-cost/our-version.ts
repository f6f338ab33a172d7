/** Returns the version of this package, as for the peers. */
import { readFileSync } from "node:fs";

export function ourVersion(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  return `palimpsest ${version}`;
}
