/** Checks that optional packages are installed, without loading them. */
import { createRequire } from "node:module";
import { PalimpsestError } from "../../core/errors.ts";

const require = createRequire(import.meta.url);

export interface PackageRequirement {
  /** The feature, as the start of a sentence: "Outlines need". */
  readonly feature: string;
  readonly packages: readonly string[];
  /** The alternative, as the end of the sentence. */
  readonly otherwise: string;
}

export function requirePackages({ feature, packages, otherwise }: PackageRequirement): void {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const names = missing.join(" and ");
  const text = `workspace: ${feature} ${names}, which ${missing.length === 1 ? "is" : "are"} not installed. Run: npm install ${missing.map(withVersion).join(" ")} ${otherwise}`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "workspace", packages: missing } });
}

/** Pages are tested with this version of linkedom. */
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
