/** `palimpsest doctor`: looks at everything that a server needs, and says what to do about what is not right. */
import { join } from "node:path";
import type { Command, Invocation } from "../command.ts";
import { examineHome, examineNode, examinePort } from "../doctor/examine-machine.ts";
import { examinePackages } from "../doctor/examine-packages.ts";
import { examineSetup, examineTokens } from "../doctor/examine-setup.ts";
import { examineStore } from "../doctor/examine-store.ts";
import type { Finding } from "../doctor/finding.ts";
import { ENGINE_OPTIONS } from "../engine-setup.ts";
import { EXIT_DONE, EXIT_UNEXPECTED } from "../exit-codes.ts";
import { findHome, TOKENS_FILE } from "../find-home.ts";
import { sayAsTyped } from "../own-command.ts";
import { HOST, PORT, readPort } from "../serve-options.ts";
import { readCount, requireStore } from "../store-options.ts";

const NEWEST = 20;
const SIGNS: Readonly<Record<Finding["state"], string>> = { good: "ok  ", warning: "note", bad: "BAD " };

export const doctor: Command = {
  usage: "doctor [--session <id>] [--mend] [--json]",
  about: [
    "Looks at Node, packages, the home folder, configuration, models, tokens, the port and the store, and whether the",
    "newest sessions are as their logs say. Says what to do about each. It ends with 1 where something is bad.",
    "Opening a store of an older version brings it to this one's schema, as every command does.",
  ],
  options: {
    ...ENGINE_OPTIONS,
    tokens: { type: "string", value: "<file>", help: `PALIMPSEST_TOKENS without it, else ${TOKENS_FILE} at home.` },
    host: { type: "string", value: "<address>", help: `Where the server would listen; ${HOST} without it.` },
    port: { type: "string", value: "<number>", help: `${PORT} without it.` },
    session: { type: "string", value: "<id>", help: "Look at this session, however old." },
    newest: { type: "string", value: "<count>", help: `Look at so many sessions; ${NEWEST} without it.` },
    mend: { type: "boolean", help: "Make heads again that are not what their logs say. End servers first." },
  },
  words: [0, 0],
  examples: ["palimpsest doctor", "palimpsest doctor --store sqlite:./chats.db --session support-17 --mend"],
  async run(invocation) {
    const findings = (await examine(invocation)).map(asTyped);
    const isWell = findings.every(({ state }) => state !== "bad");
    if (invocation.flag("json")) await invocation.terminal.print(JSON.stringify({ isWell, findings }));
    else for (const finding of findings) await tell(invocation, finding);
    return isWell ? EXIT_DONE : EXIT_UNEXPECTED;
  },
};

async function examine(invocation: Invocation): Promise<readonly Finding[]> {
  const { text, flag, terminal } = invocation;
  const { environment } = terminal;
  const home = findHome({ environment, given: text("home") });
  const store = requireStore(invocation);
  const tokens = text("tokens") ?? environment.PALIMPSEST_TOKENS;
  const options = {
    tenantId: text("tenant") ?? "local",
    sessionId: text("session"),
    newest: readCount(invocation, "newest", { otherwise: NEWEST }),
    mend: flag("mend"),
  };
  return [
    examineNode(),
    ...examinePackages({ store }),
    await examineHome(home),
    ...(await examineSetup(invocation)),
    examineTokens(tokens ?? join(home, TOKENS_FILE), tokens !== undefined),
    await examinePort(text("host") ?? HOST, readPort(text("port") ?? environment.PALIMPSEST_PORT)),
    ...(await examineStore(store, options)),
  ];
}

/** With every command as it is typed here. */
function asTyped({ text, advice, ...finding }: Finding): Finding {
  return { ...finding, text: sayAsTyped(text), ...(advice === undefined ? {} : { advice: sayAsTyped(advice) }) };
}

async function tell({ say }: Invocation, { name, state, text, advice }: Finding): Promise<void> {
  await say(`${SIGNS[state]}  ${name}: ${text}`);
  if (advice !== undefined) await say(`      → ${advice}`);
}
