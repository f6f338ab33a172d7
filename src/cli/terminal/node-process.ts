/** The Node process: refuses a version that is too old, in syntax that an old Node can read, and limits the heap. */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

/** Returns a message if Node is older than the package needs. */
export function refuseOldNode(found: string = process.versions.node): string | undefined {
  const needed = readNeededNode();
  if (isAtLeast(found, needed)) return undefined;
  return `palimpsest needs Node ${needed} or newer, but this is Node ${found}. Install a newer one from nodejs.org.`;
}

export function readNeededNode(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
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

const MAX_GROWTH_PERCENT = 100;

/**
 * For processes that run for a long time: collects garbage when the heap has doubled. By default V8 lets the heap of a
 * busy server grow to five times its content and never shrinks it.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_GROWTH_PERCENT}`);
}
