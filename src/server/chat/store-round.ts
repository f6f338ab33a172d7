/** Stores a round as soon as it has ended, whatever happens to the turn. */
import { setTimeout as pause } from "node:timers/promises";
import type { LanguageModel, LanguageModelUsage } from "ai";
import { PalimpsestError } from "../../core/errors.ts";
import { readReportedUsage } from "../../engine/session/read-reported-usage.ts";
import type { Turn } from "./turn.ts";
import type { TurnMetadata } from "./turn-metadata.ts";

const TRIES = 5;
const PAUSE_MS = 200;

interface RoundToStore {
  readonly promptId: string;
  readonly usage?: LanguageModelUsage | undefined;
  readonly metadata: TurnMetadata;
}

/** Usage of the offline model, which costs nothing. */
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** Resolves to false if there was nothing to store. */
export async function storeRound(turn: Turn, { promptId, usage: reported, metadata }: RoundToStore): Promise<boolean> {
  const { session, reply } = turn;
  const usage = turn.isOffline ? { ...NO_USAGE, model: nameOf(turn.model) } : dropImplausibleUsage(reported);
  const messages = reply.listUnstored(metadata);
  if (messages.length === 0) return false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.append(messages, { format: "palimpsest", promptId, usage });
      reply.markStored();
      return true;
    } catch (error) {
      // Messages have ids, so a retry does not store them twice.
      if (!(error instanceof PalimpsestError) || !error.retryable || attempt >= TRIES) throw error;
      await pause(PAUSE_MS * attempt);
    }
  }
}

/** Returns undefined for usage with impossible figures; the reply is stored without it. */
function dropImplausibleUsage(reported: LanguageModelUsage | undefined): LanguageModelUsage | undefined {
  try {
    readReportedUsage(reported, "usage");
    return reported;
  } catch (error) {
    if (error instanceof PalimpsestError) return undefined;
    throw error;
  }
}

/** Returns the name of the offline model for the usage, which would otherwise name the default model. */
function nameOf(model: LanguageModel): string {
  return typeof model === "string" ? model : model.modelId;
}
