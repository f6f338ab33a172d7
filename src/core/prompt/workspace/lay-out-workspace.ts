/** Lays out a workspace, flat or tier by tier. Every file appears once, in full or as its outline. */
import type { Message } from "../../message/message.ts";
import { type CachedTier, makeItemKey, readItemKind, readItemSeq, type TierSnapshot } from "../../sections/tier.ts";
import {
  formatFiles,
  formatLinks,
  formatTree,
  keepOnOneLine,
  REFERENCE_HEADINGS,
  type ShownFile,
  type ShownLink,
  WORKSPACE_ANSWERS,
  WORKSPACE_HEADINGS,
} from "./format-files.ts";

export interface WorkspaceContent {
  readonly legend?: string | undefined;
  readonly outlines: readonly ShownFile[];
  readonly tree?: readonly string[] | undefined;
  /** Number of all files, if only the first are listed. */
  readonly treeCount?: number | undefined;
  readonly links: readonly ShownLink[];
  readonly review?: string | undefined;
  /** The files that the user chose. */
  readonly files: readonly ShownFile[];
}

export interface TierLayout {
  readonly tier: CachedTier;
  /** The tier's content besides history; for the first tier this is part of the system text. */
  readonly messages: readonly Message[];
  /** Seqs of conversation messages placed here, oldest first. */
  readonly historySeqs: readonly number[];
}

export interface WorkspaceTexts {
  readonly system: string | undefined;
  readonly tiers: Readonly<Record<CachedTier, readonly Message[]>>;
  /** Messages after all cached ones: tree, links, review and working files, each with a reply. */
  readonly uncached: readonly Message[];
}

export interface WorkspaceLayout extends Omit<WorkspaceTexts, "tiers"> {
  /** Non-empty tiers in prompt order. */
  readonly tiers: readonly TierLayout[];
}

const TIER_ORDER = ["L0", "L1", "L2", "L3"] as const satisfies readonly CachedTier[];

export function layOutTexts(content: WorkspaceContent, tiers?: TierSnapshot | undefined): WorkspaceTexts {
  const held = findTierFiles(content, tiers ?? []);
  const isTiered = new Set(TIER_ORDER.flatMap((tier) => held[tier].outlines.map(({ path }) => path)));
  const isShownAsText = new Set(content.files.map(({ path }) => path));
  const loose = content.outlines.filter(({ path }) => !isShownAsText.has(path) && !isTiered.has(path));
  const graduated = new Set(TIER_ORDER.flatMap((tier) => held[tier].files.map(({ path }) => path)));
  const working = content.files.filter(({ path }) => !graduated.has(path));
  return {
    // Without tiers, every outline is part of the system text; with them, only those in the first tier.
    system: writeSystemText({ ...held.L0, outlines: tiers === undefined ? loose : held.L0.outlines }, content.legend),
    tiers: {
      L0: [],
      L1: writeTierPair("L1", held.L1),
      L2: writeTierPair("L2", held.L2),
      L3: writeTierPair("L3", held.L3),
    },
    uncached: writeUncachedPairs(content, { working, loose: tiers === undefined ? [] : loose }),
  };
}

export function layOutHistory(texts: WorkspaceTexts, tiers: TierSnapshot = []): WorkspaceLayout {
  const seqs: Record<CachedTier, number[]> = { L0: [], L1: [], L2: [], L3: [] };
  for (const { key, tier } of tiers)
    if (tier !== "active" && readItemKind(key) === "history") seqs[tier].push(readItemSeq(key));
  return {
    ...texts,
    tiers: TIER_ORDER.map((tier) => ({
      tier,
      messages: texts.tiers[tier],
      historySeqs: seqs[tier].toSorted((left, right) => left - right),
    })).filter(({ messages, historySeqs }) => messages.length > 0 || historySeqs.length > 0),
  };
}

type TierFiles = Pick<WorkspaceContent, "outlines" | "files">;

/** Lists each tier's content in workspace order, without outlines of files that are shown in full. */
function findTierFiles(content: WorkspaceContent, snapshot: TierSnapshot): Readonly<Record<CachedTier, TierFiles>> {
  const tierOf = new Map(snapshot.map(({ key, tier }) => [key, tier]));
  const chosen = new Set(content.files.map(({ path }) => path));
  const held = (tier: CachedTier): TierFiles => ({
    outlines: content.outlines.filter(
      ({ path }) => tierOf.get(makeItemKey("symbol", path)) === tier && !chosen.has(path),
    ),
    files: content.files.filter(({ path }) => tierOf.get(makeItemKey("file", path)) === tier),
  });
  return { L0: held("L0"), L1: held("L1"), L2: held("L2"), L3: held("L3") };
}

function writeSystemText({ outlines, files }: TierFiles, legend: string | undefined): string | undefined {
  const structure = [legend ?? "", formatOutlines(outlines)].filter((text) => text !== "");
  const blocks = [
    ...(structure.length === 0 ? [] : [`${WORKSPACE_HEADINGS.structure}\n\n${structure.join("\n\n")}`]),
    ...(files.length === 0 ? [] : [`${REFERENCE_HEADINGS.L0}\n\n${formatFiles(files)}`]),
  ];
  return blocks.length === 0 ? undefined : blocks.join("\n\n").toWellFormed();
}

function writeTierPair(tier: Exclude<CachedTier, "L0">, { outlines, files }: TierFiles): readonly Message[] {
  const blocks = [
    ...(outlines.length === 0 ? [] : [`${WORKSPACE_HEADINGS.structureContinued}\n\n${formatOutlines(outlines)}`]),
    ...(files.length === 0 ? [] : [`${REFERENCE_HEADINGS[tier]}\n\n${formatFiles(files)}`]),
  ];
  return blocks.length === 0 ? [] : writePair(tier, blocks.join("\n\n"), WORKSPACE_ANSWERS.reference);
}

/** Outlines in no tier come with the changing content, so that every outline is shown. */
function writeUncachedPairs(
  { tree, treeCount, links, review }: WorkspaceContent,
  { working, loose }: { readonly working: readonly ShownFile[]; readonly loose: readonly ShownFile[] },
): readonly Message[] {
  const write = (name: Exclude<keyof typeof WORKSPACE_ANSWERS, "reference">, text: string) =>
    writePair(name, `${WORKSPACE_HEADINGS[name]}\n\n${text}`, WORKSPACE_ANSWERS[name]);
  const outlines = `${WORKSPACE_HEADINGS.structureContinued}\n\n${formatOutlines(loose)}`;
  return [
    ...(loose.length === 0 ? [] : writePair("outlines", outlines, WORKSPACE_ANSWERS.reference)),
    ...(tree === undefined ? [] : write("tree", formatTree(tree, treeCount))),
    ...(links.length === 0 ? [] : write("links", formatLinks(links))),
    ...(review === undefined ? [] : write("review", review)),
    ...(working.length === 0 ? [] : write("working", formatFiles(working))),
  ];
}

function formatOutlines(outlines: readonly ShownFile[]): string {
  return outlines.map(formatOutline).join("\n\n");
}

export function formatOutline({ path, text }: ShownFile): string {
  return `${keepOnOneLine(path)}:\n  ${text.replaceAll("\n", "\n  ")}`;
}

function writePair(id: string, text: string, answer: string): readonly Message[] {
  return [
    // Providers reject a lone surrogate.
    { id: `workspace-${id}`, role: "user", parts: [{ type: "text", text: text.toWellFormed() }] },
    { id: `workspace-${id}-answer`, role: "assistant", parts: [{ type: "text", text: answer }] },
  ];
}
