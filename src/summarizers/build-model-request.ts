/**
 * From what a strategy wants to ask to what a model is sent, and how large that is. It adds nothing of its own but the
 * line that asks for a better answer.
 */
import { isThought, type Message } from "../core/message/message.ts";
import { SYSTEM_END } from "../core/prompt/place-breakpoints.ts";
import type { SummarizerRequest } from "../core/summary/strategies/strategy.ts";
import { countTextInSteps } from "../core/tokens/count-text.ts";
import type { Counter } from "../core/tokens/counter.ts";
import type { ModelRequest, ModelTool } from "../ports/model.ts";
import type { OwnPrompt } from "../ports/summarizer.ts";

export interface BuildOptions {
  /** Said last: what to do better than the answer before. */
  readonly again?: string | undefined;
  readonly ownPrompt?: OwnPrompt | undefined;
  /** Sent where the strategy forbids tools in so many words, since there must be some to forbid. */
  readonly tools?: readonly ModelTool[] | undefined;
  /** What the model writes at most, where that is less than the strategy asks for. */
  readonly maxOutputTokens?: number | undefined;
  /** What a provider remembers at the least: a mark on less is no mark, and one provider then answers nothing. */
  readonly leastTokens?: number | undefined;
}

export function buildModelRequest(request: SummarizerRequest, options: BuildOptions = {}): ModelRequest {
  const { again, ownPrompt, maxOutputTokens = request.maxOutputTokens } = options;
  const isAfterPrompt = request.input.type === "after-prompt";
  const offered = isAfterPrompt ? ownPrompt?.tools : options.tools;
  const tools = request.toolChoice === "none" ? (offered ?? []) : [];
  return {
    instructions: (isAfterPrompt ? ownPrompt?.instructions : request.instructions) ?? "",
    messages: [...(isAfterPrompt ? (ownPrompt?.messages ?? []) : []), ...requestMessages(request, again)],
    maxOutputTokens: Math.min(request.maxOutputTokens, maxOutputTokens),
    ...(request.schema === undefined ? {} : { schema: request.schema }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(isAfterPrompt && ownPrompt !== undefined ? { breakpoints: marksOf(ownPrompt, options.leastTokens) } : {}),
  };
}

/**
 * After the system text and where the conversation's own prompt ends: what is asked after it will not be asked again.
 * The first counts by characters, so that it is rather missing than on too little.
 */
function marksOf({ instructions = "", tools, messages, tokens }: OwnPrompt, leastTokens = 0): readonly number[] {
  if (tokens < leastTokens) return [];
  const isSystemLarge = (instructions.length + JSON.stringify(tools).length) / 4 >= leastTokens;
  const last = messages.findLastIndex((message) => !isThought(message));
  return [...(isSystemLarge ? [SYSTEM_END] : []), ...(last === -1 ? [] : [last])];
}

function requestMessages({ input }: SummarizerRequest, again: string | undefined): readonly Message[] {
  const said = input.type === "messages" ? input.messages : [{ role: "user" as const, text: input.text }];
  return said.map(({ role, text }, index) => {
    const isLast = index === said.length - 1;
    const whole = isLast && again !== undefined ? `${text}\n\n${again}` : text;
    return { id: `summary-request-${index}`, role, parts: [{ type: "text", text: whole }] };
  });
}

/** Words, structure, tools and schema, by the counter. Only for requests that hold texts and nothing else. */
export function* countModelRequest(request: ModelRequest, counter: Counter): Generator<undefined, number> {
  const { instructions, messages, tools = [], schema } = request;
  const texts = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  const described = [...tools.map(describeTool), ...(schema === undefined ? [] : [JSON.stringify(schema)])];
  // The instructions travel as a message of their own.
  let tokens = (messages.length + 1) * counter.messageOverheadTokens;
  for (const text of [instructions, ...described, ...texts]) tokens += yield* countTextInSteps(text, counter);
  return tokens;
}

function describeTool(tool: ModelTool): string {
  return JSON.stringify(tool);
}
