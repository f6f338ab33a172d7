/** Names tools whose files are known and not read. */
import { readFields, readList } from "../core/check-value.ts";
import type { FileSample } from "./shared/format.ts";

type Fields = Readonly<Record<string, unknown>>;
type Recognize = (record: Fields) => boolean;

const CLINE_DISPLAY = "Cline or Roo Code for its display (import api_conversation_history.json instead)";

/** Marks of the files that a tool writes. */
const OTHER_TOOLS: readonly (readonly [tool: string, recognize: Recognize])[] = [
  [
    "Qwen Code",
    ({ message, sessionId, uuid }) => areTexts(uuid, sessionId) && Array.isArray(readFields(message).parts),
  ],
  ["Qwen Code", ({ type, subtype, uuid, sessionId }) => type === "system" && areTexts(subtype, uuid, sessionId)],
  ["Cursor", ({ role, message, type }) => areTexts(role) && type === undefined && hasContent(message)],
  ["Factory Droid", ({ type, id }) => type === "session_start" && areTexts(id)],
  ["Factory Droid", isDroid],
  ["OpenClaw", isOpenClaw],
  ["Antigravity", ({ step_index: step, source, type }) => typeof step === "number" && areTexts(source, type)],
  ["Kimi Code", ({ type, protocol_version: version }) => type === "metadata" && areTexts(version)],
  ["Kimi Code", ({ type, time }) => typeof time === "number" && /^(?:config|tools|context|wire)\./.test(String(type))],
  ["Hermes", ({ session_id: id, platform, messages }) => areTexts(id, platform) && Array.isArray(messages)],
  ["Grok CLI", ({ type, content }) => isGrok(type, content)],
  [
    CLINE_DISPLAY,
    ({ ts, type, say, ask }) => typeof ts === "number" && /^(?:say|ask)$/.test(String(type)) && areTexts(say ?? ask),
  ],
];

const DROID_TYPES: ReadonlySet<unknown> = new Set(["message", "tool_call", "tool_result", "completion", "system"]);

function isDroid({ type, session_id: id, sessionId = id, toolName, toolId, finalText, model }: Fields): boolean {
  return (
    areTexts(sessionId) && DROID_TYPES.has(type) && [toolName, toolId, finalText, model].some((each) => areTexts(each))
  );
}

function isOpenClaw({ type, provider, message }: Fields): boolean {
  return (type === "model_change" && provider === "openclaw-model") || (type === "message" && isToolResult(message));
}

function isToolResult(message: unknown): boolean {
  return readFields(message).role === "toolResult";
}

function isGrok(type: unknown, content: unknown): boolean {
  return (type === "system" && typeof content === "string") || (type === "user" && readList(content).length > 0);
}

function hasContent(message: unknown): boolean {
  return Array.isArray(readFields(message).content);
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

/** Returns the tool that wrote a file, if it is one of those whose files are not read. */
export function findOtherTool({ records }: FileSample): string | undefined {
  const fields = records.map(readFields);
  return OTHER_TOOLS.find(([, recognize]) => fields.some(recognize))?.[0];
}
