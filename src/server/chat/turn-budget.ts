/** Ends a turn whose model keeps calling tools without success, or that costs more than a turn may. */
import type { StepCalls } from "./reply.ts";
import type { Turn } from "./turn.ts";
import type { TurnMetadata } from "./turn-metadata.ts";

export class TurnBudget {
  readonly #turn: Turn;
  readonly #spentBefore: number;
  /** How often each call failed, by tool and input. Calls of tools that do not exist count together. */
  readonly #failures = new Map<string, number>();
  #failedRounds = 0;

  private constructor(turn: Turn, spentBefore: number) {
    this.#turn = turn;
    this.#spentBefore = spentBefore;
  }

  static async open(turn: Turn): Promise<TurnBudget> {
    return new TurnBudget(turn, await turn.session.spentUsd());
  }

  /** Returns why the turn ends after a round of tool calls, or undefined if it may continue. */
  async findReasonToEnd({ usage, rounds }: TurnMetadata): Promise<string | undefined> {
    const { reply, limits, session } = this.#turn;
    const failing = this.#countFailures(reply.lastCalls);
    if (failing !== undefined) return `${failing} Send a message to let the model try something else.`;
    if (rounds >= limits.rounds) {
      return `The model called tools for ${limits.rounds} rounds. Send a message to let it continue.`;
    }
    const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    if (tokens >= limits.turnTokens) {
      return `This turn used ${tokens} tokens; the limit is ${limits.turnTokens}. Send a message to let it continue.`;
    }
    const costUsd = (await session.spentUsd()) - this.#spentBefore;
    if (costUsd < limits.turnUsd) return undefined;
    return `This turn cost $${costUsd.toFixed(2)}; the limit is $${limits.turnUsd}. Send a message to let it continue.`;
  }

  #countFailures({ failed, succeeded }: StepCalls): string | undefined {
    const { findTools, limits } = this.#turn;
    const tools = findTools() ?? {};
    const most = limits.failures;
    this.#failedRounds = failed.length > 0 && succeeded === 0 ? this.#failedRounds + 1 : 0;
    for (const { name, input, error } of failed) {
      const key = Object.hasOwn(tools, name) ? `${name} ${JSON.stringify(input)}` : UNKNOWN_TOOL;
      const count = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, count);
      if (count >= most || this.#failedRounds >= most) {
        return `The model's tool calls failed ${most} times; the last was ${name}: ${endSentence(error.slice(0, MAX_ERROR_CHARACTERS))}`;
      }
    }
    return undefined;
  }
}

const UNKNOWN_TOOL = "";
const MAX_ERROR_CHARACTERS = 300;

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
