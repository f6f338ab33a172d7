/** `palimpsest replay`: what each policy would have sent, cost and forgotten on recorded sessions. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { findModel } from "../../core/budget/find-model.ts";
import { listWords } from "../../core/language/list-words.ts";
import { loadCatalogue } from "../../counters/create-catalogue.ts";
import { readConfigFile } from "../../policies/config-sources.ts";
import { checkPolicy } from "../../policies/policy-file.ts";
import { POLICY_NAMES, type PolicyInput } from "../../policies/policy-input.ts";
import type { RecordedSession } from "../../replay/recorded-session.ts";
import type { ReplayPolicy, SessionReplay } from "../../replay/replay-session.ts";
import { advise, sumReplays } from "../../replay/sum-replays.ts";
import { findFiles, readFiles, readStored } from "../replay/find-recordings.ts";
import { printReplay } from "../replay/print-replay.ts";
import { openReplayFile } from "../replay/replay-file.ts";
import { replayOnThreads } from "../replay/replay-threads.ts";
import type { CopiedSettings } from "../replay/replay-worker.ts";
import { writeReport } from "../replay/write-report.ts";
import { SERVER_OPTIONS, withServer } from "../setup/connect-server.ts";
import { type Command, CommandFailure, EXIT_CODES, type Invocation } from "../terminal/command.ts";
import { createProgress } from "../terminal/progress.ts";
import { invalidCliOption, readChoice, readCount, readId } from "../terminal/read-option.ts";
import { describeCount, explainError } from "../terminal/terminal-text.ts";

const DEFAULT_MODEL = "claude-sonnet-4-5";

const ALL_POLICIES: readonly ReplayPolicy[] = POLICY_NAMES.map((name) => ({ name, policy: name }));

export const command: Command = {
  usage: "replay [<file or folder>…] [--policies <list>] [--window <tokens>] [--model <id>] [--html <file>] [--json]",
  about: [
    "Replays recorded sessions under several policies, with their own times: requests, tokens, the share that the",
    "provider's cache would serve, dollars, compactions, and how much of what later turns needed was still in the prompt.",
    "Files may be of Claude Code, Codex, Gemini CLI and the other tools that palimpsest import accepts. Without a file,",
    "the sessions of the store or server are replayed. Beside it: what the recording really cost, and how far the",
    "simulator is from it. Recommends the cheapest policy that forgets no more than the first one. Calls no model:",
    "code writes the summaries, which --summaries model prices as if a model had written them.",
  ],
  options: {
    ...SERVER_OPTIONS,
    session: { value: "<id>", help: "Replay only this session of the store; not with files." },
    policies: { value: "<list>", help: "Names or configuration files, separated by commas. Default: all six." },
    window: { value: "<tokens>", help: "The window of the model, if it is smaller than the model's own." },
    model: { value: "<id>", help: `Prices and cache of this model. Default: the recorded one, else ${DEFAULT_MODEL}.` },
    summaries: { value: "<kind>", help: "code (free) or model (priced). Default: code." },
    html: { value: "<file>", help: "Write a report with plots, as one page that loads nothing." },
    force: { help: "Replace the report if it exists." },
    resume: { value: "<file>", help: "Keep finished sessions in this file, and skip those that are in it." },
    threads: { value: "<count>", help: "How many sessions to replay at once. Default: one for each core." },
  },
  positionalCount: [0, Number.MAX_SAFE_INTEGER],
  examples: [
    "palimpsest replay ~/.claude/projects --html report.html",
    "palimpsest replay session.jsonl --policies default,ratio-chain,./mine.json --window 100000",
    "palimpsest replay --session support-17 --json",
  ],
  async run(invocation) {
    const { flag, text } = invocation;
    const policies = readPolicies(text("policies"));
    const html = text("html");
    if (html !== undefined && !flag("force") && existsSync(html)) {
      throw invalidCliOption("html", `${html} already exists. Choose another file, or replace it with --force.`);
    }
    const settings: CopiedSettings = {
      policies,
      model: await readModel(text("model")),
      defaultModel: DEFAULT_MODEL,
      windowTokens: text("window") === undefined ? undefined : readCount(invocation, "window", { otherwise: 1 }),
      summaries: (readChoice(invocation, "summaries", ["code", "model"]) ?? "code") === "code" ? "free" : "priced",
    };
    const problems: string[] = [];
    const replays = await withRecordings(invocation, problems, (sessions) =>
      replayAll(invocation, { sessions, settings, problems }),
    );
    for (const problem of problems) invocation.terminal.note(problem);
    const ordered = replays.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    if (ordered.length === 0)
      throw new CommandFailure(
        "No session was replayed: no reply of a model was found. Check the path, or try palimpsest import --dry-run.",
        EXIT_CODES["message-invalid"],
      );
    const sum = sumReplays(ordered);
    const report = {
      sum,
      advice: policies.length > 1 ? advise(sum, policies[0]?.name ?? "") : undefined,
      policies,
      sessions: ordered,
      problems,
    };
    if (html !== undefined) await save(html, writeReport(report));
    if (flag("json")) await invocation.terminal.print(JSON.stringify(report));
    else await printReplay(invocation, report);
    if (html !== undefined) invocation.terminal.note(`Report: ${html}`);
  },
};

async function readModel(id: string | undefined): Promise<string | undefined> {
  if (id === undefined || findModel(id, { catalogue: await loadCatalogue() })?.prices !== undefined) return id;
  throw invalidCliOption("model", `the catalogue has no prices for ${id}.`);
}

function readPolicies(given: string | undefined): readonly ReplayPolicy[] {
  if (given === undefined) return ALL_POLICIES;
  const names = listWords(given.replaceAll(",", " "));
  if (names.length === 0) throw invalidCliOption("policies", "expected names or files, separated by commas.");
  return names.map((name) => ({ name, policy: readPolicy(name) }));
}

function readPolicy(name: string): PolicyInput {
  const known = POLICY_NAMES.find((each) => each === name);
  if (known !== undefined) return known;
  if (!/[./\\]/.test(name)) {
    throw invalidCliOption("policies", `expected a file or one of ${POLICY_NAMES.join(", ")}, found ${name}.`);
  }
  const { server: _server, $schema: _schema, ...policy } = Object(readConfigFile(name));
  checkPolicy(policy, {});
  return policy;
}

type Sessions = AsyncIterable<RecordedSession>;

async function withRecordings<Result>(
  invocation: Invocation,
  problems: string[],
  use: (sessions: Sessions) => Promise<Result>,
): Promise<Result> {
  const { positionals } = invocation;
  const session = readId(invocation, "session");
  if (positionals.length > 0 && session !== undefined) {
    throw invalidCliOption("session", "a session of the store cannot be replayed together with files.");
  }
  if (positionals.length === 0) {
    return withServer(invocation, {}, ({ client }) => use(readStored(client, session)));
  }
  const files = await findFiles(positionals);
  return use(readFiles(files, (file, reason) => void problems.push(`${file.path}: skipped: ${reason}`)));
}

interface ReplayWork {
  readonly sessions: Sessions;
  readonly settings: CopiedSettings;
  readonly problems: string[];
}

async function replayAll(
  invocation: Invocation,
  { sessions, settings, problems }: ReplayWork,
): Promise<readonly SessionReplay[]> {
  const { terminal, text } = invocation;
  const signal = terminal.endings();
  const kept = openReplayFile(text("resume"), settings);
  const replays: SessionReplay[] = [];
  const progress = createProgress(terminal, () => `${describeCount(replays.length, "session", "sessions")} replayed`);
  const skipFinished = async function* (): Sessions & AsyncGenerator<RecordedSession> {
    for await (const session of sessions) {
      const known = kept.find(session);
      if (known === undefined) yield session;
      else replays.push(known);
    }
  };
  try {
    await replayOnThreads(skipFinished(), {
      settings,
      threads: readCount(invocation, "threads", { otherwise: availableParallelism(), most: 64 }),
      signal,
      onReplay: async (session, replay) => {
        replays.push(replay);
        await kept.add(session, replay);
      },
      onFailure: ({ name }, reason) => void problems.push(`${name} was skipped: ${reason}`),
    });
  } finally {
    progress.end();
  }
  if (signal.aborted) problems.push("Stopped early. The figures cover only the finished sessions.");
  return replays;
}

async function save(path: string, content: string): Promise<void> {
  await writeFile(path, content).catch((error: unknown) => {
    throw invalidCliOption("html", `${path} cannot be written: ${explainError(error)}.`, error);
  });
}
