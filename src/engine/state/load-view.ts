/**
 * Loads a view. A short one is read at once, a longer one when there is room in memory. One that is too long for memory
 * is folded first, part by part, starting with the oldest.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import type { PartLimits } from "../../ports/store.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { Conversation } from "./conversation.ts";
import { SHORT_VIEW, type ViewMemory } from "./view-memory.ts";

/** Of a longer view, the first read returns one seq, enough to find that it is longer. */
const SHORT_LIMITS: PartLimits = { maxSeqs: 1_000, maxCharacters: SHORT_VIEW, partSeqs: 1 };
/** A view of this size is read at once, whatever the window. A fold of it takes about 20 MB. */
const WHOLE_SEQS = 5_000;
const WHOLE_CHARACTERS = 1_000_000;
/** The largest view that is read at once because it may fit into the window. */
const MAX_SEQS = 20_000;
const MAX_CHARACTERS = 32_000_000;
/** The largest part that is read although its fold could not be stored, for example because the disk is full. */
const UNSTORED_CHARACTERS = 8_000_000;
/** Few conversations have shorter messages, or more characters in a token. */
const TOKENS_PER_SEQ = 50;
const CHARACTERS_PER_TOKEN = 5;

export interface ViewPart {
  readonly conversation: Conversation;
  /** Weight of the entries in memory; see `weighEntries`. */
  readonly weight: number;
  /** Undefined if the part is the whole view. */
  readonly partThroughSeq: number | undefined;
  readonly lastSeq: number;
}

/** Folds the oldest parts of a view that is too long for memory. */
export interface PartCompactor {
  /** Returns the limit of a usual prompt, or of the requested one if that is larger. */
  findLimitTokens(): Promise<number>;
  /** Returns false if the part fits into a prompt or cannot be made smaller. A larger part is read then. */
  foldPart(part: Conversation): Promise<boolean>;
}

export interface ViewSource {
  readonly id: SessionId;
  readonly context: EngineContext;
  readonly memory: ViewMemory;
  /** Without it, the view is read whole. */
  readonly compactor: PartCompactor | undefined;
  readPart(limits: PartLimits | undefined): Promise<ViewPart>;
}

export async function loadView(source: ViewSource): Promise<ViewPart> {
  const { compactor, memory } = source;
  if (compactor === undefined) return source.readPart(undefined);
  const startedAt = source.context.clock.now();
  memory.leave();
  await waitForRoom(source, SHORT_VIEW, startedAt);
  const first = await source.readPart(SHORT_LIMITS);
  if (first.partThroughSeq === undefined) return settle(source, first);
  const limits = findWholeLimits(await compactor.findLimitTokens());
  memory.leave();
  await waitForRoom(source, WHOLE_CHARACTERS, startedAt);
  return settle(source, await readInParts(source, compactor, { limits, startedAt }));
}

/** Waits until the view of a call has room in memory. Throws `catching-up` if there is none in time. */
export async function waitForRoom(
  { memory, context }: Pick<ViewSource, "memory" | "context">,
  weight: number,
  startedAt = context.clock.now(),
): Promise<void> {
  const { clock, limits } = context;
  const withinMs = Math.max(0, limits.catchUpMs - (clock.now() - startedAt));
  if (await memory.enter(weight, withinMs)) return;
  const text = "Other long sessions are being read, and there is no room in memory for this one yet. Try again.";
  throw new PalimpsestError("catching-up", text);
}

function settle({ memory }: ViewSource, part: ViewPart): ViewPart {
  memory.resize(part.weight);
  return part;
}

function findWholeLimits(limitTokens: number): PartLimits {
  return {
    maxSeqs: clamp(limitTokens / TOKENS_PER_SEQ, WHOLE_SEQS, MAX_SEQS),
    maxCharacters: clamp(limitTokens * CHARACTERS_PER_TOKEN, WHOLE_CHARACTERS, MAX_CHARACTERS),
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.round(Math.min(max, Math.max(min, value)));
}

async function readInParts(
  source: ViewSource,
  compactor: PartCompactor,
  { limits, startedAt }: { readonly limits: PartLimits; readonly startedAt: number },
): Promise<ViewPart> {
  const { context, memory, id: sessionId } = source;
  for (let wanted = limits; ; ) {
    const part = await source.readPart({ ...wanted, partSeqs: Math.min(wanted.maxSeqs, WHOLE_SEQS) });
    const { conversation, partThroughSeq, lastSeq } = part;
    if (partThroughSeq === undefined) return part;
    if (await compactor.foldPart(conversation).catch(returnIfUnstored(wanted))) {
      context.emitter.emit("catch-up", { sessionId, foldedThroughSeq: partThroughSeq, lastSeq });
    } else {
      wanted = { maxSeqs: wanted.maxSeqs * 2, maxCharacters: wanted.maxCharacters * 2 };
      memory.resize(wanted.maxCharacters);
    }
    if (context.clock.now() - startedAt > context.limits.catchUpMs)
      throw createCatchingUpError(partThroughSeq, lastSeq);
  }
}

function returnIfUnstored({ maxCharacters }: PartLimits): (error: unknown) => false {
  return (error) => {
    const isUnstored = error instanceof PalimpsestError && error.code === "store-unavailable";
    if (isUnstored && maxCharacters < UNSTORED_CHARACTERS) return false;
    throw error;
  };
}

function createCatchingUpError(foldedThroughSeq: number, lastSeq: number): PalimpsestError {
  const text = `The session is being folded for the first time: ${foldedThroughSeq} of ${lastSeq} entries so far.`;
  return new PalimpsestError("catching-up", `${text} Try again; the work continues where it stopped.`);
}
