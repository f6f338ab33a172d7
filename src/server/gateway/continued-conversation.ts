/**
 * Continues a session after a client has compacted its conversation: its next list begins with a summary instead of the
 * messages. The session goes on in a fork in which they are cleared. A summary of this gateway names the fork; one that
 * the upstream wrote is recognized by its beginning.
 */
import { hashText } from "../../core/message/hash-message.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Session } from "../../engine/session/session.ts";
import { type ConversationKey, describeKey, loadSession, nameBy, type StartPlace } from "./find-conversation.ts";

const REFERENCE = /\[Palimpsest session (gw-[0-9a-f]{32})\]/g;

/** The last line of a summary of this gateway. */
export function writeReference(sessionId: string): string {
  return `[Palimpsest session ${sessionId}]`;
}

/** Returns the id of the fork in which a session continues after its compaction by the client. */
export function nameContinuation(sessionId: string, throughSeq: number): string {
  return nameBy([sessionId, throughSeq, "compacted"]);
}

/** The same for a summary that the upstream wrote. */
function nameByOpening(opening: string, key: ConversationKey): string {
  return nameBy([describeKey(key), "compacted", opening]);
}

const OPENING_CHARACTERS = 300;
/** A shorter beginning could be that of another summary. */
const MIN_OPENING_CHARACTERS = 40;

/** Prepares the fork in which the session continues after a compaction that the upstream has written. */
export async function continueAfterReply(
  { session, throughSeq, items }: CompactedSession,
  key: ConversationKey,
): Promise<void> {
  const sealed = items.findLast(({ type }) => String(type).includes("compaction"))?.encrypted_content;
  const text = items.flatMap((item) => readTexts({ ...item, role: "user" })).join("\n");
  const opening = typeof sealed === "string" ? hashText(sealed) : readOpening(text);
  if (opening !== undefined) await continueSession(session, throughSeq, nameByOpening(opening, key));
}

export interface CompactedSession {
  readonly session: Session;
  readonly throughSeq: number;
  /** The reply of the upstream. */
  readonly items: readonly JsonObject[];
}

/** Returns the beginning of a summary in a reply, as the client's next list has it; undefined for a short one. */
function readOpening(text: string): string | undefined {
  const [, tagged] = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(text) ?? [];
  return shorten(tagged ?? text.replace(/<analysis>[\s\S]*?<\/analysis>/, ""));
}

function shorten(text: string): string | undefined {
  const opening = text.trim().replaceAll(/\s+/g, " ").slice(0, OPENING_CHARACTERS);
  return opening.length < MIN_OPENING_CHARACTERS ? undefined : opening;
}

/** Where the list of a request continues a session that its client has compacted. */
export async function findContinuation(
  engine: Palimpsest,
  history: readonly JsonObject[],
  key: ConversationKey,
): Promise<StartPlace | undefined> {
  for (const id of listCandidates(history, key)) {
    const session = await loadSession(engine, id);
    const seq = await session?.clearedThroughSeq();
    if (session !== undefined && seq !== undefined && seq > 0) return { sessionId: id, items: 0, seq, baseSeq: seq };
  }
  return undefined;
}

/** Whether an item has a summary of this gateway. */
export function hasReference(item: JsonObject): boolean {
  return readTexts(item).some((text) => text.search(REFERENCE) >= 0);
}

const MAX_CANDIDATES = 4;

function listCandidates(history: readonly JsonObject[], key: ConversationKey): readonly string[] {
  const named = history.flatMap(readTexts).flatMap((text) => [...text.matchAll(REFERENCE)].map(([, id]) => id ?? ""));
  return [
    ...named.toReversed().slice(0, MAX_CANDIDATES),
    ...listOpenings(history).map((text) => nameByOpening(text, key)),
  ];
}

/** Claude Code writes the summary after a heading into the first message. Codex keeps the upstream's sealed item. */
function listOpenings(history: readonly JsonObject[]): readonly string[] {
  const [first] = history;
  const texts = first === undefined ? [] : readTexts(first);
  const headed = texts.flatMap((text) => shorten(/\bSummary:\s([\s\S]*)$/.exec(text)?.[1] ?? "") ?? []);
  const sealed = history.flatMap(({ type, encrypted_content: content }) =>
    String(type).includes("compaction") && typeof content === "string" ? [hashText(content)] : [],
  );
  return [...headed, ...sealed.slice(-1)];
}

function readTexts({ role, content }: JsonObject): readonly string[] {
  if (role !== "user") return [];
  if (typeof content === "string") return [content];
  const blocks: readonly JsonValue[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => (isJsonObject(block) && typeof block.text === "string" ? [block.text] : []));
}

/** Prepares the fork in which the session continues: everything so far is cleared there. */
export async function continueSession(session: Session, throughSeq: number, id: string): Promise<Session> {
  const fork = await session.fork(throughSeq, { id });
  if ((await fork.clearedThroughSeq()) === 0) await fork.clear({ scope: "for-good" });
  return fork;
}
