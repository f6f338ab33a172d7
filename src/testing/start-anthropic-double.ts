/**
 * `createAnthropicDouble` behind a real socket: it speaks `/v1/messages`, whole and streamed, refuses what it judges
 * invalid with the provider's 400, and otherwise answers with the content blocks of the script. Ends with the test:
 * `await using provider = await startAnthropicDouble({ reply })`.
 */
import { checkOptions, FUNCTION, required } from "../core/check-options.ts";
import type { JsonObject } from "../core/message/json.ts";
import {
  type AnthropicDouble,
  type AnthropicDoubleOptions,
  createAnthropicDouble,
  DOUBLE_RULES,
  type Verdict,
} from "./anthropic-double.ts";
import { type RecordedRequest, type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";
import type { ScriptedReply, ScriptedUsage } from "./scripted-provider-reply.ts";

export interface AnthropicDoubleReply {
  /** Content blocks of the answer. Thinking without a signature gets one. */
  readonly content: readonly JsonObject[];
  readonly usage?: ScriptedUsage | undefined;
}

export interface AnthropicDoubleScript extends AnthropicDoubleOptions {
  /** Asked for each request that was accepted; `index` counts those. */
  readonly reply: (request: RecordedRequest, index: number) => AnthropicDoubleReply;
}

export interface AnthropicDoubleServer extends ScriptedProvider {
  readonly double: AnthropicDouble;
  /** The verdict on each request, in the order of `requests`. */
  readonly verdicts: readonly Verdict[];
}

const RULES = { ...DOUBLE_RULES, reply: required(FUNCTION) };

export async function startAnthropicDouble(script: AnthropicDoubleScript): Promise<AnthropicDoubleServer> {
  checkOptions(script, RULES, "startAnthropicDouble");
  const { reply, ...options } = script;
  const double = createAnthropicDouble(options);
  const verdicts: Verdict[] = [];
  let accepted = 0;
  const provider = await startScriptedProvider((request): ScriptedReply => {
    const verdict = double.judge(request);
    verdicts.push(verdict);
    if (verdict.type === "refusal") {
      const error = { type: "invalid_request_error", message: verdict.message };
      return { type: "raw", status: verdict.status, body: JSON.stringify({ type: "error", error }) };
    }
    const { content, usage } = reply(request, accepted++);
    const transformations = verdict.dropped.map((dropped): JsonObject => ({ type: "thinking_dropped", ...dropped }));
    return { type: "blocks", blocks: double.issue(request, content), usage, inputTransformations: transformations };
  });
  return {
    ...provider,
    get bytesSent() {
      return provider.bytesSent;
    },
    get openConnections() {
      return provider.openConnections;
    },
    double,
    verdicts,
  };
}
