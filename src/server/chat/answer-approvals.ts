/** Runs approved tool calls. A client cannot change a call: only calls in the log run, with their stored input. */
import type { ToolSet, UIMessage, UIMessageChunk } from "ai";
import { compareMessages } from "../../core/message/compare-messages.ts";
import { readBaseId } from "../../core/message/decode-value.ts";
import { aiSdkUiFormat } from "../../core/message/formats/ai-sdk-ui.ts";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import type { Session } from "../../engine/session/session.ts";

type ToolPart = Extract<UIMessage["parts"][number], { readonly toolCallId: string }>;

const NEWEST = 500;

/** Returns the reply with the results, and the results as chunks of the stream. */
export async function answerApprovals(
  session: Session,
  message: UIMessage,
  tools: ToolSet = {},
): Promise<{ readonly message: UIMessage; readonly chunks: readonly UIMessageChunk[] }> {
  const chunks: UIMessageChunk[] = [];
  if (!message.parts.some(isApproved)) return { message, chunks };
  const made = await findOpenCalls(session, message);
  const parts: UIMessage["parts"] = [];
  for (const part of message.parts) {
    const chunk = isApproved(part) && made.has(part.toolCallId) ? await runTool(part, tools) : undefined;
    if (chunk !== undefined) chunks.push(chunk);
    parts.push(chunk === undefined ? part : ({ ...part, ...stateOf(chunk) } as typeof part));
  }
  return { message: { ...message, parts }, chunks };
}

function isApproved(part: UIMessage["parts"][number]): part is ToolPart {
  return "toolCallId" in part && part.state === "approval-responded" && part.approval.approved;
}

/** Finds the calls of the reply that are in the log as a model's output, with the same input and without a result. */
async function findOpenCalls(session: Session, message: UIMessage): Promise<ReadonlySet<string>> {
  const sent = aiSdkUiFormat.decode(message, { path: "message", fallbackId: message.id });
  const newest = await session.entries({ types: ["message"], newestFirst: true, limit: NEWEST });
  const own = newest.flatMap((entry) =>
    entry.type === "message" && entry.promptId !== undefined ? [entry.message] : [],
  );
  const known = sent.filter((each) =>
    own.some((made) => made.id === each.id && compareMessages(each, made) === "same"),
  );
  const calls = known.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])));
  // A call with a result has run; sending the list again does not run it again.
  const answered = newest.flatMap((entry) => {
    const isOfReply = entry.type === "message" && readBaseId(entry.id) === message.id;
    return isOfReply ? entry.message.parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])) : [];
  });
  return new Set(calls.filter((id) => !answered.includes(id)));
}

async function runTool(part: ToolPart, tools: ToolSet): Promise<UIMessageChunk | undefined> {
  const { toolCallId } = part;
  const name = part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length);
  const execute = Object.hasOwn(tools, name) ? tools[name]?.execute : undefined;
  if (execute === undefined) return undefined;
  try {
    const options = { toolCallId, messages: [], context: undefined as never };
    const output: unknown = await execute(part.input as never, options);
    return { type: "tool-output-available", toolCallId, output };
  } catch (error) {
    const errorText = redactForDisplay(error instanceof Error ? error.message : String(error));
    return { type: "tool-output-error", toolCallId, errorText };
  }
}

function stateOf(chunk: UIMessageChunk): object {
  if (chunk.type === "tool-output-available") return { state: "output-available", output: chunk.output };
  return chunk.type === "tool-output-error" ? { state: "output-error", errorText: chunk.errorText } : {};
}
