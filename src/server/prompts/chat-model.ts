/**
 * The models and tools that a chat can use. They are described by their shape, so that programs with an own server
 * compile without the AI SDK.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { Session } from "../../engine/session/session.ts";

interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** A model that the chats of a server can use. */
export interface ChatModel {
  /** `provider:model`, or `offline`. */
  readonly id: string;
  readonly isOffline: boolean;
  /** Returns a model of the AI SDK, or its id. The offline one answers from the session. */
  readonly forSession: (session: Session) => string | AiSdkModel;
}

/** Tools of the AI SDK by name. */
export type HostTools = Readonly<Record<string, object>>;

/** Returns the model with the id, or the first one without an id. */
export function requireModel(models: readonly ChatModel[], id: string | undefined): ChatModel {
  const found = id === undefined ? models[0] : models.find((model) => model.id === id);
  if (found !== undefined) return found;
  const known = models.map((model) => model.id).join(", ");
  throw new PalimpsestError("config-invalid", `model: expected one of ${known}.`, { details: { key: "model" } });
}
