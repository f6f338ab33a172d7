/** The tools of the MCP server. Each calls the client, so it can do what the caller may do over HTTP, and no more. */
import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Client, ClientError } from "../client/index.ts";
import { escapeControls, toLine } from "./plain-text.ts";
import { describeSession, readLiveSummary, readTranscript, readView, readWholeMessage } from "./read-session.ts";

export interface ToolOptions {
  /** Finds the model whose next prompt `show`, `inspect` and `compact` are about. Default: the model of the server. */
  readonly findModel?: ((sessionId: string) => Promise<string | undefined>) | undefined;
}

const session = z.string().min(1).max(200).describe("Id of the session. The tool sessions lists them.");
const query = z.string().min(1).max(10_000);
const count = (most: number, otherwise: number) => z.number().int().min(1).max(most).default(otherwise);
const READS = { readOnlyHint: true, openWorldHint: false } as const;
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

export function addTools(server: McpServer, client: Client, { findModel = async () => undefined }: ToolOptions): void {
  server.registerTool(
    "recall",
    {
      title: "Recall",
      description:
        "Quotes earlier messages about a question, with their ids. Not every word has to match. Without a session, the sessions used last are searched.",
      inputSchema: z.object({
        query: query.describe("The question or topic, in a few words."),
        session: session.optional(),
        sinceDays: z.number().min(0).optional().describe("Only sessions used within this many days."),
        budgetTokens: count(100_000, 1_000).describe("Maximum size of the quotations."),
      }),
      annotations: READS,
    },
    ({ session: id, sinceDays, ...asked }) =>
      answer(async () => {
        const found =
          id === undefined
            ? await client.recall({ query: { ...asked, sinceDays } })
            : await client.recallSession({ params: { id }, query: asked });
        return found.text === "" ? "Nothing was found." : found.text;
      }),
  );
  server.registerTool(
    "search",
    {
      title: "Search",
      description: "Finds a text in messages, ignoring case. No character of the text has a special meaning.",
      inputSchema: z.object({
        query: query.describe("The text to find."),
        session: session.optional(),
        role: z.enum(["user", "assistant", "system", "tool"]).optional(),
        order: z.enum(["newest", "relevance"]).default("newest").describe("relevance: all words must occur."),
        limit: count(200, 20),
      }),
      annotations: READS,
    },
    ({ session: sessionId, ...asked }) =>
      answer(async () => {
        const { hits } = await client.search({ query: { ...asked, sessionId } });
        const lines = hits.map(
          (hit) => `${hit.sessionId}#${hit.seq} ${hit.role} [${hit.messageId}]: ${toLine(hit.snippet)}`,
        );
        return lines.length === 0 ? "Nothing was found." : lines.join("\n");
      }),
  );
  server.registerTool(
    "sessions",
    {
      title: "Sessions",
      description: "Lists sessions, the most recently used first.",
      inputSchema: z.object({
        limit: count(200, 20),
        before: z.string().max(10_000).optional().describe("The value that the last page gave, to get the next page."),
      }),
      annotations: READS,
    },
    (asked) =>
      answer(async () => {
        const { sessions, next } = await client.listSessions({ query: asked });
        const lines = sessions.map(describeSession);
        if (lines.length === 0) return "There are no sessions.";
        return [...lines, ...(next === undefined ? [] : [`(More sessions: call sessions with before ${next}.)`])].join(
          "\n",
        );
      }),
  );
  server.registerTool(
    "show",
    {
      title: "Show",
      description:
        "Prints messages of a session: the newest, those after the message with a number, one by its id, or what the model of the session sees now.",
      inputSchema: z.object({
        session,
        message: z.string().min(1).max(200).optional().describe("Only this message, with its tool output in full."),
        afterSeq: z
          .number()
          .int()
          .min(0)
          .optional()
          .describe("Messages after the one with this number (#7 is 7), oldest first."),
        view: z.boolean().default(false).describe("What the model sees now: the summary, then the newest messages."),
        limit: count(200, 30),
      }),
      annotations: READS,
    },
    ({ session: id, message, view, ...page }) =>
      answer(async () => {
        if (message !== undefined) return readWholeMessage(client, id, message);
        return view ? readView(client, id, await findModel(id)) : readTranscript(client, id, page);
      }),
  );
  server.registerTool(
    "inspect",
    {
      title: "Inspect",
      description:
        "Explains the context of a session as JSON: how full the window is, when the next compaction is due, the fate of all messages, and the summary. With a message: its fate, and why.",
      inputSchema: z.object({ session, message: z.string().min(1).max(200).optional() }),
      annotations: READS,
    },
    ({ session: id, message: messageId }) =>
      answer(async () => {
        const [params, asked] = [{ id }, { model: await findModel(id) }];
        if (messageId !== undefined) {
          return JSON.stringify(await client.explainMessage({ params: { id, messageId }, query: asked }));
        }
        const [plan, budget, summary] = await Promise.all([
          client.readPlan({ params, query: asked }),
          client.readBudget({ params, query: asked }),
          readLiveSummary(client, id),
        ]);
        return JSON.stringify({ budget, runs: plan.runs, summary });
      }),
  );
  server.registerTool(
    "compact",
    {
      title: "Compact",
      description:
        "Summarizes the older messages of a session: its model then sees the summary instead of them. The log keeps all messages, and undo reverses it.",
      inputSchema: z.object({
        session,
        focus: z.string().max(10_000).optional().describe("What the summary should focus on."),
        preview: z.boolean().default(false).describe("Only show the effect and the summary; write nothing."),
      }),
      annotations: WRITES,
    },
    ({ session: id, focus: instructions, preview }) =>
      answer(async () => {
        const request = { params: { id }, query: { model: await findModel(id) }, body: { instructions } };
        if (!preview) return JSON.stringify(shortenOutcome(await client.compact(request)));
        const outcome = await client.previewCompaction(request);
        if (outcome.type !== "preview") return JSON.stringify(outcome);
        const { before, after, record } = outcome;
        return JSON.stringify({ before, after, summary: record?.text });
      }),
  );
  server.registerTool(
    "undo",
    {
      title: "Undo",
      description:
        "Undoes the newest change of a session, such as a compaction, clear or pin, or redoes it by the id that undo returned.",
      inputSchema: z.object({ session, entryId: z.string().min(1).max(200).optional() }),
      annotations: WRITES,
    },
    ({ session: id, entryId }) =>
      answer(async () => JSON.stringify(await client.undo({ params: { id }, body: { entryId } }))),
  );
}

/** The record of a compaction is long; a model needs its sizes and its id. */
function shortenOutcome(outcome: Awaited<ReturnType<Client["compact"]>>): object {
  if (outcome.type !== "compacted") return outcome;
  const { tokensBefore, tokensAfter, steps, entryIds } = outcome.report;
  return { type: outcome.type, tokensBefore, tokensAfter, steps, entryIds };
}

/** Errors are results, so that the model can read what to do. */
async function answer(work: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: "text", text: escapeControls(await work()) }] };
  } catch (error) {
    if (!isClientError(error)) throw error;
    const { code, message, advice } = error;
    const text = [`${message} (${code})`, advice].filter((each) => each !== undefined).join(" ");
    return { isError: true, content: [{ type: "text", text }] };
  }
}

function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && error.name === "ClientError";
}
