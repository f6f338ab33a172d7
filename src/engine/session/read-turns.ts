/** Everything that was said in a session, turn by turn, with the summaries that the log keeps. */
import { groupRecordedTurns, type RecordedTurn } from "../../core/summary/offline/group-recorded-turns.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import type { SessionState } from "../state/session-state.ts";
import { readTranscript } from "./read-transcript.ts";

export type { RecordedTurn };

export async function readTurns(state: SessionState): Promise<readonly RecordedTurn[]> {
  const messages = await readTranscript(state);
  const entries = await state.context.store.readEntries(state.id, { types: ["summary"] });
  const records = entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));
  const { summary } = (await state.current()).head;
  return groupRecordedTurns(messages, chainOf(summary?.id, records));
}

/** What was taken back, or written anew since, is no part of the chain; oldest first. */
function chainOf(newestId: string | undefined, records: readonly SummaryRecord[]): readonly SummaryRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const chain: SummaryRecord[] = [];
  for (let record = byId.get(newestId ?? ""); record !== undefined; record = byId.get(record.parentId ?? "")) {
    chain.unshift(record);
    byId.delete(record.id);
  }
  return chain;
}
