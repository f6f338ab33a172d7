/** The prompt request of a chat turn. Surfaces that show the next prompt use it too, so they show what is sent. */
import type { ToolSet } from "ai";
import { describeTools, type ToolDescription } from "../../engine/context/describe-tools.ts";
import type { SeenAs } from "../../engine/context/prompt-request.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Tenant } from "../tenants/tenants.ts";
import { type ChatModel, loadAiSdk } from "./chat-model.ts";
import type { FindDefaults } from "./prompt-defaults.ts";

export interface TurnRequestParts {
  readonly models: readonly ChatModel[];
  readonly tools: ToolSet | undefined;
  /** Used if a request names no size. */
  readonly budgetTokens: number | undefined;
  readonly findDefaults: FindDefaults;
}

/** Fields that a client may set. `model` is the id of a chat model, or the name of a model in the catalogue. */
export type TurnFields = Omit<SeenAs, "tools" | "notes">;

export type FindTurnRequest = (
  turn: { readonly tenant: Tenant; readonly session: Session },
  fields: TurnFields,
) => Promise<SeenAs>;

export function createFindTurnRequest(parts: TurnRequestParts): FindTurnRequest {
  const { models, tools, budgetTokens, findDefaults } = parts;
  let described: Promise<readonly ToolDescription[] | undefined> | undefined;
  return async ({ tenant, session }, fields) => {
    const isSized = [fields.budgetTokens, fields.windowTokens, fields.reserveTokens].some((size) => size !== undefined);
    const sized = isSized ? fields : { ...fields, budgetTokens };
    const defaults = await findDefaults({ tenant, sessionId: session.id }, sized);
    const known = fields.model === undefined ? models[0] : models.find(({ id }) => id === fields.model);
    const model = known === undefined ? fields.model : nameModel(known, session);
    described ??= describeAsSent(tools);
    return { ...sized, ...defaults, tools: await described, model };
  };
}

/** Returns the name that the engine knows a chat model by; undefined for the offline one, which has no window. */
export function nameModel(model: ChatModel, session: Session): string | undefined {
  const chosen = model.forSession(session);
  return model.isOffline || typeof chosen === "string" ? undefined : chosen.modelId;
}

/** Returns the tools with the schemas that the AI SDK sends, so that counts match what the provider gets. */
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
