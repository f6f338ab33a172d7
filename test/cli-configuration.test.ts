/** `palimpsest init`, `config`, `policies` and `completions`, through the real binary where a process matters. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { POLICY_NAMES } from "../src/policies/policy-input.ts";
import { runCommand } from "./support/run-command.ts";
import { startCli } from "./support/start-cli.ts";
import { startTestServer } from "./support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-configuration-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const aHome = (): string => mkdtempSync(join(folder, "home-"));
const fileOf = (home: string): string => join(home, "palimpsest.config.json");

describe("palimpsest init", () => {
  test.each(POLICY_NAMES)(
    "writes a file for the policy %s that changes nothing, and every suggestion in it is valid",
    async (policy) => {
      const home = aHome();
      const { code } = await runCommand(["init", "--policy", policy], { PALIMPSEST_HOME: home });
      expect(code).toBe(0);
      const plain = await runCommand(["policies", "validate", fileOf(home), "--json"]);
      const explained = await runCommand(["policies", "explain", policy, "--json"]);
      expect(JSON.parse(plain.out).policy).toEqual(JSON.parse(explained.out).settings);
      // Removes the slashes in front of each setting.
      const text = readFileSync(fileOf(home), "utf8").replaceAll(/^(\s*)\/\/ (?=["{])/gm, "$1");
      writeFileSync(fileOf(home), text);
      expect((await runCommand(["policies", "validate", fileOf(home)])).err).toBe("");
    },
  );

  test("keeps an existing file, and only its owner can read a new one", async () => {
    const home = aHome();
    await runCommand(["init"], { PALIMPSEST_HOME: home });
    expect(statSync(fileOf(home)).mode & 0o077).toBe(0);
    writeFileSync(fileOf(home), "{}");
    const again = await runCommand(["init"], { PALIMPSEST_HOME: home });
    expect(again).toMatchObject({ code: 5, err: expect.stringContaining("was not changed") });
    expect(readFileSync(fileOf(home), "utf8")).toBe("{}");
  });

  test("names the models whose keys are set, and never prints or writes a key", async () => {
    const home = aHome();
    const environment = { PALIMPSEST_HOME: home, ANTHROPIC_API_KEY: "sk-very-secret" };
    const { out, err } = await runCommand(["init"], environment);
    expect(out).toMatch(/Models found: anthropic:claude-/);
    expect(out + err + readFileSync(fileOf(home), "utf8")).not.toContain("very-secret");
  });

  test("a policy saved on the page keeps the comments at the top of the file", async () => {
    const home = aHome();
    await runCommand(["init"], { PALIMPSEST_HOME: home });
    await using server = await startTestServer({ engine: { configFile: fileOf(home) } });
    expect(await server.ask("PUT", "/api/settings", { policy: { pinRatio: 0.1 } })).toMatchObject({ status: 200 });
    const text = readFileSync(fileOf(home), "utf8");
    expect(text).toMatch(/^\/\/ Configuration of Palimpsest[^{]*\{\n {2}"pinRatio": 0.1/);
  });
});

describe("palimpsest config", () => {
  test("shows the file, the variables and what they change", async () => {
    const home = aHome();
    writeFileSync(fileOf(home), '{ "preset": "ratio-chain", /* less */ "minMessages": 20, }');
    const environment = { PALIMPSEST_HOME: home, PALIMPSEST_PIN_RATIO: "0.1", PALIMPSEST_TYPO: "1" };
    const { code, out, err } = await startCli(["config"], { environment }).ended;
    expect(code).toBe(0);
    expect(out).toContain(`file       ${fileOf(home)}\n`);
    expect(out).toContain("variables  PALIMPSEST_PIN_RATIO\n");
    expect(out).toContain("pinRatio: 0.1 instead of 0.25");
    expect(out).toMatch(/triggers: .*"minMessages":20.* instead of/);
    expect(err).toContain("PALIMPSEST_TYPO is set, but nothing reads it.");
  });

  test("shows the policy of a server, as that server applies it", async () => {
    await using server = await startTestServer({ engine: { policy: { preset: "windowed-sql", retention: "keep" } } });
    const { out } = await runCommand(["config", "--server", server.url, "--json"]);
    expect(JSON.parse(out).policy).toMatchObject({ name: "windowed-sql", retention: "keep" });
    const shown = await runCommand(["config", "--server", server.url]);
    expect(shown.out).toContain('retention: "keep" instead of "delete"');
  });

  test("a mistake in the file is reported with its place", async () => {
    const home = aHome();
    writeFileSync(fileOf(home), '// mine\n{\n  "triggerRatio": 0.5\n  "gate": true\n}');
    const { code, err } = await runCommand(["config"], { PALIMPSEST_HOME: home });
    expect(code).toBe(2);
    expect(err).toContain(`${fileOf(home)}: the file cannot be read as JSON, see line 4 column 3.`);
  });
});

describe("palimpsest policies", () => {
  test("lists the six policies, and compares those that are named", async () => {
    const { out } = await runCommand(["policies", "--json"]);
    expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toEqual(POLICY_NAMES);
    const compared = await runCommand(["policies", "compare", "default", "windowed-sql"]);
    expect(compared.out).toMatch(/^setting +default +windowed-sql\n/);
    expect(compared.out).toMatch(/^retention +"keep" +"delete"$/m);
    expect(compared.out).not.toMatch(/^topics.minConfidence/m);
  });

  test("explains a setting with its range, its variable and its value in each policy", async () => {
    const { out } = await runCommand(["policies", "explain", "tail.messages"]);
    expect(out).toContain("tail.messages: How many of the newest messages stay.");
    expect(out).toContain("allowed: a whole number of at least 0");
    expect(out).toContain("variable: PALIMPSEST_TAIL_MESSAGES");
    expect(out).toMatch(/windowed-sql +12/);
  });

  test.each([
    [["explain", "tail.mesages"], 2, "There is no policy or setting tail.mesages. Did you mean tail.messages?"],
    [["compare", "standard"], 2, "Unknown policy standard. The policies are default, "],
    [["forget", "it"], 2, "Expected: npm run palimpsest -- policies"],
    [["validate", "/nowhere/at-all.json"], 2, "/nowhere/at-all.json: the file cannot be read"],
  ] as const)("refuses %j with exit code %i", async (args, code, text) => {
    expect(await runCommand(["policies", ...args])).toMatchObject({ code, err: expect.stringContaining(text) });
  });

  test("an invalid file is refused with the key, its range and the file's name", async () => {
    const path = join(folder, "invalid.json");
    writeFileSync(path, '{ "triggerRatio": 7 }');
    const { code, err } = await runCommand(["policies", "validate", path]);
    expect(code).toBe(2);
    expect(err).toMatch(/invalid\.json: triggerRatio: .*a number above 0 and up to 1/);
  });
});

describe("palimpsest completions", () => {
  test("bash completes commands, and the options of a command", async () => {
    const { out: script } = await runCommand(["completions", "bash"]);
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const { execFileSync } = await import("node:child_process");
      const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
      const source = `${script}\n${set}; _palimpsest; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", source], { encoding: "utf8" }).trim().split("\n");
    };
    expect(await complete("palimpsest", "comp")).toEqual(["compact", "completions"]);
    expect(await complete("palimpsest", "compact", "--pre")).toEqual(["--preview"]);
    expect(await complete("palimpsest", "sessions", "plans")).toEqual([""]);
  });

  test.each(["zsh", "fish"])("%s gets every command with its summary", async (shell) => {
    const { out } = await runCommand(["completions", shell]);
    expect(out).toContain("Show the configuration, and where it comes from.");
    expect(out).toMatch(/policies/);
  });

  test("another shell is refused with the list", async () => {
    expect(await runCommand(["completions", "powershell"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("The shells are bash, zsh, fish."),
    });
  });
});
