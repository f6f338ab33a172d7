/** `palimpsest chat`: a conversation in the terminal, in this process or with a server, typed or piped. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runCli } from "../src/cli/run-cli.ts";
import { createChatModels } from "../src/cli/setup/serve-options.ts";
import { loadCatalogue } from "../src/counters/create-catalogue.ts";
import { findModels } from "../src/models/find-models.ts";
import { shows } from "../src/testing/shows.ts";
import { repositoryRoot } from "./support/read-repository.ts";
import { type ProviderScript, type ScriptedProvider, startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies } from "./support/scripted-provider-reply.ts";
import { startCli } from "./support/start-cli.ts";
import { startTestServer, type TestServer } from "./support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-chat-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface TypedInput {
  readonly lines: readonly string[];
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly isInteractive?: boolean | undefined;
  /** Called with each piece of output, and with a function that presses Ctrl-C. */
  readonly onWrite?: ((text: string, interrupt: () => void) => void) | undefined;
}

/** Runs `palimpsest chat` with these lines as input, and returns its output and exit code. */
async function chat(args: readonly string[], { lines, environment = {}, isInteractive = false, onWrite }: TypedInput) {
  const [out, err]: [string[], string[]] = [[], []];
  const waiting = [...lines];
  const listeners = new Set<() => void>();
  const interrupt = (): void => listeners.forEach((listener) => void listener());
  const code = await runCli(["chat", ...args], {
    print: async (line) => void out.push(`${line}\n`),
    write: async (text) => {
      out.push(text);
      onWrite?.(text, interrupt);
    },
    note: (line) => void err.push(`${line}\n`),
    input: () => ({
      isInteractive,
      next: async () => waiting.shift(),
      onInterrupt(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: () => void waiting.splice(0),
    }),
    environment: { PALIMPSEST_HOME: folder, ...environment },
    endings: () => new AbortController().signal,
  });
  return { code, out: out.join(""), err: err.join("") };
}

async function startWith(
  script: ProviderScript,
  engine = {},
): Promise<TestServer & { readonly provider: ScriptedProvider }> {
  const provider = await startScriptedProvider(script);
  const environment = { PALIMPSEST_BASE_URL: `${provider.url}/v1`, PALIMPSEST_MODEL: "any" };
  const { models } = await findModels({ environment, config: { connections: [] }, catalogue: await loadCatalogue() });
  const server = await startTestServer({ models: createChatModels(models), engine });
  return {
    ...server,
    provider,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await provider.close();
    },
  };
}

/** The program that runs a command in a pseudo-terminal: part of util-linux, with other options elsewhere. */
const hasTerminals = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

/** Runs a command in a pseudo-terminal and types the next keys whenever it waits for input. */
async function typeKeys(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  keys: readonly string[],
) {
  const command = [process.execPath, join(repositoryRoot, "src/cli/main.ts"), ...args].join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { env: { PATH: process.env.PATH, ...environment } });
  const waiting = [...keys];
  let [shown, answered] = ["", 0];
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    const prompts = shown.split(/\[3G|again to end/).length - 1;
    if (prompts <= answered) return;
    answered = prompts;
    child.stdin.write(waiting.shift() ?? "");
  });
  await once(child, "close");
  return shown;
}

describe("palimpsest chat", () => {
  test("reads each line from a pipe as a turn, without a server or a key, and stores it", async () => {
    const input = "Ada owns the budget for the launch in March.\nWho owns the budget?\n/budget\n/quit\nnever said\n";
    const { code, out, err } = await startCli(["chat", "plans"], { environment: { PALIMPSEST_HOME: folder }, input })
      .ended;
    expect(err).toMatch(/\(\d+ of \d+ tokens\)/);
    expect(code).toBe(0);
    expect(out).toContain("“Ada owns the budget for the launch in March.”");
    const again = await chat(["plans", "--json"], { lines: ["Who owns the budget?"] });
    expect(JSON.parse(again.out)).toMatchObject({
      said: "Who owns the budget?",
      sessionId: "plans",
      text: expect.stringContaining("Ada owns the budget"),
    });
  });

  test("shows a reply while it streams, with control characters escaped", async () => {
    await using server = await startWith([{ type: "text", text: "Good\u001b[2J\nday." }]);
    const pieces: string[] = [];
    const { code, out } = await chat(["one", "--server", server.url], {
      lines: ["Hello."],
      onWrite: (text) => void pieces.push(text),
    });
    expect(code).toBe(0);
    expect(out).toBe("Good\\u001b[2J\nday.\n");
    expect(pieces.length).toBeGreaterThan(1);
    expect(server.provider.requests).toHaveLength(1);
  });

  test("says why a turn with failing tool calls ended, with exit code 1", async () => {
    await using server = await startWith(() => scriptedReplies.toolCall("launch", { to: "moon" }));
    const { code, err } = await chat(["one", "--server", server.url], { lines: ["Launch it."] });
    expect([code, server.provider.requests.length]).toEqual([1, 3]);
    expect(err).toContain("The reply failed: The model's tool calls failed 3 times; the last was launch: ");
  });

  test("begins a new session if none is named, and prints its id", async () => {
    await using server = await startWith([{ type: "text", text: "Yes." }]);
    const { err } = await chat(["--server", server.url], { lines: ["Is it?"], isInteractive: true });
    const [, id] = /^Session (\S+)\. \/help/.exec(err) ?? [];
    expect((await server.ask("GET", `/api/sessions/${id}`)).body).toMatchObject({ messageCount: 2 });
    expect(err).toContain("Model: compatible:any.");
    const here = await chat([], { lines: [], isInteractive: true });
    expect(here.err).toContain("Model: offline, which quotes earlier messages.");
  });

  test("runs lines with a slash as commands, and lists them", async () => {
    await using server = await startWith(() => ({ type: "text", text: "It is noted." }));
    const texts = Array.from({ length: 12 }, (_, index) => `Thing ${index}: ${"the quick brown fox ".repeat(30)}`);
    const verbs = ["/compact keep the numbers", "/undo", "/pin", "/pin Be brief.", "/clear", "/budget", "/what"];
    const { err, code } = await chat(["one", "--server", server.url], {
      lines: [...texts, ...verbs],
      isInteractive: true,
    });
    expect(code).toBe(0);
    expect(err).toMatch(/\(\d+ → \d+ tokens; \/undo undoes it\)\n\(undid summary\)\n\(pinned\)\n\(pinned\)/);
    expect(err).toContain("(cleared; /undo undoes it)");
    expect(err).toContain("Unknown command /what. The commands are:\n/compact");
    expect(err).toContain("/compact [instructions]: summarizes");
    const plan = (await server.ask("GET", "/api/sessions/one/plan")).body;
    expect(JSON.stringify(plan)).toContain("cleared");
  });

  describe("/resummarize", () => {
    const texts = Array.from({ length: 12 }, (_, index) => `Crate ${index} is blue. ${"It is heavy. ".repeat(40)}`);
    const linesOf = (...verbs: readonly string[]) => ({ lines: [...texts, ...verbs, "/quit"] });
    const isAboutSummary = (body: string) => body.includes("<meta total_messages=");
    const script: ProviderScript = ({ body }, index) =>
      isAboutSummary(JSON.stringify(body))
        ? scriptedReplies.json({
            summary: `The crates are blue and heavy, ${"abcdefghijklmnopqrstuvwxyz"[index % 26]}.`,
            keyPoints: ["the crates are blue"],
            context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
          })
        : scriptedReplies.text("It is noted.");

    test(
      shows(["S4-91", "S0-52", "X-3"], "asks the model to rewrite the summary with the instructions, without a server"),
      async () => {
        const provider = await startScriptedProvider(script);
        const home = mkdtempSync(join(folder, "home-"));
        const environment = {
          PALIMPSEST_HOME: home,
          PALIMPSEST_BASE_URL: `${provider.url}/v1`,
          PALIMPSEST_MODEL: "any",
        };
        const lines = linesOf("/compact", "/resummarize Keep the colours.", "/undo");
        const { code, err } = await chat(["crates"], { ...lines, environment });
        expect(code).toBe(0);
        expect(err).toMatch(/→ \d+ tokens; \/undo undoes it\)\n\(summary rewritten; \/undo restores/);
        expect(err).toContain("(undid summary)");
        const asked = provider.requests.map(({ body }) => JSON.stringify(body));
        expect(asked.filter((body) => body.includes("Keep the colours.") && isAboutSummary(body))).toHaveLength(1);
        await provider.close();
      },
    );

    test(shows(["S4-91", "S0-52"], "rewrites the summary of a session on a server"), async () => {
      await using server = await startWith(() => scriptedReplies.text("It is noted."));
      const lines = linesOf("/resummarize", "/resummarize Keep the colours.", "/help");
      const { code, err } = await chat(["crates", "--server", server.url], lines);
      expect(code).toBe(0);
      // There is no summary at first, so the first command writes it.
      expect(err).toMatch(/\(\d+ → \d+ tokens; \/undo undoes it\)\n\(summary rewritten; \/undo restores/);
      expect(err).toContain("/resummarize [instructions]: rewrites the summary");
      const { summaries } = (await server.ask("GET", "/api/sessions/crates/summaries")).body;
      expect(summaries).toMatchObject([
        { isLive: false, record: { depth: 0 } },
        { isLive: true, record: { depth: 0, instructions: "Keep the colours." } },
      ]);
    });

    test(shows("S4-91", "reports that there is nothing to summarize"), async () => {
      await using server = await startWith(() => scriptedReplies.text("It is noted."));
      const { err } = await chat(["crates", "--server", server.url], { lines: ["Hello.", "/resummarize"] });
      expect(err).toMatch(/\(nothing to compact\. [A-Z].+\.\)/);
    });
  });

  test("/expand shows what a summary covers, /recall quotes earlier messages, /fork continues in a new session", async () => {
    await using server = await startWith(() => scriptedReplies.text("It is noted."));
    const texts = Array.from({ length: 12 }, (_, index) => `Crate ${index} is blue. ${"It is heavy. ".repeat(40)}`);
    const verbs = ["/expand", "/compact", "/expand", "/recall crate 3", "/recall", "/fork x", "/fork 4", "/budget"];
    const { err, code } = await chat(["one", "--server", server.url], {
      lines: [...texts, ...verbs],
      isInteractive: true,
    });
    expect(code).toBe(0);
    expect(err).toContain("(there is no summary)");
    expect(err).toMatch(/^user.*\n(?:.*\n)?.*Crate 0 is blue/m);
    expect(err).toMatch(/\(\d+ messages\)/);
    expect(err).toMatch(/^#\d+ user: Crate 3 is blue/m);
    expect(err).toContain("(say what to look for: /recall <query>)");
    expect(err).toContain("(expected the number of a message, as in /fork 12)");
    const [, fork] = /\(continues in (\S+); one stays as it is\)/.exec(err) ?? [];
    expect((await server.ask("GET", `/api/sessions/${fork}`)).body).toMatchObject({ messageCount: 3 });
    // Interactive users see the budget after each reply.
    expect(err.match(/^\(\d+ of \d+ tokens/gm)?.length).toBe(13);
  });

  test("reports that there is nothing to undo, and that a pin is too large", async () => {
    await using server = await startWith(() => ({ type: "text", text: "Noted." }), { windowTokens: 2_000 });
    const lines = ["Hello.", "/undo", `/pin ${"the quick brown fox ".repeat(400)}`];
    const { err } = await chat(["one", "--server", server.url], { lines });
    expect(err).toContain("(nothing to undo)");
    expect(err).toMatch(/\(not pinned: all pins would take \d+ tokens, \d+ are allowed\)/);
  });

  test(shows("S4-90", "shows a compaction before a reply as one line, where it happened"), async () => {
    await using server = await startWith(() => ({ type: "text", text: "Noted." }), { windowTokens: 2_000 });
    const lines = Array.from({ length: 20 }, (_, index) => `Thing ${index}: ${"the quick brown fox ".repeat(20)}`);
    const { err } = await chat(["one", "--server", server.url], { lines });
    expect(err).toMatch(/^\(compacted: \d+ → \d+ tokens\. .+\)$/m);
  });

  test("in a terminal, a backslash continues a line, a pasted text is one message, and Ctrl-C twice ends the chat", async ({
    skip,
  }) => {
    skip(!hasTerminals, "the program script of util-linux is missing");
    const home = mkdtempSync(join(folder, "home-"));
    const keys = ["Ada owns \\\r", "the budget.\r", "\u001b[200~one\rtwo\u001b[201~ three\r", "half\u0003", "\u0003"];
    const shown = await typeKeys(["chat", "plans"], { PALIMPSEST_HOME: home }, keys);
    expect(shown).toContain("Press Ctrl-C again to end the chat.");
    const { out } = await startCli(["show", "plans", "--json"], { environment: { PALIMPSEST_HOME: home } }).ended;
    const messages = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).message);
    const typed = messages.filter(({ role }) => role === "user").map(({ parts }) => parts[0].text);
    expect(typed).toEqual(["Ada owns \nthe budget.", "one\ntwo three"]);
  });

  test("Ctrl-C stops the reply, keeps its partial text, and the chat continues", async () => {
    const slowly = scriptedReplies.slow("and so on ".repeat(5_000));
    await using server = await startWith([slowly, scriptedReplies.text("Still here.")]);
    let isPressed = false;
    const { out, code } = await chat(["one", "--server", server.url], {
      lines: ["Tell me everything.", "Are you there?"],
      isInteractive: true,
      onWrite(_, interrupt) {
        if (!isPressed) interrupt();
        isPressed = true;
      },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/Still here\.\n$/);
    const { entries } = (await server.ask("GET", "/api/sessions/one/messages")).body;
    expect(entries.map(({ message }: { message: { role: string } }) => message.role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test("reports a failed reply, and exits with an error code", async () => {
    await using server = await startWith(() => scriptedReplies.unauthorised());
    const { code, err } = await chat(["one", "--server", server.url], { lines: ["Hello."] });
    expect(err).toContain("The reply failed");
    expect(code).toBe(1);
  });

  test("explains what to do if the server cannot be reached, and reports a refused request", async () => {
    const away = await chat(["one", "--server", "http://127.0.0.1:9"], { lines: ["Hello."] });
    expect(away).toMatchObject({ code: 6, err: expect.stringContaining("npm run palimpsest -- serve") });
    expect(await chat(["--server", "nowhere"], { lines: [] })).toMatchObject({ code: 2 });
    await using server = await startWith([]);
    const refused = await chat(["one", "--server", server.url, "--model", "nobody"], { lines: ["Hello."] });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("expected one of") });
    const stale = await chat(["--server", server.url], { lines: ["Hello."], environment: { PALIMPSEST_TOKEN: "old" } });
    expect(stale).toMatchObject({ code: 2, err: expect.stringMatching(/uses no tokens.*PALIMPSEST_TOKEN/) });
  });

  test("names the environment variable of a missing token or key", async () => {
    await using server = await startTestServer({ tokens: [] });
    const missing = await chat(["--server", server.url], { lines: ["Hello."] });
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("PALIMPSEST_TOKEN") });
    const keyless = await chat(["--model", "anthropic:claude-sonnet-5"], { lines: ["Hello."] });
    expect(keyless).toMatchObject({
      code: 2,
      err: "--model: the model anthropic:claude-sonnet-5 is not available. Set ANTHROPIC_API_KEY to your API key. (config-invalid)\n",
    });
    const offline = await chat(["--model", "offline"], { lines: ["Hello."] });
    expect(offline.code).toBe(0);
  });
});
