/**
 * Answers a client's own compaction with a summary of the session, in the client's form. The upstream is not asked. The
 * same request gets the same summary again.
 */
import type { MessageEntry, SummaryEntry } from "../../core/log/entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import type { Session } from "../../engine/session/session.ts";
import type { CompactionRequest } from "./compaction-request.ts";
import { continueSession, nameContinuation, writeReference } from "./continued-conversation.ts";
import { forkForRetry } from "./find-conversation.ts";
import type { GatewayParts } from "./gateway-call.ts";
import { findPlace, listConversation, type OpenRequest, openRequest, writePromptOptions } from "./prepare-turn.ts";
import { writeCompactionReply } from "./write-compaction-reply.ts";

/** Returns undefined if there is nothing to summarize. Then the upstream answers. */
export async function answerCompaction(
  request: OpenRequest,
  { form, history }: CompactionRequest,
  { windowTokens }: Pick<GatewayParts, "windowTokens">,
): Promise<Response | undefined> {
  if (history.length === 0) return undefined;
  const open = openRequest({ ...request, read: { ...request.read, history } });
  const listed = await listConversation(open, await findPlace(open));
  const session = listed.isBehind ? await forkForRetry(listed) : listed.session;
  const id = nameContinuation(session.id, listed.throughSeq);
  const fork = await session.fork(listed.throughSeq, { id });
  const options = { ...writePromptOptions(open.read), windowTokens };
  const summary = (await findSummary(fork)) ?? (await writeSummary(fork, options));
  if (summary === undefined) return undefined;
  await continueSession(session, listed.throughSeq, id);
  const text = [summary, writeReference(id)].join("\n\n");
  return writeCompactionReply(text, { form, open, headers: { "x-palimpsest-session": id } });
}

/** Returns the text that answered the same request before. */
async function findSummary(fork: Session): Promise<string | undefined> {
  const throughSeq = await fork.clearedThroughSeq();
  return throughSeq === 0 ? undefined : describe(fork, throughSeq);
}

async function writeSummary(fork: Session, as: ReturnType<typeof writePromptOptions>): Promise<string | undefined> {
  const { type } = await fork.compact({ as, keep: { messages: 0 } });
  const [newest] = await fork.entries({ newestFirst: true, limit: 1 });
  return type === "compacted" && newest !== undefined ? describe(fork, newest.seq) : undefined;
}

/** The newest messages that the summary does not cover, and the last requests, follow it word for word. */
async function describe(fork: Session, throughSeq: number): Promise<string | undefined> {
  const [entry] = await fork.entries({ types: ["summary"], throughSeq, newestFirst: true, limit: 1 });
  if (entry?.type !== "summary") return undefined;
  const kept = await readKept(fork, entry, throughSeq);
  return [entry.record.text, ...(kept.length === 0 ? [] : ["The newest messages, word for word:", ...kept])].join(
    "\n\n",
  );
}

async function readKept(fork: Session, { record, keptRequests }: SummaryEntry, throughSeq: number) {
  const read = async (afterSeq: number, last: number): Promise<readonly MessageEntry[]> => {
    const entries = await fork.entries({ types: ["message"], afterSeq, throughSeq: last });
    return entries.filter((entry) => entry.type === "message");
  };
  const requests = await Promise.all(keptRequests.map((seq) => read(seq - 1, seq)));
  const later = await read(record.coverage.lastSeq, throughSeq);
  return [...requests.flat(), ...later].map(({ message }) => `${message.role}: ${messageText(message)}`);
}
