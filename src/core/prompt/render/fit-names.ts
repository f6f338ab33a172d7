/**
 * Call ids and tool names as a provider takes them. What fits goes through as it is; what does not becomes a hash of
 * itself, the same one every time and never one that another id or name has. Names that look like such a hash are
 * hashed too, so that the two can never meet.
 */
import { hashText } from "../../message/hash-message.ts";
import { PROVIDER_LIMITS, type Provider } from "../provider.ts";

/** The strictest of all: the AI SDK hands ids on to a provider that is not known here. */
const ANY_PROVIDERS_ID = /^[a-zA-Z0-9_-]{1,40}$/;

const HASHED_ID = /^px-[0-9a-f]{32}$/;
const HASHED_NAME = /_px[0-9a-f]{16}$/;
/** With the hash behind it a name stays within 64 characters, the lowest limit. */
const MAX_READABLE_LENGTH = 40;

export function fitCallId(id: string, provider: Provider | "ai-sdk"): string {
  const allowed = provider === "ai-sdk" ? ANY_PROVIDERS_ID : PROVIDER_LIMITS[provider].callId;
  return allowed.test(id) && !HASHED_ID.test(id) ? id : `px-${hashText(id).slice(0, 32)}`;
}

/** Give the names of the tools in the request through this too, so that they and the calls agree. */
export function fitToolName(name: string, provider: Provider): string {
  if (PROVIDER_LIMITS[provider].toolName.test(name) && !HASHED_NAME.test(name)) return name;
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_READABLE_LENGTH);
  return `${/^[a-zA-Z_]/.test(readable) ? "" : "_"}${readable}_px${hashText(name).slice(0, 16)}`;
}
