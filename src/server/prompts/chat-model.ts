/** The models that a chat can use, and the AI SDK that calls them. */
import type { LanguageModel } from "ai";
import { PalimpsestError } from "../../core/errors.ts";
import type { Session } from "../../engine/session/session.ts";

export interface ChatModel {
  /** `provider:model`, or `offline`. */
  readonly id: string;
  readonly isOffline: boolean;
  /** Returns a model of the AI SDK. The offline one answers from the session. */
  readonly forSession: (session: Session) => LanguageModel;
}

/** Returns the model with the id, or the first one without an id. */
export function requireModel(models: readonly ChatModel[], id: string | undefined): ChatModel {
  const found = id === undefined ? models[0] : models.find((model) => model.id === id);
  if (found !== undefined) return found;
  const known = models.map((model) => model.id).join(", ");
  throw new PalimpsestError("config-invalid", `model: expected one of ${known}.`, { details: { key: "model" } });
}

type AiSdk = typeof import("ai");

const ADVICE = "Run where the server runs: npm install ai@7";

/**
 * Loads the AI SDK, which the host installs, for the first chat with a model: it takes longer to load than the rest of
 * the server.
 */
export async function loadChatSdk(): Promise<AiSdk> {
  const sdk = await importAi();
  // npm installs an older version on an old Node.
  if (typeof sdk.isStepCount === "function") return sdk;
  throw new PalimpsestError("config-invalid", `Chats with a model need version 7 of the package ai. ${ADVICE}`);
}

async function importAi(): Promise<AiSdk> {
  try {
    return await import("ai");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    const text = `Chats with a model need the package ai, which is not installed. ${ADVICE}`;
    throw new PalimpsestError("config-invalid", text, { cause: error });
  }
}
