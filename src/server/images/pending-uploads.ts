/**
 * Images that were uploaded before the messages that show them, because JSON requests are too small for them. They are
 * kept in memory for an hour, within a limit, and in files next to a store that is a file, so that a restart keeps
 * them. A message stores the images that it shows. Images on other servers are requested from them. No session can name
 * an image of another session.
 */
import { createHash } from "node:crypto";
import type { Message, Part } from "../../core/message/message.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import type { SessionKey } from "../tenants/tenants.ts";
import { type UploadedImage, UploadFiles } from "./upload-files.ts";

/** Scheme by which a message names an uploaded image. */
const REFERENCE = "palimpsest-image:";
const REFERENCE_PATTERN = /^palimpsest-image:([0-9a-f]{32})$/;
const LIFETIME_MS = 3_600_000;
const MAX_BYTES = 256 * 2 ** 20;

/** Fields that contain the address of an image in some format. Elsewhere a reference is text. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(["url", "image", "image_url", "images", "data", "file_data"]);

export type FindUpload = (session: SessionKey, id: string) => Promise<UploadedImage | undefined>;

/** Images of one tenant. Above the limit the tenant with the most bytes loses its oldest image. */
interface TenantUploads {
  readonly images: Map<string, UploadedImage & { readonly untilMs: number }>;
  bytes: number;
}

export class PendingUploads {
  readonly #tenants = new Map<string, TenantUploads>();
  readonly #now: () => number;
  readonly #maxBytes: number;
  readonly #findAtOthers: FindUpload | undefined;
  readonly #files: UploadFiles | undefined;

  constructor({ now = () => performance.now(), maxBytes = MAX_BYTES, folder, connect }: PendingUploadsOptions = {}) {
    this.#now = now;
    this.#maxBytes = maxBytes;
    this.#files = folder === undefined ? undefined : new UploadFiles({ folder, maxBytes, lifetimeMs: LIFETIME_MS });
    this.#findAtOthers = connect?.((session, id) => this.#find(session, id));
    // Removes expired files of an earlier server.
    void this.#files?.clear();
  }

  /** Putting the same image into the same session again returns the same id. */
  async put(session: SessionKey, image: UploadedImage): Promise<{ readonly id: string; readonly reference: string }> {
    const id = hashImage(image);
    await this.#files?.put(session, id, image);
    const key = uploadKey(session, id);
    const uploads = this.#tenants.get(session.tenantId) ?? { images: new Map(), bytes: 0 };
    this.#tenants.set(session.tenantId, uploads);
    remove(uploads, key);
    uploads.images.set(key, { ...image, untilMs: this.#now() + LIFETIME_MS });
    uploads.bytes += image.bytes.byteLength;
    this.#evict();
    return { id, reference: `${REFERENCE}${id}` };
  }

  async forget(session: SessionKey): Promise<void> {
    const uploads = this.#tenants.get(session.tenantId);
    for (const key of [...(uploads?.images.keys() ?? [])]) {
      if (uploads !== undefined && key.startsWith(uploadKey(session, ""))) remove(uploads, key);
    }
    await this.#files?.forget(session);
  }

  /** Forgets the images that a message shows. */
  async forgetShown(session: SessionKey, { parts }: Message): Promise<void> {
    const shown = parts.flatMap((part): readonly Part[] =>
      part.type === "tool-result" && part.output.type === "parts" ? part.output.parts : [part],
    );
    for (const part of shown) {
      if (part.type !== "image" || part.source.type !== "data") continue;
      const { mediaType = "" } = part;
      const id = hashImage({ mediaType, bytes: Buffer.from(part.source.base64, "base64") });
      const uploads = this.#tenants.get(session.tenantId);
      if (uploads !== undefined) remove(uploads, uploadKey(session, id));
      await this.#files?.forget(session, id);
    }
  }

  #evict(): void {
    for (const [tenantId, uploads] of this.#tenants) {
      for (const [oldest, { untilMs }] of uploads.images) {
        if (untilMs > this.#now()) break;
        remove(uploads, oldest);
      }
      if (uploads.images.size === 0) this.#tenants.delete(tenantId);
    }
    for (;;) {
      const all = [...this.#tenants.values()].toSorted((left, right) => right.bytes - left.bytes);
      const bytes = all.reduce((sum, uploads) => sum + uploads.bytes, 0);
      const [largest] = all;
      const [oldest] = largest?.images.keys() ?? [];
      if (bytes <= this.#maxBytes || largest === undefined || oldest === undefined) return;
      remove(largest, oldest);
    }
  }

  /** Returns the messages with data URLs in place of references. */
  async resolve<Value>(session: SessionKey, messages: Value): Promise<Value> {
    const ids = new Set<string>();
    replaceReferences(messages, "", (reference, id) => {
      ids.add(id);
      return reference;
    });
    const found = new Map<string, UploadedImage>();
    for (const id of ids) found.set(id, await this.#require(session, id));
    const show = (reference: string, id: string) => {
      const image = found.get(id);
      return image === undefined ? reference : writeDataUrl(image);
    };
    return (ids.size === 0 ? messages : replaceReferences(messages, "", show)) as Value;
  }

  async #find(session: SessionKey, id: string): Promise<UploadedImage | undefined> {
    const found = this.#tenants.get(session.tenantId)?.images.get(uploadKey(session, id));
    if (found !== undefined && found.untilMs > this.#now()) return found;
    const file = await this.#files?.find(session, id);
    return file !== undefined && hashImage(file) === id ? file : undefined;
  }

  async #require(session: SessionKey, id: string): Promise<UploadedImage> {
    const own = await this.#find(session, id);
    if (own !== undefined) return own;
    const received = await this.#findAtOthers?.(session, id);
    if (received !== undefined && hashImage(received) === id) return received;
    throw new RefusedRequest("request-invalid", "An image of a message is no longer available. Upload it again.");
  }
}

export interface PendingUploadsOptions {
  readonly now?: (() => number) | undefined;
  /** Limit of all tenants together. */
  readonly maxBytes?: number | undefined;
  /** Folder for the files; memory only without it. */
  readonly folder?: string | undefined;
  /** Receives the function by which other servers find images here, and returns the one that finds theirs. */
  readonly connect?: ((findOwn: FindUpload) => FindUpload | undefined) | undefined;
}

function hashImage({ mediaType, bytes }: UploadedImage): string {
  return createHash("sha256").update(mediaType).update(bytes).digest("hex").slice(0, 32);
}

function writeDataUrl({ mediaType, bytes }: UploadedImage): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** Replaces every reference to an image with the result of `show`. */
function replaceReferences(value: unknown, field: string, show: (reference: string, id: string) => string): unknown {
  if (typeof value === "string") {
    const id = IMAGE_FIELDS.has(field) ? REFERENCE_PATTERN.exec(value)?.[1] : undefined;
    return id === undefined ? value : show(value, id);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapChanged(value, (each) => replaceReferences(each, field, show));
  const fields = Object.entries(value).map(([name, each]) => [name, replaceReferences(each, name, show)] as const);
  const isChanged = fields.some(([name, each]) => each !== Reflect.get(value, name));
  return isChanged ? Object.fromEntries(fields) : value;
}

function remove(uploads: TenantUploads, key: string): void {
  uploads.bytes -= uploads.images.get(key)?.bytes.byteLength ?? 0;
  uploads.images.delete(key);
}

function uploadKey({ sessionId }: SessionKey, id: string): string {
  return `${JSON.stringify(sessionId)}/${id}`;
}

function mapChanged(values: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  const changed = values.map(change);
  return changed.some((value, index) => value !== values[index]) ? changed : values;
}
