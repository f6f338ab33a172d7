/** What handlers share besides the engine of whoever asks. */
import type { ToolSet } from "ai";
import type { Message } from "../../core/message/message.ts";
import type { ImageShelf } from "../images/image-shelf.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { StoreRoom } from "../operations/store-room.ts";
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
  /** Tools that the host defines, with what they do. */
  readonly tools: ToolSet | undefined;
  /** Aborted when the server ends: what has no end of its own, such as a feed of events, ends now. */
  readonly stopping: AbortSignal;
  /** Images that were sent before the messages that show them. */
  readonly images: ImageShelf;
  /** What was sent last in the sessions that were used last. */
  readonly prompts: LastPrompts;
  readonly metrics: Metrics;
  readonly room: StoreRoom;
  readonly policies: PolicyBook;
  /** Loaded when somebody opens it. */
  readonly loadSample: () => Promise<Sample>;
  /** What a prompt of a session is made with where a request does not say. */
  readonly findDefaults: FindDefaults;
  /** The request that the next turn of a chat makes its prompt with. */
  readonly findTurnRequest: FindTurnRequest;
  /** How often a quiet stream of events says that it is there. */
  readonly heartbeatMs: number;
}

export interface PolicySource {
  readonly type: "defaults" | "file" | "environment" | "options";
  readonly path?: string | undefined;
  /** Of the variables that are set. */
  readonly names?: readonly string[] | undefined;
}

/** Where the policy of all tenants comes from. */
export interface PolicyBook {
  /** What comes later wins. */
  readonly sources: () => readonly PolicySource[];
  /** Every policy that has a name, with all its settings. */
  readonly presets: Readonly<Record<string, object>>;
  /** What would hold if it were written; throws `config-invalid`. */
  readonly check: (policy: unknown) => object;
  /** Checks a policy and writes it to the configuration file; absent where there is none. */
  readonly write?: ((policy: unknown) => Promise<void>) | undefined;
}

export interface Sample {
  readonly title: string;
  readonly instructions: string;
  readonly windowTokens: number;
  readonly reserveTokens: number;
  /** What somebody asks, the rounds of tools it takes, and the answer. */
  readonly turns: readonly (readonly Message[])[];
}
