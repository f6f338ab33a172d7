/** Groups a conversation by turn and round for hosts, with each summary at the last round that it covers. */

import { groupRounds, groupTurns } from "../../message/group-messages.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../message/json.ts";
import type { Message, MessageId, ToolCallPart, ToolResultPart } from "../../message/message.ts";
import { type NotebookArgumentDrift, type NotebookCall, readNotebookCall } from "../read/read-notebook-call.ts";
import type { SummaryRecord } from "../record/record.ts";

/** The summary that ends with a round. */
export interface RoundSummary {
  readonly toolCallRoundId: MessageId;
  readonly text: string;
}

/** A round of a recorded turn: the model's text and calls, and the results. */
export interface RecordedRound {
  /** Id of the first message of the round. */
  readonly id: MessageId;
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCallPart[];
  readonly results: readonly ToolResultPart[];
  readonly notebookUses: readonly Exclude<NotebookCall, NotebookArgumentDrift>[];
  readonly summary?: RoundSummary | undefined;
}

/** A user message with all rounds that answer it, and the summary that ends with the turn. */
export interface RecordedTurn {
  /** Absent if the conversation does not begin with the user. */
  readonly request: Message | undefined;
  readonly rounds: readonly RecordedRound[];
  readonly summary?: RoundSummary | undefined;
}

type Summaries = ReadonlyMap<MessageId, RoundSummary>;

/** If several summaries end with the same round, uses the last. */
export function groupRecordedTurns(
  messages: readonly Message[],
  records: readonly Pick<SummaryRecord, "lastRoundId" | "text">[],
): readonly RecordedTurn[] {
  const summaries: Summaries = new Map(
    records.flatMap(({ lastRoundId, text }) =>
      lastRoundId === undefined ? [] : [[lastRoundId, { toolCallRoundId: lastRoundId, text }] as const],
    ),
  );
  return groupTurns(messages).map(({ items, hasRequest }) => {
    const request = hasRequest ? items[0] : undefined;
    const rounds = groupRounds(hasRequest ? items.slice(1) : items).map((round) => recordRound(round.items, summaries));
    return { request, rounds, ...summaryAt(request?.id, summaries) };
  });
}

function recordRound(messages: readonly Message[], summaries: Summaries): RecordedRound {
  const id = messages[0]?.id ?? "";
  const parts = messages.flatMap((message) => message.parts);
  const calls = parts.filter((part) => part.type === "tool-call");
  return {
    id,
    messages,
    calls,
    results: parts.filter((part) => part.type === "tool-result"),
    notebookUses: calls.map(readNotebookCall).filter((call) => call !== undefined && call.type !== "drift"),
    ...summaryAt(id, summaries),
  };
}

function summaryAt(id: MessageId | undefined, summaries: Summaries): { readonly summary?: RoundSummary } {
  const summary = id === undefined ? undefined : summaries.get(id);
  return summary === undefined ? {} : { summary };
}

/** A summary that a client stores in `metadata.summary` of a reply and sends back. Only its shape is checked. */
export interface ClientSummary extends RoundSummary {
  readonly depth: number;
}

/** Returns the summaries in the order of their messages, each once. */
export function findClientSummaries(messages: readonly Message[]): readonly ClientSummary[] {
  const found = new Map<MessageId, ClientSummary>();
  for (const { role, extras } of messages) {
    if (role === "user" || role === "system") continue;
    for (const [name, fields] of Object.entries(extras ?? {})) {
      const summary = name.startsWith("wire:") ? readKeptSummary(fields) : undefined;
      if (summary !== undefined) found.set(summary.toolCallRoundId, summary);
    }
  }
  return [...found.values()];
}

const MAX_TEXT_CHARACTERS = 200_000;
const DEEPEST = 10_000;

function readKeptSummary(fields: JsonObject): ClientSummary | undefined {
  const { metadata } = isJsonObject(fields.result) ? fields.result : fields;
  const summary = isJsonObject(metadata) ? metadata.summary : undefined;
  if (!isJsonObject(summary)) return undefined;
  const { toolCallRoundId, text, depth } = summary;
  if (typeof toolCallRoundId !== "string" || typeof text !== "string") return undefined;
  if (text.trim() === "" || text.length > MAX_TEXT_CHARACTERS) return undefined;
  return { toolCallRoundId, text, depth: toDepth(depth) };
}

function toDepth(value: JsonValue | undefined): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= DEEPEST ? value : 0;
}
