/** The options of a server, how they are checked, and their defaults. */
import { ENGINE_RULES, loadOfflineChat, type OpenOptions } from "../compose.ts";
import {
  AMOUNT,
  ANYTHING,
  checkOptions,
  FLAG,
  invalidOption,
  MILLISECONDS,
  type OptionRule,
  optionsOf,
  RECORD,
  required,
  TEXT,
} from "../core/check-options.ts";
import type { Store } from "../ports/store.ts";
import type { RateRule } from "./access/rate-limit.ts";
import { tokenRowSchema } from "./access/token-file.ts";
import type { TokenRow } from "./access/tokens.ts";
import { SOCKET_LIMITS, type SocketLimits } from "./app/listen.ts";
import { CHAT_LIMITS, type ChatLimits } from "./chat/chat-limits.ts";
import { GATEWAY_RULE, type GatewayOptions } from "./gateway/gateway-options.ts";
import { BODY_LIMITS, type BodyLimits } from "./http/read-body.ts";
import { createRequestLog, type RequestLog } from "./http/request-log.ts";
import type { ChatModel, HostTools } from "./prompts/chat-model.ts";
import { readVersion } from "./read-version.ts";

/**
 * The store, address, access, models and limits of a server.
 *
 * @example
 * ```ts
 * await startServer({ store: "sqlite:./chats.db", port: 7420 });
 * ```
 */
export interface ServerOptions {
  /** An address of docs/stores.md, such as `"sqlite:./chats.db"`, or a store, as for `openPalimpsest`. */
  readonly store: string | Store;
  readonly host?: string | undefined;
  /** 0 chooses a free port. */
  readonly port?: number | undefined;
  /** Default true. With false, only `fetch` of the running server reaches it. */
  readonly hasSocket?: boolean | undefined;
  /** Host names that the server answers to besides those of this machine, without port. */
  readonly hosts?: readonly string[] | undefined;
  /** Other origins whose pages may use the server. */
  readonly origins?: readonly string[] | undefined;
  /** Addresses or networks of proxies in front of the server. Their `x-forwarded-for` names the client of a request. */
  readonly proxies?: readonly string[] | undefined;
  /** Tokens, as rows or as a file that is read again when it changes. With either, every request needs a token. */
  readonly tokens?: readonly TokenRow[] | undefined;
  readonly tokensFile?: string | undefined;
  /** Separates tenants by row-level security in PostgreSQL; default true if there are tokens. */
  readonly rowSecurity?: boolean | undefined;
  /** Requests allowed per caller; the default is high on loopback and lower with tokens. */
  readonly rate?: RateRule | undefined;
  readonly limits?: { readonly body?: BodyLimits | undefined; readonly socket?: SocketLimits | undefined } | undefined;
  /** The first is the default. Without any, the offline model answers. */
  readonly models?: readonly ChatModel[] | undefined;
  /** Tools of the AI SDK that the models may call, by name. */
  readonly tools?: HostTools | undefined;
  readonly chat?: Partial<ChatLimits> | undefined;
  /** Where requests to `/v1` are forwarded. Default: the public APIs of OpenAI and Anthropic. */
  readonly gateway?: GatewayOptions | undefined;
  /** Folder of the built page. Without it, or if it is empty, a plain page is served. */
  readonly page?: string | undefined;
  /** How the engine of every tenant is opened: policy, budget, summarizer, workspace. */
  readonly engine?: Omit<OpenOptions, "tenant" | "store" | "notifications"> | undefined;
  /** Version that the server reports; by default, the package's. */
  readonly version?: string | undefined;
  /** Default: warnings, errors and audit lines on stderr. */
  readonly log?: RequestLog | undefined;
  /** How often an idle event stream sends a comment and an idle WebSocket is pinged. */
  readonly heartbeatMs?: number | undefined;
}

export type ResolvedOptions = Omit<ServerOptions, keyof Defaults> & Defaults;

interface Defaults {
  readonly models: readonly ChatModel[];
  readonly version: string;
  readonly log: RequestLog;
}

const TEXTS: OptionRule = {
  allowed: "a list of texts",
  holds: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
};
const PORT: OptionRule = {
  allowed: "a whole number from 0 to 65535",
  holds: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
};
const MODELS: OptionRule = {
  allowed: "a list of chat models, such as those of createOfflineChat",
  holds: (value) => Array.isArray(value) && value.every(isChatModel),
};

const TOKENS: OptionRule = {
  allowed: "a list of tokens, each with its hash and an id of its tenant",
  holds: (value) => tokenRowSchema.array().safeParse(value).success,
};

function allowAmounts(limits: object): OptionRule {
  return optionsOf(Object.fromEntries(Object.keys(limits).map((key) => [key, AMOUNT])));
}

const SERVER_RULES = {
  store: ANYTHING,
  host: TEXT,
  port: PORT,
  hasSocket: FLAG,
  hosts: TEXTS,
  origins: TEXTS,
  proxies: TEXTS,
  tokens: TOKENS,
  tokensFile: TEXT,
  rowSecurity: FLAG,
  rate: optionsOf({ perSecond: required(AMOUNT), burst: required(AMOUNT) }),
  limits: optionsOf({ body: allowAmounts(BODY_LIMITS), socket: allowAmounts(SOCKET_LIMITS) }),
  models: MODELS,
  tools: RECORD,
  chat: allowAmounts(CHAT_LIMITS),
  gateway: GATEWAY_RULE,
  page: TEXT,
  engine: optionsOf(ENGINE_RULES),
  version: TEXT,
  log: ANYTHING,
  heartbeatMs: MILLISECONDS,
} satisfies Record<keyof ServerOptions, OptionRule>;

function isChatModel(value: unknown): boolean {
  return typeof value === "object" && value !== null && "forSession" in value && typeof value.forSession === "function";
}

export async function resolveOptions(options: ServerOptions): Promise<ResolvedOptions> {
  checkOptions(options, SERVER_RULES, "startServer");
  if (options.store === undefined) {
    throw invalidOption("startServer: store", options.store, `an address, such as "sqlite:./chats.db" or "memory:"`);
  }
  return {
    ...options,
    models: options.models ?? [await createOfflineChat()],
    version: options.version ?? (await readVersion()),
    log: options.log ?? createRequestLog({ level: "warn" }),
  };
}

/**
 * Creates the model used when there is no other. It says that it is offline and quotes the session.
 *
 * @example
 * ```ts
 * const server = await startServer({ store: "memory:", models: [await createOfflineChat()] });
 * ```
 */
export async function createOfflineChat(): Promise<ChatModel> {
  return (await loadOfflineChat()) as ChatModel;
}
