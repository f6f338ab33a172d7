/**
 * What changes of the past did to a provider's cache, by what the provider reported for the answers on both sides of
 * each. Only the newest are known; nothing here is estimated.
 */
import { CACHE_EPOCHS, type CacheComparison, compareCacheUse } from "../../core/log/cache-use.ts";
import { type EntryId, EPOCH_TYPES, type EpochEntry, movesEpoch, type PromptId } from "../../core/log/entry.ts";
import type { SessionState } from "./session-state.ts";

export interface CacheChange extends CacheComparison {
  /** The entry that changed the past. */
  readonly entryId: EntryId;
  readonly type: EpochEntry["type"];
  readonly epoch: number;
}

/** The newest changes, oldest first. */
export async function readCacheHistory(state: SessionState): Promise<readonly CacheChange[]> {
  const { cacheUse } = (await state.current()).head;
  const range = { types: EPOCH_TYPES, newestFirst: true, limit: CACHE_EPOCHS };
  const newest = await state.context.store.readEntries(state.id, range);
  return newest
    .filter(movesEpoch)
    .reverse()
    .map(({ id, type, epoch }) => {
      return { entryId: id, type, epoch, ...compareCacheUse(cacheUse, epoch) };
    });
}

/** Tells the host where this is the first answer to a prompt that shows a changed past. */
export async function tellCacheUse(state: SessionState, promptId: PromptId): Promise<void> {
  const uses = (await state.current()).head.cacheUse ?? [];
  // A later answer to the same prompt is another object.
  const index = uses.findIndex(({ first, last }) => first.promptId === promptId && first === last);
  const [earlier, now] = [uses[index - 1], uses[index]];
  if (earlier === undefined || now === undefined) return;
  const epochs = { epochBefore: earlier.viewEpoch, epochAfter: now.viewEpoch };
  state.context.emitter.emit("cache", { sessionId: state.id, ...epochs, before: earlier.last, after: now.first });
}
