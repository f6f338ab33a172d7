/** The package stands two folders up, from its sources as from what is built of them. */
import { readFile } from "node:fs/promises";

export async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { version }: { readonly version: string } = JSON.parse(text);
  return version;
}
