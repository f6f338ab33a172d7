/** Writes a prompt into the body of a request. Everything but the messages keeps its bytes. */
import { isJsonObject, type JsonObject } from "../../core/message/json.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import { addCacheMarks } from "./cache-marks.ts";
import type { GatewayRequest } from "./read-request.ts";
import { replaceField } from "./replace-field.ts";

/** Whether the model would see exactly the client's messages, which are in the log after `baseSeq`. */
export function isUntouched({ report }: Prompt, baseSeq: number): boolean {
  const { summary, plan } = report;
  return summary === undefined && plan.runs.every(({ fate, lastSeq }) => fate === "verbatim" || lastSeq <= baseSeq);
}

export interface BodySource {
  readonly text: string;
  readonly read: GatewayRequest;
  readonly prompt: Prompt;
}

export function writeBody({ text, read, prompt }: BodySource): string {
  const { dialect, head, marks } = read;
  const history = renderHistory(read, prompt);
  const list = dialect.provider === "anthropic" ? addCacheMarks(history, marks) : history;
  const written = replaceField(text, dialect.list, JSON.stringify([...head, ...list]));
  if (written === undefined) throw new TypeError(`The request has no field ${dialect.list}`);
  return written;
}

/** Leaves out the instructions, which the client's own fields and leading messages contain. */
function renderHistory({ dialect }: GatewayRequest, prompt: Prompt): readonly JsonObject[] {
  const rendered: object = prompt.as(dialect.provider);
  const list = dialect.list in rendered ? (rendered as Readonly<Record<string, unknown>>)[dialect.list] : undefined;
  const items = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const first = items.findIndex(({ role }) => role !== "system" && role !== "developer");
  return first === -1 ? [] : items.slice(first);
}
