/**
 * A reply that the log has, for a client that asks for it again: put together from its pieces, and as the chunks that
 * a client lacks of it. A provider is asked again only where the reply stops at answers of tools.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import type { MessageEntry } from "../../core/log/entry.ts";
import { aiSdkUiFormat } from "../../core/message/formats/ai-sdk-ui.ts";
import { baseId } from "../../core/message/formats/decode-value.ts";
import type { Session } from "../../engine/session/session.ts";
import { type ToolPart, writeToolPart } from "./write-tool-part.ts";

export interface StoredReply {
  readonly message: UIMessage;
  /** Whether there is nothing more to ask for: it was said to its end, or it waits for its client. */
  readonly isEnded: boolean;
}

/** Pieces of one reply: as many rounds as a turn may have, with their answers. */
const MOST_PIECES = 500;

/** By its id, at the end of the log. */
export async function findLastReply(session: Session, id: string): Promise<StoredReply | undefined> {
  const newest = await session.entries({ types: ["message"], newestFirst: true, limit: MOST_PIECES });
  return join(newest.toReversed().filter((entry) => entry.type === "message" && baseId(entry.id) === id) as never);
}

/** The first that came after a place. */
export async function findReplyAfter(session: Session, afterSeq: number): Promise<StoredReply | undefined> {
  const later = await session.entries({ afterSeq, types: ["message"], limit: MOST_PIECES });
  const messages = later.filter((entry) => entry.type === "message");
  const first = messages.find(({ message }) => message.role === "assistant");
  if (first === undefined) return undefined;
  const pieces = messages.filter(({ id }) => baseId(id) === baseId(first.id));
  const reply = join(pieces);
  // Something else was said since: what is left open stays open.
  return reply && { ...reply, isEnded: reply.isEnded || messages.at(-1) !== pieces.at(-1) };
}

function join(pieces: readonly MessageEntry[]): StoredReply | undefined {
  const last = pieces.at(-1);
  if (last === undefined) return undefined;
  const shown = aiSdkUiFormat.encode(pieces.map(({ message }) => message));
  const isWhole = shown.length === 1 && pieces.every(({ erased }) => erased !== true);
  // It was decoded from a UI message, or can be shown as one.
  const message = shown[0] as UIMessage | undefined;
  return message && { message, isEnded: !isWhole || last.message.role !== "tool" };
}

/** What a client lacks that has so much of the reply. The last step that it knows is taken back: it may be a part. */
export function writeReply({ parts }: UIMessage, known: UIMessage | undefined): readonly UIMessageChunk[] {
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
  // Files, sources and data are chunks as they stand.
  return PLAIN.has(part.type) || part.type.startsWith("data-") ? [part as UIMessageChunk] : [];
}

const PLAIN: ReadonlySet<string> = new Set(["file", "source-url", "source-document"]);
