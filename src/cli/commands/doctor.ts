/** `palimpsest doctor`: checks everything that a server needs, and reports how to fix problems. */
import { join } from "node:path";
import { examineGateway } from "../doctor/examine-gateway.ts";
import { examineHome, examineNode, examinePort } from "../doctor/examine-machine.ts";
import { examinePackages } from "../doctor/examine-packages.ts";
import { examineSetup, examineTokens } from "../doctor/examine-setup.ts";
import { examineStore } from "../doctor/examine-store.ts";
import type { Finding } from "../doctor/finding.ts";
import { ENGINE_OPTIONS } from "../setup/engine-setup.ts";
import { findHome, TOKENS_FILE } from "../setup/find-home.ts";
import { GATEWAY_OPTIONS, HOST, PORT, readPort } from "../setup/serve-options.ts";
import { readStoreAddress } from "../setup/store-options.ts";
import { type Command, EXIT_DONE, EXIT_UNEXPECTED, type Invocation } from "../terminal/command.ts";
import { showFullCommands } from "../terminal/own-command.ts";
import { readCount, readId } from "../terminal/read-option.ts";

const NEWEST = 20;
const SIGNS: Readonly<Record<Finding["state"], string>> = { good: "ok  ", warning: "note", bad: "BAD " };

export const command: Command = {
  usage: "doctor [--gateway] [--session <id>] [--repair] [--json]",
  about: [
    "Checks Node, packages, the home folder, configuration, models, tokens, the port, the store, and whether the",
    "sessions used last match their logs. Says how to fix what is wrong. The exit code is 1 if anything is bad.",
    "With --gateway, also whether the upstreams answer, with the addresses for clients.",
    "Like every command, it upgrades a store of an older version to the current schema.",
  ],
  options: {
    ...ENGINE_OPTIONS,
    tokens: { value: "<file>", help: `Default: PALIMPSEST_TOKENS, else ${TOKENS_FILE} in the home folder.` },
    host: { value: "<address>", help: `Address that the server would listen on. Default: ${HOST}.` },
    port: { value: "<number>", help: `Default: ${PORT}.` },
    gateway: { help: "Check the gateway with these options. Asks the upstreams for their lists of models." },
    ...GATEWAY_OPTIONS,
    session: { value: "<id>", help: "Check this session, however old." },
    newest: { value: "<count>", help: `How many sessions to check. Default: ${NEWEST}.` },
    repair: { help: "Rebuild heads that do not match their logs. Stop servers first." },
  },
  positionalCount: [0, 0],
  examples: [
    "palimpsest doctor",
    "palimpsest doctor --gateway --anthropic http://127.0.0.1:8000",
    "palimpsest doctor --store sqlite:./chats.db --session support-17 --repair",
  ],
  async run(invocation) {
    const findings = (await examine(invocation)).map(withFullCommands);
    const isWell = findings.every(({ state }) => state !== "bad");
    if (invocation.flag("json")) await invocation.terminal.print(JSON.stringify({ isWell, findings }));
    else for (const finding of findings) await print(invocation, finding);
    return isWell ? EXIT_DONE : EXIT_UNEXPECTED;
  },
};

async function examine(invocation: Invocation): Promise<readonly Finding[]> {
  const { text, flag, terminal } = invocation;
  const { environment } = terminal;
  const home = findHome({ environment, given: text("home") });
  const store = readStoreAddress(invocation);
  const tokens = text("tokens") ?? environment.PALIMPSEST_TOKENS;
  const options = {
    tenantId: readId(invocation, "tenant") ?? "local",
    sessionId: text("session"),
    newest: readCount(invocation, "newest", { otherwise: NEWEST }),
    repair: flag("repair"),
  };
  const [host, port] = [text("host") ?? HOST, readPort(text("port") ?? environment.PALIMPSEST_PORT)];
  return [
    examineNode(),
    ...examinePackages(store),
    await examineHome(home),
    ...(await examineSetup(invocation)),
    examineTokens(tokens ?? join(home, TOKENS_FILE), tokens !== undefined),
    await examinePort(host, port),
    ...(flag("gateway") ? await examineGateway(invocation, { host, port, hasTokens: tokens !== undefined }) : []),
    ...(await examineStore(store, options)),
  ];
}

function withFullCommands({ text, advice, ...finding }: Finding): Finding {
  const shown = advice === undefined ? {} : { advice: showFullCommands(advice) };
  return { ...finding, text: showFullCommands(text), ...shown };
}

async function print({ say }: Invocation, { name, state, text, advice }: Finding): Promise<void> {
  await say(`${SIGNS[state]}  ${name}: ${text}`);
  if (advice !== undefined) await say(`      → ${advice}`);
}
