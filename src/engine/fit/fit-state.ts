/** The state that `fit` returns for the next call: decisions and summaries, never texts that the caller has. */
import { checkValue, listOf, oneOf, optional, shapeOf, TEXT } from "../../core/check-options.ts";
import { describeValue, type Fields, isObject } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { findKeptSeqs, findViewFloorSeq, type Head } from "../../core/log/head.ts";
import { applyPrunes, findOwnPrunes } from "../../core/log/prune.ts";
import type { ViewMessage } from "../../core/log/view.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import { FORMAT_NAMES } from "../../core/message/formats/format.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { fallbackId } from "../../core/message/message-ids.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import { Conversation, placeMessage } from "../state/conversation.ts";
import { type CoverItem, readOwnItems } from "../state/read-history.ts";
import { isCount, isRecord } from "../transfer/check-entry.ts";
import { decodeHead } from "../transfer/check-head.ts";
import type { FitRun, FitSettings, ItemOrigin } from "./fit-run.ts";

const SCHEMA_VERSION = 2;

/** What `fit` knows about a history. Pass it to the next call, so that only new messages are read. */
export interface FitState extends Pick<FitRun, "format" | "items" | "lastHash" | "lastSurroundings" | "compaction"> {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly counterId: string;
  readonly head: Head;
  /** Items that are, or begin with, a cover that an earlier call wrote; absent if none do. */
  readonly coverItems?: readonly CoverItem[] | undefined;
  /** The summary as it would be read back from the returned list; absent if it is the head's own. */
  readonly readBack?: SummaryRecord | undefined;
  /** Places of the items that the view needs: the first above the floor, and those kept below it. */
  readonly places: readonly ItemPlace[];
}

export interface ItemPlace {
  readonly item: number;
  readonly firstSeq: number;
}

/** Keeps the conversation for the next call of this process, so that it reads only new messages. */
const live = new WeakMap<FitState, FitRun>();

export function saveFit(run: FitRun): FitState {
  const { conversation, format, items, lastHash, origins, coverItems, readBack, lastSurroundings, compaction } = run;
  const needed = [...conversation.view.kept, ...conversation.view.messages.slice(0, 1)];
  const places = needed.flatMap(({ seq, message }): ItemPlace[] => {
    const origin = origins.get(message);
    return origin === undefined ? [] : [{ item: origin.item, firstSeq: seq - origin.place }];
  });
  const { head, counts } = conversation;
  const own = readBack === undefined || readBack === conversation.head.summary ? {} : { readBack };
  const read = {
    format,
    items,
    lastHash,
    lastSurroundings,
    ...(compaction === undefined ? {} : { compaction }),
    ...(coverItems.length === 0 ? {} : { coverItems }),
    ...own,
  };
  const state: FitState = { schemaVersion: SCHEMA_VERSION, ...read, counterId: counts.id, head, places };
  live.set(state, run);
  return state;
}

/** Restores the run of a state. Returns undefined when the history does not continue it. */
export async function reopenFit(
  state: FitState,
  history: readonly unknown[],
  fit: FitSettings,
): Promise<FitRun | undefined> {
  if (history.length < state.items || state.counterId !== fit.counts.id) return undefined;
  const known = live.get(state);
  live.delete(state);
  // The last item may be one that grows in place, so its words are compared and not only its identity.
  if (!isContinuation(state, history)) return undefined;
  if (known !== undefined && isSameHistory(known, history)) return known;
  return readAgain(state, history, fit);
}

/** Reads the `state` option; undefined for none, or one of another package version. Throws for anything else. */
export function readFitState(value: unknown): FitState | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value) || typeof value.schemaVersion !== "number") {
    const found = isObject(value) && "state" in value ? "the whole result" : describeValue(value);
    throw new PalimpsestError("config-invalid", `fit: state: expected ${EXPECTED_STATE}, found ${found}.`);
  }
  if (value.schemaVersion !== SCHEMA_VERSION) return undefined;
  if (!live.has(value as object as FitState)) checkState(value);
  return value as object as FitState;
}

const EXPECTED_STATE =
  "the `state` of an earlier result, as in const { state } = await fit(…), or that state parsed from JSON";

const isState = shapeOf({
  items: isCount,
  lastHash: TEXT,
  counterId: TEXT,
  format: optional(oneOf(...FORMAT_NAMES)),
  readBack: optional(isRecord),
  lastSurroundings: optional(
    shapeOf({ instructions: TEXT, tools: TEXT, sinceItem: isCount, changed: optional(oneOf("instructions", "tools")) }),
  ),
  compaction: optional(shapeOf({ at: isCount, itemsRead: isCount })),
  coverItems: optional(listOf(shapeOf({ item: isCount, parts: isCount }))),
  places: listOf(shapeOf({ item: isCount, firstSeq: isCount })),
});

function checkState(value: Fields): void {
  try {
    checkValue(value, isState, { path: "state", code: "message-invalid", lastSeq: Number.MAX_SAFE_INTEGER });
    decodeHead(value.head);
  } catch (cause) {
    if (!(cause instanceof PalimpsestError)) throw cause;
    const text = `fit: state: expected ${EXPECTED_STATE}. This one was changed: ${cause.message}`;
    throw new PalimpsestError("config-invalid", text, { cause });
  }
}

/** Whether every item that is shown, and the last one, is still the object that was read. */
function isSameHistory({ conversation, origins, items, lastItem }: FitRun, history: readonly unknown[]): boolean {
  if (items > 0 && history[items - 1] !== lastItem) return false;
  return [...conversation.view.kept, ...conversation.view.messages].every(({ message }) => {
    const origin = origins.get(message);
    return origin === undefined || history[origin.item] === origin.source;
  });
}

function isContinuation(state: FitState, history: readonly unknown[]): boolean {
  if (state.items === 0) return true;
  const last = state.items - 1;
  const messages = decodeItems(state, [history[last]], last).flat();
  return messages.map(hashMessage).join(" ") === state.lastHash;
}

async function readAgain(state: FitState, history: readonly unknown[], fit: FitSettings): Promise<FitRun> {
  const origins = new WeakMap<Message, ItemOrigin>();
  const floor = findViewFloorSeq(state.head);
  const kept = new Set(findKeptSeqs(state.head));
  const entries = readItems(state, history, origins).filter(({ seq }) => seq > floor || kept.has(seq));
  for (const { message } of entries) await runInSteps(fit.counts.countInSteps(message));
  const conversation = new Conversation(
    state.head,
    entries.map(({ message, seq }) => placeMessage(message, seq)),
    { counts: fit.counts, renderer: fit.settings.summary.renderer },
  );
  const { format, items, lastHash, coverItems = [], readBack, lastSurroundings, compaction } = state;
  const read = { format, items, lastHash, coverItems, readBack, lastSurroundings, compaction };
  return { conversation, origins, lastItem: history[items - 1], ...read };
}

type PlacedItem = Pick<ViewMessage, "seq" | "message">;

function readItems(
  state: FitState,
  history: readonly unknown[],
  origins: WeakMap<Message, ItemOrigin>,
): readonly PlacedItem[] {
  const ordered = state.places.toSorted((left, right) => left.item - right.item);
  const start = ordered.at(-1);
  if (start === undefined) return [];
  const single = ordered.slice(0, -1).map((place) => ({ place, end: place.item + 1 }));
  return [...single, { place: start, end: state.items }].flatMap(({ place, end }) => {
    const messages = decodeItems(state, history.slice(place.item, end), place.item);
    let seq = place.firstSeq;
    return messages.flatMap((parts, index) =>
      parts.map((message, part): PlacedItem => {
        const item = place.item + index;
        const origin = { item, place: part, count: parts.length, source: history[item] };
        for (const each of [message, applyPrunes(message, findOwnPrunes(message))]) origins.set(each, origin);
        return { seq: seq++, message };
      }),
    );
  });
}

function decodeItems(
  { format, coverItems = [] }: FitState,
  items: readonly unknown[],
  firstItem: number,
): readonly (readonly Message[])[] {
  const { messages } = decodeInput(items, { fallbackId, format, firstIndex: firstItem });
  return readOwnItems(messages, { coverItems, firstItem });
}
