/**
 * An input processor for agents of Mastra. Before each step it wraps the model of the step, so it sees what the agent
 * sends and everything that comes back: whole replies, usage, canceled and failed streams. Only the shapes of Mastra's
 * values are declared here, so its package is not loaded.
 */
import { checkOptions, invalidOption } from "../../core/check-options.ts";
import { isObject } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Session } from "../../engine/session/session.ts";
import type { SdkModel } from "../ai-sdk/sdk-types.ts";
import { applyMiddleware, createMiddleware } from "../ai-sdk/wrap-model.ts";
import type { HistoryKeeper } from "../shared/host-messages.ts";
import { type PromptSettings, SESSION_FOR, SESSION_RULE, SETTINGS_RULES } from "../shared/prompt-settings.ts";
import { findCallFormat } from "./step-prompt.ts";

/** Where a run of an agent belongs: the `memory` option of `agent.stream`, and its request context. */
export interface AgentThread {
  readonly threadId: string | undefined;
  readonly resourceId: string | undefined;
  readonly requestContext: { get(key: string): unknown } | undefined;
}

/** The session of each run, and the sizes of its prompts. */
export interface SessionProcessorOptions extends Omit<PromptSettings, "history"> {
  readonly session?: Session | undefined;
  /** Finds the session of a run, for an agent that serves many conversations. */
  readonly sessionFor?: ((thread: AgentThread) => Session | Promise<Session>) | undefined;
  /**
   * `session` (default): the session has the conversation, and a run adds what is new. What Mastra's memory remembers is
   * taken over once, if the session is empty. `host`: each run has the whole conversation.
   */
  readonly history?: HistoryKeeper | undefined;
}

/** The part of Mastra's arguments that the processor reads. */
export interface AgentStep<Model = unknown, Message = unknown> {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly messageList?: { makeMessageSourceChecker(): { readonly memory: ReadonlySet<string> } } | undefined;
  readonly requestContext?: { get(key: string): unknown } | undefined;
}

/** A processor for the input of a Mastra agent. */
export interface SessionProcessor {
  readonly id: "palimpsest";
  readonly name: string;
  processInputStep<Model, Message>(step: AgentStep<Model, Message>): Promise<{ model: Model; messages?: Message[] }>;
}

const NAME = "sessionProcessor";
const RULES = { ...SETTINGS_RULES, session: SESSION_RULE, sessionFor: SESSION_FOR };

/**
 * Returns a processor for `inputProcessors` of a Mastra agent. It stores the conversation in a session, and each call to
 * the model gets a prompt of the session. Put it last, after processors that change messages.
 *
 * @example
 * ```ts
 * const inputProcessors = [sessionProcessor({ session, budgetTokens: 60_000 })];
 * ```
 */
export function sessionProcessor(options: SessionProcessorOptions): SessionProcessor {
  checkOptions(options, RULES, NAME);
  const { session: fixed, sessionFor, history = "session", ...settings } = options;
  if ((fixed === undefined) === (sessionFor === undefined)) {
    throw new PalimpsestError("config-invalid", `${NAME}: pass either session or sessionFor.`);
  }
  return {
    id: "palimpsest",
    name: "Palimpsest",
    async processInputStep(step) {
      const session = fixed ?? (await sessionFor?.(readThread(step)));
      if (session === undefined) {
        throw new PalimpsestError("config-invalid", `${NAME}: sessionFor returned no session.`);
      }
      const model = wrapStepModel(step.model, { ...settings, session, history });
      const messages = history === "session" ? await dropRemembered(step, session) : undefined;
      return { model, ...(messages === undefined ? {} : { messages }) };
    },
  };
}

/** Returns a model of the same version of the AI SDK's interface. Mastra wraps it again, so its class does not matter. */
function wrapStepModel<Model>(model: Model, options: PromptSettings & { readonly session: Session }): Model {
  if (!isSdkModel(model)) {
    throw invalidOption(`${NAME}: the agent's model`, model, "a model for `agent.generate` and `agent.stream`");
  }
  const format = findCallFormat(model.specificationVersion);
  return applyMiddleware(model, createMiddleware(options, format)) as SdkModel & Model;
}

/** Mastra's models of all versions are called alike; only their prompts differ, which `CallFormat` covers. */
function isSdkModel(model: unknown): model is SdkModel {
  return isObject(model) && typeof model.doStream === "function" && typeof model.doGenerate === "function";
}

interface KnownFields {
  readonly id?: unknown;
  readonly threadId?: unknown;
  readonly resourceId?: unknown;
}

function readThread({ messages, requestContext }: AgentStep): AgentThread {
  const newest: KnownFields = messages.findLast((message) => isObject(message) && message.threadId !== undefined) ?? {};
  const find = (field: unknown, key: string) => {
    const value = field ?? requestContext?.get(key);
    return typeof value === "string" ? value : undefined;
  };
  return {
    threadId: find(newest.threadId, "mastra__threadId"),
    resourceId: find(newest.resourceId, "mastra__resourceId"),
    requestContext,
  };
}

/** Leaves out messages of Mastra's memory, because the session has them: returns undefined if there are none to leave out. */
async function dropRemembered<Message>(
  { messages, messageList }: AgentStep<unknown, Message>,
  session: Session,
): Promise<Message[] | undefined> {
  const remembered = messageList?.makeMessageSourceChecker().memory;
  if (remembered === undefined || remembered.size === 0) return undefined;
  const stored = await session.entries({ types: ["message"], limit: 1 });
  if (stored.length === 0) return undefined;
  return messages.filter((message) => !remembered.has(String((message as KnownFields).id)));
}
