/** Copilot CLI's events: one a line. Requests of a subagent name the call that started it, and are a session of their own. */
import { type Fields, findText, invalidMessage, isObject, readFields, readList } from "../../core/check-value.ts";
import type { Part } from "../../core/message/message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft, withoutMissing } from "../shared/session-draft.ts";
import { asJson, readArguments, readTime, readUsage } from "../shared/values.ts";

export const copilotCliFormat: TranscriptFormat = {
  name: "copilot-cli",
  title: "Copilot CLI session (events.jsonl)",
  recognize,
  open: () => new CopilotReader(),
};

function recognize({ shape, records }: FileSample): boolean {
  const isEvent = (value: unknown) => {
    const { type, data, timestamp } = readFields(value);
    return (
      typeof type === "string" &&
      /^(?:session|user|assistant|tool|system)\./.test(type) &&
      isObject(data) &&
      timestamp !== undefined
    );
  };
  return shape === "lines" && records.some(isEvent);
}

interface Event {
  readonly id: string | undefined;
  readonly saidAt: number | undefined;
  readonly data: Fields;
  readonly place: string;
}

class CopilotReader implements FormatReader {
  readonly #draft = new SessionDraft({ format: "copilot-cli" });
  readonly #subagents = new Map<string, SessionDraft>();
  /** Calls that a message has made, and calls that were only started. */
  readonly #made = new Set<string>();
  readonly #started = new Map<string, Event>();
  #model: string | undefined;

  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    if (!isObject(value)) throw invalidMessage(place, "an object", value);
    const event = { id: findText(value.id), saidAt: readTime(value.timestamp), data: readFields(value.data), place };
    switch (value.type) {
      case "session.start":
        return this.#readHead(event);
      case "session.model_change":
        this.#model = findText(event.data.newModel) ?? this.#model;
        return;
      case "session.compaction_complete":
        return yield* this.#summarize(event);
      case "system.message":
      case "user.message":
        return yield* this.#say(value.type === "user.message" ? "user" : "system", event);
      case "assistant.reasoning":
      case "assistant.message":
        return yield* this.#answer(event);
      case "tool.execution_start":
        this.#started.set(findText(event.data.toolCallId) ?? "", event);
        return;
      case "tool.execution_complete":
        return yield* this.#takeResult(event);
      default:
        if (typeof value.type !== "string") throw invalidMessage(place, "an event with a type", value);
    }
  }

  #readHead({ data, saidAt }: Event): void {
    const folder = findText(readFields(data.context).cwd);
    const facts = { sourceId: findText(data.sessionId), startedAt: readTime(data.startTime) ?? saidAt, folder };
    this.#draft.facts = { ...this.#draft.facts, ...withoutMissing(facts) };
    this.#model = findText(data.selectedModel) ?? this.#model;
  }

  *#summarize({ id, saidAt, data }: Event): Generator<TranscriptEvent> {
    const text = findText(data.summaryContent);
    if (text === undefined) return;
    yield* this.#draft.start(undefined, text);
    const { preCompactionTokens: before } = data;
    const tokensBefore = typeof before === "number" && before >= 0 ? before : undefined;
    const name = id ?? `${this.#draft.id}-summary-${this.#draft.messages}`;
    yield { type: "summary", session: this.#draft.id, id: name, text, ...withoutMissing({ at: saidAt, tokensBefore }) };
  }

  *#say(role: "user" | "system", { id, saidAt, data }: Event): Generator<TranscriptEvent> {
    const text = findText(data.content);
    if (text !== undefined) yield* this.#draftOf(data).add({ id, role, saidAt, parts: [{ type: "text", text }] });
  }

  *#answer({ id, saidAt, data, place }: Event): Generator<TranscriptEvent> {
    const calls = readList(data.toolRequests).map((each) => this.#readCall(readFields(each), place));
    const thought =
      findText(data.reasoningText) ?? (data.reasoningId === undefined ? undefined : findText(data.content));
    const text = data.reasoningId === undefined ? findText(data.content) : undefined;
    const parts: readonly Part[] = [
      ...(thought === undefined ? [] : [{ type: "reasoning", text: thought } as const]),
      ...(text === undefined ? [] : [{ type: "text", text } as const]),
      ...calls,
    ];
    if (parts.length === 0) return;
    const model = findText(data.model) ?? this.#model;
    const usage = readUsage({ model, output: data.outputTokens });
    const facts: MessageFacts = { id, role: "assistant", saidAt, parts, usage, source: { model } };
    yield* this.#draftOf(data).add({ ...facts, responseId: findText(data.messageId) });
  }

  #readCall(call: Fields, place: string): Part {
    const [callId, tool] = [findText(call.toolCallId), findText(call.name)];
    if (callId === undefined || tool === undefined)
      throw invalidMessage(place, "a call with toolCallId and name", call);
    this.#made.add(callId);
    return { type: "tool-call", callId, tool, ...readArguments(call.arguments, `${place}.arguments`) };
  }

  /** A call that no message has made is in the file only as the start of its execution. */
  *#takeResult({ id, saidAt, data, place }: Event): Generator<TranscriptEvent> {
    const callId = findText(data.toolCallId);
    if (callId === undefined) throw invalidMessage(`${place}.toolCallId`, "the id of a call", data.toolCallId);
    const started = this.#started.get(callId);
    this.#started.delete(callId);
    const draft = this.#draftOf(data);
    const tool = findText(started?.data.toolName);
    if (started !== undefined && tool !== undefined && !this.#made.has(callId)) {
      const call: Part = { type: "tool-call", callId, tool, ...readArguments(started.data.arguments, place) };
      yield* draft.add({ id: started.id, role: "assistant", saidAt: started.saidAt, parts: [call] });
    }
    const { content } = readFields(data.result);
    const text = findText(content) ?? findText(readFields(data.error).message);
    const output =
      text === undefined && content !== "" && data.result !== undefined
        ? { type: "json" as const, value: asJson(data.result, place) }
        : { type: "text" as const, text: text ?? "" };
    const named = tool === undefined ? {} : { tool };
    yield* draft.add({
      id,
      role: "tool",
      saidAt,
      parts: [{ type: "tool-result", callId, ...named, output, failed: data.success === false }],
    });
  }

  #draftOf({ parentToolCallId: callId }: Fields): SessionDraft {
    if (typeof callId !== "string") return this.#draft;
    const known = this.#subagents.get(callId);
    if (known !== undefined) return known;
    const { sourceId } = this.#draft.facts;
    const parent = sourceId === undefined ? undefined : ({ session: this.#draft.id, kind: "subagent" } as const);
    const draft = new SessionDraft({ format: "copilot-cli", key: `${sourceId ?? ""}-${callId}`, sourceId, parent });
    this.#subagents.set(callId, draft);
    return draft;
  }
}
