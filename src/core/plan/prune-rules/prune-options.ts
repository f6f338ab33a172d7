/** What a rule set is given beside the view. */
import type { Message, Part } from "../../message/message.ts";
import type { PruneSettings } from "../plan-settings.ts";

export interface FindPrunesOptions {
  /** Messages from here on are the tail and are left alone. */
  readonly tailStart: number;
  readonly settings: PruneSettings;
  readonly countPart: (part: Part, message: Message) => number;
  /** Once this many tokens are saved, the rest stays. Without it everything goes that may. */
  readonly enoughTokens?: number | undefined;
}
