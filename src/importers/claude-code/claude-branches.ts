/** Sorts Claude Code's records into sessions: the conversation, its forks, resumed sessions and subagents. */
import { type Fields, findText } from "../../core/check-value.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import type { TranscriptEvent, TranscriptParent, TranscriptSummary } from "../../ports/transcript.ts";
import { MessageTree, type TreeBranch, type TreeNode } from "../shared/message-tree.ts";
import { type MessageFacts, SessionDraft } from "../shared/session-draft.ts";
import { readTime } from "../shared/values.ts";
import { type ClaudeMessage, OpenRound } from "./open-round.ts";

const FORMAT = "claude-code";

interface ClaudeSession {
  readonly draft: SessionDraft;
  readonly sourceId: string | undefined;
  readonly agentId: string | undefined;
  readonly isSidechain: boolean;
  readonly round: OpenRound;
}

type Branch = TreeBranch<ClaudeSession>;
type Node = TreeNode<ClaudeSession>;

export class ClaudeBranches {
  readonly #tree = new MessageTree<ClaudeSession>();
  readonly #branches: Branch[] = [];
  #records = 0;

  *add(record: Fields, { providerId, messages }: ClaudeMessage): Generator<TranscriptEvent> {
    const [first] = messages;
    if (first === undefined) return this.link(record);
    const branch = yield* this.#findBranch(record, first);
    const { session } = branch;
    this.#records += 1;
    const id = first.id ?? `record-${this.#records}`;
    const own = findText(record.uuid) ?? id;
    if (this.#tree.find(own)?.branch === branch && session.round.has(first)) return;
    const isPiece = providerId !== undefined && session.round.providerId === providerId;
    const isAnswer = messages.every(({ role }) => role === "tool");
    const messageId = isPiece ? (session.round.messageId ?? id) : (messages.at(-1)?.id ?? id);
    this.#tree.place(branch, { id: own, messageId, beginsRound: !isPiece && !isAnswer });
    yield* session.round.add({ providerId, messages });
  }

  *summarize(
    record: Fields,
    summary: Pick<TranscriptSummary, "text" | "at" | "trigger" | "tokensBefore">,
  ): Generator<TranscriptEvent> {
    const branch = yield* this.#findBranch(record, undefined);
    const { draft, round } = branch.session;
    yield* round.flush();
    yield* draft.start();
    const id = findText(record.uuid) ?? `${draft.id}-summary-${draft.messages}`;
    const known = Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== undefined));
    yield { type: "summary", session: draft.id, id, text: summary.text, ...known };
    this.#tree.linkToEnd(id, branch, draft.lastId);
  }

  /** A record that is no message stands for the one before it. */
  link(record: Fields): void {
    const [id, parent] = [findText(record.uuid), findText(record.parentUuid) ?? findText(record.logicalParentUuid)];
    if (id === undefined) return;
    const last = this.#findLast(record);
    if (parent !== undefined && this.#tree.find(parent) !== undefined) this.#tree.link(id, parent);
    else if (last !== undefined) this.#tree.linkToEnd(id, last, last.session.draft.lastId);
  }

  *end(): Generator<TranscriptEvent> {
    for (const { session } of this.#branches) yield* session.round.flush();
  }

  /** Titles name the session of their leaf. Older files begin with the titles of other files. */
  *nameSessions(titles: readonly { title: string; leaf: string | undefined }[]): Generator<TranscriptEvent> {
    const found = new Map<SessionDraft, string>();
    const main = this.#branches.find(({ session }) => !session.isSidechain)?.session.draft;
    for (const { title, leaf } of titles) {
      const named = this.#tree.find(leaf)?.branch.session.draft ?? (leaf === undefined ? main : undefined);
      if (named !== undefined) found.set(named, title);
    }
    const last = titles.at(-1)?.title;
    if (found.size === 0 && main !== undefined && last !== undefined) found.set(main, last);
    for (const [draft, title] of found) if (draft.messages > 0) yield { type: "title", session: draft.id, title };
  }

  *#findBranch(record: Fields, first: MessageFacts | undefined): Generator<TranscriptEvent, Branch> {
    const node = this.#tree.find(findText(record.parentUuid) ?? findText(record.logicalParentUuid));
    const last = this.#findLast(record);
    if (node === undefined || (record.isSidechain === true) !== node.branch.session.isSidechain) {
      return last ?? this.#open(record, first, this.#findStarter(record, node));
    }
    const { branch } = node;
    const isSame = branch.session.sourceId === findText(record.sessionId);
    if (isSame && (this.#tree.continuesBranch(node) || isNotice(first))) return branch;
    yield* branch.session.round.flush();
    const parent = { session: branch.session.draft.id, afterMessageId: node.messageId, kind: "fork" } as const;
    return this.#open(record, first, parent);
  }

  /** A subagent belongs to the newest conversation of its session. */
  #findStarter(record: Fields, node: Node | undefined): TranscriptParent | undefined {
    if (record.isSidechain !== true) return undefined;
    const sessionId = findText(record.sessionId);
    const starter =
      node?.branch ?? this.#branches.findLast(({ session }) => !session.isSidechain && session.sourceId === sessionId);
    if (starter === undefined) return undefined;
    const { draft, round } = starter.session;
    const afterMessageId = node?.messageId ?? round.messageId ?? draft.lastId;
    return { session: draft.id, kind: "subagent", ...(afterMessageId === undefined ? {} : { afterMessageId }) };
  }

  /** Finds the newest branch that a record without a known parent continues. */
  #findLast(record: Fields): Branch | undefined {
    const [sessionId, agentId] = [findText(record.sessionId), findText(record.agentId)];
    const isSidechain = record.isSidechain === true;
    // A subagent's first record is its task; with no id of the agent, only a new task begins another one.
    if (isSidechain && agentId === undefined && record.type === "user" && record.parentUuid === null) return undefined;
    return this.#branches.findLast(({ session }) => {
      const isSame = session.sourceId === sessionId && session.isSidechain === isSidechain;
      return isSame && (!isSidechain || agentId === undefined || session.agentId === agentId);
    });
  }

  #open(record: Fields, first: MessageFacts | undefined, parent: TranscriptParent | undefined): Branch {
    const [sessionId, agentId] = [findText(record.sessionId), findText(record.agentId)];
    const draft = new SessionDraft({
      format: FORMAT,
      key: createKey(record, first),
      sourceId: agentId === undefined ? sessionId : `${sessionId ?? ""}/${agentId}`,
      startedAt: readTime(record.timestamp),
      folder: findText(record.cwd),
      parent,
    });
    const isSidechain = record.isSidechain === true;
    const round = new OpenRound(draft);
    const branch = this.#tree.createBranch({ draft, sourceId: sessionId, agentId, isSidechain, round });
    this.#branches.push(branch);
    return branch;
  }
}

/** A message that the tool wrote itself when it was started again. It is no other answer to what it is linked to. */
function isNotice(first: MessageFacts | undefined): boolean {
  return first?.role === "assistant" && first.source?.isNotice === true;
}

const RANDOM_ID = /^[0-9a-f]{8}-[0-9a-f-]{20,}$/i;
const SUFFIX_DIGITS = 12;

/**
 * A session is named by its first record, which a resumed session repeats under another session id. Ids that are not
 * random may be used twice, so the content is part of the name.
 */
function createKey(record: Fields, first: MessageFacts | undefined): string {
  const id = findText(record.uuid) ?? findText(record.sessionId) ?? "";
  if (RANDOM_ID.test(id) && findText(record.uuid) !== undefined) return id;
  const message: Message = { id: "", role: first?.role ?? "user", parts: first?.parts ?? [] };
  const digest = hashMessage({ ...message, name: `${String(record.timestamp)} ${findText(record.sessionId) ?? ""}` });
  return `${id.slice(0, SUFFIX_DIGITS * 4)}-${digest.slice(0, SUFFIX_DIGITS)}`;
}
