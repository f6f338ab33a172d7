/**
 * Images that were sent ahead of the messages that show them, because a request of JSON is too small for them. They
 * wait in memory, for an hour and within a limit, and beside a store that is a file on the disk too, so that they are
 * still there when the server is started again; what a message shows is stored with the message. One that was sent to
 * another server is asked for there. Nothing of one session can be named in another.
 */
import { createHash } from "node:crypto";
import { RefusedRequest } from "../http/answer-error.ts";
import { ImageFiles, type ImagePlace, type ShelvedImage } from "./image-files.ts";

/** What a message writes in place of an image's address. */
const REFERENCE = "palimpsest-image:";
const NAMED = /^palimpsest-image:([0-9a-f]{32})$/;
const LIFETIME_MS = 3_600_000;
const MOST_BYTES = 256 * 2 ** 20;

/** Fields in which some shape of a message has an image's address; elsewhere such a name is somebody's words. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(["url", "image", "image_url", "images", "data", "file_data"]);

/** An image that another server was sent. */
export type FindElsewhere = (place: ImagePlace, id: string) => Promise<ShelvedImage | undefined>;

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
  readonly #findElsewhere: FindElsewhere | undefined;
  readonly #files: ImageFiles | undefined;

  constructor({ now = () => performance.now(), mostBytes = MOST_BYTES, folder, connect }: ImageShelfOptions = {}) {
    this.#now = now;
    this.#mostBytes = mostBytes;
    this.#files = folder === undefined ? undefined : new ImageFiles({ folder, mostBytes, lifetimeMs: LIFETIME_MS });
    this.#findElsewhere = connect?.((place, id) => this.#find(place, id));
    // What was left by a server that has ended waits no longer than it should.
    void this.#files?.clear();
  }

  /** The same image of the same session is one. */
  async put(place: ImagePlace, image: ShelvedImage): Promise<{ readonly id: string; readonly reference: string }> {
    const id = idOf(image);
    await this.#files?.put(place, id, image);
    const key = keyOf(place, id);
    const shelf = this.#shelves.get(place.tenantId) ?? { kept: new Map(), bytes: 0 };
    this.#shelves.set(place.tenantId, shelf);
    remove(shelf, key);
    shelf.kept.set(key, { ...image, untilMs: this.#now() + LIFETIME_MS });
    shelf.bytes += image.bytes.byteLength;
    this.#clear();
    return { id, reference: `${REFERENCE}${id}` };
  }

  /** With its session goes what waits for it. */
  async forget(place: ImagePlace): Promise<void> {
    const shelf = this.#shelves.get(place.tenantId);
    for (const key of [...(shelf?.kept.keys() ?? [])]) {
      if (shelf !== undefined && key.startsWith(keyOf(place, ""))) remove(shelf, key);
    }
    await this.#files?.forget(place);
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
  async resolve<Value>(place: ImagePlace, messages: Value): Promise<Value> {
    const named = new Set<string>();
    walk(messages, "", (reference, id) => {
      named.add(id);
      return reference;
    });
    const found = new Map<string, ShelvedImage>();
    for (const id of named) found.set(id, await this.#require(place, id));
    const show = (reference: string, id: string) => {
      const image = found.get(id);
      return image === undefined ? reference : dataUrlOf(image);
    };
    return (named.size === 0 ? messages : walk(messages, "", show)) as Value;
  }

  async #find(place: ImagePlace, id: string): Promise<ShelvedImage | undefined> {
    const found = this.#shelves.get(place.tenantId)?.kept.get(keyOf(place, id));
    if (found !== undefined && found.untilMs > this.#now()) return found;
    const filed = await this.#files?.find(place, id);
    return filed !== undefined && idOf(filed) === id ? filed : undefined;
  }

  async #require(place: ImagePlace, id: string): Promise<ShelvedImage> {
    const own = await this.#find(place, id);
    if (own !== undefined) return own;
    const given = await this.#findElsewhere?.(place, id);
    if (given !== undefined && idOf(given) === id) return given;
    throw new RefusedRequest("request-invalid", "An image that a message names is not here any more; put it again.");
  }
}

export interface ImageShelfOptions {
  readonly now?: (() => number) | undefined;
  /** Of all tenants together. */
  readonly mostBytes?: number | undefined;
  /** Where they wait besides memory; nowhere without it. */
  readonly folder?: string | undefined;
  /** Is given how others find what is here, and gives how to find what is theirs, where there are others. */
  readonly connect?: ((findOwn: FindElsewhere) => FindElsewhere | undefined) | undefined;
}

function idOf({ mediaType, bytes }: ShelvedImage): string {
  return createHash("sha256").update(mediaType).update(bytes).digest("hex").slice(0, 32);
}

function dataUrlOf({ mediaType, bytes }: ShelvedImage): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** The same with what `show` says in place of every name of an image. */
function walk(value: unknown, field: string, show: (reference: string, id: string) => string): unknown {
  if (typeof value === "string") {
    // Somebody who writes about such a name has not named an image.
    const id = IMAGE_FIELDS.has(field) ? NAMED.exec(value)?.[1] : undefined;
    return id === undefined ? value : show(value, id);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapChanged(value, (each) => walk(each, field, show));
  const fields = Object.entries(value).map(([name, each]) => [name, walk(each, name, show)] as const);
  const isChanged = fields.some(([name, each]) => each !== Reflect.get(value, name));
  return isChanged ? Object.fromEntries(fields) : value;
}

function remove(shelf: Shelf, key: string): void {
  shelf.bytes -= shelf.kept.get(key)?.bytes.byteLength ?? 0;
  shelf.kept.delete(key);
}

function keyOf({ sessionId }: ImagePlace, id: string): string {
  return `${JSON.stringify(sessionId)}/${id}`;
}

function mapChanged(values: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  const changed = values.map(change);
  return changed.some((value, index) => value !== values[index]) ? changed : values;
}
