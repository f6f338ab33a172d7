/** A request to the gateway, and what all requests share. */
import type { JsonObject } from "../../core/message/json.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import type { BodyShare } from "../http/body-budget.ts";
import type { GatewayMemory } from "./gateway-memory.ts";
import { findUpstream, type Upstream, type Vendor } from "./gateway-options.ts";
import { decodeBytes, parseBody } from "./read-bytes.ts";
import { openSummaries } from "./sealed-summary.ts";

export interface GatewayParts {
  readonly upstreams: readonly Upstream[];
  readonly windowTokens: number | undefined;
  /** True if clients send a token, so that each upstream needs a key of the operator. */
  readonly needsKey: boolean;
  /** Whether this gateway answers the compactions that clients ask for, or the upstream. */
  readonly clientCompaction: "own" | "pass";
  readonly memories: WeakMap<Palimpsest, GatewayMemory>;
  /** Called for failures that the client does not see. */
  readonly onError: (error: unknown) => void;
}

export interface GatewayCall {
  readonly method: string;
  /** Path and query, as the client sent them. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Counts the bytes of the body that are in memory. */
  readonly share: BodyShare;
  readonly engine: Palimpsest;
  /** Called with the host of the upstream before the request is forwarded. */
  readonly onUpstream: (host: string) => void;
}

interface UpstreamChoice extends Pick<GatewayParts, "upstreams" | "needsKey"> {
  readonly vendor: Vendor;
  readonly model?: string | undefined;
}

/** Throws if the upstream would get neither a key of the client nor one of the operator. */
export function chooseUpstream(
  { onUpstream }: GatewayCall,
  { upstreams, needsKey, vendor, model }: UpstreamChoice,
): Upstream {
  const upstream = findUpstream(upstreams, vendor, model);
  onUpstream(upstream.url.host);
  if (!needsKey || upstream.apiKey !== undefined) return upstream;
  const variable = `PALIMPSEST_GATEWAY_${vendor.toUpperCase()}_KEY`;
  const text = `This server has no key for ${upstream.url.host}. Its operator sets one with ${variable}.`;
  throw new RefusedRequest("upstream-key-missing", text);
}

export interface ReadCall {
  /** The call with this gateway's summaries in plain text. */
  readonly sent: GatewayCall;
  readonly text: string | undefined;
  readonly body: JsonObject | undefined;
}

export async function readCall(call: GatewayCall): Promise<ReadCall> {
  const text = await decodeBytes(call.body, call.headers.get("content-encoding"), call.share);
  const body = parseBody(text);
  const opened = text === undefined || body === undefined ? undefined : openSummaries(text, body);
  if (opened === undefined) return { sent: call, text, body };
  return { sent: replaceBody(call, opened), text: opened, body: parseBody(opened) };
}

export function replaceBody(call: GatewayCall, text: string): GatewayCall {
  const headers = new Headers(call.headers);
  headers.delete("content-encoding");
  return { ...call, headers, body: Buffer.from(text) };
}
