/**
 * Plays one conversation with one contestant: plants the facts, adds filler until the history was compacted often
 * enough, and reports at each checkpoint which facts the next prompt has. It judges nothing.
 */
import type { ChainContestant, ChainSession, ChainTurn } from "./contestant.ts";
import { FILLER_TOOLS, type FillerKind, fillerTurns } from "./filler-turns.ts";
import { containsFact, type FactWording, type PlantedFact, plantFacts, turnsWithFacts } from "./planted-facts.ts";
import { startScriptedAssistant } from "./scripted-assistant.ts";
import type { ModelManner } from "./scripted-models.ts";

export const CHECKPOINTS = [1, 3, 10, 30] as const;

/** The writer of the summaries: code, or one of the scripted models. */
export type ChainMode = "offline" | ModelManner;

export interface ChainTask {
  readonly mode: ChainMode;
  readonly filler: FillerKind;
  readonly wording: FactWording;
  readonly seed: number;
  readonly triggerTokens: number;
  readonly keepTokens: number;
}

export interface Checkpoint {
  readonly compactions: number;
  readonly held: readonly PlantedFact[];
  readonly lost: readonly PlantedFact[];
  /** Facts in the prompt of a question about them, with recalled passages; undefined if the contestant has no preview. */
  readonly answerable?: readonly PlantedFact[] | undefined;
}

export interface ChainPlay extends ChainTask {
  readonly contestant: string;
  readonly checkpoints: readonly Checkpoint[];
  readonly turns: number;
  /** The facts that the contestant reports as evicted after the last compaction. */
  readonly evictions: readonly string[];
  /** The reason if the run ended before the last checkpoint. */
  readonly stopped?: string | undefined;
}

/** The most turns that are played, for contestants that never compact. */
const MAX_TURNS = 6_000;
const ENOUGH_COMPACTIONS = Math.max(...CHECKPOINTS);

export async function playChain(contestant: ChainContestant, task: ChainTask): Promise<ChainPlay> {
  const facts = plantFacts(task.seed, task.wording);
  await using assistant = await startScriptedAssistant({
    manner: task.mode === "offline" ? "forgetful" : task.mode,
    facts,
  });
  const session = await contestant.start({
    modelUrl: task.mode === "offline" ? undefined : assistant.url,
    triggerTokens: task.triggerTokens,
    keepTokens: task.keepTokens,
    tools: FILLER_TOOLS,
    nextOutput: () => assistant.nextOutput(),
  });
  const promptsOf = () => session.promptsAfterCompaction?.() ?? assistant.prompts;
  const answerable = new Map<number, readonly PlantedFact[]>();
  let turns = 0;
  let stopped: string | undefined;
  for (const turn of conversation(facts, task)) {
    assistant.play(turn);
    stopped = await playTurn(session, turn);
    turns += 1;
    const reached = CHECKPOINTS.findLast((compactions) => promptsOf().length >= compactions);
    if (reached !== undefined && !answerable.has(reached)) answerable.set(reached, await askForFacts(session, facts));
    if (turns === MAX_TURNS) stopped ??= `compacted ${promptsOf().length} times in ${turns} turns`;
    if (stopped !== undefined || promptsOf().length >= ENOUGH_COMPACTIONS) break;
  }
  await session.close?.();
  const checkpoints = CHECKPOINTS.flatMap((compactions) => {
    const prompt = promptsOf()[compactions - 1];
    if (prompt === undefined) return [];
    const asked = session.promptFor === undefined ? undefined : answerable.get(compactions);
    return [{ ...checkpoint(compactions, prompt, facts), answerable: asked }];
  });
  const evictions = session.evictions?.() ?? [];
  return { ...task, contestant: contestant.name, checkpoints, turns, evictions, stopped };
}

/** Returns the facts that a prompt with a question about them has. */
async function askForFacts(session: ChainSession, facts: readonly PlantedFact[]): Promise<readonly PlantedFact[]> {
  const found: PlantedFact[] = [];
  for (const fact of facts) {
    const prompt = (await session.promptFor?.(fact.question)) ?? "";
    if (containsFact(prompt, fact)) found.push(fact);
  }
  return found;
}

/** A contestant that fails keeps its results so far; the others continue. */
async function playTurn(session: ChainSession, turn: ChainTurn): Promise<string | undefined> {
  try {
    await session.turn(turn);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function* conversation(facts: readonly PlantedFact[], { filler, seed }: ChainTask): Generator<ChainTurn> {
  yield* turnsWithFacts(facts);
  yield* fillerTurns(filler, seed + 1);
}

function checkpoint(compactions: number, prompt: string, facts: readonly PlantedFact[]): Checkpoint {
  const held = facts.filter((fact) => containsFact(prompt, fact));
  return { compactions, held, lost: facts.filter((fact) => !held.includes(fact)) };
}
