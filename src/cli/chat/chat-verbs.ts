/** The commands of a chat: lines that begin with a slash. */
import type { Client } from "../../client/index.ts";
import { describeMessage } from "../../core/message/describe-message.ts";
import type { Message } from "../../core/message/message.ts";
import { describeCount, describeNotCompacted } from "../terminal/terminal-text.ts";

interface Verb {
  readonly help: string;
  /** `rest` is the text after the command. */
  run(call: VerbCall): Promise<VerbResult>;
}

interface VerbCall {
  readonly client: Client;
  readonly sessionId: string;
  readonly rest: string;
}

interface VerbResult {
  /** A sentence about what happened. */
  readonly outcome: string;
  /** What was asked for, such as quoted messages. */
  readonly lines?: readonly string[] | undefined;
  /** The session in which the chat continues, if it is another one. */
  readonly continuesIn?: string | undefined;
}

export const CHAT_VERBS: Readonly<Record<string, Verb>> = {
  compact: {
    help: "/compact [instructions]: summarizes everything before the last turns",
    run: compact,
  },
  resummarize: {
    help: "/resummarize [instructions]: rewrites the summary, or writes the first one",
    async run(call) {
      const params = { id: call.sessionId };
      if ((await findLiveSummary(call)) === undefined) return compact(call);
      const outcome = await call.client.resummarize({ params, body: bodyOf(call.rest) });
      if (outcome.type !== "compacted") return { outcome: describeNotCompacted(outcome) };
      return { outcome: "summary rewritten; /undo restores the previous one" };
    },
  },
  expand: {
    help: "/expand [summary id]: shows the messages behind the summary",
    async run(call) {
      const summaryId = call.rest === "" ? await findLiveSummary(call) : call.rest;
      if (summaryId === undefined) return { outcome: "there is no summary" };
      const { messages } = await call.client.expandSummary({ params: { id: call.sessionId, summaryId } });
      return { outcome: describeCount(messages.length, "message", "messages"), lines: messages.flatMap(showMessage) };
    },
  },
  recall: {
    help: "/recall <query>: quotes earlier messages that match, also those that the model no longer sees",
    async run({ client, sessionId, rest: query }) {
      if (query === "") return { outcome: "say what to look for: /recall <query>" };
      const { passages } = await client.recallSession({ params: { id: sessionId }, query: { query } });
      const lines = passages.map(({ seq, role, name, text }) => `#${seq} ${name ?? role}: ${text}`);
      return { outcome: describeCount(lines.length, "passage", "passages"), lines };
    },
  },
  fork: {
    help: "/fork [seq]: continues in a new session that branches off here, or after the message with this number",
    async run({ client, sessionId, rest }) {
      const atSeq = rest === "" ? undefined : Number(rest);
      if (atSeq !== undefined && !(Number.isInteger(atSeq) && atSeq >= 1)) {
        return { outcome: "expected the number of a message, as in /fork 12" };
      }
      const { id } = await client.forkSession({ params: { id: sessionId }, body: { atSeq } });
      return { outcome: `continues in ${id}; ${sessionId} stays as it is`, continuesIn: id };
    },
  },
  clear: {
    help: "/clear: the model no longer sees earlier messages; the log keeps them",
    async run({ client, sessionId }) {
      await client.clearHistory({ params: { id: sessionId } });
      return { outcome: "cleared; /undo undoes it" };
    },
  },
  pin: {
    help: "/pin [note]: keeps the note, or your last message, in every prompt",
    async run({ client, sessionId, rest }) {
      const body = rest === "" ? { messageId: await findLastQuestion(client, sessionId) } : { note: rest };
      const pinned = await client.pinMessage({ params: { id: sessionId }, body });
      if (pinned.type === "pinned") return { outcome: "pinned" };
      const { pinnedTokens, allowedTokens } = pinned;
      return { outcome: `not pinned: all pins would take ${pinnedTokens} tokens, ${allowedTokens} are allowed` };
    },
  },
  undo: {
    help: "/undo: undoes the newest change, such as a compaction, clear or pin",
    async run({ client, sessionId }) {
      const outcome = await client.undo({ params: { id: sessionId } });
      return { outcome: outcome.type === "undone" ? `undid ${outcome.undid.kinds.join(", ")}` : "nothing to undo" };
    },
  },
  budget: {
    help: "/budget: how full the context window is",
    run: async ({ client, sessionId }) => ({ outcome: await describeBudget(client, sessionId) }),
  },
};

export async function describeBudget(client: Client, sessionId: string): Promise<string> {
  const { promptTokens, maxInputTokens, needsSummary } = await client.readBudget({ params: { id: sessionId } });
  if (promptTokens === undefined) return `no prompt fits into ${maxInputTokens} tokens`;
  return `${promptTokens} of ${maxInputTokens} tokens${needsSummary ? ", a compaction is due" : ""}`;
}

/** The protocol declares messages loosely; the server writes them in this type. */
function showMessage(message: unknown): readonly string[] {
  return describeMessage(message as Message, false);
}

async function compact({ client, sessionId, rest }: VerbCall): Promise<VerbResult> {
  const outcome = await client.compact({ params: { id: sessionId }, body: bodyOf(rest) });
  if (outcome.type !== "compacted") return { outcome: describeNotCompacted(outcome) };
  const { tokensBefore, tokensAfter } = outcome.report;
  return { outcome: `${tokensBefore} → ${tokensAfter} tokens; /undo undoes it` };
}

async function findLiveSummary({ client, sessionId }: VerbCall): Promise<string | undefined> {
  const { summaries } = await client.listSummaries({ params: { id: sessionId } });
  return summaries.findLast(({ isLive }) => isLive)?.record.id;
}

function bodyOf(instructions: string): { readonly instructions?: string } {
  return instructions === "" ? {} : { instructions };
}

async function findLastQuestion(client: Client, sessionId: string): Promise<string> {
  const query = { newestFirst: true, limit: 50 };
  const { entries } = await client.readMessages({ params: { id: sessionId }, query });
  const messages = entries.map((entry: unknown) => Object(Object(entry).message));
  return String(messages.find(({ role }) => role === "user")?.id ?? "");
}
