/**
 * Images that wait at another server on the same store: asked for over the relay when a message names one that is not
 * here, and sent by whoever has it. They are asked for by tenant, session and hash, so that nobody is told of another's.
 * Whoever else can speak on the same channel may say anything, so it is read with care.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Relay } from "../../ports/relay.ts";
import { within } from "../http/within.ts";
import type { ShelvedImage } from "./image-files.ts";
import type { FindElsewhere } from "./image-shelf.ts";

/** Words between servers may be lost. */
const TRIES = 2;
const TRY_MS = 2_000;

const request = z.string().max(100);
const imageMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("image-wanted"), request, tenantId: z.string(), sessionId: z.string(), id: z.string() }),
  z.object({ type: z.literal("image-given"), request, mediaType: z.string().max(100), base64: z.string() }),
]);
type ImageMessage = z.infer<typeof imageMessage>;

/** Answers the others from then on, and gives how to ask them; undefined where there is nobody to ask. */
export function exchangeImages(relay: Relay, findOwn: FindElsewhere): FindElsewhere | undefined {
  if (!relay.isShared) return undefined;
  const waiting = new Map<string, (image: ShelvedImage) => void>();
  const say = (message: ImageMessage) => relay.publish(JSON.stringify(message));
  relay.listen((text) => {
    const message = readMessage(text);
    if (message?.type === "image-given") {
      const { mediaType, base64 } = message;
      waiting.get(message.request)?.({ mediaType, bytes: Buffer.from(base64, "base64") });
    }
    if (message?.type === "image-wanted") void give(message);
  });
  const give = async ({ id, ...wanted }: Extract<ImageMessage, { type: "image-wanted" }>): Promise<void> => {
    const own = await findOwn(wanted, id);
    if (own === undefined) return;
    const base64 = Buffer.from(own.bytes).toString("base64");
    await say({ type: "image-given", request: wanted.request, mediaType: own.mediaType, base64 });
  };
  return async ({ tenantId, sessionId }, id) => {
    const asked = randomUUID();
    const { promise, resolve } = Promise.withResolvers<ShelvedImage>();
    waiting.set(asked, resolve);
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        await say({ type: "image-wanted", request: asked, tenantId, sessionId, id });
        const found = await within(promise, TRY_MS);
        if (found !== undefined) return found;
      }
      return undefined;
    } finally {
      waiting.delete(asked);
    }
  };
}

/** Undefined for what is about something else, and for what another version says. */
function readMessage(text: string): ImageMessage | undefined {
  if (!text.startsWith('{"type":"image-')) return undefined;
  try {
    return imageMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
