/** Pi's session files: one entry a line, since the second version linked by `parentId`. Branches become forks. */
import { type Fields, findText, invalidMessage, isObject, readFields } from "../../core/check-value.ts";
import type { TranscriptEvent, TranscriptParent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import { MessageTree, type TreeBranch } from "../shared/message-tree.ts";
import type { SourceRecord } from "../shared/record.ts";
import { SessionDraft, withoutMissing } from "../shared/session-draft.ts";
import { readTime } from "../shared/values.ts";
import { readPiMessage } from "./pi-message.ts";

export const piFormat: TranscriptFormat = {
  name: "pi",
  title: "pi session (JSONL)",
  recognize,
  open: () => new PiReader(),
};

/** OpenClaw writes entries of the same kind, without the provider of each answer. */
function recognize({ shape, records }: FileSample): boolean {
  if (shape !== "lines") return false;
  const entries = records.map(readFields);
  const hasHead = entries.some(({ type, id, cwd, timestamp }) => {
    return type === "session" && typeof id === "string" && typeof (cwd ?? timestamp) === "string";
  });
  const answers = entries.map(({ message }) => readFields(message)).filter(({ role }) => role === "assistant");
  return hasHead && answers.every(({ provider, api }) => provider !== undefined || api !== undefined);
}

type Branch = TreeBranch<SessionDraft>;

class PiReader implements FormatReader {
  readonly #tree = new MessageTree<SessionDraft>();
  readonly #draft = new SessionDraft({ format: "pi" });
  readonly #main: Branch = this.#tree.createBranch(this.#draft);
  #newest: Branch = this.#main;
  /** Message ids by the number of their entry, which the first version names. */
  readonly #entryIds: (string | undefined)[] = [];
  #title: string | undefined;

  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    if (!isObject(value)) throw invalidMessage(place, "an object", value);
    if (value.type === "session") return this.#readHead(value);
    if (typeof value.type !== "string") throw invalidMessage(place, "an entry with a type", value);
    if (value.type === "session_info") this.#title = findText(value.name) ?? this.#title;
    if (value.type === "message" || value.type === "custom_message") yield* this.#takeMessage(value, place);
    else if (value.type === "compaction" || value.type === "branch_summary") yield* this.#takeSummary(value);
    else this.#link(value);
    this.#entryIds.push(this.#newest.session.lastId);
  }

  *end(): Generator<TranscriptEvent> {
    if (this.#title === undefined || this.#draft.messages === 0) return;
    yield { type: "title", session: this.#draft.id, title: this.#title };
  }

  #readHead(head: Fields): void {
    const [sourceId, folder] = [findText(head.id), findText(head.cwd)];
    const facts = { sourceId, folder, startedAt: readTime(head.timestamp), parent: findParent(head) };
    this.#draft.facts = { ...this.#draft.facts, ...withoutMissing(facts) };
  }

  *#takeMessage(entry: Fields, place: string): Generator<TranscriptEvent> {
    const facts = readPiMessage(entry, place);
    const branch = this.#findBranch(entry);
    yield* branch.session.add(facts);
    const messageId = branch.session.lastId ?? "";
    const beginsRound = facts.role !== "tool";
    this.#tree.place(branch, { id: findText(entry.id) ?? `entry-${this.#entryIds.length}`, messageId, beginsRound });
  }

  *#takeSummary(entry: Fields): Generator<TranscriptEvent> {
    const { session } = this.#findBranch(entry);
    const text = findText(entry.summary);
    const id = findText(entry.id) ?? `${entry.type}-${session.lastId ?? "first"}`;
    this.#link(entry);
    if (text === undefined) return;
    yield* session.start();
    const { tokensBefore: before, firstKeptEntryIndex: index } = entry;
    const known = {
      at: readTime(entry.timestamp),
      tokensBefore: typeof before === "number" && before >= 0 ? before : undefined,
      firstKeptId: typeof index === "number" ? this.#entryIds[index] : findText(entry.firstKeptEntryId),
    };
    yield { type: "summary", session: session.id, id, text, ...withoutMissing(known) };
  }

  #link(entry: Fields): void {
    const id = findText(entry.id);
    if (id === undefined) return;
    const parent = findText(entry.parentId);
    if (parent !== undefined && this.#tree.find(parent) !== undefined) this.#tree.link(id, parent);
    else this.#tree.linkToEnd(id, this.#newest, this.#newest.session.lastId);
  }

  #findBranch(entry: Fields): Branch {
    const node = this.#tree.find(findText(entry.parentId));
    if (node === undefined) return this.#newest;
    if (this.#tree.continuesBranch(node)) this.#newest = node.branch;
    else this.#newest = this.#fork(entry, node.branch.session, node.messageId);
    return this.#newest;
  }

  #fork(entry: Fields, from: SessionDraft, afterMessageId: string | undefined): Branch {
    const { sourceId = "", folder } = this.#draft.facts;
    const key = `${sourceId}-${findText(entry.id) ?? ""}`;
    const parent = { session: from.id, kind: "fork", ...withoutMissing({ afterMessageId }) } as const;
    return this.#tree.createBranch(new SessionDraft({ format: "pi", key, sourceId, folder, parent }));
  }
}

/** The path of the session that this one continues ends with its id. */
function findParent({ branchedFrom, parentSession }: Fields): TranscriptParent | undefined {
  const path = findText(branchedFrom) ?? findText(parentSession);
  const id = path === undefined ? undefined : /_([0-9a-f-]{36})\.jsonl$/i.exec(path)?.[1];
  return id === undefined ? undefined : { session: `pi-${id}`, kind: "fork" };
}
