/**
 * The tools that chats offer to a model: those of the host and, after them, the recall tool. The list depends on the
 * policy and the model only, never on the state of a session: tools precede everything else in a provider's cache, so a
 * tool that appears with the first compaction would make the provider read the whole prompt again.
 */
import type { ToolSet } from "ai";
import { describeTools, type ToolDescription } from "../../engine/context/describe-tools.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import { createRecallTool, RECALL_TOOL_NAME } from "../../engine/recall/recall-tool.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ChatModel, HostTools } from "./chat-model.ts";
import { loadChatSdk } from "./load-chat-sdk.ts";

export interface ToolUser {
  readonly engine: Palimpsest;
  readonly session: Session;
  /** Undefined for a server without models. */
  readonly model: ChatModel | undefined;
}

export class OfferedTools {
  /** The host's tools, without the recall tool. */
  readonly host: ToolSet | undefined;
  /** Ids of models that cannot call tools. */
  readonly #refusing = new Set<string>();
  readonly #described = new Map<boolean, Promise<readonly ToolDescription[] | undefined>>();

  constructor(host: HostTools | undefined) {
    // The options name no type of the AI SDK.
    this.host = host as ToolSet | undefined;
  }

  /** Returns a function, because the tools change once a model refuses them. */
  async forTurn(user: ToolUser): Promise<() => ToolSet | undefined> {
    const { host } = this;
    if (!this.#offersRecall(user)) return () => host;
    const all = { ...host, [RECALL_TOOL_NAME]: await wrapRecallTool(user.session) };
    return () => (this.#offersRecall(user) ? all : host);
  }

  /** Describes the tools with the schemas that the AI SDK sends, so that counts match what the provider gets. */
  describe(user: ToolUser): Promise<readonly ToolDescription[] | undefined> {
    const hasRecall = this.#offersRecall(user);
    const known = this.#described.get(hasRecall);
    if (known !== undefined) return known;
    const described = this.forTurn(user).then((tools) => describeAsSent(tools()));
    this.#described.set(hasRecall, described);
    return described;
  }

  /** Stops offering the recall tool to a model that cannot call tools. Returns false if it was not offered. */
  withdraw(user: ToolUser): boolean {
    if (user.model === undefined || !this.#offersRecall(user)) return false;
    this.#refusing.add(user.model.id);
    return true;
  }

  /** A tool of the host with the same name wins. If the retention is not `keep`, there may be nothing to read. */
  #offersRecall({ engine, session, model }: ToolUser): boolean {
    if (model === undefined || model.isOffline || this.#refusing.has(model.id)) return false;
    if (Object.hasOwn(this.host ?? {}, RECALL_TOOL_NAME)) return false;
    const { recall, retention } = engine.settings(nameModel(model, session));
    return recall?.enabled === true && retention === "keep";
  }
}

/** Returns the name that the engine knows a chat model by; undefined for the offline one, which has no window. */
export function nameModel(model: ChatModel, session: Session): string | undefined {
  const chosen = model.forSession(session);
  return model.isOffline || typeof chosen === "string" ? undefined : chosen.modelId;
}

async function wrapRecallTool(session: Session): Promise<ToolSet[string]> {
  const { tool, jsonSchema } = await loadChatSdk();
  const { description, inputSchema, execute } = createRecallTool(session);
  return tool({ description, inputSchema: jsonSchema(inputSchema), execute });
}

async function describeAsSent(tools: ToolSet = {}): Promise<readonly ToolDescription[] | undefined> {
  if (Object.keys(tools).length === 0) return undefined;
  const { asSchema } = await loadChatSdk();
  const sent = Object.entries(tools).map(async ([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema: await asSchema(inputSchema).jsonSchema,
  }));
  return describeTools(await Promise.all(sent));
}
