/** `palimpsest serve` as an operator runs it: a real process, its socket, and signals. */
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findHome } from "../../src/cli/setup/find-home.ts";
import { runCommand } from "../support/run-command.ts";
import { startServe } from "../support/serve-process.ts";
import { type CliProcess, startCli } from "../support/start-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-serve-"));
const started: CliProcess[] = [];
afterAll(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

let homes = 0;
function newHome(): string {
  homes += 1;
  return join(folder, `home-${homes}`);
}

interface ServeProcess extends CliProcess {
  readonly ready: { readonly url: string; readonly port: number; readonly models: readonly string[] };
}

function start(args: readonly string[], environment: Readonly<Record<string, string>>): CliProcess {
  const process = startCli(["serve", ...args], { environment });
  started.push(process);
  return process;
}

async function serve(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<ServeProcess> {
  const process = start(["--port", "0", "--json", ...args], environment);
  await expect
    .poll(() => process.out().includes("\n") || process.child.exitCode !== null, { timeout: 60_000 })
    .toBe(true);
  return { ...process, ready: JSON.parse(process.out()) };
}

async function say(url: string, text: string): Promise<number> {
  const response = await fetch(`${url}/api/sessions/one/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ id: text, role: "user", content: text }] }),
  });
  await response.text();
  return response.status;
}

async function create(url: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/api/sessions`, { method: "POST", headers, body: JSON.stringify({ id: "one" }) });
}

describe("palimpsest serve", () => {
  test("prints its address, and keeps sessions in a private folder, even across a restart", async () => {
    const home = newHome();
    const first = await serve([], { PALIMPSEST_HOME: home });
    expect(first.out().trimEnd().split("\n")).toHaveLength(1);
    expect(first.ready).toMatchObject({ event: "ready", models: ["offline"], store: `sqlite:${home}/palimpsest.db` });
    await create(first.ready.url);
    expect(await say(first.ready.url, "Good morning.")).toBe(200);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, "palimpsest.db")).mode & 0o777).toBe(0o600);
    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 0 });
    const second = await serve([], { PALIMPSEST_HOME: home });
    const found = await fetch(`${second.ready.url}/api/sessions/one/messages`);
    expect(await found.json()).toMatchObject({ entries: [{ message: { id: "Good morning." } }] });
    second.child.kill("SIGINT");
    expect(await second.ended).toMatchObject({ code: 0 });
  });

  test("prints its address, its model and the next steps", async () => {
    const { child, out, ended } = start(["--port", "0"], { PALIMPSEST_HOME: newHome() });
    await expect.poll(() => out(), { timeout: 60_000 }).toContain("Ctrl-C");
    expect(out()).toMatch(/^Palimpsest is at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(out()).toMatch(/model {4}offline/);
    expect(out()).toMatch(/npm run palimpsest -- chat --server http:\/\/127\.0\.0\.1:\d+, in another terminal/);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, err: expect.stringContaining("Stopping") });
  });

  test("the gateway prints its addresses, and no page to open", async () => {
    const gateway = startCli(["gateway", "--port", "0"], { environment: { PALIMPSEST_HOME: newHome() } });
    started.push(gateway);
    await expect.poll(() => gateway.out(), { timeout: 60_000 }).toContain("Ctrl-C");
    expect(gateway.out()).toMatch(/gateway {2}http:\/\/127\.0\.0\.1:\d+ for clients of Anthropic's API/);
    expect(gateway.out()).not.toContain("in a browser");
    gateway.child.kill("SIGTERM");
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  test("ends at once on a second signal, even while a request is running", async () => {
    const { child, ready, err, ended } = await serve([], { PALIMPSEST_HOME: newHome() });
    // The server has started to read a body that never arrives.
    const headers = { "content-type": "application/json", "content-length": "100", expect: "100-continue" };
    const waiting = request(`${ready.url}/api/sessions`, { method: "POST", headers });
    // The connection is closed, or answered with the shutdown.
    const gone = new Promise<void>((resolve) => waiting.on("error", () => undefined).once("close", resolve));
    waiting.flushHeaders();
    await once(waiting, "continue");
    child.kill("SIGINT");
    await expect.poll(() => err()).toContain("A second signal");
    expect(child.exitCode).toBeNull();
    child.kill("SIGTERM");
    expect((await ended).code).not.toBe(0);
    await gone;
  });

  test("reports a port in use with advice, and ends", async () => {
    const other = createServer();
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const taken = await start(["--port", String(port)], { PALIMPSEST_HOME: newHome() }).ended;
    other.close();
    expect(taken).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/already in use.*--port/) });
  });

  test.each([
    [["--port", "99999"], {}, /--port: expected a number/],
    [["--jobs", "pg-boss"], {}, /--jobs: .*postgres/],
    [["--workspace", "/no/such/folder"], {}, /--workspace: there is no folder/],
    [["--config", "/no/such/file.json"], {}, /file\.json/],
    [["--home", "/dev/null/home"], {}, /home: .*--home or PALIMPSEST_HOME/],
    [["--store", "file:x"], {}, /sqlite:/],
    [[], { PALIMPSEST_MODEL: "gpt-5" }, /PALIMPSEST_MODEL: the model gpt-5 is not available/],
  ] as const)(
    "exits with a message and code 2 for the arguments %j and the environment %j",
    async (args, environment, words) => {
      const ended = await runCommand(["serve", "--port", "0", ...args], {
        PALIMPSEST_HOME: newHome(),
        ...environment,
      });
      expect(ended).toMatchObject({ code: 2, out: "", err: expect.stringMatching(words) });
    },
  );

  test("finds models in the environment and the configuration file, and never prints a key", async () => {
    const home = newHome();
    const key = "sk-this-is-no-key-of-anybody-0123456789";
    const file = join(folder, "config.json");
    const connections = [
      { name: "vllm", baseUrl: "http://127.0.0.1:9/v1", models: ["qwen3"], keyVariable: "VLLM_KEY" },
    ];
    writeFileSync(file, JSON.stringify({ preset: "rolling-chat", server: { connections } }));
    const environment = { PALIMPSEST_HOME: home, ANTHROPIC_API_KEY: key, VLLM_KEY: key };
    const { child, ready, ended } = await serve(["--config", file], environment);
    expect(ready.models[0]).toBe("vllm:qwen3");
    expect(ready.models).toContainEqual(expect.stringMatching(/^anthropic:claude-/));
    child.kill("SIGTERM");
    const { out, err, code } = await ended;
    expect(code).toBe(0);
    expect(out + err).not.toContain(key);
  });

  test.runIf(process.platform === "linux")("returns memory to the system after its start", async () => {
    const { child, ended } = await serve(["--store", "memory:"], { PALIMPSEST_HOME: newHome() });
    const read = (field: string) => {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
    };
    await expect.poll(() => read("VmRSS") / read("VmHWM")).toBeLessThan(0.85);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
  });

  test("creates no home folder if another store is named", async () => {
    const home = newHome();
    const server = await startServe({ args: ["--store", "memory:"], environment: { PALIMPSEST_HOME: home } });
    expect(await server.end()).toBe(0);
    expect(existsSync(home)).toBe(false);
  });
});

describe("the home folder", () => {
  test.each([
    ["/home/ada/.local/share/palimpsest", "linux", { HOME: "/home/ada" }],
    ["/data/palimpsest", "linux", { HOME: "/home/ada", XDG_DATA_HOME: "/data" }],
    ["/Users/ada/Library/Application Support/Palimpsest", "darwin", { HOME: "/Users/ada" }],
    ["/local/Palimpsest", "win32", { LOCALAPPDATA: "/local" }],
    ["/elsewhere", "linux", { HOME: "/home/ada", PALIMPSEST_HOME: "/elsewhere" }],
  ] as const)("is %s on %s with the environment %j", (home, platform, environment) => {
    expect(findHome({ environment, platform })).toBe(home);
  });
});
