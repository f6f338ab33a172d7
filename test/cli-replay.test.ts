/** `palimpsest replay` on a recording of this test's own, through the real command, with its threads. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { POLICY_NAMES } from "../src/policies/policy-input.ts";
import { runCommand } from "./support/run-command.ts";
import { startCli } from "./support/start-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODEL = "claude-sonnet-4-5";
const ROUNDS = 12;
const PREFIX_TOKENS = 3_000;
const START = Date.parse("2026-03-02T09:00:00Z");

/** Rounds of reading a file and answering about it, 20 s apart, with a pause of ten minutes in the middle. */
function writeRecording(id: string): string {
  const lines: object[] = [];
  let [parent, tokens, time]: [string | null, number, number] = [null, PREFIX_TOKENS, START];
  const add = (type: "user" | "assistant", content: unknown, rest: object = {}) => {
    const uuid = `${id}-${lines.length}`;
    const message = { role: type, content, ...rest };
    lines.push({ type, uuid, parentUuid: parent, sessionId: id, timestamp: new Date(time).toISOString(), message });
    parent = uuid;
    time += 10_000;
  };
  const usage = (fresh: number) => ({
    input_tokens: 10,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: fresh,
    output_tokens: 40,
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round === ROUNDS / 2) time += 600_000;
    const file = `src/pier_${round}/cargo_list.ts`;
    add("user", `Read ${file} and compare it with src/pier_0/cargo_list.ts, please.`);
    const call = { type: "tool_use", id: `toolu_${id}_${round}`, name: "Read", input: { file_path: file } };
    add("assistant", [call], { id: `msg_${id}_${round}a`, model: MODEL, usage: usage(400) });
    const text = `export const crates_${round} = [${"'rope', 'sail', ".repeat(60)}];`;
    add("user", [{ type: "tool_result", tool_use_id: call.id, content: text }]);
    const reply = { id: `msg_${id}_${round}b`, model: MODEL, usage: usage(500) };
    add("assistant", [{ type: "text", text: `crates_${round} has 120 items, like pier_0.` }], reply);
    tokens += 900;
  }
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

const WINDOW = ["--window", "7000"];

describe("palimpsest replay", () => {
  test("compares the policies in requests, dollars and what they forget, and prices the recording exactly", async () => {
    const path = writeRecording("harbor");
    const { code, out } = await runCommand(["replay", path, ...WINDOW, "--json"]);
    expect(code).toBe(0);
    const { sum, sessions, advice } = JSON.parse(out);
    expect(Object.keys(sum.policies)).toEqual(["full history", "as recorded", ...POLICY_NAMES]);
    for (const name of POLICY_NAMES) {
      const { requests, inputTokens, readTokens, writes, complaints, checked } = sum.policies[name];
      expect([name, requests, complaints]).toEqual([name, 2 * ROUNDS, 0]);
      expect(checked).toBeGreaterThan(0);
      const { growth, expired, rewrite } = writes;
      expect(growth + expired + rewrite + readTokens).toBeCloseTo(inputTokens, 3);
      expect(expired).toBeGreaterThan(0);
    }
    const { default: ours, "full history": all } = sum.policies;
    expect(ours).toMatchObject({ overBudget: 0 });
    expect(ours.compactions).toBeGreaterThan(0);
    expect(ours.peakTokens).toBeLessThan(all.peakTokens);
    expect(all.atMarks.names).toMatchObject({ found: all.atMarks.names.needed });
    // $3 a million for new tokens, a tenth to read, five quarters to write; $15 for replies.
    const rounds = Array.from({ length: ROUNDS }, (_, round) => PREFIX_TOKENS + 900 * round);
    const read = rounds.reduce((total, tokens) => total + 2 * tokens, 0);
    const usd = (20 * ROUNDS * 3 + read * 0.3 + 900 * ROUNDS * 3.75) / 1e6;
    expect(sum.recorded.inputUsd).toBeCloseTo(usd, 9);
    expect(sum.recorded.outputUsd).toBeCloseTo((80 * ROUNDS * 15) / 1e6, 9);
    expect(sessions[0].policies.default.points).toHaveLength(2 * ROUNDS);
    expect(POLICY_NAMES).toContain(advice.cheapest);
  });

  test("a second run resumes from the file of the first, and both print the same", async () => {
    const [first, second] = [writeRecording("pier"), writeRecording("quay")];
    const resume = join(folder, "finished.jsonl");
    const options = ["--policies", "default,ratio-chain", ...WINDOW, "--json", "--threads", "2"];
    await runCommand(["replay", first, ...options, "--resume", resume]);
    const kept = readFileSync(resume, "utf8");
    // A killed process leaves half a line.
    writeFileSync(resume, `${kept}{"key":"abc","repl`);
    const resumed = await runCommand(["replay", first, second, ...options, "--resume", resume]);
    const fresh = await runCommand(["replay", first, second, ...options]);
    expect(resumed.out).toBe(fresh.out);
    expect(JSON.parse(fresh.out).sessions.map(({ name }: { name: string }) => name)).toEqual([
      "pier.jsonl",
      "quay.jsonl",
    ]);
    expect(readFileSync(resume, "utf8").startsWith(kept)).toBe(true);
  });

  test("the report is one page without scripts and requests, and text of files is no markup in it", async () => {
    const path = writeRecording("<img src=x onerror=alert(1)>".replaceAll("/", ""));
    const html = join(folder, "report.html");
    const { code, out } = await runCommand(["replay", path, "--policies", "default", ...WINDOW, "--html", html]);
    expect(code).toBe(0);
    expect(out).toMatch(/^policy +cost +cached/m);
    // One policy is no comparison.
    expect(out).not.toMatch(/^Keep default|^Cheapest without/m);
    const page = readFileSync(html, "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<img|https?:\/\/|url\(/);
    expect(page).toContain("&lt;img src=x");
    expect(page.match(/<polyline/g)).toHaveLength(6);
  });

  test("an existing report stays unless --force is given, and a broken line of a recording is named", async () => {
    const path = writeRecording("broken");
    const html = join(folder, "kept.html");
    writeFileSync(html, "mine");
    expect(await runCommand(["replay", path, "--html", html])).toMatchObject({ code: 2 });
    expect(readFileSync(html, "utf8")).toBe("mine");
    writeFileSync(path, `${readFileSync(path, "utf8")}\n{"type":"user", BROKEN`);
    const resume = join(folder, "foreign.jsonl");
    writeFileSync(resume, '{"key":"a","replay":null}\n');
    const options = ["--policies", "default", ...WINDOW, "--html", html, "--force", "--resume", resume];
    const { code, err } = await runCommand(["replay", path, ...options]);
    expect(code).toBe(0);
    expect(err).toMatch(/broken\.jsonl: skipped: line \d+: /);
    expect(readFileSync(html, "utf8")).toContain("<!doctype html>");
  });

  test("a session of a store is replayed with the times and the usage that were stored", async () => {
    const home = mkdtempSync(join(folder, "home-"));
    const environment = { PALIMPSEST_HOME: home };
    expect((await runCommand(["import", writeRecording("stored")], environment)).code).toBe(0);
    const { out } = await runCommand(["replay", "--policies", "default", ...WINDOW, "--json"], environment);
    const { sum } = JSON.parse(out);
    expect(sum).toMatchObject({ sessions: 1, requests: 2 * ROUNDS });
    expect(sum.recorded.requests).toBe(2 * ROUNDS);
  });

  test("names what cannot be replayed, and refuses wrong options", async () => {
    const text = join(folder, "notes.md");
    writeFileSync(text, "# Shopping\n\n- bread\n");
    expect(await runCommand(["replay", text])).toMatchObject({
      code: 3,
      err: expect.stringContaining("notes.md: skipped"),
    });
    expect(await runCommand(["replay", join(folder, "nothing.jsonl")])).toMatchObject({ code: 2 });
    expect(await runCommand(["replay", text, "--model", "clode"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--model: the catalogue has no prices for clode."),
    });
    const unknown = await runCommand(["replay", text, "--policies", "standard"]);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("expected a file or one of default") });
  });

  test("Ctrl-C ends it with the figures of the finished sessions", async () => {
    const resume = join(folder, "interrupted.jsonl");
    const paths = Array.from({ length: 6 }, (_, index) => writeRecording(`ship-${index}`));
    const options = ["--policies", "default", ...WINDOW, "--threads", "1", "--json", "--resume", resume];
    const { child, ended } = startCli(["replay", ...paths, ...options]);
    await expect.poll(() => existsSync(resume)).toBe(true);
    child.kill("SIGINT");
    const { out, err } = await ended;
    const { sum } = JSON.parse(out);
    expect(sum.sessions).toBeGreaterThanOrEqual(1);
    expect(sum.sessions).toBeLessThan(paths.length);
    expect(err).toContain("Stopped early");
  });
});
