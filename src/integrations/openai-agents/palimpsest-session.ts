/**
 * A session of the OpenAI Agents SDK that Palimpsest stores. The runner reads the conversation when a run starts, so a
 * long loop of tool calls also needs `callModelInputFilter`, which makes a prompt of the session for each call.
 */
import type { AgentInputItem, Session as AgentsSession, CallModelInputFilter } from "@openai/agents";
import { checkArgument, checkOptions } from "../../core/check-options.ts";
import { requireFormat } from "../../core/message/formats/formats.ts";
import { toAgentItem, toResponsesItem } from "../../core/message/formats/openai-agents-items.ts";
import type { Session } from "../../engine/session/session.ts";
import type { PromptOptions } from "../../engine/session/session-options.ts";
import { receiveMessages } from "../shared/host-messages.ts";
import { type PromptSettings, SESSION_RULE, SETTINGS_RULES } from "../shared/prompt-settings.ts";

const FORMAT = "openai-responses";
const { history: _, ...RULES } = SETTINGS_RULES;

/** Sizes of the prompts of a run. */
export type PalimpsestSessionOptions = Omit<PromptSettings, "history">;

/**
 * A session of the OpenAI Agents SDK that Palimpsest stores. Use one for each run.
 *
 * @example
 * ```ts
 * const stored = new PalimpsestSession(session);
 * const { callModelInputFilter } = stored;
 * await new Runner().run(agent, "Where is my parcel?", { session: stored, callModelInputFilter });
 * ```
 */
export class PalimpsestSession implements AgentsSession {
  readonly #session: Session;
  readonly #settings: PalimpsestSessionOptions;
  /** Items that the current run got from this session. */
  #given: readonly string[] = [];
  /** Items that the calls of the current run have stored, and how many of them the runner has added again since. */
  #stored: readonly string[] = [];
  #added = 0;

  constructor(session: Session, settings: PalimpsestSessionOptions = {}) {
    checkArgument(session, SESSION_RULE, "new PalimpsestSession");
    checkOptions(settings, RULES, "new PalimpsestSession");
    this.#session = session;
    this.#settings = settings;
  }

  async getSessionId(): Promise<string> {
    return this.#session.id;
  }

  /** Returns the conversation as the model would see it: the summary and the newest items, within the budget. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const { items } = await this.#prompt({ preview: true });
    const shown = limit === undefined ? items : items.slice(Math.max(0, items.length - limit));
    this.#given = shown.map(identify);
    this.#stored = [];
    this.#added = 0;
    return shown;
  }

  /** Adds items of a run. Those that its calls have stored are left out: a broken run adds only its question again. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    const news = items.filter((item) => {
      const place = this.#stored.indexOf(identify(item), this.#added);
      if (place !== -1) this.#added = place + 1;
      return place === -1;
    });
    await this.#receive(news);
  }

  /** Adds a compaction that the provider wrote, and what follows it. The log keeps the items that it replaces. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    await this.addItems(items);
  }

  /** Removes the newest item, and its text from the log. */
  async popItem(): Promise<AgentInputItem | undefined> {
    const newest = await this.#session.entries({ types: ["message"], newestFirst: true, limit: NEWEST });
    const last = newest.find((entry) => entry.type === "message" && entry.erased !== true);
    if (last?.type !== "message") return undefined;
    const items = requireFormat(FORMAT).encode([last.message]) as object[];
    await this.#session.delete(last.id);
    if (items.length > 1) await this.#session.append(items.slice(0, -1), { format: FORMAT });
    const item = items.at(-1);
    return item === undefined ? undefined : toInputItem(item);
  }

  /** Hides everything from the model. The log keeps it. */
  async clearSession(): Promise<void> {
    await this.#session.clear({ scope: "for-good" });
  }

  /** An option of `run`: stores what a run has added so far, and sends a prompt of the session instead of its input. */
  readonly callModelInputFilter: CallModelInputFilter = async ({ modelData, agent }) => {
    const run = modelData.input.slice(countGiven(this.#given, modelData.input.map(identify)));
    await this.#receive(run);
    this.#stored = run.map(identify);
    const model = typeof agent.model === "string" && agent.model !== "" ? { model: agent.model } : {};
    const tools = agent.tools.map(describeTool);
    const { items, instructions } = await this.#prompt({ ...model, tools, instructions: modelData.instructions });
    return { input: items, ...(instructions === undefined ? {} : { instructions }) };
  };

  async #receive(items: readonly AgentInputItem[]): Promise<void> {
    await receiveMessages(this.#session, items.map(toResponsesItem), { history: "session", format: FORMAT });
  }

  async #prompt(request: PromptOptions) {
    // OpenAI caches without marks, and the runner has no option for a cache key.
    const defaults = { provider: FORMAT, breakpoints: false } as const;
    const prompt = await this.#session.prompt({ ...defaults, ...request, ...this.#settings });
    const { input, instructions } = prompt.as(FORMAT);
    return { items: input.map(toInputItem), instructions };
  }
}

const NEWEST = 50;

/** Counts the items at the start of an input that a run was given. The runner drops those before a compaction. */
function countGiven(given: readonly string[], input: readonly string[]): number {
  const isDropped = (count: number) => given.slice(count).every((text, index) => text === input[index]);
  const dropped = given.findIndex((_, count) => isDropped(count));
  if (dropped !== -1) return given.length - dropped;
  return input.length >= given.length ? given.length : 0;
}

/** Returns the same text for copies of an item, which may have another id or status. */
function identify(item: AgentInputItem): string {
  const { id: _, ...fields } = toResponsesItem(item);
  return JSON.stringify(fields);
}

/** `toAgentItem` returns items of the Agents SDK, which its type does not say. */
function toInputItem(item: object): AgentInputItem {
  return toAgentItem(item) as unknown as AgentInputItem;
}

function describeTool(tool: object): object {
  const { type, name, description, parameters } = tool as Readonly<Record<string, unknown>>;
  return { type, name, description, parameters };
}
