/** ChatGPT's data export: conversations as trees. The branch that was shown last is the session, the others are forks. */
import { type Fields, findText, isObject, readFields, readList } from "../../core/check-value.ts";
import type { TranscriptEvent } from "../../ports/transcript.ts";
import type { FileSample, FormatReader, TranscriptFormat } from "../shared/format.ts";
import type { SourceRecord } from "../shared/record.ts";
import { type MessageFacts, SessionDraft } from "../shared/session-draft.ts";
import { describeSkip } from "../shared/skip.ts";
import { readTime } from "../shared/values.ts";
import { readChatGptMessage } from "./chatgpt-message.ts";

export const chatGptFormat: TranscriptFormat = {
  name: "chatgpt",
  title: "ChatGPT data export (conversations.json)",
  recognize: ({ records }: FileSample) => records.some((value) => isObject(readFields(value).mapping)),
  open: () => new ChatGptReader(),
};

interface Node {
  readonly id: string;
  readonly fields: Fields;
}

class ChatGptReader implements FormatReader {
  *take({ value, place }: SourceRecord): Generator<TranscriptEvent> {
    const { mapping, current_node: shown, ...fields } = readFields(value);
    if (!isObject(mapping)) {
      yield { type: "skipped", place, reason: "it is not a conversation" };
      return;
    }
    const main = this.#createDraft(fields);
    const tree = new NodeTree(mapping);
    const last = findText(shown);
    const leaves = tree.listLeaves();
    const first = last !== undefined && tree.find(last) !== undefined ? last : leaves.at(-1);
    const written = new Map<string, string | undefined>();
    const drafts = new Map<string, SessionDraft>();
    for (const leaf of [first, ...leaves.filter((each) => each !== first)]) {
      if (leaf !== undefined) yield* writeBranch(tree.pathTo(leaf), { main, leaf, place, written, drafts });
    }
  }

  #createDraft(fields: Fields): SessionDraft {
    const sourceId = findText(fields.conversation_id) ?? findText(fields.id);
    const [title, startedAt] = [findText(fields.title), readTime(fields.create_time)];
    return new SessionDraft({ format: "chatgpt", sourceId, title, startedAt });
  }
}

interface BranchPlace {
  readonly main: SessionDraft;
  readonly leaf: string;
  readonly place: string;
  /** The last message at each node that is written. */
  readonly written: Map<string, string | undefined>;
  /** The session of each node that is written. */
  readonly drafts: Map<string, SessionDraft>;
}

function* writeBranch(path: readonly Node[], branch: BranchPlace): Generator<TranscriptEvent> {
  const { main, leaf, place, written, drafts } = branch;
  const shared = path.findLast(({ id }) => written.has(id));
  const isFirst = written.size === 0;
  const draft = isFirst ? main : forkAfter(shared?.id, leaf, branch);
  const rest = path.slice(shared === undefined ? 0 : path.indexOf(shared) + 1);
  const calls = new Map<string, string>();
  for (const { id, fields } of rest) {
    const parent = findText(fields.parent);
    for (const facts of readNode(fields, { id, calls, parent })) {
      try {
        yield* draft.add(facts);
      } catch (error) {
        yield describeSkip({ place: `${place}.mapping.${id}` }, error);
      }
    }
    written.set(id, draft.lastId ?? (shared === undefined ? undefined : written.get(shared.id)));
    drafts.set(id, draft);
  }
}

function forkAfter(shared: string | undefined, leaf: string, { main, written, drafts }: BranchPlace): SessionDraft {
  const { sourceId, title } = main.facts;
  const afterMessageId = shared === undefined ? undefined : written.get(shared);
  const from = (shared === undefined ? undefined : drafts.get(shared)) ?? main;
  const place = afterMessageId === undefined ? {} : { afterMessageId };
  const parent = from.messages === 0 ? undefined : ({ session: from.id, kind: "fork", ...place } as const);
  return new SessionDraft({ format: "chatgpt", key: `${sourceId ?? main.id}-${leaf}`, sourceId, title, parent });
}

function readNode(
  fields: Fields,
  place: { readonly id: string; readonly calls: Map<string, string>; readonly parent: string | undefined },
): readonly MessageFacts[] {
  const { message } = fields;
  return isObject(message) ? readChatGptMessage(message, place) : [];
}

/** Nodes with a parent each. A cycle ends where it closes. */
class NodeTree {
  readonly #nodes: Fields;

  constructor(nodes: Fields) {
    this.#nodes = nodes;
  }

  find(id: string): Fields | undefined {
    const found = Object.hasOwn(this.#nodes, id) ? this.#nodes[id] : undefined;
    return isObject(found) ? found : undefined;
  }

  listLeaves(): readonly string[] {
    const parents = new Set(Object.values(this.#nodes).map((node) => readFields(node).parent));
    return Object.keys(this.#nodes).filter(
      (id) => this.find(id) !== undefined && !parents.has(id) && readList(this.find(id)?.children).length === 0,
    );
  }

  pathTo(leaf: string): readonly Node[] {
    const path: Node[] = [];
    const seen = new Set<string>();
    for (let id: string | undefined = leaf; id !== undefined && !seen.has(id); ) {
      seen.add(id);
      const fields = this.find(id);
      if (fields === undefined) break;
      path.push({ id, fields });
      id = findText(fields.parent);
    }
    return path.reverse();
  }
}
