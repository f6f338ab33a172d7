/**
 * Scans JSON while its bytes arrive, before it is parsed: depth, number of values and fields, and whether integers are
 * safe. It refuses bodies that are small but slow to parse, such as millions of empty lists. It is not a parser: invalid
 * JSON is found later.
 */
import { RefusedRequest } from "./answer-error.ts";

export interface ShapeLimits {
  readonly depth: number;
  readonly values: number;
  /** In one object. */
  readonly fields: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON, DOT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2e];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, NINE, SMALL_E, LARGE_E] = [0x30, 0x39, 0x65, 0x45];

export class JsonScan {
  readonly #limits: ShapeLimits;
  readonly #fields: number[] = [0];
  #depth = 0;
  #values = 1;
  #isText = false;
  #isEscaped = false;
  #number = 0;
  #isFraction = false;
  /** Number of fields of all objects; duplicates count twice. */
  names = 0;

  constructor(limits: ShapeLimits) {
    this.#limits = limits;
  }

  add(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (this.#isText) this.#readText(byte);
      else if (byte >= ZERO && byte <= NINE) this.#number = this.#number * 10 + (byte - ZERO);
      else this.#readSign(byte);
    }
    if (this.#values > this.#limits.values) {
      throw new RefusedRequest("request-too-large", `The body has more than ${this.#limits.values} values.`);
    }
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }

  #readSign(byte: number): void {
    this.#endNumber(byte);
    if (byte === QUOTE) this.#isText = true;
    else if (byte === COMMA) this.#values += 1;
    else if (byte === COLON) this.#countField();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open();
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#depth -= 1;
  }

  /** Refuses integers above 2^53, which would be changed. Fractions and exponents are rounded as usual. */
  #endNumber(byte: number): void {
    const isPart = byte === DOT || byte === SMALL_E || byte === LARGE_E;
    if (this.#number > Number.MAX_SAFE_INTEGER && !isPart && !this.#isFraction) {
      throw new RefusedRequest("request-invalid", "The body has a number above 2^53. Send it as a string.");
    }
    this.#isFraction = isPart;
    this.#number = 0;
  }

  #countField(): void {
    this.names += 1;
    const fields = (this.#fields[this.#depth] ?? 0) + 1;
    this.#fields[this.#depth] = fields;
    if (fields <= this.#limits.fields) return;
    throw new RefusedRequest("request-invalid", `An object of the body has more than ${this.#limits.fields} fields.`);
  }

  /** Limits the depth, because functions that walk the value later are recursive. */
  #open(): void {
    this.#depth += 1;
    this.#values += 1;
    this.#fields[this.#depth] = 0;
    const { depth } = this.#limits;
    if (this.#depth <= depth) return;
    throw new RefusedRequest("request-invalid", `The body is nested deeper than ${depth} levels.`);
  }
}
