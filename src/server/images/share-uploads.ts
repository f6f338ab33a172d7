/**
 * Shares pending uploads between servers on one store. A server requests a missing image over the relay by tenant,
 * session and hash, and a server that has it sends it. Other programs may write to the channel, so messages are
 * validated.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Relay } from "../../ports/relay.ts";
import { withTimeout } from "../http/with-timeout.ts";
import type { FindUpload } from "./pending-uploads.ts";
import type { UploadedImage } from "./upload-files.ts";

/** Number of attempts to share an image: the relay may lose messages. */
const TRIES = 2;
const TRY_MS = 2_000;

const requestId = z.string().max(100);
const imageMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("image-wanted"),
    request: requestId,
    tenantId: z.string(),
    sessionId: z.string(),
    id: z.string(),
  }),
  z.object({ type: z.literal("image-given"), request: requestId, mediaType: z.string().max(100), base64: z.string() }),
]);
type ImageMessage = z.infer<typeof imageMessage>;

/** Answers other servers, and returns a function that queries them; undefined if the relay connects no others. */
export function shareUploads(relay: Relay, findOwn: FindUpload): FindUpload | undefined {
  if (!relay.isShared) return undefined;
  const waiting = new Map<string, (image: UploadedImage) => void>();
  const publish = (message: ImageMessage) => relay.publish(JSON.stringify(message));
  relay.listen((text) => {
    const message = parseImageMessage(text);
    if (message?.type === "image-given") {
      const { mediaType, base64 } = message;
      waiting.get(message.request)?.({ mediaType, bytes: Buffer.from(base64, "base64") });
    }
    if (message?.type === "image-wanted") void send(message);
  });
  const send = async ({ id, ...wanted }: Extract<ImageMessage, { type: "image-wanted" }>): Promise<void> => {
    const own = await findOwn(wanted, id);
    if (own === undefined) return;
    const base64 = Buffer.from(own.bytes).toString("base64");
    await publish({ type: "image-given", request: wanted.request, mediaType: own.mediaType, base64 });
  };
  return async ({ tenantId, sessionId }, id) => {
    const request = randomUUID();
    const { promise, resolve } = Promise.withResolvers<UploadedImage>();
    waiting.set(request, resolve);
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        await publish({ type: "image-wanted", request, tenantId, sessionId, id });
        const found = await withTimeout(promise, TRY_MS);
        if (found !== undefined) return found;
      }
      return undefined;
    } finally {
      waiting.delete(request);
    }
  };
}

/** Returns undefined for other messages and for those of other versions. */
function parseImageMessage(text: string): ImageMessage | undefined {
  if (!text.startsWith('{"type":"image-')) return undefined;
  try {
    return imageMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
