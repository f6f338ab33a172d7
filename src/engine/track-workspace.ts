/**
 * One request's step of the tiers: what is there now, where it stands after this request, and the prompt's items in
 * their order. It changes nothing; whoever hands the prompt out keeps the step with the request.
 */
import type { Head } from "../core/log/head.ts";
import { hashMessage } from "../core/message/hash-message.ts";
import type { Message } from "../core/message/message.ts";
import { purgeHistory } from "../core/prompt/tiers/purge-history.ts";
import { seedTiers } from "../core/prompt/tiers/seed-tiers.ts";
import type { TierRules } from "../core/prompt/tiers/tier-rules.ts";
import { type PresentItem, type TierUpdate, trackStability } from "../core/prompt/tiers/track-stability.ts";
import { formatFile } from "../core/prompt/workspace/format-files.ts";
import { groupHistory, type HistoryGroup } from "../core/prompt/workspace/group-history.ts";
import { layOutWorkspace, type WorkspaceLayout } from "../core/prompt/workspace/lay-out-workspace.ts";
import { type OrderedPrompt, orderPrompt } from "../core/prompt/workspace/order-prompt.ts";
import { keyOf, type TierSnapshot } from "../core/sections/tier.ts";
import { diffTiers, type TierDelta } from "../core/sections/tier-delta.ts";
import type { Conversation } from "./conversation.ts";
import type { GatheredWorkspace } from "./workspace-context.ts";

export interface TrackedWorkspace {
  readonly layout: WorkspaceLayout;
  readonly update: TierUpdate;
  readonly delta: TierDelta | undefined;
  readonly ordered: OrderedPrompt;
}

export interface TrackOptions {
  readonly conversation: Conversation;
  readonly rules: TierRules;
  readonly countText: (text: string) => number;
}

export function trackWorkspace(
  workspace: GatheredWorkspace,
  { conversation, rules, countText }: TrackOptions,
): TrackedWorkspace {
  const { head, view, assembler } = conversation;
  const seqs = new Map([...view.kept, ...view.messages].map(({ shown, seq }) => [shown, seq]));
  const groups = groupHistory(assembler.items, (message) => seqs.get(message));
  const before = startOf(head, workspace, rules);
  const present = [...presentFiles(workspace, countText), ...presentHistory(groups)];
  const update = trackStability(before, present, rules);
  const layout = layOutWorkspace(workspace, update.items);
  return {
    layout,
    update,
    delta: diffTiers(head.tiers ?? [], update.items),
    ordered: orderPrompt(layout, groups),
  };
}

/** What the last request left; without one, outlines by who refers to whom. A new past begins without its history. */
function startOf(head: Head, { outlines }: GatheredWorkspace, rules: TierRules): TierSnapshot {
  if (head.tiers === undefined) return seedTiers(outlines, rules);
  const last = head.requests.at(-1);
  const isFolded = last !== undefined && last.viewEpoch < head.compactedEpoch;
  return isFolded ? purgeHistory(head.tiers).items : head.tiers;
}

function presentFiles(
  { files, outlines }: GatheredWorkspace,
  countText: (text: string) => number,
): readonly PresentItem[] {
  const chosen = new Set(files.map(({ path }) => path));
  return [
    ...files.map((file) => ({
      key: keyOf("file", file.path),
      hash: hashOf(file),
      tokens: countText(formatFile(file)),
      enters: true,
    })),
    ...outlines.map(({ path, text, hash }) => ({
      key: keyOf("symbol", path),
      hash,
      tokens: countText(text),
      enters: chosen.has(path),
    })),
  ];
}

function hashOf(file: { readonly text: string; readonly hash?: string | undefined }): string {
  return file.hash ?? "";
}

/** The newest group stays where it is: what is asked now is no history yet. */
function presentHistory(groups: readonly HistoryGroup[]): readonly PresentItem[] {
  return groups
    .slice(0, -1)
    .filter(({ isClosed }) => isClosed)
    .map(({ seq, messages, tokens }) => ({
      key: keyOf("history", seq),
      hash: messages.map(hashOnce).join(" "),
      tokens,
      enters: true,
    }));
}

const hashes = new WeakMap<Message, string>();

function hashOnce(message: Message): string {
  const known = hashes.get(message) ?? hashMessage(message);
  hashes.set(message, known);
  return known;
}
