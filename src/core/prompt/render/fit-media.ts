/**
 * Images and files as a provider takes them, or a short text in their place. File ids are only sent where they look
 * like the provider's own: another's would be refused.
 */
import { imageMediaType } from "../../message/formats/wire-item.ts";
import type { FilePart, ImagePart, MediaSource, TextPart } from "../../message/message.ts";
import { PROVIDER_LIMITS, type Provider } from "../provider.ts";
import { mediaNote } from "./notes.ts";

const OWN_FILE_ID: Readonly<Record<Provider, RegExp | undefined>> = {
  openai: /^file-/,
  "openai-responses": /^file-/,
  anthropic: /^file_/,
  gemini: undefined,
};

export function fitMedia(part: ImagePart | FilePart, provider: Provider): ImagePart | FilePart | TextPart {
  const image = part.type === "image" || /^image(\/|$)/.test(plainType(part.mediaType));
  return (image ? fitImage(part, provider) : fitFile(part, provider)) ?? { type: "text", text: mediaNote(part) };
}

/** An image that says only that it is one has the type that its bytes show; a link to one is taken at its word. */
function fitImage(part: ImagePart | FilePart, provider: Provider): ImagePart | undefined {
  const { source } = part;
  const said = plainType(part.mediaType);
  const vague = said === "" || said === "image" || said === "image/*";
  const mediaType = vague ? imageMediaType({ type: "image", source }) : said;
  if (!PROVIDER_LIMITS[provider].imageTypes.has(mediaType)) return undefined;
  const image: ImagePart = { type: "image", source, mediaType };
  if (source.type === "data") return image;
  if (source.type === "url") return isWebUrl(source.url) ? image : undefined;
  return provider !== "openai" && isOwnFile(source, provider) ? image : undefined;
}

function fitFile(part: ImagePart | FilePart, provider: Provider): FilePart | undefined {
  const { source } = part;
  const mediaType = plainType(part.mediaType);
  const name = part.type === "file" ? part.name : undefined;
  const file: FilePart = { type: "file", source, mediaType, ...(name === undefined ? {} : { name }) };
  if (source.type === "reference") return isOwnFile(source, provider) ? file : undefined;
  if (!PROVIDER_LIMITS[provider].fileTypes.has(mediaType)) return undefined;
  if (source.type === "url") return takesUrl(provider, mediaType) && isWebUrl(source.url) ? file : undefined;
  const needsName = provider === "openai" || provider === "openai-responses";
  return needsName && name === undefined ? { ...file, name: "file.pdf" } : file;
}

/** Chat completions have no links to files, and Anthropic's links are to PDF. */
function takesUrl(provider: Provider, mediaType: string): boolean {
  if (provider === "openai") return false;
  return provider === "anthropic" ? mediaType === "application/pdf" : true;
}

function isOwnFile(source: MediaSource, provider: Provider): boolean {
  return source.type === "reference" && OWN_FILE_ID[provider]?.test(source.id) === true;
}

function isWebUrl(url: string): boolean {
  return /^(https?|gs):\/\//.test(url);
}

/** The type without its parameters: `text/plain;charset=utf-8` is `text/plain`. */
function plainType(mediaType: string | undefined): string {
  return ((mediaType ?? "").split(";")[0] ?? "").trim().toLowerCase();
}
