/** Plays the bundled sample turn by turn. The log shows which turns were played, so any server can continue. */
import { randomUUID } from "node:crypto";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Handlers } from "../app/handler.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { SAMPLE_PREFIX } from "../prompts/prompt-defaults.ts";
import type { SampleConversation, ServerParts } from "./server-parts.ts";

const PAGE = 200;

export function createSampleHandlers({
  loadSample,
  prompts,
}: ServerParts): Handlers<"openSample" | "readSample" | "playSample"> {
  return {
    openSample: async ({ engine }) => {
      const { title, turns, windowTokens, reserveTokens } = await loadSample();
      const { id } = await engine.create({ id: `${SAMPLE_PREFIX}${randomUUID()}`, title });
      return { session: await engine.describe(id), turns: turns.length, windowTokens, reserveTokens };
    },
    readSample: async ({ engine, params }) => {
      const sample = await loadSample();
      const turn = await countPlayed(await loadSampleSession(engine, params.id), sample);
      return { turn, turns: sample.turns.length, isOver: turn === sample.turns.length };
    },
    playSample: async ({ engine, tenant, params }) => {
      const session = await loadSampleSession(engine, params.id);
      const onPrompt = (prompt: Prompt) => prompts.keep({ tenantId: tenant.id, sessionId: session.id }, prompt);
      return playNext(session, await loadSample(), onPrompt);
    },
  };
}

async function loadSampleSession(engine: Palimpsest, id: string): Promise<Session> {
  const session = await engine.load(id);
  if (id.startsWith(SAMPLE_PREFIX)) return session;
  throw new RefusedRequest("not-found", "This is not a session of the sample. POST /api/sample creates one.");
}

async function playNext(
  session: Session,
  sample: SampleConversation,
  onPrompt: (prompt: Prompt) => void,
): Promise<object> {
  const { turns, instructions, windowTokens, reserveTokens } = sample;
  const played = await countPlayed(session, sample);
  const turn = turns[played];
  const [question, ...answers] = turn ?? [];
  if (turn === undefined || question === undefined) {
    return { turn: turns.length, turns: turns.length, isOver: true, messageIds: [] };
  }
  await session.append([question], { format: "palimpsest" });
  const prompt = await session.prompt({ instructions, windowTokens, reserveTokens });
  onPrompt(prompt);
  // No model is called, so there is no cost.
  const usage = { model: "sample", inputTokens: 0, outputTokens: 0 };
  await session.append(answers, { format: "palimpsest", promptId: prompt.id, usage });
  const { tokens, limitTokens, compactions } = prompt.report;
  const isOver = played + 1 === turns.length;
  const figures = { tokens, limitTokens, compactions: compactions.length };
  return { turn: played + 1, turns: turns.length, isOver, messageIds: turn.map(({ id }) => id), ...figures };
}

/** Counts by the newest answer of the sample in the log; users may have added messages since. */
async function countPlayed(session: Session, { turns }: SampleConversation): Promise<number> {
  const places = new Map<string | undefined, number>(turns.map((turn, place) => [turn.at(-1)?.id, place + 1]));
  for (let throughSeq: number | undefined; throughSeq !== 0; ) {
    const page = await session.entries({ types: ["message"], newestFirst: true, limit: PAGE, throughSeq });
    const found = page.map(({ id }) => places.get(id)).find((place) => place !== undefined);
    if (found !== undefined) return found;
    throughSeq = page.length < PAGE ? 0 : (page.at(-1)?.seq ?? 1) - 1;
  }
  return 0;
}
