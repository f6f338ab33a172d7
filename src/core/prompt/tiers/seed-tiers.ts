/** Places the outlines of a repository before the first request. Files that refer to each other share a tier. */
import { type CachedTier, makeItemKey, type TierSnapshot, type TrackedItem } from "../../sections/tier.ts";
import { TIER_THRESHOLDS, type TierRules } from "./tier-rules.ts";

export interface SeedFile {
  readonly path: string;
  /** Paths of the files that define the symbols it uses. */
  readonly refersTo: readonly string[];
  readonly tokens?: number | undefined;
}

type SeedTier = Exclude<CachedTier, "L0">;
type Bins = ReadonlyMap<SeedTier, SeedFile[]>;
type SizeOf = (file: SeedFile) => number;

export function seedTiers(files: readonly SeedFile[], rules: TierRules): TierSnapshot {
  const sizeOf = (file: SeedFile): number => file.tokens ?? rules.seededTokens;
  const ranked = rankByReferences(files);
  const top = rules.seedsTop ? fillTop(ranked, sizeOf, rules.targetTokens) : [];
  const rest = ranked.filter((file) => !top.includes(file));
  const clusters = findClusters(rest);
  const isGraph = clusters.some(({ length }) => length > 1);
  const bins = isGraph ? packClusters(clusters, sizeOf) : spreadEvenly(rest);
  mergeSmall(bins, sizeOf, rules.targetTokens);
  const place =
    (tier: CachedTier) =>
    (file: SeedFile): TrackedItem => ({
      key: makeItemKey("symbol", file.path),
      tier,
      seen: TIER_THRESHOLDS[tier].entry,
      hash: "",
      tokens: sizeOf(file),
    });
  return [...top.map(place("L0")), ...[...bins].flatMap(([tier, members]) => members.map(place(tier)))];
}

function rankByReferences(files: readonly SeedFile[]): readonly SeedFile[] {
  const counts = new Map(files.map(({ path }) => [path, 0]));
  for (const { path, refersTo } of files) {
    for (const target of new Set(refersTo)) {
      const count = counts.get(target);
      if (count !== undefined && target !== path) counts.set(target, count + 1);
    }
  }
  const countOf = ({ path }: SeedFile): number => counts.get(path) ?? 0;
  return files.toSorted((left, right) => countOf(right) - countOf(left) || (left.path < right.path ? -1 : 1));
}

/** Returns the first files that together reach the target, or none if they are too few. */
function fillTop(ranked: readonly SeedFile[], sizeOf: SizeOf, target: number): readonly SeedFile[] {
  let tokens = 0;
  const end = ranked.findIndex((file) => {
    tokens += sizeOf(file);
    return tokens >= target;
  });
  return ranked.slice(0, end + 1);
}

/** Groups files that refer to each other, in the order of their first member. Other files form groups of one. */
function findClusters(files: readonly SeedFile[]): readonly (readonly SeedFile[])[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const neighborsOf = ({ path, refersTo }: SeedFile): readonly SeedFile[] =>
    [...new Set(refersTo)].flatMap((target) => {
      const other = byPath.get(target);
      return other !== undefined && target !== path && other.refersTo.includes(path) ? [other] : [];
    });
  const seen = new Set<SeedFile>();
  const clusters: SeedFile[][] = [];
  for (const file of files) {
    if (seen.has(file)) continue;
    seen.add(file);
    const cluster = [file];
    for (const member of cluster) {
      for (const other of neighborsOf(member)) {
        if (seen.has(other)) continue;
        seen.add(other);
        cluster.push(other);
      }
    }
    clusters.push(cluster);
  }
  return clusters;
}

function emptyBins(): Bins {
  return new Map((["L1", "L2", "L3"] as const).map((tier) => [tier, []]));
}

function sumSizes(files: readonly SeedFile[], sizeOf: SizeOf): number {
  return files.reduce((tokens, file) => tokens + sizeOf(file), 0);
}

/** Places each cluster, the largest first, whole into the tier with the fewest tokens. */
function packClusters(clusters: readonly (readonly SeedFile[])[], sizeOf: SizeOf): Bins {
  const bins = emptyBins();
  const sum = (files: readonly SeedFile[]): number => sumSizes(files, sizeOf);
  const loads = new Map<SeedTier, number>([...bins.keys()].map((tier) => [tier, 0]));
  for (const cluster of clusters.toSorted((left, right) => sum(right) - sum(left))) {
    const [tier] = smallestOf(loads);
    bins.get(tier)?.push(...cluster);
    loads.set(tier, (loads.get(tier) ?? 0) + sum(cluster));
  }
  return bins;
}

/** Places the most referenced files highest, if no two refer to each other. */
function spreadEvenly(ranked: readonly SeedFile[]): Bins {
  const bins = emptyBins();
  const share = Math.ceil(ranked.length / bins.size);
  for (const [index, members] of [...bins.values()].entries()) {
    members.push(...ranked.slice(index * share, (index + 1) * share));
  }
  return bins;
}

/** Merges a tier that is too small to be cached into the smallest other non-empty one. */
function mergeSmall(bins: Bins, sizeOf: SizeOf, target: number): void {
  for (;;) {
    const loads = new Map(
      [...bins].filter(([, members]) => members.length > 0).map(([tier, members]) => [tier, sumSizes(members, sizeOf)]),
    );
    if (loads.size < 2) return;
    const [small, load] = smallestOf(loads);
    if (load >= target) return;
    loads.delete(small);
    const [other] = smallestOf(loads);
    bins.get(other)?.push(...(bins.get(small)?.splice(0) ?? []));
  }
}

function smallestOf(loads: ReadonlyMap<SeedTier, number>): readonly [SeedTier, number] {
  return [...loads].reduce((least, entry) => (entry[1] < least[1] ? entry : least));
}
