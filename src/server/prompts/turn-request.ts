/** The prompt request of a chat turn. Handlers that show the next prompt use it too, so they show what is sent. */
import type { AssumedRequest } from "../../engine/context/prompt-request.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Tenant } from "../tenants/tenants.ts";
import type { ChatModel } from "./chat-model.ts";
import { nameModel, type OfferedTools } from "./offered-tools.ts";
import type { FindDefaults } from "./prompt-defaults.ts";

export interface TurnRequestParts {
  readonly models: readonly ChatModel[];
  readonly tools: OfferedTools;
  /** Used if a request names no size. */
  readonly budgetTokens: number | undefined;
  readonly findDefaults: FindDefaults;
}

/** Fields that a client may set. `model` is the id of a chat model, or the name of a model in the catalogue. */
export type TurnFields = Omit<AssumedRequest, "tools" | "notes">;

export type FindTurnRequest = (
  turn: { readonly tenant: Tenant; readonly session: Session },
  fields: TurnFields,
) => Promise<AssumedRequest>;

export function createFindTurnRequest(parts: TurnRequestParts): FindTurnRequest {
  const { models, tools, budgetTokens, findDefaults } = parts;
  return async ({ tenant, session }, fields) => {
    const isSized = [fields.budgetTokens, fields.windowTokens, fields.reserveTokens].some((size) => size !== undefined);
    const sized = isSized ? fields : { ...fields, budgetTokens };
    const defaults = await findDefaults({ tenant, sessionId: session.id }, sized);
    const known = fields.model === undefined ? models[0] : models.find(({ id }) => id === fields.model);
    const model = known === undefined ? fields.model : nameModel(known, session);
    const described = await tools.describe({ engine: tenant.engine, session, model: known ?? models[0] });
    return { ...sized, ...defaults, tools: described, model };
  };
}
