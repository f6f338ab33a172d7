/** Limits of bodies by route, so that the head of a request suffices to refuse one that is too large. */
import { ADDRESSES, type Address, type BodyKind } from "../../protocol/addresses.ts";
import { RefusedRequest } from "./answer-error.ts";
import type { RequestHead } from "./request-head.ts";

export const MAX_IMAGE_BYTES = 5 * 2 ** 20;
export const MAX_IMPORT_BYTES = 2_000_000_000;
/** All addresses of the gateway begin with it. */
export const GATEWAY_PREFIX = "/v1/";
/** Limit of a forwarded body, compressed and not. */
export const MAX_GATEWAY_BYTES = 64_000_000;

const MAX_BYTES: Readonly<Partial<Record<BodyKind, number>>> = { bytes: MAX_IMAGE_BYTES, lines: MAX_IMPORT_BYTES };

const ROUTES_WITH_OWN_LIMIT = Object.values<Address>(ADDRESSES)
  .filter(([, , , takes]) => takes !== "json")
  .map(([method, path, , takes]) => ({ method, takes, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`) }));

/** Returns a refusal if the announced length of the body is above the limit of its route: `jsonBytes` for JSON. */
export function refuseAnnounced(
  { method, target, header }: RequestHead,
  jsonBytes: number,
): RefusedRequest | undefined {
  const bytes = Number(header("content-length") ?? 0);
  if (bytes <= jsonBytes) return undefined;
  const [path = ""] = target.split("?");
  const route = ROUTES_WITH_OWN_LIMIT.find((each) => each.method === method && each.pattern.test(path));
  const usual = path.startsWith(GATEWAY_PREFIX) ? MAX_GATEWAY_BYTES : jsonBytes;
  const limit = MAX_BYTES[route?.takes ?? "json"] ?? usual;
  // After `expect: 100-continue` the client may send another request instead of the body.
  return bytes > limit ? createBodyTooLargeError(limit, { connection: "close" }) : undefined;
}

export function createBodyTooLargeError(bytes: number, headers: Readonly<Record<string, string>> = {}): RefusedRequest {
  return new RefusedRequest("request-too-large", `The body is larger than ${bytes} bytes.`, { headers });
}
