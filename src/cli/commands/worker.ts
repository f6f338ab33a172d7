/** `palimpsest worker`: runs what waits behind the sessions, until it is told to end. */
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { OpenOptions } from "../../index.ts";
import { isPostgresAddress } from "../../stores/open-store.ts";
import type { Command, Invocation } from "../command.ts";
import { describeCount } from "../describe-count.ts";
import { ENGINE_OPTIONS, readEngineSetup } from "../engine-setup.ts";
import { holdHeap } from "../hold-heap.ts";
import { prepareStore, readCount, requireStore } from "../store-options.ts";

const LOOK_SECONDS = 60;
const NEWEST_SESSIONS = 1_000;

export const worker: Command = {
  usage: "worker [--once] [--json] [--config <file>] [--model <id>] [--budget-tokens <count>]",
  about: [
    'Runs compactions for servers that were opened with jobs: "pg-boss", and looks from time to time for sessions',
    "that have one waiting. Any number of workers may run; each compaction is made once. SIGTERM and SIGINT let the",
    "running ones finish. Policy, models and budget must be those of the servers: it finds them as the server does,",
    "in the same variables and the same file, and summaries are written by the same model, or by code without one.",
  ],
  options: {
    ...ENGINE_OPTIONS,
    once: { type: "boolean", help: "Look once, do what is due, and end." },
    model: {
      type: "string",
      value: "<id>",
      help: "The model that prompts are for; the default of the servers without it.",
    },
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
    holdHeap();
    const signal = invocation.terminal.endings();
    const work = {
      once: invocation.flag("once"),
      everyMs: readCount(invocation, "look-seconds", { otherwise: LOOK_SECONDS }) * 1_000,
      newestSessions: readCount(invocation, "newest-sessions", { otherwise: NEWEST_SESSIONS }),
      signal,
    };
    const budget = readCount(invocation, "budget-tokens", { otherwise: 0 });
    const { engine, found, unknownVariables } = await readEngineSetup(invocation);
    for (const complaint of [...found.complaints, ...unknownVariables]) invocation.terminal.note(complaint);
    const options: OpenOptions = {
      ...engine,
      jobs: isPostgresAddress(requireStore(invocation)) ? "pg-boss" : "in-process",
      model: invocation.text("model") ?? engine.model,
      budgetTokens: budget === 0 ? undefined : budget,
    };
    const { openPalimpsest } = await import("../../index.ts");
    const store = await prepareStore(invocation);
    const palimpsest = await openPalimpsest({ ...options, store, tenant: invocation.text("tenant") });
    palimpsest.on("warning", ({ text }) => invocation.terminal.note(text));
    try {
      const tellEnd = report(palimpsest, invocation);
      await palimpsest.work(work);
      await tellEnd();
    } finally {
      await palimpsest.close();
    }
  },
};

/** Gives what tells the end: nothing that was due is worth a word too. */
function report(palimpsest: Palimpsest, { terminal, flag, say }: Invocation): () => Promise<void> {
  let [jobs, compactions] = [0, 0];
  const tell = (event: Readonly<Record<string, unknown>>, text: string) =>
    flag("json") ? terminal.print(JSON.stringify(event)) : say(text);
  void tell({ event: "ready" }, "Working. SIGTERM ends it when the running jobs are done.");
  palimpsest.on("compaction", ({ sessionId, tokensBefore, tokensAfter, reason }) => {
    compactions += 1;
    void tell(
      { event: "compaction", sessionId, tokensBefore, tokensAfter, reason },
      `${sessionId}: ${tokensBefore} tokens became ${tokensAfter}. ${reason}`,
    );
  });
  palimpsest.on("job-end", ({ tenantId, sessionId, outcome, reason, durationMs }) => {
    jobs += 1;
    void tell(
      { event: "job-end", tenantId, sessionId, outcome, reason, durationMs },
      `${sessionId}: ${outcome} after ${durationMs} ms${reason === undefined ? "" : `. ${reason}`}`,
    );
  });
  return () => {
    const done = `${describeCount(jobs, "job", "jobs")}, ${describeCount(compactions, "compaction", "compactions")}`;
    return tell({ event: "end", jobs, compactions }, jobs === 0 ? "Done. Nothing was due." : `Done. ${done}.`);
  };
}
