/** A model that chats can be had with, by the name that clients choose it by. */
import type { LanguageModel } from "ai";
import { PalimpsestError } from "../../core/errors.ts";
import type { Session } from "../../engine/session/session.ts";

export interface ChatModel {
  /** As `provider:model`, or `offline`. */
  readonly id: string;
  readonly isOffline: boolean;
  /** A model of the AI SDK. The offline one answers from the session that it is asked for. */
  readonly forSession: (session: Session) => LanguageModel;
}

/** The first is the one that is asked where nobody names another. */
export function findModel(models: readonly ChatModel[], id: string | undefined): ChatModel {
  const found = id === undefined ? models[0] : models.find((model) => model.id === id);
  if (found !== undefined) return found;
  const known = models.map((model) => model.id).join(", ");
  throw new PalimpsestError("config-invalid", `model: expected one of ${known}.`, { details: { key: "model" } });
}
