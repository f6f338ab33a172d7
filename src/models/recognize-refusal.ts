/**
 * Distinguishes refusals for size from other errors by the providers' own wording. Each row of the table was observed
 * or reported; the samples are in the test next to this file. A false positive discards history needlessly, and a false
 * negative repeats a request that can never succeed, so patterns are sentences and not single words.
 */
import type { RefusalFacts } from "../core/plan/triggers/trigger-facts.ts";
import { readVendorError } from "./read-vendor-error.ts";

export interface Overflow {
  /** Size of the request by the provider's count, if it states one, including requested output if it adds that. */
  readonly tokens?: number | undefined;
  readonly limitTokens?: number | undefined;
}

/**
 * Wording by provider, with the named groups `tokens`, `more` (added to them) and `limit`. The first match decides, so
 * wording with figures comes first.
 */
const WORDING: Readonly<Record<string, RegExp>> = {
  "OpenAI, Azure, DeepSeek, OpenRouter, vLLM":
    /maximum context length is (?<limit>[\d,]+) tokens.{0,120}?(?:resulted in|requested(?: about)?|for a total of at least|request has) (?<tokens>[\d,]+) (?:input )?tokens/is,
  "OpenAI, a limit set for the project":
    /input tokens exceed the configured limit of (?<limit>[\d,]+) tokens.{0,60}?resulted in (?<tokens>[\d,]+)/is,
  "OpenAI and others, without a total": /maximum context length (?:is|of) (?<limit>[\d,]+)/i,
  "OpenAI Responses": /input exceeds the context window/i,
  "Anthropic, Bedrock": /prompt is too long: (?<tokens>[\d,]+) tokens > (?<limit>[\d,]+) maximum/i,
  "Anthropic, with the output counted in":
    /exceed context limit: (?<tokens>[\d,]+) \+ (?<more>[\d,]+) > (?<limit>[\d,]+)/i,
  "Anthropic, by bytes": /request_too_large|request exceeds the maximum (?:allowed )?(?:number of bytes|size)/i,
  "Anthropic, above the plan's window":
    /extra usage is required for long context|long context beta is not yet available/i,
  Gemini:
    /input token count(?: \((?<tokens>[\d,]+)\))? exceeds the maximum number of tokens allowed \(?(?<limit>[\d,]+)/i,
  "Vertex AI": /input token count is (?<tokens>[\d,]+) but model only supports up to (?<limit>[\d,]+)/i,
  Bedrock: /input is too long|exceeds the max(?:imum)? input token limit/i,
  xAI: /maximum prompt length is (?<limit>[\d,]+) but the request contains (?<tokens>[\d,]+)/i,
  Cerebras:
    /reduce the length of the messages.{0,40}?current length is (?<tokens>[\d,]+) while limit is (?<limit>[\d,]+)/is,
  Groq: /reduce the length of (?:the|your) (?:messages|prompt|input)/i,
  Mistral:
    /prompt contains (?<tokens>[\d,]+) tokens.{0,60}?too large for model with (?<limit>[\d,]+) maximum context length/is,
  "llama.cpp, with its figures in the sentence":
    /request \((?<tokens>[\d,]+) tokens\) exceeds the available context size \((?<limit>[\d,]+)/i,
  "llama.cpp, with its figures next to the sentence":
    /"n_prompt_tokens"\s*:\s*(?<tokens>\d+).{0,40}?"n_ctx"\s*:\s*(?<limit>\d+)/s,
  "llama.cpp": /exceeds the available context size|exceed_context_size_error/i,
  "llama-cpp-python": /requested tokens \((?<tokens>[\d,]+)\) exceed context window of (?<limit>[\d,]+)/i,
  "LM Studio": /keep the first (?<tokens>[\d,]+) tokens when context.{0,80}?context length of only (?<limit>[\d,]+)/is,
  "LM Studio, newer": /tokens to keep from the initial prompt is greater than the context length/i,
  Ollama:
    /input length exceeds (?:the |maximum |the maximum )?context length|prompt too long; exceeded (?:max )?context length/i,
  "Text Generation Inference, Together":
    /max_new_tokens`? must be <= (?<limit>[\d,]+)\. Given: (?<tokens>[\d,]+) `?inputs`? tokens and (?<more>[\d,]+)/i,
  SGLang: /input \((?<tokens>[\d,]+) tokens\) is longer than the model's context length \((?<limit>[\d,]+)/i,
  "GitHub Copilot": /prompt token count of (?<tokens>[\d,]+) exceeds the limit of (?<limit>[\d,]+)/i,
  Moonshot: /exceeded model token limit: (?<limit>[\d,]+) \(requested: (?<tokens>[\d,]+)\)/i,
  MiniMax: /context window exceeds limit/i,
  Fireworks: /prompt is too long: (?<tokens>[\d,]+), model maximum context length: (?<limit>[\d,]+)/i,
  Cohere: /tokens in the prompt cannot exceed (?<limit>[\d,]+) - received (?<tokens>[\d,]+)/i,
  Poolside: /input length (?<tokens>[\d,]+) exceeds the maximum allowed input length of (?<limit>[\d,]+)/i,
  DashScope: /range of input length should be \[1, (?<limit>[\d,]+)\]/i,
  "Z.AI": /prompt exceeds max length|tokens in request more than max tokens allowed/i,
  "Bedrock, other models": /number of input tokens exceeds maximum length|too many input tokens/i,
  LangChain: /ContextOverflowError|input exceeded the model's context window/i,
  "any provider, by a code or an old phrase":
    /context_length_exceeded|context_window_exceeded|ContextWindowExceeded|exceeds (?:the )?model(?:'s)? context window|prompt (?:is )?too long|context length exceeded/i,
};

/** Applies even if the body mentions a rate limit. */
const EVEN_IF_LIMITED = "Anthropic, above the plan's window";

/**
 * Sources of the table, so that tests can require a sample of each.
 * @internal
 */
export const OVERFLOW_SOURCES: readonly string[] = Object.keys(WORDING);

/** A request larger than a whole minute's limit is refused for its size, although it is called a rate limit. */
const ALLOWANCE = /request too large.{0,300}?limit (?<limit>[\d,]+), requested (?<tokens>[\d,]+)/is;

/** Bedrock says "Too many tokens, please wait" when it throttles, Anthropic "input tokens per minute". */
const LIMITED = /rate.?limit|throttl|too many requests|quota|overloaded|tokens per (?:min|day)/i;

const PAYLOAD_TOO_LARGE = 413;

/**
 * Returns whether a provider's error says that the prompt was too long; `session.refused` accepts it. Never throws.
 *
 * @example
 * ```ts
 * try {
 *   await fetch("https://api.openai.com/v1/responses");
 * } catch (error) {
 *   if (isTooLong(error)) await session.refused(error);
 * }
 * ```
 */
export function isTooLong(error: unknown): boolean {
  return recognizeOverflow(error) !== undefined;
}

/** Returns the sizes that a provider's error states, or undefined if it is about something else. */
export function recognizeRefusal(error: unknown): RefusalFacts | undefined {
  const overflow = recognizeOverflow(error);
  return overflow === undefined ? undefined : { promptTokens: overflow.tokens, limitTokens: overflow.limitTokens };
}

/** Returns the sizes that the error states, or undefined if it is about something else. Never throws. */
export function recognizeOverflow(error: unknown): Overflow | undefined {
  const { status, text } = readVendorError(error);
  const allowance = ALLOWANCE.exec(text);
  if (allowance !== null && isOverLimit(readFigures(allowance))) return readFigures(allowance);
  const limited = LIMITED.test(text);
  for (const [source, wording] of Object.entries(WORDING)) {
    const match = limited && source !== EVEN_IF_LIMITED ? null : wording.exec(text);
    if (match !== null) return readFigures(match);
  }
  // Some servers and most proxies only send the status.
  return status === PAYLOAD_TOO_LARGE && !limited ? {} : undefined;
}

function isOverLimit({ tokens = 0, limitTokens = 0 }: Overflow): boolean {
  return tokens > limitTokens;
}

function readFigures(match: RegExpExecArray): Overflow {
  const { tokens, more, limit } = match.groups ?? {};
  const size = readFigure(tokens);
  return {
    ...(size === undefined ? {} : { tokens: size + (readFigure(more) ?? 0) }),
    ...(limit === undefined ? {} : { limitTokens: readFigure(limit) }),
  };
}

function readFigure(digits: string | undefined): number | undefined {
  const figure = digits === undefined ? Number.NaN : Number(digits.replaceAll(",", ""));
  return Number.isSafeInteger(figure) ? figure : undefined;
}

const REFUSING_STATUS: ReadonlySet<number> = new Set([400, 404, 405, 415, 422, 501]);
const SCHEMA =
  /response.?format|json.?schema|json_object|json mode|structured.?output|response_?(?:json_?)?schema|response_?mime_?type|output_(?:format|config)/i;

/** Returns whether the schema was refused. The same request with the schema as text may succeed. */
export function isSchemaRefusal(error: unknown): boolean {
  const { status, text } = readVendorError(error);
  if (isUnsupported(error)) return SCHEMA.test(text);
  if (status === undefined || !REFUSING_STATUS.has(status)) return false;
  return SCHEMA.test(text) && recognizeOverflow(error) === undefined;
}

/** The AI SDK's error for features that a provider's package lacks. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Error && error.name === "AI_UnsupportedFunctionalityError";
}
