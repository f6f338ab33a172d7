/** Loads the AI SDK, which calls the models of chats. */
import { PalimpsestError } from "../../core/errors.ts";

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
