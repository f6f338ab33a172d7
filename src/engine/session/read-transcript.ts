/** Reads all messages of a session in pages, so that a long log blocks nothing. */
import type { Message } from "../../core/message/message.ts";
import { groupRecordedTurns, type RecordedTurn } from "../../core/summary/offline/group-recorded-turns.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { yieldToEventLoop } from "../../ports/run-in-steps.ts";
import type { SessionState } from "../state/session-state.ts";

const PAGE = 1_000;

export async function readTranscript({ id, context }: SessionState): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (let afterSeq = 0; ; ) {
    const page = await context.store.readEntries(id, { afterSeq, types: ["message"], limit: PAGE });
    for (const entry of page) {
      if (entry.type === "message" && entry.erased !== true) messages.push(structuredClone(entry.message));
      await yieldToEventLoop();
    }
    if (page.length < PAGE) return messages;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}

export type { RecordedTurn };

export async function readTurns(state: SessionState): Promise<readonly RecordedTurn[]> {
  const messages = await readTranscript(state);
  const entries = await state.context.store.readEntries(state.id, { types: ["summary"] });
  const records = entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));
  const { summary } = (await state.current()).head;
  return groupRecordedTurns(messages, findChain(summary?.id, records));
}

/** Returns the chain of the newest summary, oldest first, without undone or rewritten records. */
function findChain(newestId: string | undefined, records: readonly SummaryRecord[]): readonly SummaryRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const chain: SummaryRecord[] = [];
  for (let record = byId.get(newestId ?? ""); record !== undefined; record = byId.get(record.parentId ?? "")) {
    chain.unshift(record);
    byId.delete(record.id);
  }
  return chain;
}
