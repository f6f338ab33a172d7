/**
 * Server-sent events from text as it arrives, in whichever pieces. It follows the standard: lines end in any of the
 * three ways, comments are skipped, an event ends with an empty line, and one that never ends is never given out.
 */
export interface ServerSentEvent {
  /** `message` where the server gives no name. */
  readonly name: string;
  readonly data: string;
  /** The last id that the server gave, with this event or before it. */
  readonly id: string;
}

/** No server of ours sends an event that is larger; one that does must not fill the memory. */
const MOST_CHARACTERS = 64_000_000;

export class EventParser {
  #rest = "";
  #isFirst = true;
  /** The last piece ended in a carriage return; a line feed that follows belongs to it. */
  #skipsLineFeed = false;
  #name = "";
  #data: string[] = [];
  #characters = 0;
  #id = "";
  #retryMs: number | undefined;

  get lastId(): string {
    return this.#id;
  }

  /** How long the server asks to wait before a client connects again. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  push(text: string): readonly ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    for (const line of this.#takeLines(text)) {
      const event = this.#readLine(line);
      if (event !== undefined) events.push(event);
    }
    if (this.#rest.length + this.#characters > MOST_CHARACTERS) throw new RangeError("An event is too large.");
    return events;
  }

  #takeLines(text: string): readonly string[] {
    let piece = text;
    if (this.#isFirst && piece !== "") {
      this.#isFirst = false;
      if (piece.startsWith("\uFEFF")) piece = piece.slice(1);
    }
    if (this.#skipsLineFeed && piece !== "") {
      this.#skipsLineFeed = false;
      if (piece.startsWith("\n")) piece = piece.slice(1);
    }
    if (piece.endsWith("\r")) this.#skipsLineFeed = true;
    const lines = (this.#rest + piece).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  #readLine(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#endEvent();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      this.#data.push(value);
      this.#characters += value.length + 1;
    } else if (field === "event") this.#name = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }

  #endEvent(): ServerSentEvent | undefined {
    const [name, data] = [this.#name, this.#data];
    this.#name = "";
    this.#data = [];
    this.#characters = 0;
    return data.length === 0
      ? undefined
      : { name: name === "" ? "message" : name, data: data.join("\n"), id: this.#id };
  }
}
