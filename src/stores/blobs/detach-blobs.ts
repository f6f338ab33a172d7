/**
 * Takes what is large out of a message before it is stored, and puts it back when it is read. The message that comes
 * back is the one that was given, to the last character; where a blob is gone a text in its place says so.
 */
import { createHash } from "node:crypto";
import type { FilePart, ImagePart, Message, Part, TextPart, UnknownPart } from "../../core/message/message.ts";
import type { BlobReference, BlobSink, BlobSource } from "./blob.ts";

/** Shorter texts stay where they are: they are read with their message at no cost. */
const LONG_TEXT_CHARACTERS = 2 ** 18;
/** Shorter data too: a file for a thumbnail's hundred bytes is no gain. */
const SMALL_MEDIUM_CHARACTERS = 512;

type InnerPart = TextPart | ImagePart | FilePart | UnknownPart;

export interface Detached {
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
  /** Media from so many characters of base64 on; 512 without it. */
  readonly smallestMedium?: number | undefined;
  /** Texts from so many characters on; 262,144 without it. */
  readonly smallestText?: number | undefined;
}

/** Whether anything may be taken out of a message, as far as lengths tell. Asks nothing of the content. */
export function mayHoldBlobs({ parts }: Message): boolean {
  return parts.some((part) => isLarge(part, {}) || (innerParts(part)?.some((inner) => isLarge(inner, {})) ?? false));
}

export async function detachBlobs(message: Message, sink: BlobSink, options: DetachOptions): Promise<Detached> {
  const blobs: BlobReference[] = [];
  const detach = async <Any extends Part>(part: Any, place: Pick<BlobReference, "part" | "inner">): Promise<Any> => {
    const content = findContent(part, options);
    if (content === undefined) return part;
    const { bytes, as, mediaType } = content;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const { name } = await sink.put({ bytes, sha256, mediaType, at: options.at });
    blobs.push({ ...place, name, sha256, as });
    return emptied(part);
  };
  const parts: Part[] = [];
  for (const [index, part] of message.parts.entries()) {
    if (part.type !== "tool-result" || part.output.type !== "parts") {
      parts.push(await detach(part, { part: index }));
      continue;
    }
    const inner: InnerPart[] = [];
    for (const [at, item] of part.output.parts.entries()) inner.push(await detach(item, { part: index, inner: at }));
    parts.push({ ...part, output: { ...part.output, parts: inner } });
  }
  return blobs.length === 0 ? { message, blobs } : { message: { ...message, parts }, blobs };
}

export interface AttachOptions {
  /** Leaves media out: whoever looks for words needs none of them. */
  readonly onlyTexts?: boolean | undefined;
  readonly onMissing?: ((name: string) => void) | undefined;
}

export async function attachBlobs(
  { message, blobs }: Detached,
  source: BlobSource,
  { onlyTexts = false, onMissing }: AttachOptions = {},
): Promise<Message> {
  const parts = [...message.parts];
  for (const reference of blobs) {
    if (onlyTexts && reference.as !== "text") continue;
    const bytes = await findIntact(reference, source);
    if (bytes === undefined) onMissing?.(reference.name);
    const part = parts[reference.part];
    if (part === undefined) continue;
    parts[reference.part] = replaceAt(part, reference, (item) => filled(item, reference, bytes));
  }
  return { ...message, parts };
}

async function findIntact({ name, sha256 }: BlobReference, source: BlobSource): Promise<Buffer | undefined> {
  const bytes = await source.find(name);
  if (bytes === undefined) return undefined;
  if (sha256 !== undefined && createHash("sha256").update(bytes).digest("hex") !== sha256) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Only what comes back exactly: text that UTF-8 cannot hold and base64 of another spelling stay where they are. */
function findContent(part: Part, options: LargeOptions): Content | undefined {
  if (!isLarge(part, options)) return undefined;
  const text = textOf(part);
  if (text !== undefined) {
    return text.isWellFormed() ? { bytes: Buffer.from(text), as: "text", mediaType: "text/plain" } : undefined;
  }
  const medium = mediumOf(part);
  const bytes = Buffer.from(medium?.base64 ?? "", "base64");
  return bytes.toString("base64") === medium?.base64 ? { bytes, as: "base64", mediaType: medium.mediaType } : undefined;
}

type LargeOptions = Omit<DetachOptions, "at">;

function isLarge(part: Part, options: LargeOptions): boolean {
  const { smallestMedium = SMALL_MEDIUM_CHARACTERS, smallestText = LONG_TEXT_CHARACTERS } = options;
  const text = textOf(part);
  if (text !== undefined) return text.length >= smallestText;
  const medium = mediumOf(part);
  return medium !== undefined && medium.base64.length >= smallestMedium;
}

function textOf(part: Part): string | undefined {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-result" && part.output.type === "text" ? part.output.text : undefined;
}

function mediumOf(part: Part): { readonly base64: string; readonly mediaType: string | undefined } | undefined {
  if ((part.type !== "image" && part.type !== "file") || part.source.type !== "data") return undefined;
  return { base64: part.source.base64, mediaType: part.mediaType };
}

function innerParts(part: Part): readonly InnerPart[] | undefined {
  return part.type === "tool-result" && part.output.type === "parts" ? part.output.parts : undefined;
}

/** The part without its content; the reference stands beside the message. */
function emptied<Any extends Part>(part: Any): Any {
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

function filled<Any extends Part>(part: Any, reference: BlobReference, bytes: Buffer | undefined): Any | TextPart {
  const text = bytes?.toString() ?? missingText(reference);
  if (part.type === "text" || part.type === "reasoning") return { ...part, text };
  if (part.type === "tool-result") return { ...part, output: { type: "text", text } };
  if (bytes === undefined) return { type: "text", text };
  return { ...part, source: { type: "data", base64: bytes.toString("base64") } };
}

function missingText({ name, as }: BlobReference): string {
  return as === "text" ? `[the text in ${name} is missing]` : `[the image or file ${name} is missing]`;
}
