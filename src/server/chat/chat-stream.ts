/**
 * The stream of UI message chunks of one turn, kept while it runs. Every reader starts at the beginning and reads at its
 * own pace: it has a position and no queue, so a slow reader gets larger pieces and costs no memory. Small deltas of one
 * text are joined up to a length, because reading a growing text copies it.
 */
import type { UIMessageChunk } from "ai";

interface StoredChunk {
  readonly chunk: UIMessageChunk;
  /** The field of the chunk that grows, and its text so far. */
  readonly field?: "delta" | "inputTextDelta" | undefined;
  text: string;
}

/** Position of a reader: whole chunks, and characters of the next one. */
export interface StreamPosition {
  index: number;
  offset: number;
}

export interface ReadStreamOptions {
  /** Start position, advanced by reading; default the beginning. */
  readonly position?: StreamPosition | undefined;
  /** Silence after which an empty piece is yielded as a sign of life. */
  readonly quietMs?: number | undefined;
}

const KEEP_ALIVE_MS = 15_000;
/** Characters that a slow reader gets in one piece. */
const PIECE_CHARACTERS = 65_536;
/** Length above which deltas are no longer joined to a text. */
const JOINED_CHARACTERS = 4_096;

export class ChatStream {
  readonly #kept: StoredChunk[] = [];
  readonly #waiting = new Set<() => void>();
  #characters = 0;
  #readers = 0;
  #wasRead = false;
  #isEnded = false;

  get length(): number {
    return this.#kept.length;
  }

  get characters(): number {
    return this.#characters;
  }

  write(chunk: UIMessageChunk): void {
    if (this.#isEnded) return;
    const field = findGrowingField(chunk);
    const text = field === undefined ? "" : String(chunk[field as never]);
    const last = this.#kept.at(-1);
    this.#characters += field === undefined ? JSON.stringify(chunk).length : text.length;
    const isMore = field !== undefined && last?.field === field && last.text.length < JOINED_CHARACTERS;
    if (isMore && isSamePart(last.chunk, chunk)) last.text += text;
    else this.#kept.push({ chunk, field, text });
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Returns the chunks after an index, with the deltas of a text joined. */
  since(index: number): readonly UIMessageChunk[] {
    return this.#kept.slice(index).map((kept) => chunkOf(kept, 0));
  }

  get readers(): number {
    return this.#readers;
  }

  /** True if all readers have left before the end. A stream without any reader yet is not abandoned. */
  get isAbandoned(): boolean {
    return this.#wasRead && this.#readers === 0 && !this.#isEnded;
  }

  isRead({ index, offset }: StreamPosition): boolean {
    const kept = this.#kept[index];
    return kept === undefined || (index === this.length - 1 && kept.field !== undefined && offset === kept.text.length);
  }

  /** Yields all chunks, then new ones, until the stream ends or the signal is aborted. */
  async *read(
    signal: AbortSignal,
    { position = { index: 0, offset: 0 }, quietMs = KEEP_ALIVE_MS }: ReadStreamOptions = {},
  ): AsyncGenerator<readonly UIMessageChunk[]> {
    this.#wasRead = true;
    this.#readers += 1;
    try {
      while (!signal.aborted) {
        const chunks = this.#take(position);
        if (chunks.length > 0) yield chunks;
        else if (this.#isEnded) return;
        else if (await this.#hasWaitedLong(signal, quietMs)) yield [];
      }
    } finally {
      this.#readers -= 1;
    }
  }

  #take(position: StreamPosition): readonly UIMessageChunk[] {
    const taken: UIMessageChunk[] = [];
    let characters = 0;
    while (characters < PIECE_CHARACTERS) {
      const kept = this.#kept[position.index];
      if (kept === undefined) break;
      if (kept.field === undefined || kept.text.length > position.offset) {
        taken.push(chunkOf(kept, position.offset));
        characters += kept.text.length - position.offset + 1;
      }
      const isLast = position.index === this.#kept.length - 1;
      // The last text may still grow, so the reader does not move on before another chunk arrives.
      if (isLast && kept.field !== undefined) {
        position.offset = kept.text.length;
        break;
      }
      position.index += 1;
      position.offset = 0;
    }
    return taken;
  }

  /** Resolves to true after a long silence, to false when there is something new. */
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

function chunkOf({ chunk, field, text }: StoredChunk, offset: number): UIMessageChunk {
  return field === undefined ? chunk : ({ ...chunk, [field]: text.slice(offset) } as UIMessageChunk);
}

/** Returns undefined for a delta with metadata, which is not joined: a signature of thinking has an empty text. */
function findGrowingField(chunk: UIMessageChunk): StoredChunk["field"] {
  const { type } = chunk;
  if ("providerMetadata" in chunk) return undefined;
  if (type === "text-delta" || type === "reasoning-delta") return "delta";
  return type === "tool-input-delta" ? "inputTextDelta" : undefined;
}

function isSamePart(one: UIMessageChunk, other: UIMessageChunk): boolean {
  const idOf = (chunk: UIMessageChunk) => ("toolCallId" in chunk ? chunk.toolCallId : "id" in chunk ? chunk.id : "");
  return one.type === other.type && idOf(one) === idOf(other);
}
