/** The server of a command: one that runs elsewhere, or one in this process. Both are called through the client. */
import { type Client, ClientError, createClient } from "../../client/index.ts";
import { ERROR_CODES, type ErrorCode, PalimpsestError } from "../../core/errors.ts";
import { hashToken, newToken } from "../../server/access/tokens.ts";
import type { RequestLog } from "../../server/http/request-log.ts";
import type { ServerOptions } from "../../server/server-options.ts";
import type { CommandOption, Invocation } from "../terminal/command.ts";
import { invalidCliOption, readId } from "../terminal/read-option.ts";
import { HOME_OPTION, prepareStore, requireExistingStore, STORE_OPTIONS } from "./store-options.ts";

export const SERVER_OPTION: CommandOption = {
  value: "<url>",
  help: "A running server to use instead of a store. Default: PALIMPSEST_SERVER, with PALIMPSEST_TOKEN.",
};

export const SERVER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...STORE_OPTIONS,
  home: HOME_OPTION,
  server: SERVER_OPTION,
};

export interface ServerConnection {
  readonly client: Client;
  /** Returns the error to report for one that the client threw. */
  translate(error: unknown): unknown;
  close(): Promise<void>;
}

export interface CliServerOptions {
  readonly createsStore?: boolean | undefined;
  /** Options of the server in this process; read only if no other server is used. */
  readonly readOptions?: (() => Promise<Partial<ServerOptions>>) | undefined;
}

export async function withServer<Result>(
  invocation: Invocation,
  options: CliServerOptions,
  use: (connection: ServerConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await connectServer(invocation, options);
  try {
    return await use(connection);
  } catch (error) {
    throw connection.translate(error);
  } finally {
    await connection.close();
  }
}

export async function connectServer(invocation: Invocation, options: CliServerOptions): Promise<ServerConnection> {
  const address = findServer(invocation);
  if (address === undefined) return startLocally(invocation, options);
  return { client: createClient(address), translate: translateRemote, close: async () => undefined };
}

/** A store or a home folder on the command line takes precedence over PALIMPSEST_SERVER. */
export function findServer({ text, terminal: { environment } }: Invocation) {
  const named = text("server");
  const [store, tenant, home, config] = [text("store"), text("tenant"), text("home"), text("config")];
  if (named !== undefined && (store ?? tenant ?? home ?? config) !== undefined) {
    const reason = "a server has its own store and configuration, and the token selects the tenant.";
    throw invalidCliOption("server", `${reason} Leave out --store, --home, --config and --tenant.`);
  }
  const url = named ?? ((store ?? home) === undefined ? environment.PALIMPSEST_SERVER : undefined);
  if (url === undefined || url === "") return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw invalidCliOption("server", "expected an address such as http://127.0.0.1:7420.");
  }
  const { PALIMPSEST_TOKEN: token } = environment;
  return { url, token: token === "" ? undefined : token };
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A command is the only caller, and may send as much as its user gives it. */
const RATE = { perSecond: Number.MAX_SAFE_INTEGER, burst: Number.MAX_SAFE_INTEGER };

async function startLocally(
  invocation: Invocation,
  { createsStore = false, readOptions = async () => ({}) }: CliServerOptions,
): Promise<ServerConnection> {
  const given = await readOptions();
  if (!createsStore) await requireExistingStore(invocation);
  const [{ startServer }, { BODY_LIMITS }] = await Promise.all([
    import("../../server/start.ts"),
    import("../../server/http/read-body.ts"),
  ]);
  const tenantId = readId(invocation, "tenant");
  const token = tenantId === undefined ? undefined : newToken();
  const failures = new Map<string, unknown>();
  const server = await startServer({
    rate: RATE,
    // Input from a pipe may be slow.
    limits: { body: { ...BODY_LIMITS, maxWaitMs: DAY_MS } },
    store: await prepareStore(invocation),
    rowSecurity: false,
    ...(token === undefined || tenantId === undefined ? {} : { tokens: [{ hash: hashToken(token), tenantId }] }),
    ...given,
    // The command itself is the only caller, so a first fold may take as long as it needs.
    engine: { ...given.engine, limits: { catchUpMs: DAY_MS, ...given.engine?.limits } },
    tokensFile: undefined,
    hasSocket: false,
    log: createLog(invocation, failures),
  });
  return {
    client: createClient({ url: "http://localhost", token, fetch: (request) => server.fetch(request) }),
    translate: (error) => translateLocal(error, failures),
    close: () => server.close(),
  };
}

/** Prints each warning once, and keeps unexpected errors so that they can be reported in full. */
function createLog({ terminal }: Invocation, failures: Map<string, unknown>): RequestLog {
  const printed = new Set<string>();
  const ignore = (): void => undefined;
  return {
    ...{ answered: ignore, audit: ignore, note: ignore, record: ignore, debug: ignore },
    failed: (requestId, error) => void failures.set(requestId, error),
    warn(title, fields = {}) {
      const text = typeof fields.text === "string" ? fields.text : title;
      // A warning about the engine's configuration comes with every session.
      if (!printed.has(text)) terminal.note(text);
      printed.add(text);
    },
  };
}

function translateLocal(error: unknown, failures: ReadonlyMap<string, unknown>): unknown {
  if (!(error instanceof ClientError)) return error;
  const { code, message, requestId = "" } = error;
  if (failures.has(requestId)) return failures.get(requestId);
  return toOwnError(error) ?? new PalimpsestError("config-invalid", `${message} (${code})`, { cause: error });
}

const TOKEN_ADVICE: Readonly<Record<string, string>> = {
  "token-missing": "Set the variable PALIMPSEST_TOKEN to yours.",
  "token-refused": "It was read from the variable PALIMPSEST_TOKEN.",
};

const AWAY: readonly string[] = ["unreachable", "connection-lost", "stopping", "server-busy", "too-many-requests"];

function translateRemote(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const own = toOwnError(error);
  if (own !== undefined) return own;
  const { code, message, retryable, status = 0 } = error;
  const context = { cause: error, retryable: retryable ? undefined : (false as const) };
  if (AWAY.includes(code) || status >= 500) {
    const advice = code === "unreachable" ? " Start one with palimpsest serve, or leave out --server." : "";
    return new PalimpsestError("store-unavailable", `--server: ${message}${advice}`, context);
  }
  const text = [message, TOKEN_ADVICE[code], error.advice].filter((each) => each !== undefined).join(" ");
  return new PalimpsestError("config-invalid", `--server: ${text} (${code})`, context);
}

/** Returns the library's error for a known code, so that a command ends the same way with a server and with a store. */
function toOwnError(error: ClientError): PalimpsestError | undefined {
  const { code, message, retryable } = error;
  if (!Object.hasOwn(ERROR_CODES, code)) return undefined;
  return new PalimpsestError(code as ErrorCode, message, { cause: error, retryable: retryable ? undefined : false });
}
