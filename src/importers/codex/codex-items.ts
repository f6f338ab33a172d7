/** Rewrites items of Codex that are not quite those of the Responses API. */
import { type Fields, findText, isObject, readFields } from "../../core/check-value.ts";

const CALLS: ReadonlySet<unknown> = new Set(["function_call", "tool_call"]);
const RESULTS: ReadonlySet<unknown> = new Set(["function_result", "tool_result"]);
/** Items that are not part of the conversation. */
const NO_MESSAGES: ReadonlySet<unknown> = new Set(["ghost_snapshot", "world_state", "error", "other", "compaction"]);

export class CodexItems {
  /** Calls without an id that have no result yet, by the tool's name. */
  readonly #waiting = new Map<string, string[]>();
  #calls = 0;

  /** Returns undefined for an item that is no message. */
  prepare(payload: Fields, place: string): Fields | undefined {
    const { type, role } = payload;
    if (NO_MESSAGES.has(type)) return undefined;
    if (role !== undefined) return this.#prepareMessage(payload);
    if (CALLS.has(type)) return this.#prepareCall(payload);
    if (RESULTS.has(type)) return this.#prepareResult(payload, place);
    if (type === "agent_message") return { ...payload, type: "message", role: "assistant" };
    if (type === "function_call_output" || type === "custom_tool_call_output") return prepareOutput(payload);
    if (type === "reasoning" && !Array.isArray(payload.summary)) return { ...payload, summary: [] };
    return payload;
  }

  #prepareMessage(payload: Fields): Fields {
    const {
      type: _,
      message,
      content = message,
      timestamp: _at,
      created_at: _created,
      model: _model,
      ...rest
    } = payload;
    return { ...rest, type: "message", content };
  }

  #prepareCall(payload: Fields): Fields {
    const { function: called, arguments: given = "", timestamp: _, created_at: _created, ...rest } = payload;
    const name = findText(payload.name) ?? findText(readFields(called).name);
    const callId = findText(payload.call_id) ?? this.#nameCall(name ?? "");
    const text = typeof given === "string" ? given : JSON.stringify(given);
    return { ...rest, type: "function_call", name, call_id: callId, arguments: text };
  }

  #nameCall(tool: string): string {
    this.#calls += 1;
    const callId = `call-${this.#calls}`;
    this.#waiting.set(tool, [...(this.#waiting.get(tool) ?? []), callId]);
    return callId;
  }

  #prepareResult(payload: Fields, place: string): Fields {
    const { result, name } = payload;
    const callId =
      findText(payload.call_id) ?? this.#waiting.get(findText(name) ?? "")?.shift() ?? `unmatched ${place}`;
    const output = typeof result === "string" ? result : JSON.stringify(result ?? null);
    return { type: "function_call_output", call_id: callId, output };
  }
}

/** Outputs are texts, lists of content, or objects with one content or a text. */
function prepareOutput(payload: Fields): Fields {
  const { output } = payload;
  if (!isObject(output)) return payload;
  if (typeof output.type === "string") return { ...payload, output: [output] };
  const { content, success } = output;
  const text = typeof content === "string" ? content : JSON.stringify(output);
  return { ...payload, output: text, ...(success === false ? { status: "failed" } : {}) };
}
