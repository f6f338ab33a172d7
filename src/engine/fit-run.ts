/** What one call of `fit` works with, and what it carries from message to message. Only shapes. */
import type { FormatName } from "../core/message/formats/format.ts";
import type { Message } from "../core/message/message.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import type { Conversation } from "./conversation.ts";
import type { CoverItem } from "./decode-history.ts";
import type { Origin } from "./encode-fitted.ts";
import type { EngineContext } from "./engine-context.ts";
import type { MessageCounts } from "./message-counts.ts";
import type { Limits } from "./prompt-size.ts";

export interface FitSettings {
  readonly limits: Limits;
  readonly counts: MessageCounts;
  readonly settings: PlanSettings;
  readonly context: EngineContext;
  /** The shape of the history, where it should not be told from the items. */
  readonly format?: FormatName | undefined;
}

/** A history under way. The conversation holds what is shown; origins lead back to the items that were given. */
export interface FitRun {
  readonly conversation: Conversation;
  readonly origins: WeakMap<Message, Origin>;
  readonly format: FormatName | undefined;
  readonly items: number;
  readonly lastItem: unknown;
  readonly lastHash: string;
  /** Items that are, or begin with, what an earlier call wrote in place of messages. */
  readonly coverItems: readonly CoverItem[];
}
