/**
 * What `bench chain` asks of everybody it measures: play a conversation turn by turn, compact when it gets long, and let
 * the bench read what the model would see. The files in `bench/peers/` keep to the same shape in plain JavaScript. This
 * file holds types only.
 */
import type { JsonObject } from "../../src/core/public/index.ts";

/** One tool call and what the tool gives back. */
export interface ChainStep {
  readonly said: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly output: string;
}

/** A request, the work on it, and the answer. Talk without tools has no steps. */
export interface ChainTurn {
  readonly request: string;
  readonly steps: readonly ChainStep[];
  readonly answer: string;
}

export interface ChainOptions {
  /** Where the scripted model answers, in OpenAI chat shape; undefined where nobody may be asked. */
  readonly modelUrl: string | undefined;
  /** The history is compacted from this size on, by the contestant's own counter. */
  readonly triggerTokens: number;
  /** What stays word for word. */
  readonly keepTokens: number;
  /** The tools that the turns use. */
  readonly tools: readonly string[];
  /** What the tool that the model has just called gives back. */
  nextOutput(): string;
}

export interface ChainContestant {
  readonly name: string;
  readonly version: string;
  readonly note: string;
  start(options: ChainOptions): Promise<ChainSession>;
}

export interface ChainSession {
  turn(turn: ChainTurn): Promise<void>;
  /**
   * For contestants that do not run the model's side themselves: the text of the first prompt after each compaction,
   * in order. The others' prompts are read off the wire.
   */
  promptsAfterCompaction?(): readonly string[];
  /** Facts that lost their place, as the contestant itself reports them. */
  evictions?(): readonly string[];
  close?(): Promise<void>;
}
