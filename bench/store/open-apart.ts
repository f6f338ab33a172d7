/** Opens a conversation in a new process, as often as requested, and prints how long it took. */
import type { OpenedConversation } from "./contestant.ts";
import { measureTime } from "./part.ts";

export interface OpenTask {
  readonly path: string;
  readonly budgetTokens: number;
  /** How often to open it. If more than once, the first few are not counted, because they load the code. */
  readonly openings: number;
}

export interface OpenFigures {
  readonly messages: number;
  readonly handleMs: readonly number[];
}

const WARMING = 10;

const { path, budgetTokens, openings } = JSON.parse(process.argv[2] ?? "{}") as OpenTask;
const open = async (): Promise<OpenedConversation> => {
  const { openAgain } = await import("./palimpsest-conversation.ts");
  return openAgain(`sqlite:${path}`, budgetTokens);
};
const handleMs: number[] = [];
let messages = 0;
const warming = openings === 1 ? 0 : WARMING;
for (let round = 0; round < warming + openings; round += 1) {
  const { ms, result } = await measureTime(open);
  await result.close?.();
  messages = result.messages;
  if (round >= warming) handleMs.push(ms);
}
process.stdout.write(JSON.stringify({ messages, handleMs } satisfies OpenFigures));
