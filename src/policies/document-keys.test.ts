/** Tests the documents' own keys under their presets: their effects and the values that they refuse. */
import { describe, expect, test } from "vitest";
import { resolvePolicy } from "../../test/support/core-values.ts";
import { PalimpsestError } from "../core/errors.ts";
import { shows } from "../testing/shows.ts";
import { DOCUMENT_KEYS } from "./document-keys.ts";
import type { PolicyInput, PresetName } from "./policy-input.ts";
import { PRESETS } from "./presets.ts";

function refusal(preset: PresetName, keys: object): string {
  try {
    // A file may contain values that the types forbid.
    resolvePolicy({ preset, ...keys } as PolicyInput);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "config-invalid") return error.message;
    throw error;
  }
  throw new TypeError(`Nothing was wrong with ${JSON.stringify(keys)}.`);
}

test("every preset accepts exactly the keys of its document", () => {
  expect(Object.entries(DOCUMENT_KEYS).map(([preset, keys]) => [preset, Object.keys(keys).toSorted()])).toEqual([
    ["rolling-chat", ["countMode", "maxSummaryTokens", "tail", "threshold", "windowWithoutSummary"]],
    ["windowed-sql", ["CHAT_TOKEN_THRESHOLD", "ENABLE_CHAT_SUMMARIZATION", "MAX_CHAT_HISTORY"]],
    [
      "agent-rounds",
      [
        "AgentHistorySummarizationForceGpt41",
        "AgentHistorySummarizationMode",
        "AgentHistorySummarizationWithPromptCache",
        "SummarizeAgentConversationHistory",
        "SummarizeAgentConversationHistoryThreshold",
        "maxSummaryTokens",
      ],
    ],
    [
      "workspace",
      [
        "cache_target_tokens",
        "compaction_trigger_tokens",
        "min_verbatim_exchanges",
        "summary_budget_tokens",
        "verbatim_window_tokens",
      ],
    ],
    [
      "ratio-chain",
      [
        "abortOnFailure",
        "cooldownMessages",
        "forceRefreshAfterMessages",
        "maxSummaryChainDepth",
        "minMessages",
        "preserveRecent",
        "resetTokenRatio",
        "summarizerModelPreference",
        "triggerTokenRatio",
      ],
    ],
  ]);
});

describe("document keys of rolling-chat", () => {
  const base = PRESETS["rolling-chat"];

  test("threshold and countMode change the trigger", () => {
    expect(resolvePolicy({ preset: "rolling-chat", threshold: 14, countMode: "beyondTail" })).toEqual({
      ...base,
      triggers: [{ type: "unsummarised", threshold: 14, countMode: "beyondTail", tailMessages: 6 }],
    });
  });

  test("tail sets the trigger, the tail and the visible window", () => {
    expect(resolvePolicy({ preset: "rolling-chat", tail: 4 })).toEqual({
      ...base,
      triggers: [{ type: "unsummarised", threshold: 10, countMode: "unsummarized", tailMessages: 4 }],
      tail: { textMessages: 4 },
      visible: { messagesWithSummary: 4, messagesWithoutSummary: 20, textOnly: true },
    });
  });

  test("tail may also be the group of tail settings", () => {
    expect(resolvePolicy({ preset: "rolling-chat", tail: { rounds: 1 } }).tail).toEqual({ textMessages: 6, rounds: 1 });
  });

  test("windowWithoutSummary sets the visible window, and maxSummaryTokens the cap", () => {
    const settings = resolvePolicy({ preset: "rolling-chat", windowWithoutSummary: 30, maxSummaryTokens: 200 });
    expect(settings.visible).toEqual({ messagesWithSummary: 6, messagesWithoutSummary: 30, textOnly: true });
    expect(settings.summary).toEqual({ ...base.summary, maxTokens: 200 });
  });

  test("a document key adds its trigger or window again if it was removed", () => {
    const settings = resolvePolicy({ preset: "rolling-chat", triggers: [], visible: false, threshold: 8 });
    expect(settings.triggers).toMatchObject([{ type: "unsummarised", threshold: 8 }]);
    expect(settings.visible).toBeUndefined();
    const windowed = resolvePolicy({ preset: "rolling-chat", visible: false, windowWithoutSummary: 9 });
    expect(windowed.visible).toEqual({ messagesWithSummary: 6, messagesWithoutSummary: 9 });
  });

  test.each([
    [{ threshold: 0 }, "threshold: expected a whole number of at least 1, found 0."],
    [{ tail: "six" }, 'tail: expected a whole number of at least 1, found "six".'],
    [{ tail: 0 }, "tail: expected a whole number of at least 1, found 0."],
    [{ windowWithoutSummary: 1.5 }, "windowWithoutSummary: expected a whole number of at least 1, found 1.5."],
    [{ maxSummaryTokens: -1 }, "maxSummaryTokens: expected a whole number of at least 1, found -1."],
    [{ countMode: "table" }, 'countMode: expected "unsummarized" or "beyondTail", found "table".'],
  ])("rolling-chat refuses %j", (keys, message) => {
    expect(refusal("rolling-chat", keys)).toBe(message);
  });
});

describe("document keys of windowed-sql", () => {
  test(shows("S1-5", "MAX_CHAT_HISTORY sets the trigger and the tail, as a number or as text"), () => {
    for (const value of [20, "20", "020", " 20 "]) {
      const settings = resolvePolicy({ preset: "windowed-sql", MAX_CHAT_HISTORY: value });
      expect(settings).toMatchObject({
        triggers: [{ type: "tokens" }, { type: "messages", maxMessages: 20 }],
        tail: { messages: 20 },
      });
    }
  });

  test(shows("S1-6", "CHAT_TOKEN_THRESHOLD sets the token trigger"), () => {
    const settings = resolvePolicy({ preset: "windowed-sql", CHAT_TOKEN_THRESHOLD: "3000" });
    expect(settings.triggers).toEqual([
      { type: "tokens", maxTokens: 3_000 },
      { type: "messages", maxMessages: 12 },
    ]);
    expect(settings.triggerTokens).toBe(3_000);
    expect(settings.tail).toEqual({ messages: 12, otherwiseTokens: 2_500, otherwiseExchanges: 2 });
    const least = resolvePolicy({ preset: "windowed-sql", CHAT_TOKEN_THRESHOLD: 300 });
    expect(least.tail.otherwiseTokens).toBe(0);
  });

  test("ENABLE_CHAT_SUMMARIZATION turns the policy on and off", () => {
    const enabled = (value: boolean | string) =>
      resolvePolicy({ preset: "windowed-sql", ENABLE_CHAT_SUMMARIZATION: value }).enabled;
    expect([false, "false", "FALSE", "0"].map(enabled)).toEqual([false, false, false, false]);
    expect([true, "true", "1"].map(enabled)).toEqual([true, true, true]);
  });

  test.each(["12abc", "abc", "", "0x10", "1e3", "12.5", "-12", "0", 0, -1, 12.5, null, true])(
    "MAX_CHAT_HISTORY refuses %j",
    (value) => {
      const found = JSON.stringify(value);
      expect(refusal("windowed-sql", { MAX_CHAT_HISTORY: value })).toBe(
        `MAX_CHAT_HISTORY: expected a whole number of at least 1, found ${found}.`,
      );
    },
  );

  test("ENABLE_CHAT_SUMMARIZATION refuses values other than true and false", () => {
    expect(refusal("windowed-sql", { ENABLE_CHAT_SUMMARIZATION: "yes" })).toBe(
      'ENABLE_CHAT_SUMMARIZATION: expected true or false, found "yes".',
    );
  });
});

describe("document keys of agent-rounds", () => {
  const strategy = (keys: object) => resolvePolicy({ preset: "agent-rounds", ...keys }).summary.strategy;

  test(shows("S2-37", "SummarizeAgentConversationHistory turns the policy on and off"), () => {
    const enabled = (value: boolean) =>
      resolvePolicy({ preset: "agent-rounds", SummarizeAgentConversationHistory: value }).enabled;
    expect([enabled(false), enabled(true)]).toEqual([false, true]);
  });

  test(
    shows("S2-38", "SummarizeAgentConversationHistoryThreshold sets the tokens from which the budget is computed"),
    () => {
      expect(
        resolvePolicy({ preset: "agent-rounds", SummarizeAgentConversationHistoryThreshold: 50_000 }).budget,
      ).toEqual({ thresholdTokens: 50_000, share: 0.85 });
    },
  );

  test(shows("S2-39", "AgentHistorySummarizationMode forces the simple or the full request"), () => {
    expect(strategy({ AgentHistorySummarizationMode: "simple" })).toBe("handoff-simple");
    expect(strategy({ AgentHistorySummarizationMode: "full" })).toBe("handoff-full");
  });

  test(
    shows(
      "S2-41",
      "AgentHistorySummarizationWithPromptCache sends the request after the prompt, unless the simple request is forced",
    ),
    () => {
      const cached = { AgentHistorySummarizationWithPromptCache: true };
      expect(strategy(cached)).toBe("handoff-after-prompt");
      expect(strategy({ AgentHistorySummarizationMode: "full", ...cached })).toBe("handoff-after-prompt");
      expect(strategy({ AgentHistorySummarizationMode: "simple", ...cached })).toBe("handoff-simple");
      expect(strategy({ AgentHistorySummarizationWithPromptCache: false })).toBe("handoff-full");
    },
  );

  test(shows("S2-40", "AgentHistorySummarizationForceGpt41 puts gpt-4.1 before the other models"), () => {
    const preference = (isForced: boolean) =>
      resolvePolicy({
        preset: "agent-rounds",
        summary: { modelPreference: ["small-model"] },
        AgentHistorySummarizationForceGpt41: isForced,
      }).summary.modelPreference;
    expect(preference(true)).toEqual(["gpt-4.1", "small-model"]);
    expect(preference(false)).toEqual(["small-model"]);
  });

  test(shows("S2-42", "maxSummaryTokens sets the cap of a summary"), () => {
    expect(resolvePolicy({ preset: "agent-rounds", maxSummaryTokens: 900 }).summary.maxTokens).toBe(900);
  });

  test.each([
    [
      { SummarizeAgentConversationHistory: "on" },
      'SummarizeAgentConversationHistory: expected true or false, found "on".',
    ],
    [
      { AgentHistorySummarizationMode: "short" },
      'AgentHistorySummarizationMode: expected "simple" or "full", found "short".',
    ],
    [{ maxSummaryTokens: 0 }, "maxSummaryTokens: expected a whole number of at least 1, found 0."],
  ])("agent-rounds refuses %j", (keys, message) => {
    expect(refusal("agent-rounds", keys)).toBe(message);
  });
});

describe("document keys of workspace", () => {
  test(
    shows(
      ["S3-54", "S3-55", "S3-56", "S3-57", "S3-58"],
      "the keys of workspace change its switch, trigger, tail, summary cap, exchanges and cache target",
    ),
    () => {
      const settings = resolvePolicy({
        preset: "workspace",
        enabled: false,
        compaction_trigger_tokens: 9_000,
        verbatim_window_tokens: 1_000,
        summary_budget_tokens: 300,
        min_verbatim_exchanges: 3,
        cache_target_tokens: 0,
      });
      expect(settings).toEqual({
        ...PRESETS.workspace,
        enabled: false,
        triggers: [{ type: "tokens", maxTokens: 9_000 }],
        triggerTokens: 9_000,
        tail: { tokens: 1_000, exchanges: 3 },
        summary: { ...PRESETS.workspace.summary, maxTokens: 300 },
        cacheTargetTokens: 0,
      });
    },
  );

  test("compaction_trigger_tokens refuses zero", () => {
    expect(refusal("workspace", { compaction_trigger_tokens: 0 })).toBe(
      "compaction_trigger_tokens: expected a whole number of at least 1, found 0.",
    );
  });
});

describe("document keys of ratio-chain", () => {
  const base = PRESETS["ratio-chain"];
  const [ratio] = base.triggers;

  test(
    shows(
      ["S4-6", "S4-7", "S4-8", "S4-10", "S4-11", "S4-13", "S4-15"],
      "the keys of ratio-chain change its switch, ratios, guards, tail, models and behavior on failure",
    ),
    () => {
      const settings = resolvePolicy({
        preset: "ratio-chain",
        enabled: false,
        triggerTokenRatio: 0.9,
        resetTokenRatio: 0.5,
        minMessages: 20,
        preserveRecent: 8,
        maxSummaryChainDepth: 5,
        summarizerModelPreference: ["small-model", "large-model"],
        cooldownMessages: 7,
        abortOnFailure: true,
      });
      expect(settings).toEqual({
        ...base,
        enabled: false,
        triggers: [
          {
            ...ratio,
            triggerRatio: 0.9,
            resetRatio: 0.5,
            minMessages: 20,
            cooldownMessages: 7,
            maxSummaryChainDepth: 5,
          },
        ],
        triggerRatio: 0.9,
        targetRatio: 0.9,
        tail: { messages: 8 },
        summary: { ...base.summary, modelPreference: ["small-model", "large-model"], abortOnFailure: true },
      });
    },
  );

  test(
    shows(
      "S4-12",
      "forceRefreshAfterMessages adds a refresh trigger with the same guards, whatever the order of the keys",
    ),
    () => {
      const expected = [
        { ...ratio, minMessages: 20 },
        {
          type: "refresh",
          everyMessages: 30,
          minMessages: 20,
          cooldownMessages: 4,
          maxSummaryChainDepth: 3,
          onDepthCap: "stop",
        },
      ];
      const preset = "ratio-chain";
      expect(resolvePolicy({ preset, forceRefreshAfterMessages: 30, minMessages: 20 }).triggers).toEqual(expected);
      expect(resolvePolicy({ preset, minMessages: 20, forceRefreshAfterMessages: 30 }).triggers).toEqual(expected);
      expect(resolvePolicy(preset).triggers).toHaveLength(1);
    },
  );

  test(shows("X-25", "maxSummaryChainDepth sets the depth of the chain, which is 3 by default"), () => {
    expect(resolvePolicy({ preset: "ratio-chain", maxSummaryChainDepth: 1 }).triggers).toMatchObject([
      { maxSummaryChainDepth: 1 },
    ]);
    expect(resolvePolicy("ratio-chain").triggers).toMatchObject([{ maxSummaryChainDepth: 3 }]);
  });

  test("a lower trigger lowers a target that was set separately", () => {
    const preset = "ratio-chain";
    const lowered = resolvePolicy({ preset, targetRatio: 0.7, triggerTokenRatio: 0.6, resetTokenRatio: 0.5 });
    expect(lowered).toMatchObject({ triggerRatio: 0.6, targetRatio: 0.6 });
    expect(resolvePolicy({ preset, targetRatio: 0.5, triggerTokenRatio: 0.9 })).toMatchObject({ targetRatio: 0.5 });
  });

  test.each([
    [{ triggerTokenRatio: 1.2 }, "triggerTokenRatio: expected a number above 0 and up to 1, found 1.2."],
    [{ preserveRecent: 1 }, "preserveRecent: expected a whole number of at least 2, found 1."],
    [{ minMessages: "12" }, 'minMessages: expected a whole number of at least 0, found "12".'],
    [{ maxSummaryChainDepth: 0 }, "maxSummaryChainDepth: expected a whole number of at least 1, found 0."],
    [{ forceRefreshAfterMessages: 0 }, "forceRefreshAfterMessages: expected a whole number of at least 1, found 0."],
    [{ summarizerModelPreference: "gpt" }, 'summarizerModelPreference: expected a list of model ids, found "gpt".'],
    [{ cooldownMessages: -4 }, "cooldownMessages: expected a whole number of at least 0, found -4."],
    [{ abortOnFailure: 0 }, "abortOnFailure: expected true or false, found 0."],
  ])("ratio-chain refuses %j", (keys, message) => {
    expect(refusal("ratio-chain", keys)).toBe(message);
  });
});

test("a document's key is refused under another preset, and the error lists the known keys", () => {
  expect(refusal("workspace", { preserveRecent: 6 })).toMatch(
    /^Unknown setting "preserveRecent"\. The settings are preset, models, compaction_trigger_tokens, .*\.$/,
  );
});
