/** What can be done to a conversation while it goes on, by lines that begin with a slash. */
import type { Client } from "../../client/index.ts";

export interface VerbCall {
  readonly client: Client;
  readonly sessionId: string;
  /** What stands behind the verb. */
  readonly rest: string;
}

interface Verb {
  readonly help: string;
  /** What came of it, in words. */
  run(call: VerbCall): Promise<string>;
}

export const CHAT_VERBS: Readonly<Record<string, Verb>> = {
  compact: {
    help: "/compact [what the summary should keep in mind]: folds what stands before the last turns",
    async run({ client, sessionId, rest }) {
      const outcome: Outcome = await client.compact({ params: { id: sessionId }, body: bodyOf(rest) });
      const { tokensBefore, tokensAfter } = Object(outcome.report);
      if (outcome.type === "compacted") return `${tokensBefore} tokens became ${tokensAfter}; /undo takes it back`;
      return describeRefusal(outcome);
    },
  },
  resummarize: {
    help: "/resummarize [instructions]: rewrites the summary from the messages it covers; writes one where there is none",
    async run(call) {
      const { client, sessionId, rest } = call;
      const params = { id: sessionId };
      if ((await client.listSummaries({ params })).summaries.every(({ isLive }) => !isLive)) {
        return CHAT_VERBS.compact?.run(call) ?? "";
      }
      const outcome: Outcome = await client.resummarize({ params, body: bodyOf(rest) });
      return outcome.type === "compacted"
        ? "summary rewritten; /undo restores the previous one"
        : describeRefusal(outcome);
    },
  },
  clear: {
    help: "/clear: the model forgets what was said; the log does not",
    async run({ client, sessionId }) {
      await client.clearHistory({ params: { id: sessionId } });
      return "cleared; /undo takes it back";
    },
  },
  pin: {
    help: "/pin [note]: keeps a note in every prompt, or without one the last thing that you said",
    async run({ client, sessionId, rest }) {
      const body = rest === "" ? { messageId: await lastAsked(client, sessionId) } : { note: rest };
      const outcome = await client.pinMessage({ params: { id: sessionId }, body });
      return outcome.type === "pinned" ? "pinned" : String(outcome.type);
    },
  },
  undo: {
    help: "/undo: takes the newest of these back",
    async run({ client, sessionId }) {
      const outcome: Readonly<Record<string, unknown>> = await client.undo({ params: { id: sessionId } });
      return outcome.type === "undone" ? `took back ${Object(outcome.undid).kinds.join(", ")}` : String(outcome.type);
    },
  },
  budget: {
    help: "/budget: how full the window is",
    async run({ client, sessionId }) {
      const answer: Readonly<Record<string, unknown>> = await client.readBudget({ params: { id: sessionId } });
      const { promptTokens, maxInputTokens, needsSummary } = Object(answer.budget ?? answer);
      if (promptTokens === undefined) return `no prompt fits into ${maxInputTokens} tokens`;
      return `${promptTokens} of ${maxInputTokens} tokens${needsSummary ? ", a compaction is due" : ""}`;
    },
  },
};

type Outcome = Readonly<Record<string, unknown>>;

function bodyOf(instructions: string): { readonly instructions?: string } {
  return instructions === "" ? {} : { instructions };
}

function describeRefusal({ type, reason }: Outcome): string {
  return type === "nothing-to-compact" ? `nothing to compact: ${reason}` : String(type);
}

async function lastAsked(client: Client, sessionId: string): Promise<string> {
  const query = { newestFirst: true, limit: 50 };
  const { entries } = await client.readMessages({ params: { id: sessionId }, query });
  const messages = entries.map((entry: unknown) => Object(Object(entry).message));
  return String(messages.find(({ role }) => role === "user")?.id ?? "");
}
