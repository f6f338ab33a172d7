/**
 * The conversations that a command works with: those of a store, through an engine of its own, or those of a server that
 * runs somewhere, through the client. Commands ask both in the same way.
 */
import { PalimpsestError } from "../core/errors.ts";
import type { Palimpsest } from "../engine/palimpsest.ts";
import type { CommandOption, Invocation } from "./command.ts";
import { HOME_OPTION, STORE_OPTIONS, withPalimpsest, withStored } from "./open-for.ts";

export type Conversations = Pick<Palimpsest, "sessions" | "search" | "exportSession" | "importSession">;

export const SERVER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...STORE_OPTIONS,
  home: HOME_OPTION,
  server: {
    type: "string",
    value: "<url>",
    help: "A server that runs, in place of a store; PALIMPSEST_SERVER, and PALIMPSEST_TOKEN with it.",
  },
};

export interface ConversationsOptions {
  /** Whether a store that is not there is made. */
  readonly makesStore?: boolean | undefined;
}

export async function withConversations<Result>(
  invocation: Invocation,
  use: (conversations: Conversations) => Promise<Result>,
  { makesStore = false }: ConversationsOptions = {},
): Promise<Result> {
  const server = findServer(invocation);
  if (server === undefined) {
    return makesStore ? withPalimpsest(invocation, {}, use) : withStored(invocation, use);
  }
  const { openRemote } = await import("./remote-conversations.ts");
  return use(openRemote(server));
}

export interface ServerAddress {
  readonly url: string;
  readonly token: string | undefined;
}

/** A store or a home that is named in the call comes before a server that is named in the environment. */
export function findServer({ text, terminal: { environment } }: Invocation): ServerAddress | undefined {
  const named = text("server");
  const [store, tenant, home, config] = [text("store"), text("tenant"), text("home"), text("config")];
  if (named !== undefined && (store ?? tenant ?? home ?? config) !== undefined) {
    const reason = "a server has a store and a configuration of its own, and its token says whose sessions they are.";
    throw new PalimpsestError(
      "config-invalid",
      `--server: ${reason} Leave out --store, --home, --config and --tenant.`,
    );
  }
  const url = named ?? ((store ?? home) === undefined ? environment.PALIMPSEST_SERVER : undefined);
  if (url === undefined || url === "") return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new PalimpsestError("config-invalid", "--server: expected an address such as http://127.0.0.1:7420.");
  }
  const { PALIMPSEST_TOKEN: token } = environment;
  return { url, token: token === "" ? undefined : token };
}
