/**
 * The model's side of the conversation, on a real socket. It plays the assistant's part of the current turn, answers
 * requests for summaries, and keeps the prompts that it sees. A request without tools is for a summary; the
 * contestants' other requests offer tools.
 */
import type { JsonObject } from "../../src/core/public/index.ts";
import { type ScriptedProvider, startScriptedProvider } from "../../test/support/scripted-provider.ts";
import type { ChainStep, ChainTurn } from "./contestant.ts";
import type { PlantedFact } from "./planted-facts.ts";
import { type ModelManner, writeScriptedSummary } from "./scripted-models.ts";
import { textsIn } from "./texts-in.ts";

export interface ScriptedAssistant extends AsyncDisposable {
  readonly url: string;
  /** Sets the turn that the assistant works on. */
  play(turn: ChainTurn): void;
  /** Returns the result of the last tool call. */
  nextOutput(): string;
  /** The first prompt after each summary, in order. */
  readonly prompts: readonly string[];
  readonly summaries: number;
}

export async function startScriptedAssistant(options: {
  readonly manner: ModelManner;
  readonly facts: readonly PlantedFact[];
}): Promise<ScriptedAssistant> {
  const prompts: string[] = [];
  let [summaries, seen, replies] = [0, 0, 0];
  let waiting: ChainStep[] = [];
  let called: ChainStep | undefined;
  let answer = "";
  const provider: ScriptedProvider = await startScriptedProvider(({ body }) => {
    if (body.tools === undefined) {
      summaries += 1;
      return { type: "text", text: writeScriptedSummary(body, options) };
    }
    // If two summaries come before one prompt, that prompt counts for both compactions.
    for (; seen < summaries; seen += 1) prompts.push(textsIn(body.messages).join("\n"));
    called = waiting.shift();
    replies += 1;
    const message = called === undefined ? { content: answer } : callMessage(called, replies);
    return { type: "raw", status: 200, body: JSON.stringify(completion(message, replies)) };
  });
  return {
    url: `${provider.url}/v1`,
    prompts,
    get summaries() {
      return summaries;
    },
    play(turn) {
      waiting = [...turn.steps];
      answer = turn.answer;
    },
    nextOutput: () => called?.output ?? "",
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

function callMessage({ remark, tool, input }: ChainStep, number: number): JsonObject {
  const call = { name: tool, arguments: JSON.stringify(input) };
  return { content: remark, tool_calls: [{ id: `call_${number}`, type: "function", function: call }] };
}

/**
 * The reply is written here because agents merge replies that share an id, and the scripted provider uses one id for
 * all.
 */
function completion(message: JsonObject, number: number): JsonObject {
  const finish = message.tool_calls === undefined ? "stop" : "tool_calls";
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  };
}
