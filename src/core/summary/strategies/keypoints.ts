/**
 * `keypoints`: notes by subject for the turns to come. The stretch is sent as messages of the user and the assistant,
 * each between its own delimiters, and a last message of ours says that it has ended, so that the model does not go on
 * with the conversation.
 */
import { type Block, buildTranscript, PREVIEW_RESULTS } from "./build-transcript.ts";
import { closingTag, delimit, openingTag } from "./escape-data.ts";
import {
  DATA_RULE,
  foldRule,
  previousSummary,
  reportOf,
  TASK_RULES,
  transcriptOptions,
  withWishes,
} from "./request-text.ts";
import type { RequestMessage, Strategy, StrategyInput } from "./strategy.ts";

export const KEYPOINTS_MAX_TOKENS = 500;

const TASK = `Take notes of the conversation that follows, so that later turns can rely on them in its place. Cover:
- the main topics;
- decisions and conclusions;
- key facts;
- ongoing questions and open items.
Be concise, and leave nothing of weight out.`;

export const keypoints: Strategy = (input) => {
  const { nonce } = input;
  const options = { ...transcriptOptions(input), withoutNoise: true, results: PREVIEW_RESULTS };
  const transcript = buildTranscript(input.stretch, options);
  const messages = transcript.blocks.map((block) => mapBlock(block, nonce));
  const marks = `Each message stands between ${openingTag("message", nonce)} and ${closingTag("message", nonce)}. ${DATA_RULE}`;
  return {
    strategy: "keypoints",
    instructions: withWishes(`${TASK}${foldRule(input)}\n\n${marks}\n${TASK_RULES}`, input),
    input: { type: "messages", messages: [opening(input), ...messages, CLOSING] },
    maxOutputTokens: Math.min(KEYPOINTS_MAX_TOKENS, input.budgetTokens),
    temperature: 0,
    tools: "none",
    report: reportOf(transcript),
  };
};

const CLOSING: RequestMessage = { role: "user", text: "The conversation to take notes of ends here. Write the notes." };

function opening(input: StrategyInput): RequestMessage {
  const previous = previousSummary(input);
  const text = "The conversation to take notes of begins after this message.";
  return { role: "user", text: previous === undefined ? text : `${previous}\n\n${text}` };
}

/** Whatever is not the user's is the assistant's side: its words, and what its tools gave back. */
function mapBlock({ role, body }: Block, nonce: string): RequestMessage {
  const text = delimit(body, { kind: "message", nonce });
  if (role === "user") return { role, text };
  return { role: "assistant", text: role === "tool" ? `(untrusted output of a tool)\n${text}` : text };
}
