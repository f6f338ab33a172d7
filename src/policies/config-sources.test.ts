import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolvePolicy } from "../../test/support/core-values.ts";
import type { PalimpsestError } from "../core/errors.ts";
import { shows } from "../testing/shows.ts";
import { CONFIG_FILE, createPolicySource, mergeSources, type PolicySourceOptions } from "./config-sources.ts";
import { DEFAULT_POLICY } from "./default-policy.ts";
import type { PolicyInput } from "./policy-input.ts";
import { PRESETS } from "./presets.ts";

describe("mergeSources", () => {
  test("mergeSources without sources returns the default policy", () => {
    expect(mergeSources({})).toEqual(DEFAULT_POLICY);
  });

  test("the call wins over the environment, the file and the default", () => {
    const file = { pauseMs: 1, pinRatio: 0.1, tail: { messages: 1, rounds: 7 } };
    const environment = { PALIMPSEST_PAUSE_MS: "2", PALIMPSEST_TAIL_MESSAGES: "2" };
    const call = { pauseMs: 3 };
    expect(mergeSources({ file })).toMatchObject({ pauseMs: 1, pinRatio: 0.1, tail: { messages: 1 } });
    expect(mergeSources({ file, environment })).toMatchObject({ pauseMs: 2, pinRatio: 0.1 });
    expect(mergeSources({ file, environment, call })).toEqual({
      ...DEFAULT_POLICY,
      pauseMs: 3,
      pinRatio: 0.1,
      tail: { ...DEFAULT_POLICY.tail, messages: 2, rounds: 7 },
    });
  });

  test("the last source that names a preset chooses it", () => {
    const file = { preset: "ratio-chain" };
    const environment = { PALIMPSEST_POLICY: "workspace" };
    expect(mergeSources({ file }).name).toBe("ratio-chain");
    expect(mergeSources({ file, environment }).name).toBe("workspace");
    expect(mergeSources({ file, environment, call: "default" }).name).toBe("default");
    expect(mergeSources({ file, environment, call: {} }).name).toBe("workspace");
  });

  test("a preset from a later source keeps earlier settings, but drops another document's keys", () => {
    const file = { preset: "ratio-chain", minMessages: 30, preserveRecent: 9, pinRatio: 0.1 };
    expect(mergeSources({ file, call: "workspace" })).toEqual({ ...PRESETS.workspace, pinRatio: 0.1 });
    const rolling = { preset: "rolling-chat", maxSummaryTokens: 200 };
    expect(mergeSources({ file: rolling, call: "agent-rounds" })).toEqual(PRESETS["agent-rounds"]);
  });

  test("a later source may use the document keys of the preset that an earlier one names", () => {
    const file = { preset: "agent-rounds", AgentHistorySummarizationWithPromptCache: true };
    expect(mergeSources({ file }).summary.strategy).toBe("handoff-after-prompt");
    const call = { AgentHistorySummarizationWithPromptCache: false } as PolicyInput;
    expect(mergeSources({ file, call }).summary.strategy).toBe("handoff-full");
  });

  test("a guard from a later source applies to a refresh trigger from an earlier one", () => {
    const file = { preset: "ratio-chain", forceRefreshAfterMessages: 30 };
    const { triggers } = mergeSources({ file, call: { preset: "ratio-chain", minMessages: 20 } });
    expect(triggers).toMatchObject([
      { type: "ratio", minMessages: 20 },
      { type: "refresh", everyMessages: 30, minMessages: 20 },
    ]);
  });

  test("a forced model is listed once, and a later source can remove it", () => {
    const preset = "agent-rounds";
    const file = { preset, AgentHistorySummarizationForceGpt41: true };
    const preference = (AgentHistorySummarizationForceGpt41: boolean) =>
      mergeSources({ file, call: { preset, AgentHistorySummarizationForceGpt41 } }).summary.modelPreference;
    expect(preference(true)).toEqual(["gpt-4.1"]);
    expect(preference(false)).toEqual([]);
  });

  test("the document variables of the environment apply to a preset that the call chooses", () => {
    const settings = mergeSources({ environment: { MAX_CHAT_HISTORY: "9" }, call: "windowed-sql" });
    expect(settings.triggers).toContainEqual({ type: "messages", maxMessages: 9 });
    expect(settings.tail).toEqual({ messages: 9, otherwiseTokens: 5_500, otherwiseExchanges: 2 });
  });

  test("settings of different sources that contradict each other are refused", () => {
    const file = { targetRatio: 0.5 };
    expect(mergeSources({ file, environment: { PALIMPSEST_TRIGGER_RATIO: "0.5" } }).triggerRatio).toBe(0.5);
    expect(() => mergeSources({ file, environment: { PALIMPSEST_TRIGGER_RATIO: "0.4" } })).toThrow(
      "targetRatio: expected at most the triggerRatio, 0.4, found 0.5.",
    );
  });

  test("the $schema key of a file must be a string and is otherwise ignored", () => {
    expect(mergeSources({ file: { $schema: "./palimpsest.schema.json" } })).toEqual(DEFAULT_POLICY);
    expect(() => mergeSources({ file: { $schema: 5 } })).toThrow("$schema: expected a string, found 5.");
  });

  test("a file may contain only the name of a preset", () => {
    expect(mergeSources({ file: "rolling-chat" })).toEqual(PRESETS["rolling-chat"]);
  });
});

describe("createPolicySource", () => {
  let folder = "";
  let path = "";
  let errors: PalimpsestError[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-policy-"));
    path = join(folder, CONFIG_FILE);
    errors = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (value: unknown) => writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  const open = (options: PolicySourceOptions = {}) =>
    createPolicySource({ path, onError: (error) => errors.push(error), ...options });

  test(shows("C-28", "a policy source follows its file and returns the same settings while it is unchanged"), () => {
    write({ pauseMs: 100 });
    const source = open();
    const first = source.current();
    expect(first.pauseMs).toBe(100);
    expect(source.current()).toBe(first);
    write({ pauseMs: 200 });
    expect(source.current().pauseMs).toBe(200);
    write({ preset: "workspace", compaction_trigger_tokens: 9_000 });
    expect(source.current().triggers).toEqual([{ type: "tokens", maxTokens: 9_000 }]);
    expect(errors).toEqual([]);
  });

  test(shows("C-28", "a policy source notices a replaced file of the same size"), () => {
    write({ pauseMs: 100 });
    const source = open();
    expect(source.current().pauseMs).toBe(100);
    writeFileSync(join(folder, "next.json"), JSON.stringify({ pauseMs: 300 }));
    renameSync(join(folder, "next.json"), path);
    expect(source.current().pauseMs).toBe(300);
  });

  test(
    shows("C-28", "a policy source keeps the last good settings when the file becomes invalid, and reports it once"),
    () => {
      write({ pauseMs: 100 });
      const source = open();
      write({ pauseMs: -1 });
      expect([source.current().pauseMs, source.current().pauseMs]).toEqual([100, 100]);
      expect(errors.map(({ message }) => message)).toEqual([
        `${path}: pauseMs: expected a whole number of at least 0, found -1.`,
      ]);
      expect(errors[0]).toMatchObject({ code: "config-invalid", details: { key: "pauseMs", path } });
      write("{ half of a fi");
      expect([source.current().pauseMs, source.current().pauseMs]).toEqual([100, 100]);
      expect(errors).toHaveLength(2);
      expect(errors[1]?.message).toBe(`${path}: the file cannot be read as JSON, see line 1 column 3.`);
      write({ pauseMs: 7 });
      expect(source.current().pauseMs).toBe(7);
      expect(errors).toHaveLength(2);
    },
  );

  test("a policy source keeps the last good settings while its file is missing, and reads it when it is back", () => {
    write({ pauseMs: 100 });
    const source = open();
    rmSync(path);
    expect([source.current().pauseMs, source.current().pauseMs]).toEqual([100, 100]);
    expect(errors.map(({ message }) => message)).toEqual([
      `${path}: the file was deleted; the last valid settings stay in use.`,
    ]);
    write({ pauseMs: 8 });
    expect(source.current().pauseMs).toBe(8);
  });

  test("a missing file has no effect until it is created", () => {
    const source = open();
    expect(source.current()).toEqual(DEFAULT_POLICY);
    write({ pauseMs: 5 });
    expect(source.current().pauseMs).toBe(5);
    expect(errors).toEqual([]);
  });

  test("a policy source works without a file and without onError", () => {
    expect(createPolicySource().current()).toEqual(DEFAULT_POLICY);
    write({ pauseMs: 100 });
    const source = createPolicySource({ path });
    write("");
    expect(source.current().pauseMs).toBe(100);
  });

  test("throws for invalid sources", () => {
    write({ pauseMs: "soon" });
    expect(() => open()).toThrow(`${path}: pauseMs: expected a whole number of at least 0, found "soon".`);
    write({});
    expect(() => open({ environment: { MAX_CHAT_HISTORY: "12abc" } })).toThrow(
      'MAX_CHAT_HISTORY: expected a whole number of at least 1, found "12abc".',
    );
  });

  test("a policy source reads a file with a byte order mark", () => {
    write(`\uFEFF${JSON.stringify({ pauseMs: 4 })}`);
    expect(open().current().pauseMs).toBe(4);
  });

  test("the environment and the call win over the file after every change of the file", () => {
    write({ pauseMs: 1, pinRatio: 0.1, gate: true });
    const source = open({ environment: { PALIMPSEST_PIN_RATIO: "0.2" }, call: { gate: false } });
    expect(source.current()).toMatchObject({ pauseMs: 1, pinRatio: 0.2, gate: false });
    write({ pauseMs: 2, pinRatio: 0.3, gate: true });
    expect(source.current()).toMatchObject({ pauseMs: 2, pinRatio: 0.2, gate: false });
  });

  test("a policy source reads the environment once", () => {
    const environment: Record<string, string> = { PALIMPSEST_PAUSE_MS: "1" };
    write({});
    const source = open({ environment });
    environment.PALIMPSEST_PAUSE_MS = "2";
    write({ gate: false });
    expect(source.current()).toMatchObject({ pauseMs: 1, gate: false });
  });

  test(shows("X-10", "settings for one model are merged from every source, and later sources win"), () => {
    write({ models: { "gpt-4.1": { pauseMs: 1, pinRatio: 0.1 } } });
    const source = open({ call: { pauseMs: 9, models: { "gpt-4.1": { pauseMs: 2 } } } });
    expect(source.current("openai/gpt-4.1")).toMatchObject({ pauseMs: 2, pinRatio: 0.1 });
    expect(source.current("claude-haiku-4-5")).toMatchObject({ pauseMs: 9, pinRatio: 0.25 });
    expect(source.current(undefined)).toEqual(source.current());
    write({ models: { "gpt-4.1": { pinRatio: 0.5 } } });
    expect(source.current("gpt-4.1")).toMatchObject({ pauseMs: 2, pinRatio: 0.5 });
  });

  test(shows("X-10", "a policy object may contain settings for one model"), () => {
    expect(resolvePolicy({ models: { "gpt-4.1": { pauseMs: 2 } } }, { model: "gpt-4.1" }).pauseMs).toBe(2);
    expect(resolvePolicy("workspace", { model: "gpt-4.1" })).toEqual(PRESETS.workspace);
  });
});
