/** Reads calls and results that older files have as records of their own, without call ids. */
import { type Fields, findText, invalidMessage } from "../../core/check-value.ts";
import { asJson, readTime } from "../shared/values.ts";
import type { ClaudeMessage } from "./open-round.ts";

/** Unanswered calls by the name of their tool. */
export type WaitingCalls = Map<string, string[]>;

export function readLooseTool(record: Fields, place: string, waiting: WaitingCalls): ClaudeMessage {
  const tool = findText(record.name);
  if (tool === undefined) throw invalidMessage(`${place}.name`, "the name of a tool", record.name);
  const id = findText(record.uuid);
  const saidAt = readTime(record.timestamp);
  if (record.type === "tool_use") {
    const callId = findText(record.id) ?? `call-${id ?? place}`;
    waiting.set(tool, [...(waiting.get(tool) ?? []), callId]);
    const input = asJson(record.input, `${place}.input`);
    return { messages: [{ id, role: "assistant", saidAt, parts: [{ type: "tool-call", callId, tool, input }] }] };
  }
  const callId = findText(record.tool_use_id) ?? waiting.get(tool)?.shift() ?? `${tool}-${id ?? place}`;
  const { output } = record;
  const value =
    typeof output === "string"
      ? { type: "text" as const, text: output }
      : { type: "json" as const, value: asJson(output, `${place}.output`) };
  const failed = record.is_error === true;
  return {
    messages: [{ id, role: "tool", saidAt, parts: [{ type: "tool-result", callId, tool, output: value, failed }] }],
  };
}
