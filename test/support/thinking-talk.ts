/**
 * A conversation with thinking, played through a session as a program would, and judged by the double of Anthropic's
 * API. Every prompt is sent in both modes of the double, and invalid blocks are counted instead of refused, so that a
 * test can report how many there were.
 */
import type { JsonObject } from "../../src/core/message/json.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PromptOptions } from "../../src/engine/session/session-options.ts";
import {
  type AnthropicDouble,
  BINDING_BETA,
  createAnthropicDouble,
  type Verdict,
} from "../../src/testing/anthropic-double.ts";
import { blocksOf, countThinking, isThinking } from "./count-thinking.ts";

/** A prompt that was sent, and the provider's verdict. */
export interface PromptVerdict {
  readonly prompt: Prompt;
  /** Thinking blocks in the request, and those of them that the provider would refuse. */
  readonly sent: number;
  readonly refused: number;
  /** Replies whose thinking was left out although the provider would have accepted it. */
  readonly missed: number;
  /** The refusal message for a request without the option to drop blocks. */
  readonly refusal: string | undefined;
}

export interface TalkOptions {
  readonly model?: string | undefined;
  readonly double?: AnthropicDouble | undefined;
  readonly thinking?: JsonObject | undefined;
}

export const thinkingBlock = (text: string): JsonObject => ({ type: "thinking", thinking: text });
export const textBlock = (text: string): JsonObject => ({ type: "text", text });
export const toolUseBlock = (id: string, input: JsonObject = {}): JsonObject => ({
  type: "tool_use",
  id,
  name: "read",
  input,
});
export const TOOLS = [{ name: "read", description: "Reads a file.", input_schema: { type: "object" } }];

export class ThinkingTalk {
  readonly double: AnthropicDouble;
  readonly judged: PromptVerdict[] = [];
  readonly #model: string;
  readonly #thinking: JsonObject;
  /** Replies with thinking, keyed by their first block that is not thinking. */
  readonly #replies = new Map<string, readonly JsonObject[]>();

  constructor({ model = "claude-fable-5-1", double, thinking = { type: "adaptive" } }: TalkOptions = {}) {
    this.double = double ?? createAnthropicDouble();
    this.#model = model;
    this.#thinking = thinking;
  }

  get sent(): number {
    return this.judged.reduce((sum, { sent }) => sum + sent, 0);
  }

  get refused(): number {
    return this.judged.reduce((sum, { refused }) => sum + refused, 0);
  }

  get missed(): number {
    return this.judged.reduce((sum, { missed }) => sum + missed, 0);
  }

  /** The number of prompts whose report and request disagree about how many blocks of thinking were sent. */
  get misreported(): number {
    return this.judged.filter(({ prompt, sent }) => (prompt.report.thinking?.sentBlocks ?? sent) !== sent).length;
  }

  get refusals(): readonly string[] {
    return this.judged.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  }

  /** Requests a prompt, sends it, and appends the reply to it. */
  async ask(session: Session, reply: readonly JsonObject[], options: PromptOptions = {}): Promise<PromptVerdict> {
    const { judged, body } = await this.send(session, options);
    const content = this.issue(body, reply);
    await session.append([{ role: "assistant", content }], { format: "anthropic", promptId: judged.prompt.id });
    return judged;
  }

  issue(body: JsonObject, reply: readonly JsonObject[]): JsonObject[] {
    const content = [...this.double.issue({ body }, reply)];
    if (content.some(isThinking)) this.#replies.set(keyOf(content), content);
    return content;
  }

  /** Requests a prompt and has it judged; no reply follows. */
  async send(session: Session, options: PromptOptions = {}) {
    const model = options.model ?? this.#model;
    const prompt = await session.prompt({ provider: "anthropic", model, tools: TOOLS, ...options });
    const tools = (options.tools ?? TOOLS) as JsonObject[];
    const rendered = JSON.parse(JSON.stringify(prompt.as("anthropic"))) as JsonObject;
    const body: JsonObject = { model, max_tokens: 4_000, thinking: this.#thinking, tools, ...rendered };
    const judged = this.#judge(prompt, body);
    this.judged.push(judged);
    return { judged, body };
  }

  #judge(prompt: Prompt, body: JsonObject): PromptVerdict {
    const [strict, lenient] = [this.double.judge({ body }), this.#judgeDropping(body)];
    return {
      prompt,
      sent: countThinking(body),
      refused: lenient.type === "accepted" ? lenient.dropped.length : 0,
      missed: this.#countMissed(body),
      refusal: strict.type === "refusal" ? strict.message : undefined,
    };
  }

  #judgeDropping(body: JsonObject): Verdict {
    const thinking = { ...this.#thinking, block_binding: { prefix_mismatch_behavior: "drop_block" } };
    return this.double.judge({ body: { ...body, thinking }, headers: { "anthropic-beta": BINDING_BETA } });
  }

  #countMissed(body: JsonObject): number {
    const messages = body.messages as JsonObject[];
    return messages.filter((message, index) => {
      const blocks = blocksOf(message);
      const whole = message.role === "assistant" ? this.#replies.get(keyOf(blocks)) : undefined;
      if (whole === undefined || blocks.some(isThinking)) return false;
      const verdict = this.#judgeDropping({
        ...body,
        messages: messages.with(index, { ...message, content: [...whole] }),
      });
      return verdict.type === "accepted" && verdict.dropped.length === 0;
    }).length;
  }
}

function keyOf(blocks: readonly JsonObject[]): string {
  const { cache_control: _, ...first } = blocks.find((block) => !isThinking(block)) ?? {};
  return JSON.stringify(first);
}
