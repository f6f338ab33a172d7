/** Remembers what earlier prompts computed for a workspace, so that a prompt costs only what has changed. */
import { hashText } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { chainMessages, EMPTY_CHAIN, type MessageChain } from "../../core/prompt/send-thinking.ts";
import { formatFile } from "../../core/prompt/workspace/format-files.ts";
import { formatOutline, layOutTexts, type WorkspaceTexts } from "../../core/prompt/workspace/lay-out-workspace.ts";
import { limitOutlines, limitTree } from "../../core/prompt/workspace/limit-workspace.ts";
import { makeItemKey, readItemKind, type Tier, type TierSnapshot, type TrackedItem } from "../../core/sections/tier.ts";
import { countTextInSteps } from "../../core/tokens/count-text.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import type { GatheredWorkspace, PlaceName } from "./workspace-content.ts";

interface Layout {
  readonly workspace: GatheredWorkspace;
  readonly tierOf: ReadonlyMap<string, Tier> | undefined;
  readonly texts: WorkspaceTexts;
}

const CHARACTERS_A_TOKEN = 3;

export class WorkspaceMemo {
  readonly #messages = new Map<string, Message>();
  readonly #chains = new Map<PlaceName, MessageChain>();
  #tail: (Pick<GatheredWorkspace, "tree" | "treeCount" | "links" | "review"> & { readonly hash: string }) | undefined;
  #layout: Layout | undefined;
  #counterId: string | undefined;
  #tokens = new WeakMap<object, number>();

  readonly reuse = (message: Message): Message => {
    const known = this.#messages.get(message.id);
    if (known !== undefined && firstTextOf(known) === firstTextOf(message)) return known;
    this.#messages.set(message.id, message);
    return message;
  };

  /** Counts for `tokensOf`. A file or outline with another text is another object. */
  *countInSteps(
    { files, outlines }: Pick<GatheredWorkspace, "files" | "outlines">,
    { id, counter }: MessageCounts,
  ): Generator<undefined, void> {
    if (this.#counterId !== id) this.#tokens = new WeakMap();
    this.#counterId = id;
    const shown = [...files, ...outlines].filter((each) => !this.#tokens.has(each));
    for (const each of shown) {
      const text = "refersTo" in each ? formatOutline(each) : formatFile(each);
      this.#tokens.set(each, yield* countTextInSteps(text, counter));
    }
  }

  readonly layOut = (workspace: GatheredWorkspace, tiers: TierSnapshot | undefined): WorkspaceTexts => {
    const known = this.#layout;
    if (known !== undefined && isSameContent(known.workspace, workspace) && isSamePlaces(known.tierOf, tiers)) {
      return known.texts;
    }
    const texts = this.#reuseAll(layOutTexts(workspace, tiers));
    this.#layout = { workspace, tierOf: tiers === undefined ? undefined : mapTiers(tiers), texts };
    return texts;
  };

  #reuseAll({ system, tiers, uncached }: WorkspaceTexts): WorkspaceTexts {
    const reuse = (messages: readonly Message[]) => messages.map(this.reuse);
    const { L0, L1, L2, L3 } = tiers;
    return { system, tiers: { L0, L1: reuse(L1), L2: reuse(L2), L3: reuse(L3) }, uncached: reuse(uncached) };
  }

  /** Limits what a large repository shows. The outlines are the same objects, so that their counts can be reused. */
  limit(
    workspace: GatheredWorkspace,
    { limitTokens, tiers = [] }: { readonly limitTokens: number; readonly tiers: TierSnapshot | undefined },
  ): GatheredWorkspace {
    let tracked: ReadonlySet<string> | undefined;
    const outlines = limitOutlines(workspace.outlines, {
      limitTokens,
      tokens: this.#outlineTokensOf(workspace.outlines),
      tokensOf: this.tokensOf,
      isShown: ({ path }) => {
        tracked ??= new Set(tiers.map(({ key }) => key));
        return tracked.has(makeItemKey("symbol", path));
      },
    });
    const { tree } = workspace;
    const shownTree = tree && limitTree(tree, { limitTokens, tokens: this.#treeTokensOf(tree) });
    // A workspace that is limited a second time, with fewer files, keeps its earlier counts.
    const hiddenOutlines = workspace.hiddenOutlines + workspace.outlines.length - outlines.length;
    return { ...workspace, outlines, hiddenOutlines, tree: shownTree, treeCount: workspace.treeCount ?? tree?.length };
  }

  #outlineTokensOf(outlines: GatheredWorkspace["outlines"]): number {
    const known = this.#tokens.get(outlines) ?? outlines.reduce((sum, outline) => sum + this.tokensOf(outline), 0);
    this.#tokens.set(outlines, known);
    return known;
  }

  /** Estimates, because paths are short and many. */
  #treeTokensOf(tree: readonly string[]): number {
    const known = this.#tokens.get(tree) ?? tree.reduce((sum, path) => sum + path.length / CHARACTERS_A_TOKEN + 1, 0);
    this.#tokens.set(tree, known);
    return known;
  }

  readonly tailOf = ({ tree, treeCount, links, review }: GatheredWorkspace): string => {
    const known = this.#tail;
    const isSame = known?.review === review && known?.treeCount === treeCount;
    if (known !== undefined && isSame && areEqual(known.links, links) && areEqual(known.tree ?? [], tree ?? []))
      return known.hash;
    const hash = hashText(JSON.stringify([tree, treeCount, links, review]));
    this.#tail = { tree, treeCount, links, review, hash };
    return hash;
  };

  readonly tokensOf = (owner: object): number => this.#tokens.get(owner) ?? 0;

  chainOf(name: PlaceName, messages: readonly Message[]): readonly string[] {
    const chained = chainMessages(this.#chains.get(name) ?? EMPTY_CHAIN, messages);
    this.#chains.set(name, chained);
    return chained.hashes;
  }
}

function firstTextOf({ parts }: Message): string | undefined {
  const [part] = parts;
  return part?.type === "text" ? part.text : undefined;
}

function isPlaced({ key, tier }: TrackedItem): boolean {
  return tier !== "active" && readItemKind(key) !== "history";
}

function mapTiers(tiers: TierSnapshot): ReadonlyMap<string, Tier> {
  return new Map(tiers.filter(isPlaced).map(({ key, tier }) => [key, tier]));
}

function isSamePlaces(known: Layout["tierOf"], tiers: TierSnapshot | undefined): boolean {
  if (known === undefined || tiers === undefined) return known === tiers;
  let same = 0;
  for (const item of tiers) {
    if (!isPlaced(item)) continue;
    if (known.get(item.key) !== item.tier) return false;
    same += 1;
  }
  return same === known.size;
}

/** Compares by identity: files, outlines and pages with other texts are other objects. */
function isSameContent(left: GatheredWorkspace, right: GatheredWorkspace): boolean {
  return (
    left.legend === right.legend &&
    left.review === right.review &&
    left.treeCount === right.treeCount &&
    (left.tree === undefined) === (right.tree === undefined) &&
    areEqual(left.tree ?? [], right.tree ?? []) &&
    areEqual(left.outlines, right.outlines) &&
    areEqual(left.files, right.files) &&
    areEqual(left.links, right.links)
  );
}

function areEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left === right || (left.length === right.length && left.every((item, index) => item === right[index]));
}
