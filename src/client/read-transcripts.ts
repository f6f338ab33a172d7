/**
 * Reads conversations from a file of another program: lists of messages in any format that the engine decodes, and
 * exports of ChatGPT and LibreChat. These exports have all branches; the one shown last is read. Pure.
 */
import { type Fields, findNumber, findText, readFields, readList, readText } from "./fields.ts";

export interface ChatTranscript {
  readonly title: string | undefined;
  readonly messages: readonly Fields[];
  /** Set if this module wrote the messages; other formats are detected when they are decoded. */
  readonly format?: "palimpsest" | undefined;
}

/** A conversation that cannot be read, or only in part, and why. */
export interface SkippedItem {
  readonly title: string;
  readonly reason: string;
}

/** Keys under which files have a list of messages. */
const LISTS = ["messages", "contents", "input", "output", "conversation", "history"] as const;

export function readTranscripts(value: unknown) {
  const list = readList(value).map((item) => (Array.isArray(item) ? { messages: item } : readFields(item)));
  const isMany = list.some(isConversation) && list.every(({ role }) => role === undefined);
  const all = isMany ? list : [Array.isArray(value) ? { messages: list } : readFields(value)];
  const read = all.map((fields) => ({ fields, transcript: readOne(fields) }));
  const isEmpty = ({ transcript }: ReadTranscript) => transcript.messages.length === 0;
  return {
    transcripts: read.filter((each) => !isEmpty(each)).map(({ transcript }) => transcript),
    leftOut: [
      ...(isMany ? read.filter(isEmpty).map(({ fields }) => explainEmpty(fields)) : []),
      ...read.flatMap(nameSkippedMessages),
    ],
  };
}

/** Lists a conversation if some of its messages have parts other than text, or an unknown author. */
function nameSkippedMessages({ fields, transcript }: ReadTranscript): readonly SkippedItem[] {
  const lost =
    transcript.messages.length === 0 ? [] : findCurrentBranch(fields).filter(({ message }) => isUnreadable(message));
  if (lost.length === 0) return [];
  const what = lost.length === 1 ? "a message" : `${lost.length} messages`;
  return [{ title: titleOf(fields), reason: `${what} with parts that cannot be shown as text` }];
}

interface ReadTranscript {
  readonly fields: Fields;
  readonly transcript: ChatTranscript;
}

function isUnreadable({ author, content }: Fields): boolean {
  if (content === undefined || content === null) return false;
  if (typeof content !== "object") return true;
  const fields = readFields(content);
  const hasOtherParts = readList(fields.parts).some(
    (part) => typeof part !== "string" && readText(readFields(part).text) === "",
  );
  return hasOtherParts || (readContentText(fields) !== "" && !ROLES.includes(readFields(author).role));
}

function titleOf({ title }: Fields): string {
  return findText(title) ?? "a conversation without a title";
}

/** An export does not contain its images and thoughts. */
function explainEmpty(fields: Fields): SkippedItem {
  const isBlank = Object.values(readFields(fields.mapping)).every(
    (node) => !readFields(readFields(node).message).content,
  );
  const reason = isBlank && readList(fields.messages).length === 0 ? "it has no messages" : "it has no text";
  return { title: titleOf(fields), reason };
}

/** Returns whether an object has messages and is not a message itself. */
function isConversation(fields: Fields): boolean {
  return fields.role === undefined && (isTree(fields) || Array.isArray(fields.messages));
}

function isTree({ mapping }: Fields): boolean {
  return typeof mapping === "object" && mapping !== null;
}

function readOne(fields: Fields): ChatTranscript {
  const title = findText(fields.title);
  if (isTree(fields)) return { title, messages: readTree(fields), format: "palimpsest" };
  const list =
    LISTS.map((name) => readList(fields[name]).map(readFields)).find((found) => found.length > 0) ?? keepAlone(fields);
  if (list.every(isShared)) return { title, messages: readShared(list), format: "palimpsest" };
  return { title, messages: list };
}

function keepAlone(fields: Fields): readonly Fields[] {
  return typeof fields.role === "string" ? [fields] : [];
}

const ROLES: readonly unknown[] = ["user", "assistant", "system", "tool"];

/** ChatGPT: nodes with a parent each; `current_node` is the end of the branch that was shown. */
function findCurrentBranch({ mapping, current_node }: Fields): readonly Node[] {
  const nodes = readFields(mapping);
  const last = findText(current_node) ?? Object.keys(nodes).at(-1);
  const branch: Node[] = [];
  const seen = new Set<string>();
  for (let id = last; id !== undefined && !seen.has(id); id = findText(readFields(nodes[id]).parent)) {
    seen.add(id);
    branch.unshift({ id, message: readFields(readFields(nodes[id]).message) });
  }
  return branch;
}

interface Node {
  readonly id: string;
  readonly message: Fields;
}

function readTree(fields: Fields): readonly Fields[] {
  return findCurrentBranch(fields)
    .map(({ id, message }) => readNode(message, id))
    .filter((message) => message !== undefined);
}

function readNode({ author: from, content, create_time }: Fields, id: string): Fields | undefined {
  const { role, name } = readFields(from);
  const text = readContentText(readFields(content));
  if (!ROLES.includes(role) || text === "") return undefined;
  const seconds = findNumber(create_time);
  // A tool result names no call, so it is kept as text.
  const author = role === "tool" ? "assistant" : readText(role);
  const saidAt = seconds === undefined ? undefined : seconds * 1_000;
  return createMessageFields({ id, role: author, name: findText(name), saidAt }, text);
}

function readContentText({ parts, text, result }: Fields): string {
  const said = readList(parts).map((part) => (typeof part === "string" ? part : readText(readFields(part).text)));
  return said.filter((each) => each !== "").join("\n") || readText(text) || readText(result);
}

/** LibreChat: messages with `isCreatedByUser`. */
function isShared(fields: Fields): boolean {
  return typeof fields.messageId === "string" && typeof fields.isCreatedByUser === "boolean";
}

/** Returns the newest message and its ancestors; children may be nested in their parents. */
function readShared(list: readonly Fields[]): readonly Fields[] {
  const all = list.flatMap(flatten);
  const byId = new Map(all.map((fields) => [readText(fields.messageId), fields]));
  const branch: Fields[] = [];
  for (let next = all.at(-1); next !== undefined && !branch.includes(next); next = parentOf(next, byId))
    branch.unshift(next);
  return branch.flatMap((fields) => {
    const isUser = fields.isCreatedByUser === true;
    const text = readText(fields.text) || readList(fields.content).map(readBlockText).filter(Boolean).join("\n");
    if (text === "") return [];
    const id = readText(fields.messageId);
    const saidAt = findNumber(Date.parse(readText(fields.createdAt)));
    const name = isUser ? undefined : findText(fields.sender);
    return [createMessageFields({ id, role: isUser ? "user" : "assistant", name, saidAt }, text)];
  });
}

function flatten(fields: Fields): readonly Fields[] {
  return [fields, ...readList(fields.children).map(readFields).flatMap(flatten)];
}

function parentOf(fields: Fields, byId: ReadonlyMap<string, Fields>): Fields | undefined {
  return byId.get(readText(fields.parentMessageId));
}

function readBlockText(value: unknown): string {
  const { text } = readFields(value);
  return readText(text) || readText(readFields(text).value);
}

interface MessageHead {
  readonly id: string;
  readonly role: string;
  readonly name: string | undefined;
  readonly saidAt: number | undefined;
}

function createMessageFields(head: MessageHead, text: string): Fields {
  const known = Object.entries(head).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), parts: [{ type: "text", text }] };
}

/** Parses JSON, or one JSON value per line. */
export function readJsonFile(text: string): unknown {
  const whole = text.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(whole);
  } catch {
    return readJsonLines(whole);
  }
}

function readJsonLines(text: string): readonly unknown[] {
  const values: unknown[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    try {
      if (line.trim() !== "") values.push(JSON.parse(line));
    } catch {
      // If the first lines are JSON, the error names the line that is not.
      const where = values.length === 0 ? "" : `: line ${index + 1} cannot be read`;
      throw new SyntaxError(`The file is neither JSON nor JSON Lines${where}.`);
    }
  }
  return values;
}
