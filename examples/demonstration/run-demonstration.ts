/**
 * Runs the conversation in a session like an agent's loop: a prompt before every reply, then the reply and the
 * tool results are appended. It collects facts and prints nothing; draw-demonstration.ts prints them.
 */
import { openPalimpsest, type Palimpsest, type Prompt, type Session } from "../../src/index.ts";
import { type ConversationMessage, conversation } from "./conversation.ts";

/** Small enough that a conversation of sixty messages outgrows it several times. */
const BUDGET_TOKENS = 4_000;
/** Id of an early message with a fact that the last turn asks for, and words of that fact. */
const FORGOTTEN_ID = "m2";
const FORGOTTEN_WORDS = "Node 22";

export interface RequestFacts {
  /** The newest message when the prompt was made. */
  readonly newestId: string;
  readonly newestRole: ConversationMessage["role"];
  readonly tokens: number;
  /** The fate of each message so far, in order. */
  readonly fates: readonly string[];
  /** True if every message of the previous prompt is unchanged at the start of this one. */
  readonly extendsLast: boolean;
  readonly changes: readonly string[];
  readonly compaction?: CompactionFacts | undefined;
}

export interface CompactionFacts {
  readonly steps: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly reason: string;
}

export interface Replacement {
  readonly messageId: string;
  /** A fate, or the kind of repair. */
  readonly fate: string;
  readonly reason: string;
  /** The text that the model reads instead of the original. */
  readonly text: string;
}

export interface ForgottenFacts {
  readonly messageId: string;
  readonly words: string;
  /** Each call in order, with its result. */
  readonly steps: readonly { readonly verb: string; readonly outcome: string }[];
  readonly fatesWhilePinned: readonly string[];
}

export interface Demonstration {
  readonly budgetTokens: number;
  readonly counter: string;
  readonly messageCount: number;
  readonly messageTokens: number;
  readonly requests: readonly RequestFacts[];
  /** The first replacement of each kind. */
  readonly replacements: readonly Replacement[];
  readonly forgotten: ForgottenFacts;
  readonly lastPrompt: {
    readonly tokens: number;
    readonly sections: readonly { readonly name: string; readonly tokens: number }[];
  };
  /** Messages in the log at the end. */
  readonly storedMessages: number;
}

export async function runDemonstration(): Promise<Demonstration> {
  const palimpsest = await openPalimpsest({ budgetTokens: BUDGET_TOKENS });
  const feed = new Feed(palimpsest, await palimpsest.session("demonstration"));
  for (const message of conversation) await feed.say(message);
  const forgotten = await findForgotten(feed);
  const { report } = await feed.session.prompt();
  const [stored] = await palimpsest.sessions();
  await palimpsest.close();
  return {
    budgetTokens: BUDGET_TOKENS,
    counter: report.counter.id,
    messageCount: conversation.length,
    messageTokens: feed.messageTokens,
    requests: feed.requests,
    replacements: feed.replacements,
    forgotten,
    lastPrompt: { tokens: report.tokens, sections: report.sections.filter(({ tokens }) => tokens > 0) },
    storedMessages: stored?.messageCount ?? 0,
  };
}

class Feed {
  readonly session: Session;
  readonly requests: RequestFacts[] = [];
  readonly replacements: Replacement[] = [];
  messageTokens = 0;
  readonly #seqs = new Map<string, number>();
  #last: Prompt | undefined;

  constructor(palimpsest: Palimpsest, session: Session) {
    this.session = session;
    palimpsest.on("append", ({ tokens }) => {
      this.messageTokens += tokens;
    });
  }

  /** Appends a message. Requests a prompt for a user message, and before an assistant message that follows results. */
  async say(message: ConversationMessage): Promise<void> {
    if (message.role === "user") {
      await this.#ask(message);
      return;
    }
    if (message.role === "assistant" && roleBefore(message) === "tool") await this.#ask();
    const promptId = message.role === "assistant" ? this.#last?.id : undefined;
    const { messages } = await this.session.append(message, { promptId });
    for (const { id, seq } of messages) this.#seqs.set(id, seq);
  }

  /** Returns the fate of each message so far, from a prompt's plan. */
  fatesOf({ report }: Prompt): readonly string[] {
    return [...this.#seqs.values()].map((seq) => findRun(report.plan.runs, seq)?.fate ?? "absent");
  }

  async #ask(next?: ConversationMessage): Promise<void> {
    const prompt = await this.session.prompt({ next });
    if (next !== undefined) this.#seqs.set(next.id, (await this.session.explain(next.id)).seq);
    const newest = conversation[this.#seqs.size - 1];
    const { report } = prompt;
    this.requests.push({
      newestId: newest?.id ?? "",
      newestRole: newest?.role ?? "user",
      tokens: report.tokens,
      fates: this.fatesOf(prompt),
      extendsLast: this.#last === undefined || extendsPrompt(prompt, this.#last),
      changes: report.changes.map(({ section, reason }) => `${section}: ${reason}`),
      compaction: report.compaction,
    });
    this.#addReplacements(prompt);
    this.#last = prompt;
  }

  /** Keeps the first replacement of each kind. */
  #addReplacements(prompt: Prompt): void {
    for (const found of findReplacements(prompt, this.#seqs)) {
      if (!this.replacements.some(({ fate }) => fate === found.fate)) this.replacements.push(found);
    }
  }
}

function* findReplacements(prompt: Prompt, seqs: ReadonlyMap<string, number>): Generator<Replacement> {
  const { plan, repairs } = prompt.report;
  for (const message of conversation.slice(0, seqs.size)) {
    const { fate = "absent", reason = "" } = findRun(plan.runs, seqs.get(message.id) ?? 0) ?? {};
    if (fate === "pruned" || fate === "cut")
      yield { messageId: message.id, fate, reason, text: findResult(prompt, listCallIds(message)) };
    if (fate === "summarised") yield { messageId: message.id, fate, reason, text: findText(prompt, "[Summary of the") };
    if (fate === "truncated") yield { messageId: message.id, fate, reason, text: findText(prompt, "not shown here") };
  }
  for (const { kind, messageId, text } of repairs) {
    if (kind === "unanswered-call")
      yield { messageId, fate: kind, reason: text, text: findResult(prompt, UNANSWERED_CALLS) };
  }
}

function findRun(runs: Prompt["report"]["plan"]["runs"], seq: number) {
  return runs.find(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq);
}

function roleBefore({ id }: ConversationMessage): ConversationMessage["role"] | undefined {
  return conversation[conversation.findIndex((message) => message.id === id) - 1]?.role;
}

function extendsPrompt(prompt: Prompt, last: Prompt): boolean {
  if (prompt.instructions !== last.instructions) return false;
  return last.messages.every((message, index) => JSON.stringify(message) === JSON.stringify(prompt.messages[index]));
}

/** Returns the text of the results of some calls in a prompt. */
function findResult(prompt: Prompt, asked: readonly string[]): string {
  const parts = prompt.messages.flatMap(({ content }) => (typeof content === "string" ? [] : [...content]));
  return parts
    .flatMap((part) => (part.type === "tool-result" && asked.includes(part.toolCallId) ? [part.output] : []))
    .map((output) => ("value" in output ? String(output.value) : ""))
    .join("\n");
}

/** Returns the first text of a prompt that contains these words. */
function findText(prompt: Prompt, words: string): string {
  const texts = prompt.messages.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  return texts.find((text) => text.includes(words)) ?? "";
}

function listCallIds({ content }: ConversationMessage): readonly string[] {
  return typeof content === "string" ? [] : content.flatMap((part) => (part.type === "text" ? [] : [part.toolCallId]));
}

/** Ids of calls without a result: each occurs only once. */
const UNANSWERED_CALLS: readonly string[] = conversation
  .flatMap(listCallIds)
  .filter((id, _index, all) => all.indexOf(id) === all.lastIndexOf(id));

/**
 * The last question is about a message that is no longer shown: explains, finds and pins it, then undoes and redoes the
 * pin.
 */
async function findForgotten(feed: Feed): Promise<ForgottenFacts> {
  const { session } = feed;
  const steps: { verb: string; outcome: string }[] = [];
  const explain = async () => {
    const { fate, reason, isShown } = await session.explain(FORGOTTEN_ID);
    steps.push({
      verb: `explain("${FORGOTTEN_ID}")`,
      outcome: `${fate}, ${isShown ? "shown" : "not shown"}: ${reason}`,
    });
  };
  await explain();
  const [hit] = (await session.search(FORGOTTEN_WORDS)).toReversed();
  steps.push({ verb: `search("${FORGOTTEN_WORDS}")`, outcome: `${hit?.messageId}, ${hit?.role}: …${hit?.snippet}…` });
  const pin = await session.pin(FORGOTTEN_ID);
  steps.push({ verb: `pin("${FORGOTTEN_ID}")`, outcome: pin.type });
  await explain();
  const fatesWhilePinned = feed.fatesOf(await session.prompt({ preview: true }));
  const undo = await session.undo();
  steps.push({
    verb: "undo()",
    outcome: undo.type === "undone" ? `undid: ${undo.undid.kinds.join(", ")}` : undo.type,
  });
  await explain();
  const redo = undo.type === "undone" ? await session.undo(undo.entryId) : undo;
  steps.push({
    verb: "undo(that undo)",
    outcome: redo.type === "undone" ? `${redo.undid.kinds.join(", ")} is back` : redo.type,
  });
  await explain();
  return { messageId: FORGOTTEN_ID, words: FORGOTTEN_WORDS, steps, fatesWhilePinned };
}
