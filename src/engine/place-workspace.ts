/**
 * One request's step of the tiers: what is there now, where it stands after this request, and the prompt's messages
 * place by place. It changes nothing; whoever hands the prompt out keeps the step with the request.
 */
import type { Head } from "../core/log/head.ts";
import type { View } from "../core/log/view.ts";
import { hashMessage } from "../core/message/hash-message.ts";
import type { Message } from "../core/message/message.ts";
import type { Assembler } from "../core/prompt/assemble-prompt.ts";
import { purgeHistory } from "../core/prompt/tiers/purge-history.ts";
import { seedTiers } from "../core/prompt/tiers/seed-tiers.ts";
import type { TierRules } from "../core/prompt/tiers/tier-rules.ts";
import { type PresentItem, type TierUpdate, trackStability } from "../core/prompt/tiers/track-stability.ts";
import { groupHistory, type HistoryGroup } from "../core/prompt/workspace/group-history.ts";
import { layOutHistory, type WorkspaceTexts } from "../core/prompt/workspace/lay-out-workspace.ts";
import { type OrderedItem, orderPrompt } from "../core/prompt/workspace/order-prompt.ts";
import type { SectionName } from "../core/sections/section.ts";
import { type CachedTier, keyOf, type TierSnapshot } from "../core/sections/tier.ts";
import { diffTiers, type TierDelta } from "../core/sections/tier-delta.ts";
import type { WorkspaceFile, WorkspaceOutline } from "../ports/workspace.ts";
import type { GatheredWorkspace } from "./gathered-workspace.ts";

export type PlaceName = Extract<SectionName, CachedTier | "workspace" | "history">;

export interface Place {
  readonly name: PlaceName;
  readonly messages: readonly Message[];
}

export interface PlacedWorkspace {
  /** Undefined where nothing is followed: the order is flat. */
  readonly update: TierUpdate | undefined;
  readonly delta: TierDelta | undefined;
  /** Goes on where the instructions end. */
  readonly system: Message | undefined;
  /** All but the instructions, in the order of the prompt; those that hold nothing are left out. */
  readonly places: readonly Place[];
  /** What the workspace itself shows, the system text included. */
  readonly shown: readonly Message[];
}

export interface PlaceOptions {
  readonly head: Head;
  readonly view: View;
  readonly assembler: Assembler;
  /** Undefined: flat. */
  readonly rules: TierRules | undefined;
  /** Of a file or an outline. */
  readonly tokensOf: (shown: WorkspaceFile | WorkspaceOutline) => number;
  /** Where the session that this one goes on from left its files. */
  readonly inherited?: TierSnapshot | undefined;
  /** The texts, or those of an earlier prompt where nothing has changed since. */
  readonly layOut: (workspace: GatheredWorkspace, tiers: TierSnapshot | undefined) => WorkspaceTexts;
  /** The same text as the same message, so that what is known of it need not be found out again. */
  readonly reuse: (message: Message) => Message;
}

export function placeWorkspace(workspace: GatheredWorkspace, options: PlaceOptions): PlacedWorkspace {
  const { view, assembler, rules, layOut, reuse } = options;
  const seqs = new Map([...view.kept, ...view.messages].map(({ shown, seq }) => [shown, seq]));
  const groups = groupHistory(assembler.items, (message) => seqs.get(message));
  const update = rules === undefined ? undefined : track(workspace, { ...options, groups, rules });
  const layout = layOutHistory(layOut(workspace, update?.items), update?.items);
  const system = layout.system === undefined ? undefined : reuse(systemMessage(layout.system));
  const workspaceMessages = [...layout.tiers.flatMap(({ messages }) => messages), ...layout.uncached];
  return {
    update,
    delta: update?.delta,
    system,
    places: placesOf(orderPrompt(layout, groups).items),
    shown: system === undefined ? workspaceMessages : [system, ...workspaceMessages],
  };
}

interface TrackOptions extends PlaceOptions {
  readonly groups: readonly HistoryGroup[];
  readonly rules: TierRules;
}

function track(workspace: GatheredWorkspace, { head, groups, rules, tokensOf, inherited }: TrackOptions): TierUpdate {
  const present = [...presentFiles(workspace, tokensOf), ...presentHistory(groups)];
  if (head.tiers === undefined) {
    const update = trackStability(inherited ?? seedTiers(workspace.outlines, rules), present, rules);
    return { ...update, delta: diffTiers([], update.items) };
  }
  const last = head.requests.at(-1);
  // What was folded since takes all history out; what is left of it begins anew.
  if (last === undefined || last.viewEpoch >= head.compactedEpoch) return trackStability(head.tiers, present, rules);
  const purged = purgeHistory(head.tiers);
  const update = trackStability(purged.items, present, rules, purged.broken);
  const broken = (["L0", "L1", "L2", "L3"] as const).filter((tier) =>
    [...purged.broken, ...update.broken].includes(tier),
  );
  const delta = diffTiers(head.tiers, update.items);
  return { ...update, moves: [...purged.moves, ...update.moves], broken, delta };
}

function presentFiles(
  { files, outlines }: GatheredWorkspace,
  tokensOf: PlaceOptions["tokensOf"],
): readonly PresentItem[] {
  const chosen = new Set(files.map(({ path }) => path));
  return [
    ...files.map((file) => ({
      key: keyOf("file", file.path),
      hash: file.hash,
      tokens: tokensOf(file),
      enters: true,
    })),
    ...outlines.map((outline) => ({
      key: keyOf("symbol", outline.path),
      hash: outline.hash,
      tokens: tokensOf(outline),
      enters: chosen.has(outline.path),
    })),
  ];
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

/** Of a message that never changes under the hands of whoever asks. */
export function hashOnce(message: Message): string {
  const known = hashes.get(message) ?? hashMessage(message);
  hashes.set(message, known);
  return known;
}

function systemMessage(text: string): Message {
  return { id: "workspace-system", role: "system", parts: [{ type: "text", text }] };
}

function placesOf(items: readonly OrderedItem[]): readonly Place[] {
  const places = new Map<PlaceName, Message[]>();
  for (const { tier, kind, message } of items) {
    const name = tier === "active" ? kind : tier;
    const place = places.get(name) ?? [];
    places.set(name, place);
    place.push(message);
  }
  return [...places].map(([name, messages]) => ({ name, messages }));
}
