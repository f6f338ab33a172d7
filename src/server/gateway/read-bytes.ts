/** Decodes bodies that a client or an upstream may have compressed. */
import { isJsonObject, type JsonObject } from "../../core/message/json.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import type { BodyShare } from "../http/body-budget.ts";
import { MAX_GATEWAY_BYTES } from "../http/body-limit.ts";
import { createDecoder } from "./forward.ts";

/**
 * Returns undefined for an unknown encoding, damaged data, invalid UTF-8, or more bytes than allowed. Throws if the
 * decompressed bytes do not fit into the share.
 */
export async function decodeBytes(
  bytes: Uint8Array | undefined,
  encoding: string | null,
  share?: BodyShare,
): Promise<string | undefined> {
  const decoded = bytes && (await decompress(bytes, encoding ?? "identity", share));
  if (decoded === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(decoded);
  } catch {
    return undefined;
  }
}

async function decompress(bytes: Uint8Array, encoding: string, share?: BodyShare): Promise<Uint8Array | undefined> {
  if (encoding === "identity") return bytes;
  const decoder = createDecoder(encoding);
  if (decoder === undefined) return undefined;
  decoder.end(bytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of decoder) {
      length += chunk.length;
      if (length > MAX_GATEWAY_BYTES) return undefined;
      share?.add(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RefusedRequest) throw error;
    return undefined;
  }
  return Buffer.concat(chunks);
}

export function parseBody(text: string | undefined): JsonObject | undefined {
  try {
    const value = JSON.parse(text ?? "");
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
