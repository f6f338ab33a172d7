/** `palimpsest worker`: runs compactions in the background until a signal ends it. */
import { findNearest } from "../../core/check-value.ts";
import { createCatalogue, loadCatalogue } from "../../counters/create-catalogue.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { OpenOptions } from "../../index.ts";
import { findKeyVariable } from "../../models/find-connections.ts";
import { describeStoreAddress } from "../../stores/open-store.ts";
import { ENGINE_OPTIONS, type EngineSetup, readEngineSetup } from "../setup/engine-setup.ts";
import { readStoreAddress, requireExistingStore } from "../setup/store-options.ts";
import type { Command, Invocation } from "../terminal/command.ts";
import { limitHeapGrowth, releaseStartMemory } from "../terminal/node-process.ts";
import { invalidCliOption, readCount, readId } from "../terminal/read-option.ts";
import { describeCount } from "../terminal/terminal-text.ts";

const CHECK_SECONDS = 60;
const NEWEST_SESSIONS = 1_000;

export const command: Command = {
  usage: "worker [--once] [--json] [--config <file>] [--model <id>] [--budget-tokens <count>]",
  about: [
    'Runs compactions for servers with jobs: "pg-boss", and checks regularly for sessions that are due.',
    "Any number of workers may run; each compaction runs once. SIGTERM and SIGINT finish running compactions first.",
    "Policy, models and budget must be those of the servers; they are read from the same variables and the same file.",
    "The same model writes the summaries, or code if there is none.",
  ],
  options: {
    ...ENGINE_OPTIONS,
    once: { help: "Check once, run what is due, and exit." },
    model: { value: "<id>", help: "Model that the prompts are for. Default: the first one configured." },
    "budget-tokens": { value: "<count>", help: "Token budget of a prompt, for models with an unknown window." },
    "check-seconds": { value: "<count>", help: `Seconds between two checks. Default: ${CHECK_SECONDS}.` },
    "newest-sessions": { value: "<count>", help: `How many sessions to check. Default: ${NEWEST_SESSIONS}.` },
  },
  positionalCount: [0, 0],
  examples: [
    "palimpsest worker --store postgres://palimpsest@db/chats",
    "palimpsest worker --store sqlite:./chats.db --once --json",
  ],
  async run(invocation) {
    if (invocation.terminal.hasOwnProcess) limitHeapGrowth();
    const signal = invocation.terminal.endings();
    const work = {
      once: invocation.flag("once"),
      everyMs: readCount(invocation, "check-seconds", { otherwise: CHECK_SECONDS }) * 1_000,
      newestSessions: readCount(invocation, "newest-sessions", { otherwise: NEWEST_SESSIONS }),
      signal,
    };
    const budget = readCount(invocation, "budget-tokens", { otherwise: 0 });
    const setup = await readEngineSetup(invocation);
    const { engine, found, unknownVariables } = setup;
    for (const complaint of [...found.complaints, ...unknownVariables]) invocation.terminal.note(complaint);
    const store = readStoreAddress(invocation);
    const options: OpenOptions = {
      ...engine,
      jobs: describeStoreAddress(store).jobs,
      model: await readModel(invocation, setup),
      budgetTokens: budget === 0 ? undefined : budget,
    };
    await requireExistingStore(invocation);
    const { openPalimpsest } = await import("../../index.ts");
    const palimpsest = await openPalimpsest({ ...options, store, tenant: readId(invocation, "tenant") });
    palimpsest.on("warning", ({ text }) => invocation.terminal.note(text));
    try {
      if (invocation.terminal.hasOwnProcess) releaseStartMemory();
      const printTotals = report(palimpsest, invocation);
      await palimpsest.work(work);
      await printTotals();
    } finally {
      await palimpsest.close();
    }
  },
};

/** A model whose window is unknown needs a budget: the worker would compact earlier than its servers. */
async function readModel(invocation: Invocation, { engine, found }: EngineSetup): Promise<string> {
  const wanted = invocation.text("model");
  if (wanted === undefined) return engine.model;
  const [vendor = "", ...rest] = wanted.split(":");
  const named = findKeyVariable(vendor) === undefined ? wanted : rest.join(":");
  const id = found.find(wanted)?.modelId ?? named;
  const isConfigured = found.models.some(({ model }) => model.modelId === id);
  if (isConfigured || invocation.text("budget-tokens") !== undefined) return id;
  const { warning } = await createCatalogue({ overrides: engine.models }).find(id);
  if (warning === undefined) return id;
  const nearest = findNearest(id, [...Object.keys(engine.models), ...Object.keys((await loadCatalogue()).models)]);
  const advice = nearest === undefined ? "" : `Did you mean ${nearest}? `;
  throw invalidCliOption("model", `the window of ${id} is not known. ${advice}For other models, set --budget-tokens.`);
}

function report(palimpsest: Palimpsest, { terminal, flag, say }: Invocation): () => Promise<void> {
  let [jobs, compactions] = [0, 0];
  const print = (event: Readonly<Record<string, unknown>>, text: string) =>
    flag("json") ? terminal.print(JSON.stringify(event)) : say(text);
  void print({ event: "ready" }, "The worker is running. SIGTERM stops it after the running jobs.");
  palimpsest.on("compaction", ({ sessionId, tokensBefore, tokensAfter, reason }) => {
    compactions += 1;
    void print(
      { event: "compaction", sessionId, tokensBefore, tokensAfter, reason },
      `${sessionId}: ${tokensBefore} → ${tokensAfter} tokens. ${reason}`,
    );
  });
  palimpsest.on("job-end", ({ tenantId, sessionId, outcome, reason, durationMs }) => {
    jobs += 1;
    void print(
      { event: "job-end", tenantId, sessionId, outcome, reason, durationMs },
      `${sessionId}: ${outcome} after ${durationMs} ms${reason === undefined ? "" : `. ${reason}`}`,
    );
  });
  return () => {
    const done = `${describeCount(jobs, "job", "jobs")}, ${describeCount(compactions, "compaction", "compactions")}`;
    return print({ event: "end", jobs, compactions }, jobs === 0 ? "Done. Nothing was due." : `Done. ${done}.`);
  };
}
