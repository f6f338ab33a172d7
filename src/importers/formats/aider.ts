/**
 * Aider's chat history: Markdown in which the user's lines begin with `####` and the program's with `>`. Everything else
 * is the model's. Each start of the program is a session.
 */
import { findText, readFields } from "../../core/check-value.ts";
import type { Usage } from "../../core/log/entry.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft, withoutMissing } from "../shared/session-draft.ts";

export const aiderFormat: TranscriptFormat = {
  name: "aider",
  title: "aider chat history (Markdown)",
  recognize: ({ shape, text, name }: FileSample) =>
    shape === "text" && (HEADING.test(text) || /(?:^|\n)#### \S/.test(text) || name.startsWith(".aider.chat.history")),
  open: () => new AiderReader(),
};

const HEADING = /^# aider chat started at (.*?)\s*$/m;
const TOKENS = /^Tokens: ([\d.,]+k?) sent, (?:.*?)([\d.,]+k?) received\.(?: Cost: \$([\d.]+) (?:request|message))?/;
const MODEL = /^(?:Main model|Models?): (\S+)/;

type Speaker = "user" | "assistant" | "program";

class AiderReader implements FormatReader {
  #draft = new SessionDraft({ format: "aider" });
  #speaker: Speaker | undefined;
  #lines: string[] = [];
  #model: string | undefined;
  /** The newest message of the model, until the program has said what it cost. */
  #answer: MessageFacts | undefined;
  /** Lines of the program before the next message, for an export. */
  #notes: string[] = [];

  *take({ value }: SourceRecord): Generator<TranscriptEvent> {
    const line = findText(readFields(value).text) ?? "";
    const heading = HEADING.exec(line);
    if (heading !== null) return yield* this.#begin(heading[1] ?? "");
    const [speaker, text] = readSpeaker(line);
    const isBlank = text === "" && speaker === "assistant";
    if (isBlank && this.#speaker !== "assistant") return yield* this.#close();
    if (speaker !== this.#speaker) {
      yield* this.#close();
      this.#speaker = speaker;
    }
    this.#lines.push(text);
    if (speaker === "program") this.#readNotice(text);
  }

  *end(): Generator<TranscriptEvent> {
    yield* this.#close();
    yield* this.#flush();
  }

  *#begin(startedAt: string): Generator<TranscriptEvent> {
    yield* this.end();
    const at = Date.parse(`${startedAt.replace(" ", "T")}Z`);
    this.#draft = new SessionDraft({ format: "aider", ...(Number.isFinite(at) ? { startedAt: at } : {}) });
    [this.#speaker, this.#model, this.#notes] = [undefined, undefined, []];
  }

  *#close(): Generator<TranscriptEvent> {
    const [speaker, lines] = [this.#speaker, this.#lines];
    [this.#speaker, this.#lines] = [undefined, []];
    if (speaker === undefined || speaker === "program") {
      this.#notes.push(...lines);
      return;
    }
    const text = lines.join("\n").trimEnd();
    if (text.trim() === "") return;
    yield* this.#flush();
    const notes = this.#notes.length === 0 ? undefined : this.#notes;
    this.#notes = [];
    const facts: MessageFacts = { role: speaker, parts: [{ type: "text", text }], source: withoutMissing({ notes }) };
    if (speaker === "user") yield* this.#draft.add(facts);
    else this.#answer = facts;
  }

  *#flush(): Generator<TranscriptEvent> {
    const answer = this.#answer;
    this.#answer = undefined;
    if (answer !== undefined) yield* this.#draft.add(answer);
  }

  #readNotice(text: string): void {
    this.#model = MODEL.exec(text)?.[1] ?? this.#model;
    const [, sent, received, cost] = TOKENS.exec(text) ?? [];
    if (this.#answer === undefined || sent === undefined || received === undefined) return;
    const usage: Usage = {
      inputTokens: readCount(sent),
      outputTokens: readCount(received),
      ...withoutMissing({ model: this.#model }),
    };
    this.#answer = { ...this.#answer, usage, ...(cost === undefined ? {} : { costUsd: Number(cost) }) };
  }
}

/** The program ends its lines with two blanks, which break a line in Markdown. */
function readSpeaker(line: string): readonly [Speaker, string] {
  const user = /^#### ?(.*)$/.exec(line);
  if (user !== null) return ["user", (user[1] ?? "").trimEnd()];
  const program = /^> ?(.*)$/.exec(line);
  return program === null ? ["assistant", line] : ["program", (program[1] ?? "").trimEnd()];
}

function readCount(text: string): number {
  const isThousands = text.endsWith("k");
  const figure = Number(text.replaceAll(",", "").replace(/k$/, "").replace(/\.$/, ""));
  return Math.round((Number.isFinite(figure) ? figure : 0) * (isThousands ? 1_000 : 1));
}
