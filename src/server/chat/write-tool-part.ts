/** A call as it stands in a message, as the chunks that put it there. */
import type { UIMessage, UIMessageChunk } from "ai";

export type ToolPart = Extract<UIMessage["parts"][number], { readonly toolCallId: string }>;

export function writeToolPart(part: ToolPart): readonly UIMessageChunk[] {
  const { toolCallId, state, input, providerExecuted } = part;
  const isDynamic = part.type === "dynamic-tool";
  const toolName = isDynamic ? part.toolName : part.type.slice("tool-".length);
  const shared = { toolCallId, ...(isDynamic ? { dynamic: true } : {}), ...whereSaid({ providerExecuted }) };
  const metadata = whereSaid({ providerMetadata: part.callProviderMetadata });
  const chunks: UIMessageChunk[] = [{ type: "tool-input-available", toolName, input, ...shared, ...metadata }];
  if (part.approval !== undefined) {
    chunks.push({ type: "tool-approval-request", toolCallId, approvalId: part.approval.id });
  }
  if (state === "output-available") chunks.push({ type: "tool-output-available", output: part.output, ...shared });
  if (state === "output-error") chunks.push({ type: "tool-output-error", errorText: part.errorText, ...shared });
  if (state === "output-denied") chunks.push({ type: "tool-output-denied", toolCallId });
  return chunks;
}

function whereSaid<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
