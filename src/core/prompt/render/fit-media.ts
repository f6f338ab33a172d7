/**
 * Images and files as a provider takes them, or a short text in their place. File ids are only sent where they look
 * like the provider's own: another's would be refused.
 */
import { imageMediaType } from "../../message/formats/wire-item.ts";
import type { FilePart, ImagePart, MediaSource, TextPart } from "../../message/message.ts";
import { PROVIDER_LIMITS, type Provider } from "../provider.ts";
import { mediaNote } from "./notes.ts";

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
  return PROVIDER_LIMITS[provider].takesImageIds && isOwnFile(source, provider) ? image : undefined;
}

function fitFile(part: ImagePart | FilePart, provider: Provider): FilePart | undefined {
  const { source } = part;
  const mediaType = plainType(part.mediaType);
  const name = part.type === "file" ? part.name : undefined;
  const file: FilePart = { type: "file", source, mediaType, ...(name === undefined ? {} : { name }) };
  if (source.type === "reference") return isOwnFile(source, provider) ? file : undefined;
  const { fileTypes, linkedFileTypes, needsFileName } = PROVIDER_LIMITS[provider];
  if (!fileTypes.has(mediaType)) return undefined;
  const mayLink = linkedFileTypes === "all" || linkedFileTypes.has(mediaType);
  if (source.type === "url") return mayLink && isWebUrl(source.url) ? file : undefined;
  return needsFileName && name === undefined ? { ...file, name: "file.pdf" } : file;
}

function isOwnFile(source: MediaSource, provider: Provider): boolean {
  return source.type === "reference" && PROVIDER_LIMITS[provider].fileId?.test(source.id) === true;
}

function isWebUrl(url: string): boolean {
  return /^(https?|gs):\/\//.test(url);
}

/** The type without its parameters: `text/plain;charset=utf-8` is `text/plain`. */
function plainType(mediaType: string | undefined): string {
  return ((mediaType ?? "").split(";")[0] ?? "").trim().toLowerCase();
}
