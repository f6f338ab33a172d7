/**
 * A chat history of LangChain that a session stores, for `RunnableWithMessageHistory` and chains of your own. It returns
 * what the model would see: the summary and the newest messages, within the budget.
 */
import type { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import type { BaseMessage } from "@langchain/core/messages";
import { checkArgument, checkOptions } from "../../core/check-options.ts";
import type { Session } from "../../engine/session/session.ts";
import { type PromptSettings, SESSION_RULE, SETTINGS_RULES } from "../shared/prompt-settings.ts";
import { loadChatHistory } from "./load-langchain.ts";
import { FORMAT, toInstances, toStored } from "./messages.ts";

const { history: _, ...RULES } = SETTINGS_RULES;

/**
 * Returns a chat history of LangChain that a session stores.
 *
 * @example
 * ```ts
 * const history = await openChatHistory(session, { budgetTokens: 20_000 });
 * const messages = await history.getMessages();
 * ```
 */
export async function openChatHistory(
  session: Session,
  settings: Omit<PromptSettings, "history"> = {},
): Promise<BaseListChatMessageHistory> {
  checkArgument(session, SESSION_RULE, "openChatHistory");
  checkOptions(settings, RULES, "openChatHistory");
  const { BaseListChatMessageHistory: Base } = await loadChatHistory();
  return new (class PalimpsestChatHistory extends Base {
    lc_namespace = ["palimpsest", "langchain"];

    async getMessages(): Promise<BaseMessage[]> {
      const prompt = await session.prompt({ breakpoints: false, ...settings });
      return toInstances(prompt.forLangChain().messages);
    }

    async addMessage(message: BaseMessage): Promise<void> {
      await this.addMessages([message]);
    }

    override async addMessages(messages: BaseMessage[]): Promise<void> {
      await session.append(toStored(messages), { format: FORMAT });
    }

    /** Hides everything from the model. The log keeps it. */
    override async clear(): Promise<void> {
      await session.clear({ scope: "for-good" });
    }
  })();
}
