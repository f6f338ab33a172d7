/**
 * Keeps a loop of `streamText`, `generateText` or `ToolLoopAgent` within its budget: before each step, new messages are
 * stored and the step gets a prompt of the session. The AI SDK passes the same message objects to the next step, so
 * messages that were already sent are recognized by identity and not stored again.
 */
import type { Instructions, ModelMessage, PrepareStepFunction, ToolSet } from "ai";
import { checkArgument, checkOptions, TOOLS } from "../../core/check-options.ts";
import type { Session } from "../../engine/session/session.ts";
import { noteBrokenCall, receiveMessages, storeReply } from "../shared/host-messages.ts";
import { type PromptSettings, SESSION_RULE, SETTINGS_RULES } from "../shared/prompt-settings.ts";
import { dropCacheMarks } from "./call-prompt.ts";

/** Sizes of each step's prompt, and the tools to count. */
export interface StepOptions extends PromptSettings {
  /** The tools of the call, so that they are counted: the AI SDK does not pass them to `prepareStep`. */
  readonly tools?: ToolSet | undefined;
}

/** A prompt that was made for a step. */
interface SentPrompt {
  readonly session: Session;
  readonly promptId: string;
}

type StepInput = Parameters<PrepareStepFunction<ToolSet>>[0];
type StepOutput = {
  readonly messages: ModelMessage[];
  readonly instructions?: Instructions;
  readonly providerOptions?: { readonly openai: { readonly promptCacheKey: string } };
};

const FORMAT = "ai-sdk-model";
const RULES = { ...SETTINGS_RULES, tools: TOOLS };
const { history: _, ...settingsRules } = SETTINGS_RULES;
const STEP_RULES = { ...settingsRules, tools: TOOLS };

/**
 * Returns a `prepareStep` for `streamText`, `generateText` and agents. One function may serve many runs at once. The
 * last reply of a run is stored when the host sends it back in the next run; with `persist`, when the run ends.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model, tools, prompt: "Where is my parcel?", prepareStep: prepareStep(session, { tools }) });
 * ```
 */
export function prepareStep(session: Session, options: Omit<StepOptions, "history"> = {}) {
  checkOptions(options, STEP_RULES, "prepareStep");
  const steps = new Steps(session, options, "prepareStep");
  return (input: StepInput): Promise<StepOutput> => steps.prepare(input);
}

/**
 * Returns settings for `streamText`, `generateText` or an agent, for one run at a time: `prepareStep`, and callbacks
 * that store every step as soon as it ends. They also record that a stream was canceled or failed.
 *
 * @example
 * ```ts
 * const agent = new ToolLoopAgent({ model, tools, ...persist(session, { history: "session", tools }) });
 * await agent.generate({ prompt: "Where is my parcel?" });
 * ```
 */
export function persist(session: Session, options: StepOptions = {}) {
  const steps = new Steps(session, options, "persist");
  let partial = "";
  let noted: SentPrompt | undefined;
  /** Records the end of a step once: the AI SDK may report one failure for the stream and for the step. */
  const stop = async (error: unknown, isAborted: boolean) => {
    const { last } = steps;
    if (last === undefined || last === noted) return;
    noted = last;
    await noteBrokenCall(last.session, { promptId: last.promptId, error, isAborted, partial });
  };
  return {
    prepareStep: (input: StepInput): Promise<StepOutput> => {
      partial = "";
      return steps.prepare(input);
    },
    onChunk: ({ chunk }: { readonly chunk: { readonly type: string } }) => {
      if (chunk.type === "text-delta" && "text" in chunk) partial += String(chunk.text);
    },
    onStepEnd: async (step: EndedStep) => {
      partial = "";
      await steps.store(step);
    },
    onAbort: () => stop(undefined, true),
    onError: ({ error }: { readonly error: unknown }) => stop(error, false),
    onStepError: ({ error }: { readonly error: unknown }) => stop(error, false),
  };
}

interface EndedStep {
  readonly response: { readonly messages: readonly object[] };
  readonly finishReason: string;
  readonly usage: object;
}

class Steps {
  /** Messages that were sent, each with the prompt of its step. */
  readonly #known = new WeakMap<object, SentPrompt>();
  readonly #stored = new WeakSet<object>();
  readonly #session: Session;
  readonly #options: StepOptions;
  last: SentPrompt | undefined;

  constructor(session: Session, options: StepOptions, name: string) {
    checkArgument(session, SESSION_RULE, name);
    checkOptions(options, RULES, name);
    this.#session = session;
    this.#options = options;
  }

  async prepare(step: StepInput): Promise<StepOutput> {
    const { history: _, ...settings } = this.#options;
    const session = await this.#receive(step);
    const model = typeof step.model === "string" ? step.model : step.model.modelId;
    const prompt = await session.prompt({
      model,
      ...settings,
      instructions: readInstructionsText(step.initialInstructions),
    });
    const sent = { session, promptId: prompt.id };
    this.last = sent;
    const { messages, ...others } = prompt.forStreamText();
    for (const message of messages) this.#known.set(message, sent);
    return { ...others, messages };
  }

  /** Stores what a step added, with its usage. For a failed step the AI SDK also calls `onError`, which records it. */
  async store(step: EndedStep): Promise<void> {
    const { response, usage, finishReason } = step;
    if (this.last === undefined || response.messages.length === 0 || finishReason === "error") return;
    const { session, promptId } = this.last;
    await storeReply(session, response.messages.map(dropCacheMarks), { promptId, usage, format: FORMAT });
    this.#stored.add(step);
  }

  async #receive({ messages, steps }: StepInput): Promise<Session> {
    const known = messages.findLastIndex((message) => this.#known.has(message));
    const sent = known === -1 ? undefined : this.#known.get(messages[known] as object);
    const last = steps.at(-1);
    // The AI SDK clones the messages of a step, so a stored step is recognized by the step object.
    const stored = last !== undefined && this.#stored.has(last) ? last.response.messages.length : 0;
    const news = messages.slice(known + 1 + stored).map(dropCacheMarks);
    if (sent === undefined) {
      const { history = "host" } = this.#options;
      return receiveMessages(this.#session, news, { history, format: FORMAT });
    }
    const usage = last?.usage;
    if (news.length > 0) await storeReply(sent.session, news, { promptId: sent.promptId, usage, format: FORMAT });
    return sent.session;
  }
}

function readInstructionsText(instructions: Instructions | undefined): string | undefined {
  if (instructions === undefined || typeof instructions === "string") return instructions;
  const list = Array.isArray(instructions) ? instructions : [instructions];
  return list.map(({ content }) => content).join("\n\n");
}
