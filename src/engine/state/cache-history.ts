/** Compares a provider's cache use before and after the newest changes of a session's past, by reported usage. */
import { CACHE_EPOCHS, type CacheComparison, compareCacheUse } from "../../core/log/cache-use.ts";
import { type EntryId, EPOCH_TYPES, type EpochEntry, movesEpoch, type PromptId } from "../../core/log/entry.ts";
import type { SessionState } from "./session-state.ts";

/** A change of the past, with the provider's cache reads and writes before and after. */
export interface CacheChange extends CacheComparison {
  readonly entryId: EntryId;
  readonly type: EpochEntry["type"];
  readonly epoch: number;
}

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

/** Emits `cache` if this is the first answer to a prompt with a changed view. */
export async function emitCacheUse(state: SessionState, promptId: PromptId): Promise<void> {
  // Entries that other processes have appended do not change which answer was the first.
  const uses = (state.extendKnown() ?? (await state.current())).head.cacheUse ?? [];
  // A later answer to the same prompt is another object.
  const index = uses.findIndex(({ first, last }) => first.promptId === promptId && first === last);
  const [earlier, now] = [uses[index - 1], uses[index]];
  if (earlier === undefined || now === undefined) return;
  const epochs = { epochBefore: earlier.viewEpoch, epochAfter: now.viewEpoch };
  state.context.emitter.emit("cache", { sessionId: state.id, ...epochs, before: earlier.last, after: now.first });
}
