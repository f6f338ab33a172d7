/** The conversations of Cline and Roo Code: `api_conversation_history.json`, a list of Anthropic messages with times. */
import { type Fields, findText, invalidMessage, isObject, readFields } from "../../core/check-value.ts";
import { anthropicFormat } from "../../core/message/formats/anthropic.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { SessionDraft } from "../shared/session-draft.ts";
import { asAmount, pickFields, readTime, readUsage } from "../shared/values.ts";

export const clineFormat: TranscriptFormat = {
  name: "cline",
  title: "Cline or Roo Code task (api_conversation_history.json)",
  recognize,
  open: () => new ClineReader(),
};

function recognize({ shape, records, name, text }: FileSample): boolean {
  if (shape !== "list" || records.length === 0) return false;
  if (!records.every((item) => anthropicFormat.recognize(item) !== "no")) return false;
  const hasTask = text.includes("<task>") && text.includes("environment_details");
  return name === "api_conversation_history.json" || hasTask || records.some(hasTime);
}

function hasTime(item: unknown): boolean {
  const { ts, modelInfo, conversationHistoryIndex } = readFields(item);
  return typeof ts === "number" || isObject(modelInfo) || typeof conversationHistoryIndex === "number";
}

class ClineReader implements FormatReader {
  readonly #draft = new SessionDraft({ format: "cline" });

  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    if (!isObject(value)) throw invalidMessage(place, "an object", value);
    const saidAt = readTime(value.ts);
    const decoded = anthropicFormat.decode(
      { role: value.role, content: value.content },
      { path: place, fallbackId: "" },
    );
    if (value.isSummary === true)
      return yield* this.#summarize(
        value,
        decoded.flatMap(({ parts }) => parts),
        saidAt,
      );
    const { modelId } = readFields(value.modelInfo);
    const usage = value.role === "assistant" ? readMetrics(value, modelId) : undefined;
    const source = pickFields({ ts: value.ts, model: modelId }, ["ts", "model"], place);
    const costUsd = asAmount(readFields(value.metrics).cost);
    for (const { id: _, ...message } of decoded) yield* this.#draft.add({ ...message, saidAt, usage, costUsd, source });
  }

  *#summarize(
    value: Fields,
    parts: readonly { type: string; text?: string }[],
    at: number | undefined,
  ): Generator<TranscriptEvent> {
    const text = parts
      .flatMap((part) => (part.type === "text" && part.text !== undefined ? [part.text] : []))
      .join("\n");
    yield* this.#draft.start(undefined, text);
    const id = findText(value.condenseId) ?? `${this.#draft.id}-summary-${this.#draft.messages}`;
    yield { type: "summary", session: this.#draft.id, id, text, ...(at === undefined ? {} : { at }) };
  }
}

function readMetrics({ metrics }: Fields, model: unknown) {
  const { prompt, completion, cached, cacheWrites } = readFields(readFields(metrics).tokens);
  return readUsage({ model, input: prompt, output: completion, cacheRead: cached, cacheWrite: cacheWrites });
}
