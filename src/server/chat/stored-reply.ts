/**
 * A reply from the log, for a client that requests it again: joined from its pieces and written as the chunks that the
 * client does not have. The provider is called again only if the reply ends with tool results.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import type { MessageEntry } from "../../core/log/entry.ts";
import { readBaseId } from "../../core/message/decode-value.ts";
import { aiSdkUiFormat } from "../../core/message/formats/ai-sdk-ui.ts";
import type { Session } from "../../engine/session/session.ts";

export interface StoredReply {
  readonly message: UIMessage;
  /** True if the reply is complete or waits for the client. */
  readonly isEnded: boolean;
}

/** Pieces of one reply: the rounds that a turn may have, with their results. */
const MAX_PIECES = 500;

export async function findLastReply(session: Session, id: string): Promise<StoredReply | undefined> {
  const newest = await session.entries({ types: ["message"], newestFirst: true, limit: MAX_PIECES });
  return joinPieces(
    newest.toReversed().filter((entry) => entry.type === "message" && readBaseId(entry.id) === id) as never,
  );
}

export async function findReplyAfter(session: Session, afterSeq: number): Promise<StoredReply | undefined> {
  const later = await session.entries({ afterSeq, types: ["message"], limit: MAX_PIECES });
  const messages = later.filter((entry) => entry.type === "message");
  const first = messages.find(({ message }) => message.role === "assistant");
  if (first === undefined) return undefined;
  const pieces = messages.filter(({ id }) => readBaseId(id) === readBaseId(first.id));
  const reply = joinPieces(pieces);
  // Other messages followed, so an unfinished reply is not continued.
  return reply && { ...reply, isEnded: reply.isEnded || messages.at(-1) !== pieces.at(-1) };
}

function joinPieces(pieces: readonly MessageEntry[]): StoredReply | undefined {
  const last = pieces.at(-1);
  if (last === undefined) return undefined;
  const shown = aiSdkUiFormat.encode(pieces.map(({ message }) => message));
  const isWhole = shown.length === 1 && pieces.every(({ erased }) => erased !== true);
  // The pieces were decoded from a UI message, or can be shown as one.
  const message = shown[0] as UIMessage | undefined;
  return message && { message, isEnded: !isWhole || last.message.role !== "tool" };
}

/** Writes the chunks that the client does not have. Its last step is reset, because it may be incomplete. */
export function writeReplyChunks({ parts }: UIMessage, known: UIMessage | undefined): readonly UIMessageChunk[] {
  const starts = known?.parts.filter(({ type }) => type === "step-start").length ?? 0;
  const places = parts.flatMap(({ type }, index) => (type === "step-start" ? [index + 1] : []));
  const from = starts === 0 ? 0 : (places[starts - 1] ?? parts.length);
  const chunks = parts.slice(from).flatMap((part, index) => writePart(part, `stored-${from + index}`));
  return known === undefined || from === parts.length ? chunks : [{ type: "reset-step" }, ...chunks];
}

function writePart(part: UIMessage["parts"][number], id: string): readonly UIMessageChunk[] {
  if (part.type === "step-start") return [{ type: "start-step" }];
  if (part.type === "text" || part.type === "reasoning") {
    const { type, text, providerMetadata } = part;
    const shared = providerMetadata === undefined ? { id } : { id, providerMetadata };
    return [
      { type: `${type}-start`, ...shared },
      { type: `${type}-delta`, id, delta: text },
      { type: `${type}-end`, ...shared },
    ];
  }
  if ("toolCallId" in part) return writeToolPart(part as ToolPart);
  // Files, sources and data parts are chunks themselves.
  return PLAIN.has(part.type) || part.type.startsWith("data-") ? [part as UIMessageChunk] : [];
}

const PLAIN: ReadonlySet<string> = new Set(["file", "source-url", "source-document"]);

type ToolPart = Extract<UIMessage["parts"][number], { readonly toolCallId: string }>;

function writeToolPart(part: ToolPart): readonly UIMessageChunk[] {
  const { toolCallId, state, input, providerExecuted } = part;
  const isDynamic = part.type === "dynamic-tool";
  const toolName = isDynamic ? part.toolName : part.type.slice("tool-".length);
  const shared = { toolCallId, ...(isDynamic ? { dynamic: true } : {}), ...withoutUndefined({ providerExecuted }) };
  const metadata = withoutUndefined({ providerMetadata: part.callProviderMetadata });
  const chunks: UIMessageChunk[] = [{ type: "tool-input-available", toolName, input, ...shared, ...metadata }];
  if (part.approval !== undefined) {
    chunks.push({ type: "tool-approval-request", toolCallId, approvalId: part.approval.id });
  }
  if (state === "output-available") chunks.push({ type: "tool-output-available", output: part.output, ...shared });
  if (state === "output-error") chunks.push({ type: "tool-output-error", errorText: part.errorText, ...shared });
  if (state === "output-denied") chunks.push({ type: "tool-output-denied", toolCallId });
  return chunks;
}

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
