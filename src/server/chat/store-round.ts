/** A round into the log, as soon as it has ended: what was acknowledged is there, whatever becomes of the turn. */
import { setTimeout as pause } from "node:timers/promises";
import type { LanguageModel, LanguageModelUsage } from "ai";
import { PalimpsestError } from "../../core/errors.ts";
import { readReportedUsage } from "../../engine/session/read-reported-usage.ts";
import type { Turn } from "./turn.ts";
import type { TurnMetadata } from "./turn-metadata.ts";

const TRIES = 5;
const PAUSE_MS = 200;

export interface Storing {
  readonly promptId: string;
  readonly usage?: LanguageModelUsage | undefined;
  readonly metadata: TurnMetadata;
}

/** Nobody is asked for what the offline model says, so that nothing of it is paid. */
const NOTHING_PAID = { inputTokens: 0, outputTokens: 0 };

/** False where there was nothing to store. */
export async function storeRound(turn: Turn, { promptId, usage: reported, metadata }: Storing): Promise<boolean> {
  const { session, reply } = turn;
  const usage = turn.isOffline ? { ...NOTHING_PAID, model: nameOf(turn.model) } : dropImplausibleUsage(reported);
  const messages = reply.unstored(metadata);
  if (messages.length === 0) return false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.append(messages, { format: "palimpsest", promptId, usage });
      reply.markStored();
      return true;
    } catch (error) {
      // Messages have ids, so that one which was stored after all is not there twice.
      if (!(error instanceof PalimpsestError) || !error.retryable || attempt >= TRIES) throw error;
      await pause(PAUSE_MS * attempt);
    }
  }
}

/** A reply is stored without figures that its provider cannot mean. */
function dropImplausibleUsage(reported: LanguageModelUsage | undefined): LanguageModelUsage | undefined {
  try {
    readReportedUsage(reported, "usage");
    return reported;
  } catch (error) {
    if (error instanceof PalimpsestError) return undefined;
    throw error;
  }
}

/** Its prompts are as large as the default model's, and made for that one: who spoke is said with the answer. */
function nameOf(model: LanguageModel): string {
  return typeof model === "string" ? model : model.modelId;
}
