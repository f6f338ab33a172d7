/**
 * The server that a chat in the terminal is had with: one that runs somewhere, by its address, or one in this process
 * that nobody else can reach. Both are asked through the client.
 */
import { type Client, ClientError, createClient } from "../../client/index.ts";
import { type ErrorCode, PalimpsestError } from "../../core/errors.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline-model.ts";
import { adviseOnToken } from "../advise-on-token.ts";
import { CommandFailure, type Invocation } from "../command.ts";
import { EXIT_CODES, EXIT_UNEXPECTED, EXIT_USAGE } from "../exit-codes.ts";
import { readServeSetup } from "../serve-options.ts";

export interface ChatServer {
  readonly client: Client;
  /** The model to ask for, as the server calls it; its default without one. */
  readonly model: string | undefined;
  close(): Promise<void>;
}

export async function openChatServer(invocation: Invocation): Promise<ChatServer> {
  const { text, terminal } = invocation;
  const url = text("server") ?? terminal.environment.PALIMPSEST_SERVER;
  if (url === undefined || url === "") return openHere(invocation);
  if (!/^https?:\/\/./.test(url)) {
    throw new PalimpsestError(
      "config-invalid",
      `--server: expected an address such as http://127.0.0.1:7420, found ${url}.`,
    );
  }
  const { PALIMPSEST_TOKEN: token } = terminal.environment;
  const client = createClient({ url, token: token === "" ? undefined : token });
  return { client, model: text("model"), close: async () => undefined };
}

async function openHere(invocation: Invocation): Promise<ChatServer> {
  const wanted = invocation.text("model");
  const isOffline = wanted === OFFLINE_MODEL_ID;
  const { options, found, unknownVariables } = await readServeSetup(invocation, {
    model: isOffline ? undefined : wanted,
  });
  for (const complaint of [...found.complaints, ...unknownVariables]) invocation.terminal.note(complaint);
  const { startServer } = await import("../../server/start.ts");
  const { createRequestLog } = await import("../../server/http/request-log.ts");
  const log = createRequestLog({ level: "error" });
  const server = await startServer({ ...options, hasSocket: false, log });
  const client = createClient({ url: "http://localhost", fetch: (request) => server.fetch(request) });
  return { client, model: isOffline ? wanted : undefined, close: () => server.close() };
}

/** What the server refused, in its own words. It ends a turn and need not end the chat. */
export class ServerRefusal extends CommandFailure {
  override readonly name = "ServerRefusal";
}

/** Asks, with what the client throws in the terminal's own words. */
export async function asking<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ClientError ? translate(error) : error;
  }
}

function translate(error: ClientError): Error {
  const { code, message, advice } = error;
  if (code === "unreachable") {
    const text = `--server: ${message} Start one with palimpsest serve, or chat without --server.`;
    return new PalimpsestError("store-unavailable", text, { cause: error });
  }
  const aboutToken = adviseOnToken(code);
  if (aboutToken !== undefined) return new ServerRefusal(`--server: ${message} ${aboutToken} (${code})`, EXIT_USAGE);
  const exitCode = Object.hasOwn(EXIT_CODES, code) ? EXIT_CODES[code as ErrorCode] : EXIT_UNEXPECTED;
  return new ServerRefusal(`${message}${advice === undefined ? "" : ` ${advice}`} (${code})`, exitCode);
}
