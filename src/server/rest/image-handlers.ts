/** Images over HTTP. Only types without scripts are shown; other files are sent as attachments. */
import type { FilePart, ImagePart, Message, Part } from "../../core/message/message.ts";
import type { Handlers } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { MAX_IMAGE_BYTES } from "../http/body-limit.ts";
import { BODY_LIMITS, readBodyBytes } from "../http/read-body.ts";
import type { ServerParts } from "./server-parts.ts";

export function createImageHandlers({ images }: ServerParts): Handlers<"putImage" | "readImage"> {
  return {
    putImage: async ({ engine, tenant, params, request, share }) => {
      await engine.describe(params.id);
      const bytes = await readBodyBytes(request, { ...BODY_LIMITS, bytes: MAX_IMAGE_BYTES }, { share });
      const mediaType = findType(bytes);
      const declared = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
      if (mediaType === undefined || (declared !== mediaType && declared !== "application/octet-stream")) {
        const text = `Send a PNG, JPEG, GIF or WebP image with its type as content-type. The bytes are ${mediaType ?? "of another type"}.`;
        throw new RefusedRequest("media-type-unsupported", text);
      }
      const upload = await images.put({ tenantId: tenant.id, sessionId: params.id }, { mediaType, bytes });
      return { ...upload, mediaType, bytes: bytes.byteLength };
    },
    readImage: async ({ engine, params }) => {
      const message = await (await engine.load(params.id)).message(params.messageId);
      return sendPart(findMedia(message)[params.index]);
    },
  };
}

type Media = ImagePart | FilePart;

function findMedia({ parts }: Message): readonly Media[] {
  const inside = (part: Part): readonly Part[] =>
    part.type === "tool-result" && part.output.type === "parts" ? part.output.parts : [part];
  return parts.flatMap(inside).filter((part): part is Media => part.type === "image" || part.type === "file");
}

function sendPart(part: Media | undefined): Response {
  if (part === undefined) throw new RefusedRequest("not-found", "The message has no such image.");
  if (part.source.type !== "data") {
    throw new RefusedRequest("not-found", "The image is not stored here. The message has its address.");
  }
  const bytes = Buffer.from(part.source.base64, "base64");
  const mediaType = findType(bytes);
  const headers = { "cache-control": "private, max-age=31536000, immutable" };
  if (mediaType !== undefined) return new Response(bytes, { headers: { ...headers, "content-type": mediaType } });
  return new Response(bytes, {
    headers: { ...headers, "content-type": "application/octet-stream", "content-disposition": "attachment" },
  });
}

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString("latin1");

function findType(bytes: Uint8Array): string | undefined {
  if (ascii(bytes, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (ascii(bytes, 0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return "image/gif";
  return ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP" ? "image/webp" : undefined;
}
