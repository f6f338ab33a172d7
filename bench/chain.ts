/**
 * Measures how many facts a chain of summaries keeps. The first turns of a long conversation state the facts, and the
 * prompts after 1, 3, 10 and 30 compactions are searched for them, as are the prompts of questions about them. Each conversation runs twice: once most facts have a
 * word that marks their kind, once none has. Summaries are written by code, by a model that forgets most of its input,
 * and by a model that repeats every fact in its input. LangChain's and deepagents' agents run with the same models and
 * sizes.
 *
 * `--no-peers` runs only Palimpsest, `--no-ours` only the peers, `--quick` one conversation of each kind.
 */
import type { BenchRequest } from "./bench.ts";
import type { ChainContestant } from "./chain/contestant.ts";
import type { FillerKind } from "./chain/filler-turns.ts";
import { type ChainResult, judgeChain } from "./chain/judge-chain.ts";
import { ourContestants } from "./chain/our-contestant.ts";
import type { FactWording } from "./chain/planted-facts.ts";
import { type ChainMode, type ChainPlay, type ChainTask, playChain } from "./chain/play-chain.ts";
import { installPeers, sayAs } from "./shared/surroundings.ts";

const say = sayAs("chain");

const triggerTokens = 16_000;
const keepTokens = 4_000;
const fillers: readonly FillerKind[] = ["agent", "chat"];
const wordings: readonly FactWording[] = ["cued", "ordinary"];
const seeds = [11, 23, 37];
const peers = ["peers/chain-langchain.mjs", "peers/chain-langchain-untrimmed.mjs", "peers/chain-deepagents.mjs"];
const modelModes: readonly ChainMode[] = ["forgetful", "attentive"];

export async function run({ args }: BenchRequest): Promise<ChainResult> {
  const ours = args.includes("--no-ours") ? [] : ourContestants;
  const others = args.includes("--no-peers") ? [] : await loadPeers();
  const plays: ChainPlay[] = [];
  for (const contestant of [...ours, ...others]) {
    const modes = ours.includes(contestant) ? (["offline", ...modelModes] as const) : modelModes;
    for (const task of tasksFor(modes, args.includes("--quick") ? seeds.slice(0, 1) : seeds)) {
      const play = await playChain(contestant, task);
      plays.push(play);
      say(playText(play));
    }
  }
  return judgeChain(plays, { ours: ours.map(({ name }) => name), contestants: [...ours, ...others] });
}

function tasksFor(modes: readonly ChainMode[], chosenSeeds: readonly number[]): readonly ChainTask[] {
  return modes.flatMap((mode) =>
    wordings.flatMap((wording) =>
      fillers.flatMap((filler) =>
        chosenSeeds.map((seed) => ({ mode, filler, wording, seed, triggerTokens, keepTokens })),
      ),
    ),
  );
}

async function loadPeers(): Promise<readonly ChainContestant[]> {
  installPeers(say);
  const modules: readonly { readonly contestant: ChainContestant }[] = await Promise.all(
    peers.map((module) => import(new URL(module, import.meta.url).href)),
  );
  return modules.map(({ contestant }) => contestant);
}

function playText({ contestant, mode, filler, wording, seed, checkpoints, turns, stopped }: ChainPlay): string {
  const shares = checkpoints.map(
    ({ compactions, held, lost }) => `${held.length}/${held.length + lost.length} at ${compactions}`,
  );
  const end = stopped === undefined ? [] : [`stopped: ${stopped}`];
  return `${contestant}, ${mode}, ${wording} ${filler} ${seed}: ${[...shares, `${turns} turns`, ...end].join(", ")}`;
}
