/**
 * What a workspace shows and where: flat, or tier by tier, so that what has not changed for long stands before what
 * has. Every file is there once, as its text or as its outline. Where nothing is tracked the layout is flat; that is
 * said by giving no tiers, never by giving empty ones.
 */
import type { Message } from "../../message/message.ts";
import { type CachedTier, kindOf, pathOf, seqOf, type TierSnapshot } from "../../sections/tier.ts";
import { formatFiles, formatLinks, formatTree, type ShownFile, type ShownLink } from "./format-files.ts";
import { ANSWERS, HEADINGS, REFERENCE_HEADINGS } from "./workspace-texts.ts";

export interface WorkspaceContent {
  /** How to read the outlines. */
  readonly legend?: string | undefined;
  /** Of every file that has one, by path. */
  readonly outlines: readonly ShownFile[];
  readonly tree?: readonly string[] | undefined;
  readonly links: readonly ShownLink[];
  /** Changes that are under review. */
  readonly review?: string | undefined;
  /** The files that somebody chose. */
  readonly files: readonly ShownFile[];
}

export const EMPTY_WORKSPACE: WorkspaceContent = { outlines: [], links: [], files: [] };

export interface TierLayout {
  readonly tier: CachedTier;
  /** What the tier shows besides history; for the first tier that is part of the system text. */
  readonly messages: readonly Message[];
  /** Messages of the conversation that stand here, oldest first. */
  readonly historySeqs: readonly number[];
}

export interface WorkspaceLayout {
  /** Goes on where the instructions end. */
  readonly system: string | undefined;
  /** Those that hold something, in the order of the prompt. */
  readonly tiers: readonly TierLayout[];
  /** Pairs after everything cached: tree, links, review, working files. */
  readonly uncached: readonly Message[];
}

const TIER_ORDER = ["L0", "L1", "L2", "L3"] as const satisfies readonly CachedTier[];

export function layOutWorkspace(content: WorkspaceContent, tiers?: TierSnapshot | undefined): WorkspaceLayout {
  const snapshot = tiers ?? [];
  const cached = (tier: CachedTier) => contentOf(tier, { content, snapshot });
  const isShownAsText = new Set(content.files.map(({ path }) => path));
  const isTiered = new Set(TIER_ORDER.flatMap((tier) => cached(tier).outlines.map(({ path }) => path)));
  const loose = content.outlines.filter(({ path }) => !isShownAsText.has(path) && !isTiered.has(path));
  const graduated = new Set(TIER_ORDER.flatMap((tier) => cached(tier).files.map(({ path }) => path)));
  const working = content.files.filter(({ path }) => !graduated.has(path));
  const top = cached("L0");
  return {
    // Without tiers every outline is part of the system text; with them only those that have earned it.
    system: systemText({ ...top, outlines: tiers === undefined ? loose : top.outlines, legend: content.legend }),
    tiers: TIER_ORDER.map((tier) => layOutTier(tier, cached(tier))).filter(hasSomething),
    uncached: uncachedPairs(content, { working, loose: tiers === undefined ? [] : loose }),
  };
}

interface CachedContent {
  readonly outlines: readonly ShownFile[];
  readonly files: readonly ShownFile[];
  readonly historySeqs: readonly number[];
}

function contentOf(
  tier: CachedTier,
  { content, snapshot }: { readonly content: WorkspaceContent; readonly snapshot: TierSnapshot },
): CachedContent {
  const items = snapshot.filter((item) => item.tier === tier);
  const pathsOf = (kind: "file" | "symbol") =>
    new Set(items.filter(({ key }) => kindOf(key) === kind).map(({ key }) => pathOf(key)));
  const [files, outlines] = [pathsOf("file"), pathsOf("symbol")];
  const chosen = new Set(content.files.map(({ path }) => path));
  return {
    outlines: content.outlines.filter(({ path }) => outlines.has(path) && !chosen.has(path)),
    files: content.files.filter(({ path }) => files.has(path)),
    historySeqs: items
      .filter(({ key }) => kindOf(key) === "history")
      .map(({ key }) => seqOf(key))
      .toSorted((left, right) => left - right),
  };
}

function systemText({
  legend,
  outlines,
  files,
}: Pick<CachedContent, "outlines" | "files"> & { readonly legend: string | undefined }): string | undefined {
  const structure = [legend ?? "", formatOutlines(outlines)].filter((text) => text !== "");
  const blocks = [
    ...(structure.length === 0 ? [] : [`${HEADINGS.structure}\n\n${structure.join("\n\n")}`]),
    ...(files.length === 0 ? [] : [`${REFERENCE_HEADINGS.L0}\n\n${formatFiles(files)}`]),
  ];
  return blocks.length === 0 ? undefined : blocks.join("\n\n");
}

function layOutTier(tier: CachedTier, { outlines, files, historySeqs }: CachedContent): TierLayout {
  if (tier === "L0") return { tier, messages: [], historySeqs };
  const blocks = [
    ...(outlines.length === 0 ? [] : [`${HEADINGS.structureContinued}\n\n${formatOutlines(outlines)}`]),
    ...(files.length === 0 ? [] : [`${REFERENCE_HEADINGS[tier]}\n\n${formatFiles(files)}`]),
  ];
  const messages = blocks.length === 0 ? [] : pair(tier, blocks.join("\n\n"), ANSWERS.reference);
  return { tier, messages, historySeqs };
}

function hasSomething({ messages, historySeqs }: TierLayout): boolean {
  return messages.length > 0 || historySeqs.length > 0;
}

/** Outlines that no tier holds yet stand with what changes, so that they are never missing. */
function uncachedPairs(
  { tree, links, review }: WorkspaceContent,
  { working, loose }: { readonly working: readonly ShownFile[]; readonly loose: readonly ShownFile[] },
): readonly Message[] {
  const under = (heading: string, text: string): string => `${heading}\n\n${text}`;
  return [
    ...(loose.length === 0
      ? []
      : pair("outlines", under(HEADINGS.structureContinued, formatOutlines(loose)), ANSWERS.reference)),
    ...(tree === undefined ? [] : pair("tree", under(HEADINGS.tree, formatTree(tree)), ANSWERS.tree)),
    ...(links.length === 0 ? [] : pair("links", under(HEADINGS.links, formatLinks(links)), ANSWERS.links)),
    ...(review === undefined ? [] : pair("review", under(HEADINGS.review, review), ANSWERS.review)),
    ...(working.length === 0 ? [] : pair("working", under(HEADINGS.working, formatFiles(working)), ANSWERS.working)),
  ];
}

function formatOutlines(outlines: readonly ShownFile[]): string {
  return outlines.map(({ path, text }) => `${path}:\n${indented(text)}`).join("\n\n");
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}

function pair(id: string, text: string, answer: string): readonly Message[] {
  return [
    { id: `workspace-${id}`, role: "user", parts: [{ type: "text", text }] },
    { id: `workspace-${id}-answer`, role: "assistant", parts: [{ type: "text", text: answer }] },
  ];
}
