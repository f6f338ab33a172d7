/** Loads a view. One that is too long for memory is folded first, part by part, starting with the oldest. */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { FairQueue } from "../../ports/run-in-steps.ts";
import type { PartLimits } from "../../ports/store.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { Conversation } from "./conversation.ts";

/** A view of this size is read at once; it takes about a hundred megabytes. */
const WHOLE_VIEW_LIMITS = { maxSeqs: 20_000, maxCharacters: 32_000_000 };
/** A longer view is read in parts of this size. */
const VIEW_PART_LIMITS = { maxSeqs: 5_000, maxCharacters: 16_000_000 };
/** Limits of the first read. Of a longer view it returns one seq, enough to find that it must be read in parts. */
const FIRST_LIMITS: PartLimits = { ...WHOLE_VIEW_LIMITS, partSeqs: 1 };

export interface ViewPart {
  readonly conversation: Conversation;
  /** Undefined if the part is the whole view. */
  readonly partThroughSeq: number | undefined;
  readonly lastSeq: number;
}

export interface ViewSource {
  readonly id: SessionId;
  readonly context: EngineContext;
  readPart(limits: PartLimits): Promise<ViewPart>;
  /** Returns false if the part fits into a prompt or cannot be made smaller. A larger part is read then. */
  foldPart(part: Conversation): Promise<boolean>;
}

/** Limit of views that are read in parts at the same time. Each holds a part in memory. */
const MAX_OWNERS = 4;
const catchUps = new FairQueue(MAX_OWNERS);

export async function loadView(source: ViewSource): Promise<Conversation> {
  const first = await source.readPart(FIRST_LIMITS);
  if (first.partThroughSeq === undefined) return first.conversation;
  return catchUps.run(source.context.store, () => catchUp(source));
}

async function catchUp(source: ViewSource): Promise<Conversation> {
  const { clock, limits, emitter } = source.context;
  const startedAt = clock.now();
  for (let part: PartLimits = VIEW_PART_LIMITS; ; ) {
    const { conversation, partThroughSeq, lastSeq } = await source.readPart(part);
    if (partThroughSeq === undefined) return conversation;
    if (await source.foldPart(conversation)) {
      emitter.emit("catch-up", { sessionId: source.id, foldedThroughSeq: partThroughSeq, lastSeq });
    } else part = { maxSeqs: part.maxSeqs * 2, maxCharacters: part.maxCharacters * 2 };
    if (clock.now() - startedAt > limits.catchUpMs) throw createCatchingUpError(partThroughSeq, lastSeq);
  }
}

function createCatchingUpError(foldedThroughSeq: number, lastSeq: number): PalimpsestError {
  const text = `The session is being folded for the first time: ${foldedThroughSeq} of ${lastSeq} entries so far.`;
  return new PalimpsestError("catching-up", `${text} Try again; the work continues where it ended.`);
}
