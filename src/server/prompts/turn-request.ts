/**
 * The request that a turn of the chat makes a prompt with: the model by its name, the server's tools and budget, the
 * instructions. Every surface that shows the next prompt asks for it here too, so that it shows what a turn sends.
 */
import type { ToolSet } from "ai";
import { describeTools, type ToolDescription } from "../../engine/context/describe-tools.ts";
import type { SeenAs } from "../../engine/context/prompt-request.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ChatModel } from "./chat-model.ts";
import { loadAiSdk } from "./load-ai-sdk.ts";
import type { FindDefaults } from "./prompt-defaults.ts";

export interface TurnRequestParts {
  /** The first is the default. */
  readonly models: readonly ChatModel[];
  readonly tools: ToolSet | undefined;
  /** Of every prompt, where a request names no size. */
  readonly budgetTokens: number | undefined;
  readonly findDefaults: FindDefaults;
}

export interface TurnPlace {
  readonly tenant: Tenant;
  readonly session: Session;
}

/** The fields that a client may name. `model` is the id of a chat model, or a model's name in the catalogue. */
export type AskedTurn = Omit<SeenAs, "tools" | "notes">;

export type FindTurnRequest = (place: TurnPlace, asked: AskedTurn) => Promise<SeenAs>;

export function createFindTurnRequest(parts: TurnRequestParts): FindTurnRequest {
  const { models, tools, budgetTokens, findDefaults } = parts;
  let described: Promise<readonly ToolDescription[] | undefined> | undefined;
  return async ({ tenant, session }, asked) => {
    const isSized = [asked.budgetTokens, asked.windowTokens, asked.reserveTokens].some((size) => size !== undefined);
    const sized = isSized ? asked : { ...asked, budgetTokens };
    const defaults = await findDefaults({ tenant, sessionId: session.id }, sized);
    const known = asked.model === undefined ? models[0] : models.find(({ id }) => id === asked.model);
    const model = known === undefined ? asked.model : nameModel(known, session);
    described ??= describeAsSent(tools);
    return { ...sized, ...defaults, tools: await described, model };
  };
}

/** Returns the name that the engine knows a chat model by; undefined for the offline one, which has no window. */
export function nameModel(model: ChatModel, session: Session): string | undefined {
  const asked = model.forSession(session);
  return model.isOffline || typeof asked === "string" ? undefined : asked.modelId;
}

/** The tools with the schemas that the AI SDK sends, so that what is counted and shown is what a provider gets. */
async function describeAsSent(tools: ToolSet = {}): Promise<readonly ToolDescription[] | undefined> {
  if (Object.keys(tools).length === 0) return undefined;
  const { asSchema } = await loadAiSdk();
  const sent = Object.entries(tools).map(async ([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema: await asSchema(inputSchema).jsonSchema,
  }));
  return describeTools(await Promise.all(sent));
}
