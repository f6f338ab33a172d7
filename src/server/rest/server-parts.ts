/** The parts that handlers share besides the caller's engine. */
import type { Message } from "../../core/message/message.ts";
import type { BodyBudget } from "../http/body-budget.ts";
import type { PendingUploads } from "../images/pending-uploads.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { StoreCapacity } from "../operations/store-capacity.ts";
import type { ChatModel } from "../prompts/chat-model.ts";
import type { LastPrompts } from "../prompts/last-prompts.ts";
import type { FindDefaults } from "../prompts/prompt-defaults.ts";
import type { FindTurnRequest } from "../prompts/turn-request.ts";
import type { Tenants } from "../tenants/tenants.ts";

export interface ServerParts {
  readonly version: string;
  readonly tenants: Tenants;
  /** At least one; the first is the default. */
  readonly models: readonly ChatModel[];
  /** Aborted when the server shuts down, to end endless streams such as events. */
  readonly stopping: AbortSignal;
  /** The budget of memory for request bodies. */
  readonly bodies: BodyBudget;
  readonly images: PendingUploads;
  readonly prompts: LastPrompts;
  readonly metrics: Metrics;
  readonly capacity: StoreCapacity;
  readonly policies: PolicyAccess;
  readonly loadSample: () => Promise<SampleConversation>;
  readonly findDefaults: FindDefaults;
  readonly findTurnRequest: FindTurnRequest;
  readonly heartbeatMs: number;
}

export interface ShownPolicySource {
  readonly type: "defaults" | "file" | "environment" | "options";
  readonly path?: string | undefined;
  readonly names?: readonly string[] | undefined;
}

/** The policy of all tenants: its sources, presets, check and file. */
export interface PolicyAccess {
  /** Later sources override earlier ones. */
  readonly sources: () => readonly ShownPolicySource[];
  readonly presets: Readonly<Record<string, object>>;
  /** Returns the settings that the policy results in. Throws `config-invalid`. */
  readonly check: (policy: unknown) => object;
  /** Checks a policy and writes it to the configuration file; absent without one. */
  readonly write?: ((policy: unknown) => Promise<void>) | undefined;
}

export interface SampleConversation {
  readonly title: string;
  readonly instructions: string;
  readonly windowTokens: number;
  readonly reserveTokens: number;
  /** Each turn: the question, rounds of tool calls, and the answer. */
  readonly turns: readonly (readonly Message[])[];
}
