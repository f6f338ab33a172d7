/**
 * The prompt that was sent last in each of the sessions that were used last, so that whoever looks at the next one can
 * be shown what differs. It is remembered here and nowhere else, within limits: what is forgotten is said to be.
 */
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";

export interface PromptPlace {
  readonly tenantId: string;
  readonly sessionId: string;
}

export interface LastPrompt {
  readonly promptId: string;
  readonly at: number;
  /** Undefined where its words are not remembered, or may not be shown any more. */
  readonly prompt?: Prompt | undefined;
}

const MOST_SESSIONS = 100;
/** Of all prompts together; images are texts here. */
const MOST_CHARACTERS = 16_000_000;

interface Kept {
  readonly prompt: Prompt;
  readonly characters: number;
}

export class LastPrompts {
  /** The one that was used longest ago first. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;
  readonly #mostSessions: number;
  readonly #mostCharacters: number;

  constructor({ mostSessions = MOST_SESSIONS, mostCharacters = MOST_CHARACTERS } = {}) {
    this.#mostSessions = mostSessions;
    this.#mostCharacters = mostCharacters;
  }

  keep(place: PromptPlace, prompt: Prompt): void {
    this.forget(place);
    const characters = countCharacters(prompt.forStreamText());
    this.#kept.set(keyOf(place), { prompt, characters });
    this.#characters += characters;
    while (this.#kept.size > this.#mostSessions || this.#characters > this.#mostCharacters) {
      const [oldest] = this.#kept.keys();
      if (oldest === undefined) return;
      this.#remove(oldest);
    }
  }

  forget(place: PromptPlace): void {
    this.#remove(keyOf(place));
  }

  /**
   * What the log says was sent last, with its words where they are remembered. Another server may have sent a newer one,
   * and what somebody had erased since is not shown again.
   */
  async find(tenantId: string, session: Session): Promise<LastPrompt | undefined> {
    const [request] = await session.entries({ types: ["request"], newestFirst: true, limit: 1 });
    if (request?.type !== "request") return undefined;
    const { promptId, at, seq } = request;
    const kept = this.#kept.get(keyOf({ tenantId, sessionId: session.id }));
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

function keyOf({ tenantId, sessionId }: PromptPlace): string {
  return JSON.stringify([tenantId, sessionId]);
}

function countCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + countCharacters(each), 0);
}
