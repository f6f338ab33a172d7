/**
 * Strands' `SlidingWindowConversationManager`, which counts messages, not tokens: its window is set to as many messages
 * as fit the budget. It manages the history in the hook that it registers for the end of an invocation; only that hook
 * is timed, once a message, without the agent loop around it. Messages outside of the window are lost.
 */
import { AfterInvocationEvent, Message, SlidingWindowConversationManager, TextBlock } from "@strands-agents/sdk";
import { installedVersion } from "./installed-version.mjs";

export const contestant = {
  name: "Strands SlidingWindowConversationManager",
  version: installedVersion("@strands-agents/sdk"),
  note: "push, then the manager's AfterInvocationEvent hook with windowSize = budget / 60; counts no tokens, and older messages are lost",
  feeding: "every-message",
  async start({ budgetTokens, messageTokens }) {
    const hooks = new Map();
    const agent = {
      messages: [],
      addHook(eventType, callback) {
        hooks.set(eventType, callback);
        return () => hooks.delete(eventType);
      },
    };
    const windowSize = Math.floor(budgetTokens / messageTokens);
    new SlidingWindowConversationManager({ windowSize }).initAgent(agent);
    const afterInvocation = hooks.get(AfterInvocationEvent);
    return {
      async turn({ role, content }) {
        agent.messages.push(new Message({ role, content: [new TextBlock(content)] }));
        await afterInvocation(new AfterInvocationEvent({ agent, invocationState: {} }));
        return agent.messages;
      },
    };
  },
};
