/** Messages as a store is handed them, without an engine that counts and hashes: cheap, each with an id of its own. */
import type { MessageDraft } from "../../src/core/log/entry.ts";
import { hashMessage } from "../../src/core/message/hash-message.ts";
import type { TurnMessage } from "../turn-cost/contestant.ts";
import { messageTokens } from "../turn-cost/conversation.ts";

/** What the engine counts with when nobody names a model. */
const COUNTER_ID = "o200k@1";

export interface DraftOptions extends TurnMessage {
  readonly id: string;
  readonly at: number;
}

export function draftMessage({ id, at, role, content }: DraftOptions): MessageDraft {
  const message = { id, role, parts: [{ type: "text", text: content }] } as const;
  return { type: "message", id, at, message, hash: hashMessage(message), tokens: { [COUNTER_ID]: messageTokens } };
}
