/** The AI SDK, loaded with the first chat: it takes longer to load than the rest of the server. It is the host's to install. */
import { PalimpsestError } from "../../core/errors.ts";

export type AiSdk = typeof import("ai");

export async function loadAiSdk(): Promise<AiSdk> {
  const sdk = await importAi();
  // An older one is taken by whoever installs it without a version on an old Node.
  if (typeof sdk.isStepCount === "function") return sdk;
  throw new PalimpsestError("config-invalid", `Chats need version 7 of the package ai. ${ADVICE}`);
}

const ADVICE = "Run where the server runs: npm install ai@7";

async function importAi(): Promise<AiSdk> {
  try {
    return await import("ai");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    const text = `Chats need the package ai, which is not installed where the server runs. ${ADVICE}`;
    throw new PalimpsestError("config-invalid", text, { cause: error });
  }
}
