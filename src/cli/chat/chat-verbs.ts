/** The commands of a chat: lines that begin with a slash. */
import type { Client } from "../../client/index.ts";
import { describeNotCompacted } from "../terminal/terminal-text.ts";

interface Verb {
  readonly help: string;
  /** Returns a sentence about the outcome. `rest` is the text after the command. */
  run(call: { readonly client: Client; readonly sessionId: string; readonly rest: string }): Promise<string>;
}

export const CHAT_VERBS: Readonly<Record<string, Verb>> = {
  compact: {
    help: "/compact [instructions]: summarizes everything before the last turns",
    async run({ client, sessionId, rest }) {
      const outcome = await client.compact({ params: { id: sessionId }, body: bodyOf(rest) });
      if (outcome.type !== "compacted") return describeNotCompacted(outcome);
      const { tokensBefore, tokensAfter } = outcome.report;
      return `${tokensBefore} → ${tokensAfter} tokens; /undo undoes it`;
    },
  },
  resummarize: {
    help: "/resummarize [instructions]: rewrites the summary, or writes the first one",
    async run(call) {
      const { client, sessionId, rest } = call;
      const params = { id: sessionId };
      if ((await client.listSummaries({ params })).summaries.every(({ isLive }) => !isLive)) {
        return CHAT_VERBS.compact?.run(call) ?? "";
      }
      const outcome = await client.resummarize({ params, body: bodyOf(rest) });
      if (outcome.type !== "compacted") return describeNotCompacted(outcome);
      return "summary rewritten; /undo restores the previous one";
    },
  },
  clear: {
    help: "/clear: the model no longer sees earlier messages; the log keeps them",
    async run({ client, sessionId }) {
      await client.clearHistory({ params: { id: sessionId } });
      return "cleared; /undo undoes it";
    },
  },
  pin: {
    help: "/pin [note]: keeps the note, or your last message, in every prompt",
    async run({ client, sessionId, rest }) {
      const body = rest === "" ? { messageId: await findLastQuestion(client, sessionId) } : { note: rest };
      const outcome = await client.pinMessage({ params: { id: sessionId }, body });
      if (outcome.type === "pinned") return "pinned";
      return `not pinned: all pins would take ${outcome.pinnedTokens} tokens, ${outcome.allowedTokens} are allowed`;
    },
  },
  undo: {
    help: "/undo: undoes the newest change, such as a compaction, clear or pin",
    async run({ client, sessionId }) {
      const outcome = await client.undo({ params: { id: sessionId } });
      return outcome.type === "undone" ? `undid ${outcome.undid.kinds.join(", ")}` : "nothing to undo";
    },
  },
  budget: {
    help: "/budget: how full the context window is",
    async run({ client, sessionId }) {
      const { promptTokens, maxInputTokens, needsSummary } = await client.readBudget({ params: { id: sessionId } });
      if (promptTokens === undefined) return `no prompt fits into ${maxInputTokens} tokens`;
      return `${promptTokens} of ${maxInputTokens} tokens${needsSummary ? ", a compaction is due" : ""}`;
    },
  },
};

function bodyOf(instructions: string): { readonly instructions?: string } {
  return instructions === "" ? {} : { instructions };
}

async function findLastQuestion(client: Client, sessionId: string): Promise<string> {
  const query = { newestFirst: true, limit: 50 };
  const { entries } = await client.readMessages({ params: { id: sessionId }, query });
  const messages = entries.map((entry: unknown) => Object(Object(entry).message));
  return String(messages.find(({ role }) => role === "user")?.id ?? "");
}
