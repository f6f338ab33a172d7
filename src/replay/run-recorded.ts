/** What the recording tool really sent, with its own compactions; and the whole history, which needs no policy. */
import type { PolicyPrompt, PolicyRequest, PolicyRun } from "./policy-run.ts";
import type { BlockBook } from "./prompt-blocks.ts";
import type { RecordedSession } from "./recorded-session.ts";

export function runRecorded({ compactions }: RecordedSession, book: BlockBook): PolicyRun {
  let last: RecordedSession["compactions"][number] | undefined;
  return {
    async send({ history }) {
      const compaction = compactions.findLast(({ index }) => index <= history.length);
      const isCut = compaction !== last;
      last = compaction;
      const sent = [
        ...(compaction === undefined ? [] : [compaction.summary]),
        ...history.slice(compaction?.index ?? 0),
      ];
      return { blocks: sent.flatMap((message) => book.blocksOf(message)), isCut, summaries: [] };
    },
  };
}

export function runFullHistory(book: BlockBook): PolicyRun {
  return {
    async send({ history }: PolicyRequest): Promise<PolicyPrompt> {
      return { blocks: history.flatMap((message) => book.blocksOf(message)), isCut: false, summaries: [] };
    },
  };
}
