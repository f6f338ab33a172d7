/** Remembers the last prompt of the sessions used most recently, in memory within limits. */
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import type { SessionKey } from "../tenants/tenants.ts";

export interface RecordedPrompt {
  readonly promptId: string;
  readonly at: number;
  /** Undefined if the prompt was evicted, or may no longer be shown. */
  readonly prompt?: Prompt | undefined;
}

const MAX_SESSIONS = 100;
/** Limit of all prompts together; images count as text. */
const MAX_CHARACTERS = 16_000_000;

export class LastPrompts {
  /** Least recently used first. */
  readonly #kept = new Map<string, { readonly prompt: Prompt; readonly characters: number }>();
  #characters = 0;
  readonly #maxSessions: number;
  readonly #maxCharacters: number;

  constructor({ maxSessions = MAX_SESSIONS, maxCharacters = MAX_CHARACTERS } = {}) {
    this.#maxSessions = maxSessions;
    this.#maxCharacters = maxCharacters;
  }

  /** `sent` is the prompt in the format of its answer: another one would have to be rendered to be counted. */
  keep(key: SessionKey, prompt: Prompt, sent: unknown = prompt.forStreamText()): void {
    this.forget(key);
    const characters = countContentCharacters(sent);
    this.#kept.set(promptKey(key), { prompt, characters });
    this.#characters += characters;
    while (this.#kept.size > this.#maxSessions || this.#characters > this.#maxCharacters) {
      const [oldest] = this.#kept.keys();
      if (oldest === undefined) return;
      this.#remove(oldest);
    }
  }

  forget(key: SessionKey): void {
    this.#remove(promptKey(key));
  }

  /** Returns the last prompt in the log, with its content if it is remembered and nothing was deleted since then. */
  async find(tenantId: string, session: Session): Promise<RecordedPrompt | undefined> {
    const [request] = await session.entries({ types: ["request"], newestFirst: true, limit: 1 });
    if (request?.type !== "request") return undefined;
    const { promptId, at, seq } = request;
    const kept = this.#kept.get(promptKey({ tenantId, sessionId: session.id }));
    if (kept?.prompt.id !== promptId) return { promptId, at };
    const later = await session.entries({ types: ["delete", "summary"], afterSeq: seq });
    const isErased = later.some((entry) => entry.type === "delete" || (entry.type === "summary" && entry.erases));
    return isErased ? { promptId, at } : { promptId, at, prompt: kept.prompt };
  }

  #remove(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }
}

function promptKey({ tenantId, sessionId }: SessionKey): string {
  return JSON.stringify([tenantId, sessionId]);
}

function countContentCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + countContentCharacters(each), 0);
}
