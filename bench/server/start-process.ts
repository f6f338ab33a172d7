/** Starts servers and workers as separate processes, which report in one line of JSON that they are ready. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atExit } from "../shared/at-exit.ts";
import type { ProcessFigures } from "./watch-process.ts";

export interface StartedProcess {
  readonly url: string;
  readFigures(): Promise<ProcessFigures>;
  /** Returns the figures after a garbage collection. */
  collect(): Promise<ProcessFigures>;
  /** Stops it as an operator would; returns its exit code. */
  end(): Promise<number | null>;
}

const CLI = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
/** Its packages are installed next to it, separately. */
const PEER_MODULE = "../peers/server-langgraph.mjs";
const WATCH = fileURLToPath(new URL("./watch-process.ts", import.meta.url));

const MAX_COMPLAINT_CHARACTERS = 2_000;

export interface OurServer {
  readonly store: string;
  readonly home: string;
  readonly jobs?: "in-process" | "pg-boss" | undefined;
}

export function startServer({ store, home, jobs = "in-process" }: OurServer): Promise<StartedProcess> {
  const args = ["serve", "--json", "--port", "0", "--store", store, "--home", home, "--jobs", jobs, "--log", "error"];
  return startProcess([CLI, ...args]);
}

export interface OurGateway extends Pick<OurServer, "store" | "home"> {
  readonly upstream: string;
  readonly windowTokens?: number | undefined;
}

export function startGateway({ store, home, upstream, windowTokens }: OurGateway): Promise<StartedProcess> {
  const window = windowTokens === undefined ? [] : ["--gateway-window", String(windowTokens)];
  const place = ["--port", "0", "--store", store, "--home", home];
  return startProcess([CLI, "gateway", "--json", ...place, "--openai", upstream, ...window, "--log", "error"]);
}

/** An upstream of the gateway, without a model. */
export function startUpstream(): Promise<StartedProcess> {
  return startProcess([fileURLToPath(new URL("../gateway/upstream.ts", import.meta.url))]);
}

export function startWorker({ store, home }: OurServer): Promise<StartedProcess> {
  return startProcess([CLI, "worker", "--json", "--store", store, "--check-seconds", "5"], { PALIMPSEST_HOME: home });
}

/** `sqlite` is LangGraph's default, which a power loss may undo; `sqlite-full` is as durable as ours. */
export type PeerMedium = "sqlite" | "sqlite-full" | "postgres";

export function startPeer(medium: PeerMedium, place: string): Promise<StartedProcess> {
  return startProcess([fileURLToPath(new URL(PEER_MODULE, import.meta.url)), medium, place]);
}

async function startProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<StartedProcess> {
  const child = spawn(process.execPath, ["--import", WATCH, ...args], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.once(
    "close",
    atExit(() => child.kill("SIGKILL")),
  );
  const ready = await readFirstLine(child, args);
  const ask = async (message: "read-figures" | "collect"): Promise<ProcessFigures> => {
    const answer = once(child, "message");
    child.send(message);
    const [figures] = await answer;
    return figures as ProcessFigures;
  };
  return {
    url: String(JSON.parse(ready).url ?? ""),
    readFigures: () => ask("read-figures"),
    collect: () => ask("collect"),
    async end() {
      const closed = once(child, "close");
      child.kill("SIGTERM");
      const [code] = await closed;
      return code;
    },
  };
}

async function readFirstLine(child: ChildProcess, args: readonly string[]): Promise<string> {
  if (child.stdout === null || child.stderr === null) throw new Error("it printed nothing readable");
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-MAX_COMPLAINT_CHARACTERS);
  });
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, "line"), once(child, "close").then(() => undefined)]);
  if (line === undefined) throw new Error(`${args.join(" ")} ended before it was ready: ${complaints}`);
  // Later output is dropped, so that it does not fill the pipe.
  child.stdout.resume();
  return String(line[0]);
}
