/**
 * A summary's record without the ids of what it covers. They are one for each message, so that for whoever only shows a
 * summary they would outweigh it by far in a long log; its coverage says the same in four figures.
 */
import type { SummaryRecord } from "../../core/summary/record/record.ts";

export function withoutIds({ messageIds: _ids, ...record }: SummaryRecord): Omit<SummaryRecord, "messageIds"> {
  return record;
}
