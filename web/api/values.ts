/** What the page shows, as values. They are the page's own: what the server sends is read into them at one border. */

export const FATES = ["verbatim", "pinned", "pruned", "cut", "summarised", "truncated", "cleared", "deleted"] as const;
export type Fate = (typeof FATES)[number];

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool"; readonly call: ToolCall }
  | { readonly type: "image"; readonly url: string; readonly name: string }
  | { readonly type: "attachment"; readonly label: string };

export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
  /** Undefined while nobody has answered. */
  readonly output?: string | undefined;
  readonly failed: boolean;
}

export type Speaker = "user" | "assistant" | "system" | "tool";

export interface ShownMessage {
  readonly id: string;
  /** Its place in the log; undefined while it is under way. */
  readonly seq?: number | undefined;
  /** The last place of what is shown with it: the results of its calls. */
  readonly lastSeq?: number | undefined;
  readonly role: Speaker;
  readonly name?: string | undefined;
  readonly at?: number | undefined;
  readonly tokens?: number | undefined;
  readonly blocks: readonly Block[];
  readonly isErased: boolean;
}

/** Something that changed what the model sees, at its place in the log. */
export interface Marker {
  readonly type: "summary" | "truncate" | "clear" | "prune";
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly reason: string;
  readonly summary?: Summary | undefined;
}

export type LogItem =
  | { readonly type: "message"; readonly message: ShownMessage }
  | { readonly type: "marker"; readonly marker: Marker };

export interface SessionLine {
  readonly id: string;
  readonly title: string;
  readonly preview: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messageCount: number;
  /** The session that it left, and where. */
  readonly fork?: { readonly parentId: string; readonly atSeq: number } | undefined;
}

export interface Segment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly fate: Fate;
  readonly messages: number;
  /** As said, and as the next prompt shows it. */
  readonly tokens: number;
  readonly shownTokens: number;
}

export interface Strip {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly segments: readonly Segment[];
}

export interface Summary {
  readonly id: string;
  readonly at: number;
  readonly depth: number;
  readonly parentId?: string | undefined;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly messages: number;
  readonly text: string;
  readonly reason: string;
  /** A model, or in words what wrote it instead. */
  readonly author: string;
  /** Somebody changed its words. */
  readonly isEdited: boolean;
  /** Of what it stands for, and of itself. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly costUsd?: number | undefined;
  readonly verification?: Verification | undefined;
  readonly facets: readonly { readonly name: string; readonly items: readonly string[] }[];
  readonly isLive: boolean;
}

export interface Verification {
  readonly score: number;
  readonly claims: number;
  readonly removedClaims: number;
  readonly restored: number;
  readonly evicted: number;
}

/** What a compaction would do. */
export interface Preview {
  readonly id: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages that stay word for word, and those that would not. */
  readonly kept: number;
  readonly droppedIds: readonly string[];
  readonly costUsd: number;
  /** Empty where nothing would be summarised. */
  readonly text: string;
}

export interface Section {
  readonly name: string;
  readonly tokens: number;
}

/** What the model would see now. */
export interface View {
  readonly prompt: unknown;
  readonly tokens: number;
  readonly limitTokens: number;
  readonly windowTokens: number;
  readonly reserveTokens: number;
  readonly isExact: boolean;
  readonly counter: string;
  readonly policy: string;
  readonly sections: readonly Section[];
  readonly changes: readonly { readonly section: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  readonly tiers: readonly TierLine[];
  /** Files that stand in no prompt because there is no room for them. */
  readonly shed: readonly { readonly path: string; readonly tokens: number }[];
  readonly hiddenOutlines: number;
}

export interface TierLine {
  readonly tier: string;
  readonly tokens: number;
  readonly items: readonly { readonly key: string; readonly seen: number; readonly tokens: number }[];
}

/** Files and pages that stand beside a conversation. */
export interface Workspace {
  readonly files: readonly {
    readonly path: string;
    readonly tokens: number;
    readonly tier: string | undefined;
    /** `shown`, `gone` or `unread`. */
    readonly state: string;
  }[];
  readonly links: readonly { readonly url: string; readonly title: string; readonly tokens: number }[];
  /** Undefined where the server has none. */
  readonly tree: readonly string[] | undefined;
}

export interface CompactionState {
  readonly isEnabled: boolean;
  readonly triggerTokens: number;
  /** How small a compaction makes the prompt. */
  readonly targetTokens: number;
  readonly currentTokens: number;
}

export interface Explanation {
  readonly messageId: string;
  readonly seq: number;
  readonly fate: Fate;
  readonly reason: string;
  readonly isShown: boolean;
  /** It is so in the next prompt only: nothing of it is stored yet. */
  readonly isAhead: boolean;
}

export interface Model {
  readonly id: string;
  /** It only quotes what was said. */
  readonly isOffline: boolean;
}

export interface Hit {
  readonly sessionId: string;
  readonly seq: number;
  readonly messageId: string;
  readonly role: string;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}
