/**
 * A recorded session as a list of requests: the messages before each, its time, and the usage that the provider
 * reported. The history is the whole conversation; compactions of the recording tool are kept beside it. Thinking is
 * left out, because providers do not accept it from earlier turns.
 */
import type { Usage } from "../core/log/entry.ts";
import type { Message } from "../core/message/message.ts";
import type { TranscriptEvent, TranscriptMessage, TranscriptSkip, TranscriptSummary } from "../ports/transcript.ts";

export interface RecordedSession {
  /** Unique in a replay: the file and the tool's own id. */
  readonly name: string;
  readonly format: string;
  readonly messages: readonly Message[];
  readonly requests: readonly RecordedRequest[];
  readonly compactions: readonly RecordedCompaction[];
  /** True if the recording has times. Without them, every request finds a warm cache. */
  readonly hasTimes: boolean;
}

export interface RecordedRequest {
  /** Index of the reply: the messages before it were sent. */
  readonly index: number;
  readonly timeMs: number;
  /** Absent if the recording does not say what the provider reported. */
  readonly usage?: Usage | undefined;
  /** The dollars that the recording gives. */
  readonly costUsd?: number | undefined;
  /** True if the prompt was written to a cache that lasts an hour. */
  readonly usesLongCache?: boolean | undefined;
}

/** Whether the recording says how large the request was. */
export function hasInput(request: RecordedRequest | undefined): boolean {
  return (request?.usage?.inputTokens ?? 0) > 0;
}

/** From `index` on, the recording tool sent the summary instead of everything before. */
export interface RecordedCompaction {
  readonly index: number;
  readonly summary: Message;
}

/** Collects the sessions of one file. Sessions without a request are left out. */
export async function collectSessions(
  events: AsyncIterable<TranscriptEvent>,
  file: string,
  onSkip: (event: TranscriptSkip) => void = () => undefined,
): Promise<readonly RecordedSession[]> {
  const drafts = new Map<string, SessionDraft>();
  for await (const event of events) {
    if (event.type === "session") {
      // A fork repeats its parent's messages up to the place where it begins.
      const parent = event.parent?.kind === "fork" ? drafts.get(event.parent.session) : undefined;
      const name = drafts.size === 0 ? file : `${file}#${event.sourceId ?? event.session}`;
      drafts.set(event.session, new SessionDraft(name, event.format, parent?.before(event.parent?.afterMessageId)));
    } else if (event.type === "message") drafts.get(event.session)?.add(event);
    else if (event.type === "summary") drafts.get(event.session)?.compact(event);
    else if (event.type === "skipped") onSkip(event);
  }
  return [...drafts.values()].map((draft) => draft.finish()).filter(({ requests }) => requests.length > 0);
}

type Inherited = Pick<RecordedSession, "messages" | "compactions">;

class SessionDraft {
  readonly #name: string;
  readonly #format: string;
  readonly #messages: Message[];
  readonly #compactions: RecordedCompaction[];
  readonly #requests: RecordedRequest[] = [];
  #lastMs = 0;
  #hasTimes = false;

  constructor(name: string, format: string, { messages, compactions }: Inherited = { messages: [], compactions: [] }) {
    this.#name = name;
    this.#format = format;
    this.#messages = [...messages];
    this.#compactions = [...compactions];
  }

  before(messageId: string | undefined): Inherited {
    const index = this.#messages.findIndex(({ id }) => id === messageId) + 1;
    const compactions = this.#compactions.filter((each) => each.index <= index);
    return { messages: this.#messages.slice(0, index), compactions };
  }

  add({ message, usage, costUsd }: TranscriptMessage): void {
    const sent = withoutThinking(message);
    if (sent.parts.length === 0) return;
    if (message.role === "assistant") this.#addRequest({ usage, costUsd, usesLongCache: hasLongCache(message) });
    this.#messages.push(sent);
    this.#hasTimes ||= message.saidAt !== undefined;
    this.#lastMs = Math.max(this.#lastMs, message.saidAt ?? 0);
  }

  /** The request gets the time of the message before it, because the reply's own time is that of its end. */
  #addRequest(facts: Pick<RecordedRequest, "usage" | "costUsd" | "usesLongCache">): void {
    const index = this.#messages.length;
    const last = this.#requests.at(-1);
    const isContinued = this.#messages.at(-1)?.role === "assistant";
    if (index === 0 || (isContinued && facts.usage === undefined)) return;
    // Usage comes with the last message of a response, which began with the first.
    const begun = isContinued && last?.usage === undefined ? this.#requests.pop() : undefined;
    this.#requests.push({ index, timeMs: this.#lastMs, ...begun, ...facts });
  }

  compact({ id, text, at, firstKeptId }: TranscriptSummary): void {
    const kept = this.#messages.findIndex((message) => message.id === firstKeptId);
    const summary: Message = { id, role: "user", parts: [{ type: "text", text }] };
    this.#compactions.push({ index: kept < 0 ? this.#messages.length : kept, summary });
    this.#lastMs = Math.max(this.#lastMs, at ?? 0);
  }

  finish(): RecordedSession {
    return {
      name: this.#name,
      format: this.#format,
      messages: this.#messages,
      requests: this.#requests,
      compactions: this.#compactions,
      hasTimes: this.#hasTimes,
    };
  }
}

/** The importer of Claude Code keeps these tokens. */
function hasLongCache({ extras }: Message): boolean {
  return Number(extras?.["source:claude-code"]?.longCacheWriteTokens ?? 0) > 0;
}

function withoutThinking(message: Message): Message {
  return { ...message, parts: message.parts.filter(({ type }) => type !== "reasoning") };
}
