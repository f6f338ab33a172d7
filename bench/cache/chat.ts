/** A chat between people and an assistant, with an occasional page or document, and pauses of any length. */
import { seededRandom } from "../../src/testing/seeded-random.ts";
import type { Conversation, ConversationSize, ConversationStep, WorkspaceEvent } from "./conversation.ts";
import { textMessage } from "./create-messages.ts";
import { pauseMs } from "./time.ts";
import { writeProse } from "./write-text.ts";

const TURNS = 120;
const LINK_EVERY = 30;

export function writeChat({ seed, isQuick }: ConversationSize): Conversation {
  const random = seededRandom(seed);
  const steps: ConversationStep[] = [];
  let timeMs = 0;
  for (let turn = 0; turn < (isQuick ? TURNS / 4 : TURNS); turn += 1) {
    timeMs += pauseMs(random);
    const link: WorkspaceEvent = { type: "link", url: `https://example.com/${turn}`, text: writeProse(random, 60) };
    steps.push({
      timeMs,
      events: turn % LINK_EVERY === 3 ? [link] : [],
      newMessages: [textMessage("user", `u${turn}`, writeProse(random, 1 + random.integer(5)))],
      reply: textMessage("assistant", `a${turn}`, writeProse(random, 4 + random.integer(16))),
    });
  }
  return { name: "chat", instructions: writeProse(random, 90), steps };
}
