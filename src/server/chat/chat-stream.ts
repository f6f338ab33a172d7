/**
 * One turn's stream of UI message chunks, kept while it runs. Whoever reads it begins at its beginning and goes at a
 * pace of their own: a reader has a place in what is kept and no queue, so one that is slow gets larger pieces later
 * and costs no memory. Small pieces of one text are kept as one, up to a length: whoever reads a text that still grows
 * has it copied each time.
 */
import type { UIMessageChunk } from "ai";

interface Kept {
  readonly chunk: UIMessageChunk;
  /** The field of the chunk that grows, and all of it so far. */
  readonly field?: "delta" | "inputTextDelta" | undefined;
  text: string;
}

/** A reader's next place: so many chunks, and so many characters of the one after them. */
export interface StreamPlace {
  index: number;
  offset: number;
}

export interface ReadStream {
  /** Where to begin; it moves with what is read. The beginning without it. */
  readonly place?: StreamPlace | undefined;
  /** After a silence of so long there is an empty piece, which says that the stream is alive. */
  readonly quietMs?: number | undefined;
}

/** Silence after which a reader is told that the connection is alive. */
const KEEP_ALIVE_MS = 15_000;
/** What a reader that lags is given at once. */
const PIECE_CHARACTERS = 65_536;
/** A text that is as long as this is kept, and the next piece of it begins another. */
const KEPT_CHARACTERS = 4_096;

export class ChatStream {
  readonly #kept: Kept[] = [];
  readonly #waiting = new Set<() => void>();
  #characters = 0;
  #readers = 0;
  #wasRead = false;
  #isEnded = false;

  /** The place after what was written so far. */
  get length(): number {
    return this.#kept.length;
  }

  get characters(): number {
    return this.#characters;
  }

  write(chunk: UIMessageChunk): void {
    if (this.#isEnded) return;
    const field = fieldOf(chunk);
    const text = field === undefined ? "" : String(chunk[field as never]);
    const last = this.#kept.at(-1);
    this.#characters += field === undefined ? JSON.stringify(chunk).length : text.length;
    const isMore = field !== undefined && last?.field === field && last.text.length < KEPT_CHARACTERS;
    if (isMore && isSamePart(last.chunk, chunk)) last.text += text;
    else this.#kept.push({ chunk, field, text });
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** What was written from a place on, with small pieces of a text as one. */
  since(index: number): readonly UIMessageChunk[] {
    return this.#kept.slice(index).map((kept) => chunkOf(kept, 0));
  }

  /** How many read it now. */
  get readers(): number {
    return this.#readers;
  }

  /** Whether those who read it have all gone before its end. One that nobody came for yet is not left. */
  get isLeft(): boolean {
    return this.#wasRead && this.#readers === 0 && !this.#isEnded;
  }

  /** Whether nothing waits for a reader who is there. */
  isRead({ index, offset }: StreamPlace): boolean {
    const kept = this.#kept[index];
    return kept === undefined || (index === this.length - 1 && kept.field !== undefined && offset === kept.text.length);
  }

  /** All of it from the beginning, then what comes, until it ends or the signal is aborted. */
  async *read(
    signal: AbortSignal,
    { place = { index: 0, offset: 0 }, quietMs = KEEP_ALIVE_MS }: ReadStream = {},
  ): AsyncGenerator<readonly UIMessageChunk[]> {
    this.#wasRead = true;
    this.#readers += 1;
    try {
      while (!signal.aborted) {
        const chunks = this.#take(place);
        if (chunks.length > 0) yield chunks;
        else if (this.#isEnded) return;
        else if (await this.#hasWaitedLong(signal, quietMs)) yield [];
      }
    } finally {
      this.#readers -= 1;
    }
  }

  #take(place: StreamPlace): readonly UIMessageChunk[] {
    const taken: UIMessageChunk[] = [];
    let characters = 0;
    while (characters < PIECE_CHARACTERS) {
      const kept = this.#kept[place.index];
      if (kept === undefined) break;
      if (kept.field === undefined || kept.text.length > place.offset) {
        taken.push(chunkOf(kept, place.offset));
        characters += kept.text.length - place.offset + 1;
      }
      const isLast = place.index === this.#kept.length - 1;
      // The text may go on; a reader stays with it until something else comes.
      if (isLast && kept.field !== undefined) {
        place.offset = kept.text.length;
        break;
      }
      place.index += 1;
      place.offset = 0;
    }
    return taken;
  }

  /** True after a long silence, false when there is something new. */
  #hasWaitedLong(signal: AbortSignal, quietMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isLong: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve(isLong);
      };
      const wake = () => finish(false);
      const timer = setTimeout(() => finish(true), quietMs);
      timer.unref();
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

function chunkOf({ chunk, field, text }: Kept, offset: number): UIMessageChunk {
  return field === undefined ? chunk : ({ ...chunk, [field]: text.slice(offset) } as UIMessageChunk);
}

/** A piece with metadata is whole: the signature of thinking comes with an empty one. */
function fieldOf(chunk: UIMessageChunk): Kept["field"] {
  const { type } = chunk;
  if ("providerMetadata" in chunk) return undefined;
  if (type === "text-delta" || type === "reasoning-delta") return "delta";
  return type === "tool-input-delta" ? "inputTextDelta" : undefined;
}

function isSamePart(one: UIMessageChunk, other: UIMessageChunk): boolean {
  const idOf = (chunk: UIMessageChunk) => ("toolCallId" in chunk ? chunk.toolCallId : "id" in chunk ? chunk.id : "");
  return one.type === other.type && idOf(one) === idOf(other);
}
