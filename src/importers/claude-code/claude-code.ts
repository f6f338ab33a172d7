/**
 * Claude Code's session files: one record a line, linked by `parentUuid`. Several records of one response are one
 * message. Forks, resumed sessions and subagents become sessions of their own; a compaction's summary is an event.
 */
import { type Fields, findText, invalidMessage, isObject, readFields, readList } from "../../core/check-value.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { readTime } from "../shared/values.ts";
import { ClaudeBranches } from "./claude-branches.ts";
import { readLooseTool, type WaitingCalls } from "./loose-tools.ts";
import { readClaudeMessage, type UnnamedCalls } from "./read-claude-message.ts";

export const claudeCodeFormat: TranscriptFormat = {
  name: "claude-code",
  title: "Claude Code session (JSONL)",
  recognize,
  open: () => new ClaudeReader(),
};

/** Types of records that only Claude Code writes. */
const OWN_TYPES: ReadonlySet<unknown> = new Set([
  "file-history-snapshot",
  "queue-operation",
  "custom-title",
  "ai-title",
  "agent-name",
  "last-prompt",
]);

/** Qwen Code writes records of the same kind, with parts of the Gemini API. */
function recognize({ records }: FileSample): boolean {
  if (records.some((value) => Array.isArray(readFields(readFields(value).message).parts))) return false;
  return records.some((value) => {
    const record = readFields(value);
    if (Array.isArray(record.loglines)) return record.loglines.some(isTurn);
    if (OWN_TYPES.has(record.type) || (record.type === "summary" && typeof record.leafUuid === "string")) return true;
    return isTurn(record) || (record.type === "system" && typeof record.uuid === "string" && "parentUuid" in record);
  });
}

function isTurn(value: unknown): boolean {
  const { type, message, uuid, sessionId, timestamp } = readFields(value);
  const isOurs = typeof uuid === "string" || typeof sessionId === "string" || typeof timestamp === "string";
  const { role, content } = readFields(message);
  return (
    (type === "user" || type === "assistant") &&
    isOurs &&
    (role === type || role === undefined) &&
    content !== undefined
  );
}

class ClaudeReader implements FormatReader {
  readonly #branches = new ClaudeBranches();
  readonly #waiting: WaitingCalls = new Map();
  readonly #unnamed: UnnamedCalls = [];
  /** A compaction whose summary is in one of the next records. */
  #boundary: Fields | undefined;
  readonly #titles: { readonly title: string; readonly leaf: string | undefined }[] = [];

  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    if (!isObject(value)) throw invalidMessage(place, "an object", value);
    if (Array.isArray(value.loglines)) {
      for (const [index, each] of readList(value.loglines).entries()) {
        yield* this.take({ value: each, place: `loglines[${index}]` });
      }
      return;
    }
    if (value.type === "user" || value.type === "assistant") yield* this.#takeMessage(value, place);
    else if (value.type === "tool_use" || value.type === "tool_result") yield* this.#takeLoose(value, place);
    else this.#takeOther(value, place);
  }

  *end(): Generator<TranscriptEvent> {
    yield* this.#branches.end();
    yield* this.#branches.nameSessions(this.#titles);
  }

  *#takeMessage(record: Fields, place: string): Generator<TranscriptEvent> {
    if (record.isCompactSummary === true) yield* this.#takeSummary(record);
    else yield* this.#branches.add(record, readClaudeMessage(record, place, this.#unnamed));
  }

  *#takeLoose(record: Fields, place: string): Generator<TranscriptEvent> {
    yield* this.#branches.add(record, readLooseTool(record, place, this.#waiting));
  }

  *#takeSummary(record: Fields): Generator<TranscriptEvent> {
    const { content } = readFields(record.message);
    const texts = readList(content).map((block) => readFields(block).text);
    const text = typeof content === "string" ? content : texts.filter((each) => typeof each === "string").join("\n");
    const { trigger, preTokens } = readFields(this.#boundary?.compactMetadata);
    yield* this.#branches.summarize(record, {
      text,
      at: readTime(record.timestamp),
      trigger: trigger === "auto" || trigger === "manual" ? trigger : undefined,
      tokensBefore: typeof preTokens === "number" && preTokens >= 0 ? preTokens : undefined,
    });
    this.#boundary = undefined;
  }

  #takeOther(record: Fields, place: string): void {
    const { type, subtype } = record;
    if (typeof type !== "string") throw invalidMessage(place, "a record with a type", record);
    if (type === "system" && subtype === "compact_boundary") this.#boundary = record;
    const title = findText(type === "summary" ? record.summary : (record.customTitle ?? record.aiTitle));
    if (title !== undefined) this.#titles.push({ title, leaf: findText(record.leafUuid) });
    this.#branches.link(record);
  }
}
