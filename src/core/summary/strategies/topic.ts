/** `topic`: the zone before the verbatim window as a running account, subject by subject, in a small budget. */
import { PREVIEW_RESULTS } from "./build-transcript.ts";
import { commonRules, foldRule, transcriptBody, withWishes } from "./request-text.ts";
import type { Strategy } from "./strategy.ts";

export const topic: Strategy = (input) => {
  const task = `The conversation goes on after the messages below, and the ones who go on will not see them. Summarise them subject by subject, in the order in which the subjects came up: what was wanted, which files and parts were touched, what was decided, what is open. Give most room to the subject that was still going on at the end. At most ${input.budgetTokens} tokens.${foldRule(input)}`;
  const { text, report } = transcriptBody(input, { withoutNoise: true, results: PREVIEW_RESULTS });
  return {
    strategy: "topic",
    instructions: withWishes(`${task}\n\n${commonRules(input.nonce)}`, input),
    input: { type: "transcript", text },
    maxOutputTokens: input.budgetTokens,
    temperature: 0,
    tools: "none",
    report,
  };
};
