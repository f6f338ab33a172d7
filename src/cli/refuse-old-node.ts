/** What is said where Node is older than the package needs; undefined where it is not. Written so that an old one can read it. */
import { readFileSync } from "node:fs";

export function refuseOldNode(found: string = process.versions.node): string | undefined {
  const needed = readNeededNode();
  if (isAtLeast(found, needed)) return undefined;
  return `palimpsest needs Node ${needed} or newer, and this is Node ${found}. Install a newer one from nodejs.org.`;
}

export function readNeededNode(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { engines }: { readonly engines: { readonly node: string } } = JSON.parse(text);
  return engines.node.replace(/^\D+/, "");
}

function isAtLeast(found: string, least: string): boolean {
  const [left, right] = [found, least].map((version) => version.split(".").map(Number));
  for (const [index, wanted] of (right ?? []).entries()) {
    const part = left?.[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
