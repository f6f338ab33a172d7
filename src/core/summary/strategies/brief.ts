/** `brief`: two or three sentences that carry a chat on. For chats whose newest messages are sent beside it. */
import { PREVIEW_RESULTS } from "./build-transcript.ts";
import { commonRules, foldRule, transcriptBody, withWishes } from "./request-text.ts";
import type { Strategy } from "./strategy.ts";

export const BRIEF_MAX_TOKENS = 500;

export const brief: Strategy = (input) => {
  const task = `Summarise the conversation in 2–3 sentences: what it is about, what was settled, and what comes next.${foldRule(input)}`;
  const { text, report } = transcriptBody(input, { withoutNoise: true, results: PREVIEW_RESULTS });
  return {
    strategy: "brief",
    instructions: withWishes(`${task}\n\n${commonRules(input.nonce)}`, input),
    input: { type: "transcript", text },
    maxOutputTokens: Math.min(BRIEF_MAX_TOKENS, input.budgetTokens),
    temperature: 0,
    tools: "none",
    report,
  };
};
