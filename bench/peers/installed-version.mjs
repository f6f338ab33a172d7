/** The version of an installed peer, read from its manifest because not every package exports that file. */
import { readFileSync } from "node:fs";

export function installedVersion(packageName) {
  const manifest = new URL(`./node_modules/${packageName}/package.json`, import.meta.url);
  return `${packageName} ${JSON.parse(readFileSync(manifest, "utf8")).version}`;
}
