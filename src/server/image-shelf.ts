/**
 * Images that were sent ahead of the messages that show them, because a request of JSON is too small for them. They
 * wait in memory, for an hour and within a limit; what a message shows is stored with the message. Nothing of one
 * session can be named in another.
 */
import { createHash } from "node:crypto";
import { RefusedRequest } from "./answer-error.ts";

export interface ImagePlace {
  readonly tenantId: string;
  readonly sessionId: string;
}

export interface ShelvedImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** What a message writes in place of an image's address. */
const REFERENCE = "palimpsest-image:";
const LIFETIME_MS = 3_600_000;
const MOST_BYTES = 256 * 2 ** 20;

/** Fields in which some shape of a message has an image's address; elsewhere such a name is somebody's words. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(["url", "image", "image_url", "images", "data", "file_data"]);

interface Kept extends ShelvedImage {
  readonly untilMs: number;
}

/** Each tenant has one, and where there are too many bytes the fullest gives way: much of one never drives out another's. */
interface Shelf {
  readonly kept: Map<string, Kept>;
  bytes: number;
}

export class ImageShelf {
  readonly #shelves = new Map<string, Shelf>();
  readonly #now: () => number;
  readonly #mostBytes: number;

  constructor({ now = () => performance.now(), mostBytes = MOST_BYTES }: ImageShelfOptions = {}) {
    this.#now = now;
    this.#mostBytes = mostBytes;
  }

  /** The same image of the same session is one. */
  put(place: ImagePlace, image: ShelvedImage): { readonly id: string; readonly reference: string } {
    const id = createHash("sha256").update(image.mediaType).update(image.bytes).digest("hex").slice(0, 32);
    const key = keyOf(place, id);
    const shelf = this.#shelves.get(place.tenantId) ?? { kept: new Map(), bytes: 0 };
    this.#shelves.set(place.tenantId, shelf);
    remove(shelf, key);
    shelf.kept.set(key, { ...image, untilMs: this.#now() + LIFETIME_MS });
    shelf.bytes += image.bytes.byteLength;
    this.#clear();
    return { id, reference: `${REFERENCE}${id}` };
  }

  #clear(): void {
    for (const [tenantId, shelf] of this.#shelves) {
      for (const [oldest, { untilMs }] of shelf.kept) {
        if (untilMs > this.#now()) break;
        remove(shelf, oldest);
      }
      if (shelf.kept.size === 0) this.#shelves.delete(tenantId);
    }
    for (;;) {
      const shelves = [...this.#shelves.values()];
      const bytes = shelves.reduce((sum, shelf) => sum + shelf.bytes, 0);
      const fullest = shelves.toSorted((left, right) => right.bytes - left.bytes)[0];
      const [oldest] = fullest?.kept.keys() ?? [];
      if (bytes <= this.#mostBytes || fullest === undefined || oldest === undefined) return;
      remove(fullest, oldest);
    }
  }

  /** The same messages with images where they were named. */
  resolve<Value>(place: ImagePlace, messages: Value): Value {
    return this.#walk(place, messages, "") as Value;
  }

  #walk(place: ImagePlace, value: unknown, field: string): unknown {
    if (typeof value === "string") {
      return IMAGE_FIELDS.has(field) && value.startsWith(REFERENCE) ? this.#dataUrlOf(place, value) : value;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return mapChanged(value, (each) => this.#walk(place, each, field));
    const fields = Object.entries(value).map(([name, each]) => [name, this.#walk(place, each, name)] as const);
    const isChanged = fields.some(([name, each]) => each !== Reflect.get(value, name));
    return isChanged ? Object.fromEntries(fields) : value;
  }

  #dataUrlOf(place: ImagePlace, reference: string): string {
    const id = reference.slice(REFERENCE.length);
    // Somebody who writes about such a name has not named an image.
    if (!/^[0-9a-f]{32}$/.test(id)) return reference;
    const found = this.#shelves.get(place.tenantId)?.kept.get(keyOf(place, id));
    if (found === undefined || found.untilMs <= this.#now()) {
      throw new RefusedRequest("request-invalid", "An image that a message names is not here any more; put it again.");
    }
    return `data:${found.mediaType};base64,${Buffer.from(found.bytes).toString("base64")}`;
  }
}

export interface ImageShelfOptions {
  readonly now?: (() => number) | undefined;
  /** Of all tenants together. */
  readonly mostBytes?: number | undefined;
}

function remove(shelf: Shelf, key: string): void {
  shelf.bytes -= shelf.kept.get(key)?.bytes.byteLength ?? 0;
  shelf.kept.delete(key);
}

function keyOf({ sessionId }: ImagePlace, id: string): string {
  return JSON.stringify([sessionId, id]);
}

function mapChanged(values: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  const changed = values.map(change);
  return changed.some((value, index) => value !== values[index]) ? changed : values;
}
