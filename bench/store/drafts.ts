/** Messages as a store gets them, without an engine that counts and hashes them: cheap, each with its own id. */
import type { MessageDraft } from "../../src/core/log/entry.ts";
import { hashMessage } from "../../src/core/message/hash-message.ts";
import type { TurnMessage } from "../turn-cost/contestant.ts";
import { messageTokens } from "../turn-cost/conversation.ts";

/** The engine's default counter. */
const COUNTER_ID = "o200k@1";

export interface DraftOptions extends TurnMessage {
  readonly id: string;
  readonly at: number;
}

export function draftMessage({ id, at, role, content }: DraftOptions): MessageDraft {
  const message = { id, role, parts: [{ type: "text", text: content }] } as const;
  return { type: "message", id, at, message, hash: hashMessage(message), tokens: { [COUNTER_ID]: messageTokens } };
}
