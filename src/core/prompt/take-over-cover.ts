/**
 * Makes of a cover that stood in a history what it was before it was rendered: a summary record and a truncation, with
 * what they count. The messages of the cover stay in the log; the record stands for them as well.
 */
import type { Message, MessageId } from "../message/message.ts";
import { messageText } from "../message/message-text.ts";
import type { Change } from "../plan/proposal.ts";
import { readSummaryText } from "../summary/offline/read-summary-text.ts";
import { chainHash } from "../summary/record/chain-hash.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import type { Cover, CoverSummary } from "./read-cover.ts";

export interface CoverPlace {
  /** Messages of the cover, in order, with their places. */
  readonly messages: readonly { readonly seq: number; readonly message: Message }[];
  readonly id: string;
  readonly at: number;
  readonly count: (text: string) => number;
}

export const TAKEN_OVER = "taken over from the history";

export function takeOverCover({ summary, truncation }: Cover, place: CoverPlace): readonly Change[] {
  const [firstSeq, lastSeq] = [place.messages.at(0)?.seq ?? 0, place.messages.at(-1)?.seq ?? 0];
  const shared = { keptRequests: [], readThroughSeq: lastSeq, reason: TAKEN_OVER } as const;
  const changes: Change[] = [];
  if (summary !== undefined) {
    changes.push({ type: "summary", record: recordOf(summary, place), keptRequests: [], readThroughSeq: lastSeq });
  }
  if (truncation !== undefined) {
    const { count, tokens: coveredTokens } = truncation;
    changes.push({ type: "truncate", coverage: { firstSeq, lastSeq, count }, coveredTokens, ...shared });
  }
  return changes;
}

function recordOf(summary: CoverSummary, { messages, id, at, count: countText }: CoverPlace): SummaryRecord {
  const said = messages.map(({ message }) => message);
  const [firstSeq, lastSeq] = [messages.at(0)?.seq ?? 0, messages.at(-1)?.seq ?? 0];
  const messageIds = said.map((message): MessageId => message.id);
  const { depth, omitted, origin, count } = summary;
  const read = readSummaryText(summary.text, { source: messageIds[0] ?? id, count });
  return {
    id,
    at,
    depth,
    coverage: { firstSeq, lastSeq, count, chainHash: chainHash(undefined, said) },
    messageIds,
    ...read,
    origin,
    reason: TAKEN_OVER,
    tokensBefore: countText(said.map(messageText).join("\n")),
    tokensAfter: countText(read.text),
    ...(omitted === undefined ? {} : { omitted }),
  };
}
