/** `palimpsest worker`: runs what waits behind the sessions, until it is told to end. */
import { access } from "node:fs/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { OpenOptions } from "../../index.ts";
import { isPostgresAddress } from "../../stores/open-store.ts";
import type { Command, Invocation } from "../command.ts";
import { describeFailure } from "../describe-failure.ts";
import { readCount, requireStore, STORE_OPTIONS, withPalimpsest } from "../open-for.ts";

const LOOK_SECONDS = 60;
const NEWEST_SESSIONS = 1_000;

export const worker: Command = {
  usage: "worker [--once] [--json] [--config <file>] [--model <id>] [--budget-tokens <count>]",
  about: [
    'Runs compactions for servers that were opened with jobs: "pg-boss", and looks from time to time for sessions',
    "that have one waiting. Any number of workers may run; each compaction is made once. SIGTERM and SIGINT let the",
    "running ones finish. Policy, model and budget must be those of the servers; summaries are written by code here.",
    "With a model write a worker of your own: openPalimpsest({ store, jobs, model }) and palimpsest.work().",
  ],
  options: {
    ...STORE_OPTIONS,
    once: { type: "boolean", help: "Look once, do what is due, and end." },
    config: { type: "string", value: "<file>", help: "A file with the policy; PALIMPSEST_ variables come after it." },
    model: { type: "string", value: "<id>", help: "The model that prompts are for; what the log tells without it." },
    "budget-tokens": {
      type: "string",
      value: "<count>",
      help: "What a prompt may take, where the model does not say.",
    },
    "look-seconds": { type: "string", value: "<count>", help: `How often it looks; every ${LOOK_SECONDS} without it.` },
    "newest-sessions": {
      type: "string",
      value: "<count>",
      help: `How many it looks at; ${NEWEST_SESSIONS} without it.`,
    },
  },
  words: [0, 0],
  examples: [
    "palimpsest worker --store postgres://palimpsest@db/chats",
    "palimpsest worker --store sqlite:./chats.db --once --json",
  ],
  async run(invocation) {
    const store = requireStore(invocation);
    const signal = invocation.terminal.endings();
    const work = {
      once: invocation.flag("once"),
      everyMs: readCount(invocation, "look-seconds", LOOK_SECONDS) * 1_000,
      newestSessions: readCount(invocation, "newest-sessions", NEWEST_SESSIONS),
      signal,
    };
    const budget = readCount(invocation, "budget-tokens", 0);
    const options: OpenOptions = {
      jobs: isPostgresAddress(store) ? "pg-boss" : "in-process",
      configFile: await requireConfig(invocation),
      environment: invocation.terminal.environment,
      model: invocation.text("model"),
      budgetTokens: budget === 0 ? undefined : budget,
    };
    await withPalimpsest(invocation, options, async (palimpsest) => {
      report(palimpsest, invocation);
      await palimpsest.work(work);
    });
  },
};

/** A file that was named and is not there would mean the defaults, in silence. */
async function requireConfig({ text }: Invocation): Promise<string | undefined> {
  const path = text("config");
  if (path === undefined) return undefined;
  await access(path).catch((error: unknown) => {
    const reason = `${path} cannot be read: ${describeFailure(error)}.`;
    throw new PalimpsestError("config-invalid", `--config: ${reason}`, { details: { key: "config" }, cause: error });
  });
  return path;
}

function report(palimpsest: Palimpsest, { terminal, flag, say }: Invocation): void {
  const tell = (event: Readonly<Record<string, unknown>>, text: string) =>
    void (flag("json") ? terminal.print(JSON.stringify(event)) : say(text));
  tell({ event: "ready" }, "Working. SIGTERM ends it when the running jobs are done.");
  palimpsest.on("compaction", ({ sessionId, tokensBefore, tokensAfter, reason }) =>
    tell(
      { event: "compaction", sessionId, tokensBefore, tokensAfter, reason },
      `${sessionId}: ${tokensBefore} tokens became ${tokensAfter}. ${reason}`,
    ),
  );
  palimpsest.on("job-end", ({ tenantId, sessionId, outcome, reason, durationMs }) =>
    tell(
      { event: "job-end", tenantId, sessionId, outcome, reason, durationMs },
      `${sessionId}: ${outcome} after ${durationMs} ms${reason === undefined ? "" : `. ${reason}`}`,
    ),
  );
}
