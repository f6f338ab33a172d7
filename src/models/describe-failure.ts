/**
 * Turns a vendor's error into an outcome. Failures are sorted by the caller's next action: shrink (overflow), give up
 * on this text (refused), retry (transport), or use the next step (everything else).
 */
import { listWords } from "../core/language/list-words.ts";
import { redactForDisplay } from "../core/summary/secrets/redact-secrets.ts";
import type { ModelOutcome } from "../ports/model.ts";
import { readRetryAfter, readVendorError, type VendorError } from "./read-vendor-error.ts";
import { recognizeOverflow } from "./recognize-refusal.ts";

const MAX_REASON_LENGTH = 300;
/** Timeouts, conflicts of a load balancer, early requests, rate limits. */
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429]);
/** The account has no credit, so waiting does not help. Temporary rate limits mention "quota" and "billing" too. */
const EXHAUSTED = /insufficient_quota|credit balance is too low|billing_(?:error|hard_limit)|payment required/i;
const FILTERED =
  /content_filter|content_policy|content management policy|responsible ai|blocked by (?:safety|content)/i;
/** Wording of Ollama, Groq, OpenRouter, vLLM and llama.cpp for a model that cannot call tools. */
const REFUSES_TOOLS =
  /does(?: not|n't) support (?:the )?(?:tools|tool (?:use|calling)|function calling)|(?:tools?|tool calling|function calling)[`'"]? (?:is|are) not supported|no endpoints found that support tool use|requires --enable-auto-tool-choice|tools param requires --jinja/i;
const NETWORK =
  /fetch failed|terminated|socket hang up|network error|other side closed|cannot connect|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|UND_ERR|premature close|stream (?:ended|closed)/i;
/** AI SDK errors for a body that breaks the protocol: a proxy's page, a truncated line. */
const GARBLED: ReadonlySet<string> = new Set(
  listWords("AI_JSONParseError AI_TypeValidationError AI_InvalidResponseDataError AI_EmptyResponseBodyError"),
);

export function describeFailure(error: unknown, nowMs: number): ModelOutcome {
  const overflow = recognizeOverflow(error);
  const vendor = readVendorError(error);
  const reason = describeReason(error, vendor);
  if (overflow !== undefined) return { type: "overflow", reason, ...overflow };
  if (FILTERED.test(vendor.text)) return { type: "refused", reason };
  const retryAfterMs = readRetryAfter(vendor, nowMs);
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const refusal = REFUSES_TOOLS.test(vendor.text) ? { refusesTools: true } : {};
  return { type: "failed", reason, retryable: isRetryable(error, vendor), ...wait, ...refusal };
}

function isRetryable(error: unknown, { status, text }: VendorError): boolean {
  if (EXHAUSTED.test(text)) return false;
  if (status !== undefined) return status >= 500 || RETRYABLE_STATUS.has(status);
  if (error instanceof Error && GARBLED.has(error.name)) return true;
  return NETWORK.test(text) || /overloaded|rate.?limit|server_error|internal error|unavailable/i.test(text);
}

/** Returns one line for users, without the request and without a key that the provider quotes. */
function describeReason(error: unknown, { status, text }: VendorError): string {
  const message = (error instanceof Error ? error.message : "") || text || "The provider gave no reason.";
  const line = message.replace(/\s+/g, " ").trim();
  const prefix = status === undefined ? "" : `HTTP ${status}: `;
  return redactForDisplay(`${prefix}${line}`, MAX_REASON_LENGTH);
}
