/** Says which package is missing before anything that needs it is begun. Nothing is loaded by asking. */
import { createRequire } from "node:module";
import { PalimpsestError } from "../core/errors.ts";

const require = createRequire(import.meta.url);

export interface Needed {
  /** What somebody wanted, as the beginning of a sentence: "Outlines need". */
  readonly feature: string;
  readonly packages: readonly string[];
  /** How to do without, as a sentence. */
  readonly otherwise: string;
}

export function requirePackages({ feature, packages, otherwise }: Needed): void {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const names = missing.join(" and ");
  const text = `workspace: ${feature} ${names}, which ${missing.length === 1 ? "is" : "are"} not installed. Run: npm install ${missing.map(withVersion).join(" ")} ${otherwise}`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "workspace", packages: missing } });
}

/** Later versions of it are not the ones that pages are read with. */
function withVersion(name: string): string {
  return name === "linkedom" ? "linkedom@0.18.12" : name;
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
