/** Reads sessions as text for a model: messages by their numbers, the prompt, the summary. */
import type { Client } from "../client/index.ts";
import { describeMessage } from "../core/message/describe-message.ts";
import type { Message } from "../core/message/message.ts";
import { readShownPrompt } from "../core/prompt/read-shown-prompt.ts";

import { toLine } from "./plain-text.ts";

type Entry = Awaited<ReturnType<Client["readMessages"]>>["entries"][number];
export type SessionInfo = Awaited<ReturnType<Client["listSessions"]>>["sessions"][number];

export interface PageOptions {
  /** Without `afterSeq`, the newest messages are read. */
  readonly afterSeq?: number | undefined;
  readonly limit: number;
}

/** Returns a page of the original messages, oldest first, and where the next page starts. */
export async function readTranscript(client: Client, id: string, { afterSeq, limit }: PageOptions): Promise<string> {
  const newestFirst = afterSeq === undefined;
  const { entries, nextSeq } = await client.readMessages({ params: { id }, query: { afterSeq, limit, newestFirst } });
  const ordered = newestFirst ? entries.toReversed() : entries;
  const text = ordered.map(describeEntry).join("\n\n");
  if (nextSeq === undefined) return text === "" ? "There are no more messages." : text;
  if (newestFirst) return `${text}\n\n(Earlier messages: call show with afterSeq 0, or recall or search them.)`;
  return `${text}\n\n(More messages: call show with afterSeq ${nextSeq}.)`;
}

function describeEntry({ seq, message }: Entry): string {
  if (message === undefined) return `#${seq} (deleted)`;
  return `#${seq} ${writeMessageText(message, false)}`;
}

export async function readWholeMessage(client: Client, id: string, messageId: string): Promise<string> {
  const { message } = await client.readMessage({ params: { id, messageId } });
  return writeMessageText(message, true);
}

/** Returns what the model would see now. */
export async function readView(client: Client, id: string, model: string | undefined): Promise<string> {
  const { prompt } = await client.readView({ params: { id }, query: { provider: "ai-sdk", model } });
  const { instructions, messages } = readShownPrompt(prompt);
  const shown = messages.map((message) => describeMessage(message, false).join("\n"));
  return [...(instructions === undefined ? [] : [`instructions\n${instructions}`]), ...shown].join("\n\n");
}

/** Returns the text of the live summary; undefined if nothing is summarized. */
export async function readLiveSummary(client: Client, id: string): Promise<string | undefined> {
  const { summaries } = await client.listSummaries({ params: { id }, query: { ids: false } });
  return summaries.findLast(({ isLive }) => isLive)?.record.text;
}

/** The protocol declares messages loosely; the server writes them in this type. */
function writeMessageText(message: object, isFull: boolean): string {
  return describeMessage(message as Message, isFull).join("\n");
}

export function describeSession({ id, title, preview, messageCount, updatedAt }: SessionInfo): string {
  const words = toLine(title ?? preview);
  return `${id}: ${messageCount} messages, last used ${new Date(updatedAt).toISOString()}. ${words}`;
}
