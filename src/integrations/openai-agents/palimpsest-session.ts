/**
 * A session of the OpenAI Agents SDK that Palimpsest stores. The runner reads the conversation when a run starts, so a
 * long loop of tool calls also needs `callModelInputFilter`, which makes a prompt of the session for each call.
 */
import type { AgentInputItem, Session as AgentsSession, CallModelInputFilter } from "@openai/agents";
import { checkArgument, checkOptions } from "../../core/check-options.ts";
import { requireFormat } from "../../core/message/formats/formats.ts";
import type { Session } from "../../engine/session/session.ts";
import type { PromptOptions } from "../../engine/session/session-options.ts";
import { receiveMessages } from "../shared/host-messages.ts";
import { type PromptSettings, SESSION_RULE, SETTINGS_RULES } from "../shared/prompt-settings.ts";
import { toAgentItem, toResponsesItem } from "./agent-items.ts";

const FORMAT = "openai-responses";
const { history: _, ...RULES } = SETTINGS_RULES;

export type PalimpsestSessionOptions = Omit<PromptSettings, "history">;

export class PalimpsestSession implements AgentsSession {
  readonly #session: Session;
  readonly #settings: PalimpsestSessionOptions;
  /** Number of items that the current run got from this session. */
  #given = 0;

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
    this.#given = shown.length;
    return shown;
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    await this.#receive(items);
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
    await this.#receive(modelData.input.slice(this.#given));
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

/** `toAgentItem` returns items of the Agents SDK, which its type does not say. */
function toInputItem(item: object): AgentInputItem {
  return toAgentItem(item) as unknown as AgentInputItem;
}

function describeTool(tool: object): object {
  const { type, name, description, parameters } = tool as Readonly<Record<string, unknown>>;
  return { type, name, description, parameters };
}
