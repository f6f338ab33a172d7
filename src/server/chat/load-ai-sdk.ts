/** The AI SDK, loaded with the first chat: it takes longer to load than the rest of the server. It is the host's to install. */
import { PalimpsestError } from "../../core/errors.ts";

export type AiSdk = typeof import("ai");

export async function loadAiSdk(): Promise<AiSdk> {
  try {
    return await import("ai");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    const text = "Chats need the package ai, which is not installed where the server runs. Run there: npm install ai";
    throw new PalimpsestError("config-invalid", text, { cause: error });
  }
}
