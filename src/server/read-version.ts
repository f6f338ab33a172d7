/** Reads the version of the package, which is two folders up from the sources and from the build. */
import { readFile } from "node:fs/promises";

export async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
