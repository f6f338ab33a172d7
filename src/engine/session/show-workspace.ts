/** Lists the workspace of a session: files, pages and tree, with their tokens and tiers. */
import { formatFile, formatLinks } from "../../core/prompt/workspace/format-files.ts";
import { makeItemKey, type Tier } from "../../core/sections/tier.ts";
import type { SessionState } from "../state/session-state.ts";

/** The files, outlines and pages that a session shows beside its conversation. */
export interface ShownWorkspace {
  readonly files: readonly {
    readonly path: string;
    readonly tokens: number;
    /** Its tier in the newest prompt; undefined if none has shown it. */
    readonly tier: Tier | undefined;
    /** `gone`: deleted, or no longer allowed to be shown. `unread`: could not be read this time. */
    readonly state: "shown" | "gone" | "unread";
  }[];
  readonly links: readonly { readonly url: string; readonly title?: string | undefined; readonly tokens: number }[];
  readonly hasReview: boolean;
  readonly tree: readonly string[] | undefined;
  /** Files and outlines by tier, as of the newest prompt. */
  readonly tiers: readonly { readonly tier: Tier; readonly items: number; readonly tokens: number }[];
}

export async function showWorkspace(state: SessionState): Promise<ShownWorkspace> {
  const [gathered, { head }] = [await state.workspace.gather(), await state.current()];
  const items = head.tiers ?? [];
  const tierOf = new Map(items.map(({ key, tier }) => [key, tier]));
  const { files } = state.workspace;
  const isIn = (paths: readonly string[] | undefined, path: string) => paths?.includes(path) === true;
  return {
    files: files.files.map((file) => ({
      path: file.path,
      tokens: state.counts.countText(formatFile(file)),
      tier: tierOf.get(makeItemKey("file", file.path)),
      state: isIn(gathered?.gone, file.path) ? "gone" : isIn(gathered?.unread, file.path) ? "unread" : "shown",
    })),
    links: (gathered?.links ?? []).map((link) => ({
      url: link.url,
      title: link.title,
      tokens: state.counts.countText(formatLinks([link])),
    })),
    hasReview: gathered?.review !== undefined,
    tree: gathered?.tree,
    tiers: [...Map.groupBy(items, ({ tier }) => tier)].map(([tier, held]) => ({
      tier,
      items: held.length,
      tokens: held.reduce((sum, { tokens }) => sum + tokens, 0),
    })),
  };
}
