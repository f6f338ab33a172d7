/** Holds the newest response of a branch until it is whole, because its pieces come in several records. */
import type { Part } from "../../core/message/message.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { MessageFacts, SessionDraft } from "../shared/session-draft.ts";

/** The messages of one record: at most one response of the model, or what follows one. */
export interface ClaudeMessage {
  /** The provider's id: records with the same one are pieces of one message. */
  readonly providerId?: string | undefined;
  readonly messages: readonly MessageFacts[];
}

/** Records that follow a response and are held with it. */
const MAX_HELD = 500;

export class OpenRound {
  readonly #draft: SessionDraft;
  #response: MessageFacts | undefined;
  #providerId: string | undefined;
  #rest: MessageFacts[] = [];

  constructor(draft: SessionDraft) {
    this.#draft = draft;
  }

  /** The provider's id of the response that is being collected. */
  get providerId(): string | undefined {
    return this.#response === undefined ? undefined : this.#providerId;
  }

  get messageId(): string | undefined {
    return this.#rest.at(-1)?.id ?? this.#response?.id;
  }

  /** Whether a record with this id is part of the round already. */
  has({ id }: MessageFacts): boolean {
    return id !== undefined && (this.#response?.id === id || this.#rest.some((each) => each.id === id));
  }

  *add({ providerId, messages }: ClaudeMessage): Generator<TranscriptEvent> {
    const [first] = messages;
    if (first?.role === "assistant") {
      if (this.#response !== undefined && providerId !== undefined && providerId === this.#providerId) {
        this.#response = joinPieces(this.#response, first);
        return;
      }
      yield* this.flush();
      [this.#response, this.#providerId] = [first, providerId];
      return;
    }
    this.#rest.push(...messages);
    if (this.#response === undefined || this.#rest.length > MAX_HELD) yield* this.flush();
  }

  *flush(): Generator<TranscriptEvent> {
    const held = [...(this.#response === undefined ? [] : [this.#response]), ...this.#rest];
    [this.#response, this.#providerId, this.#rest] = [undefined, undefined, []];
    for (const facts of held) yield* this.#draft.add(facts);
  }
}

/** A later record of a response has its newest usage, and either the next blocks or all of them. */
function joinPieces(before: MessageFacts, next: MessageFacts): MessageFacts {
  const known = new Set(before.parts.map(describePart));
  const parts = [...before.parts, ...next.parts.filter((part) => !known.has(describePart(part)))];
  const usage = next.usage === undefined ? before.usage : next.usage;
  return { ...before, parts, usage, source: { ...before.source, ...keepNewer(next.source) } };
}

function keepNewer(source: MessageFacts["source"] = {}): MessageFacts["source"] {
  const { parentUuid: _, ...newer } = source;
  return newer;
}

function describePart(part: Part): string {
  return JSON.stringify(part);
}
