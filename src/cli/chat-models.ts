/**
 * The models that chats can be had with: those that were found, and the offline one, which answers from the session that
 * it is asked for. It comes last, so it is the default only where there is no other.
 */

import type { FoundModel } from "../models/find-models.ts";
import { createOfflineChat } from "../models/offline-chat.ts";
import type { ChatModel } from "../server/prompts/chat-model.ts";

export function createChatModels(found: readonly FoundModel[]): readonly ChatModel[] {
  const connected = found.map(({ id, model }) => ({ id, isOffline: false, forSession: () => model }));
  return [...connected, createOfflineChat()];
}
