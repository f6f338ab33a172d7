/** Finds the newest model of each family in the catalogue, so that new models need no change here. */
import type { ModelCatalogue } from "../core/budget/model-info.ts";
import type { ConnectionKind } from "./find-connections.ts";

export interface CurrentModels {
  /** The first is the default. */
  readonly ids: readonly string[];
  /** A cheap and fast model for simple work. */
  readonly small: string | undefined;
}

interface Vendor {
  /** Returns the pattern of a family's model ids. Its only group matches the version, with dots or dashes. */
  readonly pattern: (family: string) => RegExp;
  readonly families: readonly string[];
  readonly small: string;
}

const VENDORS: Readonly<Record<Exclude<ConnectionKind, "compatible">, Vendor>> = {
  anthropic: {
    pattern: (family) => new RegExp(`^claude-${family}-(\\d+(?:-\\d{1,2})?)$`),
    families: ["sonnet", "opus", "haiku"],
    small: "haiku",
  },
  openai: {
    pattern: (family) => new RegExp(`^gpt-(\\d+(?:\\.\\d+)?)-${family}$`),
    families: ["sol", "astra", "luna"],
    small: "luna",
  },
  google: {
    pattern: (family) => new RegExp(`^gemini-(\\d+(?:\\.\\d+)?)-${family}(?:-preview)?$`),
    families: ["flash", "pro", "flash-lite"],
    small: "flash-lite",
  },
};

export function findCurrentModels(
  kind: Exclude<ConnectionKind, "compatible">,
  catalogue: ModelCatalogue,
): CurrentModels {
  const { pattern, families, small } = VENDORS[kind];
  const names = Object.keys(catalogue.models);
  const newest = new Map(families.map((family) => [family, findNewest(names, pattern(family))]));
  return { ids: [...newest.values()].filter((id) => id !== undefined), small: newest.get(small) };
}

function findNewest(names: readonly string[], pattern: RegExp): string | undefined {
  const found = names.flatMap((name) => {
    const version = pattern.exec(name)?.[1];
    return version === undefined ? [] : [{ name, version: version.split(/[.-]/).map(Number) }];
  });
  return found.toSorted((one, other) => compareModelVersions(other.version, one.version))[0]?.name;
}

function compareModelVersions(one: readonly number[], other: readonly number[]): number {
  const [major, minor] = [0, 1].map((place) => (one[place] ?? 0) - (other[place] ?? 0));
  return major || minor || 0;
}
