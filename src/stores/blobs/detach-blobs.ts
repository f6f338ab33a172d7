/** Removes large content from a message and restores it unchanged. A text replaces a missing blob. */
import { sha256 as hash } from "#sha256";
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryDraft } from "../../core/log/entry.ts";
import type { ContentPart, Message, Part, TextPart } from "../../core/message/message.ts";
import { describeMissing } from "../../core/message/missing-content.ts";
import type { BlobReference, BlobSink, BlobSource } from "./blob.ts";

/** Shorter texts stay in the message, where reading them costs nothing extra. */
const LONG_TEXT_CHARACTERS = 2 ** 18;
/** Shorter media stay as well: a file of a hundred bytes saves nothing. */
const SMALL_MEDIUM_CHARACTERS = 512;

export interface DetachedMessage {
  readonly message: Message;
  readonly blobs: readonly BlobReference[];
}

interface Content {
  readonly bytes: Buffer;
  readonly as: BlobReference["as"];
  readonly mediaType: string | undefined;
}

export interface DetachOptions {
  readonly at: number;
  /** Minimum length of base64 to detach; default 512. */
  readonly smallestMedium?: number | undefined;
  /** Minimum length of text to detach; default 262,144. */
  readonly smallestText?: number | undefined;
}

/** Returns whether a message has parts long enough to detach, by their lengths alone. */
export function hasLargeParts(message: Message): boolean {
  return [...listParts(message)].some(([, part]) => isLarge(part, {}));
}

export async function detachBlobs(message: Message, sink: BlobSink, options: DetachOptions): Promise<DetachedMessage> {
  const blobs: BlobReference[] = [];
  const detach = async <Any extends Part>(part: Any, place: Pick<BlobReference, "part" | "inner">): Promise<Any> => {
    const content = findContent(part, options);
    if (content === undefined) return part;
    const { bytes, as, mediaType } = content;
    const sha256 = hash(bytes);
    const { name } = await sink.put({ bytes, sha256, mediaType, at: options.at });
    blobs.push({ ...place, name, sha256, as });
    return clearContent(part);
  };
  const parts: Part[] = [];
  for (const [index, part] of message.parts.entries()) {
    if (part.type !== "tool-result" || part.output.type !== "parts") {
      parts.push(await detach(part, { part: index }));
      continue;
    }
    const inner: ContentPart[] = [];
    for (const [at, item] of part.output.parts.entries()) inner.push(await detach(item, { part: index, inner: at }));
    parts.push({ ...part, output: { ...part.output, parts: inner } });
  }
  return blobs.length === 0 ? { message, blobs } : { message: { ...message, parts }, blobs };
}

export interface AttachOptions {
  /** Skips media, for readers that only need text. */
  readonly onlyTexts?: boolean | undefined;
  readonly onMissing?: ((name: string) => void) | undefined;
}

export async function attachBlobs(
  { message, blobs }: DetachedMessage,
  source: BlobSource,
  { onlyTexts = false, onMissing }: AttachOptions = {},
): Promise<Message> {
  const parts = [...message.parts];
  for (const reference of blobs) {
    if (onlyTexts && reference.as !== "text") continue;
    const bytes = await readIntact(reference, source);
    if (bytes === undefined) onMissing?.(reference.name);
    const part = parts[reference.part];
    if (part === undefined) continue;
    parts[reference.part] = replaceAt(part, reference, (item) => restoreContent(item, reference, bytes));
  }
  return { ...message, parts };
}

async function readIntact({ name, sha256 }: BlobReference, source: BlobSource): Promise<Buffer | undefined> {
  const bytes = await source.find(name);
  if (bytes === undefined) return undefined;
  if (sha256 !== undefined && hash(bytes) !== sha256) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns undefined for content that cannot be restored exactly, such as text that is not well-formed. */
function findContent(part: Part, options: SizeOptions): Content | undefined {
  if (!isLarge(part, options)) return undefined;
  const text = findPartText(part);
  if (text !== undefined) {
    return text.isWellFormed() ? { bytes: Buffer.from(text), as: "text", mediaType: "text/plain" } : undefined;
  }
  const medium = findMedium(part);
  const bytes = Buffer.from(medium?.base64 ?? "", "base64");
  return bytes.toString("base64") === medium?.base64 ? { bytes, as: "base64", mediaType: medium.mediaType } : undefined;
}

type SizeOptions = Omit<DetachOptions, "at">;

function isLarge(part: Part, options: SizeOptions): boolean {
  const { smallestMedium = SMALL_MEDIUM_CHARACTERS, smallestText = LONG_TEXT_CHARACTERS } = options;
  const text = findPartText(part);
  if (text !== undefined) return text.length >= smallestText;
  const medium = findMedium(part);
  return medium !== undefined && medium.base64.length >= smallestMedium;
}

function findPartText(part: Part): string | undefined {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-result" && part.output.type === "text" ? part.output.text : undefined;
}

function findMedium(part: Part): { readonly base64: string; readonly mediaType: string | undefined } | undefined {
  if ((part.type !== "image" && part.type !== "file") || part.source.type !== "data") return undefined;
  return { base64: part.source.base64, mediaType: part.mediaType };
}

function clearContent<Any extends Part>(part: Any): Any {
  if (part.type === "text" || part.type === "reasoning") return { ...part, text: "" };
  if (part.type === "tool-result") return { ...part, output: { type: "text", text: "" } };
  return { ...part, source: { type: "data", base64: "" } };
}

function replaceAt(
  part: Part,
  { inner }: BlobReference,
  replace: <Any extends Part>(part: Any) => Any | TextPart,
): Part {
  if (inner === undefined || part.type !== "tool-result" || part.output.type !== "parts") return replace(part);
  const parts = part.output.parts.map((item, index) => (index === inner ? replace(item) : item));
  return { ...part, output: { ...part.output, parts } };
}

function restoreContent<Any extends Part>(
  part: Any,
  reference: BlobReference,
  bytes: Buffer | undefined,
): Any | TextPart {
  const text = bytes?.toString() ?? describeMissing(reference);
  if (part.type === "text" || part.type === "reasoning") return { ...part, text };
  if (part.type === "tool-result") return { ...part, output: { type: "text", text } };
  if (bytes === undefined) return { type: "text", text };
  return { ...part, source: { type: "data", base64: bytes.toString("base64") } };
}

const MAX_IMAGES = 5;
const MAX_BYTES_EACH = 5 * 2 ** 20;

/** Throws `message-invalid` if a message has too many images or too large media. Every store calls this first. */
export function checkBatch(entries: readonly EntryDraft[]): void {
  for (const entry of entries) if (entry.type === "message") checkAttachments(entry.message);
}

export function checkAttachments(message: Message): void {
  let images = 0;
  for (const [path, part] of listParts(message)) {
    if ((part.type !== "image" && part.type !== "file") || part.source.type !== "data") continue;
    const bytes = Buffer.byteLength(part.source.base64, "base64");
    if (bytes > MAX_BYTES_EACH)
      throw createLimitError(`${path}: ${bytes} bytes, at most ${MAX_BYTES_EACH} are allowed`);
    if (part.type === "image") images += 1;
  }
  if (images > MAX_IMAGES) throw createLimitError(`parts: ${images} images, at most ${MAX_IMAGES} are allowed`);
}

function* listParts({ parts }: Message): Generator<readonly [path: string, part: Part]> {
  for (const [index, part] of parts.entries()) {
    yield [`parts[${index}]`, part];
    if (part.type !== "tool-result" || part.output.type !== "parts") continue;
    for (const [inner, item] of part.output.parts.entries()) yield [`parts[${index}].output.parts[${inner}]`, item];
  }
}

function createLimitError(text: string): PalimpsestError {
  return new PalimpsestError("message-invalid", `${text}. Nothing was stored.`);
}
