/**
 * An agent at work: a few user requests, each with dozens of rounds of tool calls and output, some of it bulky. If
 * files are selected, it also edits them between its rounds.
 */
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import type { Conversation, ConversationSize, ConversationStep, WorkspaceEvent } from "./conversation.ts";
import { callMessage, resultMessage, type ToolCall, textMessage } from "./create-messages.ts";
import { writeRepository } from "./repository.ts";
import { pauseMs, roundMs } from "./time.ts";
import { editSource, pathAt, toolOutput, writeProse } from "./write-text.ts";

const ROUNDS = 200;
const ROUNDS_A_TURN = 40;
const REPOSITORY_FILES = 120;
const CHOSEN_FILES = 10;
const EDIT_CHANCE = 0.3;

export function writeAgentLoop(size: ConversationSize): Conversation {
  return writeLoop(size, { name: "agent loop", hasFiles: false });
}

export function writeAgentWithFiles(size: ConversationSize): Conversation {
  return writeLoop(size, { name: "agent with files", hasFiles: true });
}

function writeLoop(
  { seed, isQuick }: ConversationSize,
  { name, hasFiles }: { readonly name: string; readonly hasFiles: boolean },
): Conversation {
  const random = seededRandom(seed);
  const files = hasFiles ? new Map(writeRepository(random, REPOSITORY_FILES)) : undefined;
  const initial = files === undefined ? undefined : new Map(files);
  const chosen = [...(files?.keys() ?? [])].filter((_, index) => index % 12 === 0).slice(0, CHOSEN_FILES);
  const steps: ConversationStep[] = [];
  let timeMs = 0;
  let calls: readonly ToolCall[] = [];
  for (let round = 0; round < (isQuick ? ROUNDS / 4 : ROUNDS); round += 1) {
    const isTurn = round % ROUNDS_A_TURN === 0;
    timeMs += isTurn ? pauseMs(random) : roundMs(random);
    const results = calls.map(({ callId }) => ({ callId, text: toolOutput(random, resultTokens(random)) }));
    const isLast = (round + 1) % ROUNDS_A_TURN === 0;
    calls = isLast ? [] : writeCalls(random, round);
    steps.push({
      timeMs,
      events: [
        ...(round === 0 ? chosen.map((path) => ({ type: "choose", path }) as const) : []),
        ...(files === undefined || isTurn ? [] : editSome(random, { files, chosen })),
      ],
      newMessages: isTurn
        ? [textMessage("user", `u${round}`, writeProse(random, 3 + random.integer(6)))]
        : [resultMessage(`t${round}`, results)],
      reply: callMessage(`a${round}`, writeProse(random, 1 + random.integer(3)), calls),
    });
  }
  return { name, instructions: writeProse(random, 120), tools: TOOLS, files: initial, steps };
}

function writeCalls(random: SeededRandom, round: number): readonly ToolCall[] {
  return Array.from({ length: random.integer(5) === 0 ? 3 : 1 }, (_, index) => ({
    callId: `call-${round}-${index}`,
    tool: random.pick(Object.keys(TOOLS)),
    input: { path: pathAt(random.integer(REPOSITORY_FILES)), pattern: writeProse(random, 1) },
  }));
}

/** Most results are short; a few are a whole file or a log. */
function resultTokens(random: SeededRandom): number {
  const kind = random.next();
  if (kind < 0.7) return 80 + random.integer(500);
  return kind < 0.93 ? 800 + random.integer(1_500) : 4_000 + random.integer(4_000);
}

interface EditState {
  readonly files: Map<string, string>;
  readonly chosen: readonly string[];
}

/** Sometimes edits a chosen file: mostly the same few files, as in real debugging. */
function editSome(random: SeededRandom, { files, chosen }: EditState): readonly WorkspaceEvent[] {
  if (random.next() >= EDIT_CHANCE) return [];
  const path = chosen[Math.floor(chosen.length * random.next() ** 2)] ?? "";
  const text = editSource(random, files.get(path) ?? "");
  files.set(path, text);
  return [{ type: "write", path, text }];
}

const DESCRIPTION =
  "Works on one file of the repository and gives back what it found, line by line, with the path and the number of each line. ";

const TOOLS: Readonly<Record<string, unknown>> = Object.fromEntries(
  ["read", "edit", "write", "search", "run", "list", "fetch", "plan"].map((name) => [
    name,
    {
      description: DESCRIPTION.repeat(12),
      inputSchema: {
        type: "object",
        properties: {
          path: { type: "string", description: DESCRIPTION },
          pattern: { type: "string", description: DESCRIPTION },
        },
      },
    },
  ]),
);
