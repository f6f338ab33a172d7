/** Content that a fold has to keep: thinking after blank texts, compactions by providers, images inside JSON. */
import { describe, expect, test } from "vitest";
import { validate } from "../src/core/public/index.ts";
import { fit as fitHistory, openPalimpsest } from "../src/index.ts";

const size = { budgetTokens: 1_500, counter: "estimate" } as const;
const words = "The ferry stops at the old pier beside the customs house. ".repeat(5);
const plain = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${words}` },
    { role: "assistant", content: `Answer ${index}: ${words}` },
  ]).flat();

describe("a text before thinking", () => {
  // A log in which each block is a separate message.
  const thinking = [{ type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" }];
  const call = [{ type: "tool_use", id: "toolu_1", name: "read", input: { path: "pier.md" } }];
  const result = [{ type: "tool_result", tool_use_id: "toolu_1", content: "Pier 4." }];
  const history = [
    ...plain(12),
    { role: "user", content: "Where does it stop?" },
    { role: "assistant", content: [{ type: "text", text: "\n\n" }] },
    { role: "assistant", content: thinking },
    { role: "assistant", content: call },
    { role: "user", content: result },
  ];

  test("is left out by fit if it is blank, and the thinking begins its message", async () => {
    const { messages, report } = await fitHistory(history, size);
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(messages.at(-2)).toMatchObject({ role: "assistant", content: [...thinking, ...call] });
    expect(JSON.stringify(messages)).not.toContain("(empty message)");
  });

  test("is kept separate from the thinking by fit if it is not blank", async () => {
    const appended = history.map((item, index) =>
      index === 25 ? { role: "assistant", content: "Let me see." } : item,
    );
    const { messages } = await fitHistory(appended, size);
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(messages.slice(-4, -1)).toMatchObject([
      { role: "assistant", content: "Let me see." },
      { role: "user", content: "(The assistant continues.)" },
      { role: "assistant", content: [...thinking, ...call] },
    ]);
  });

  test("is left out of a session's prompt if it is blank", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append(history);
    const prompt = await session.prompt({ provider: "anthropic" });
    const { messages } = prompt.as("anthropic");
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(messages.at(-2)).toMatchObject({ role: "assistant", content: [...thinking, ...call] });
    expect(JSON.stringify(messages)).not.toContain("(empty message)");
  });

  test("is reported as an empty message if it is blank and no assistant message follows", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append([{ role: "user", content: "Where?" }, history[25] ?? {}, { role: "user", content: "Well?" }]);
    const { messages } = (await session.prompt()).as("anthropic");
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(JSON.stringify(messages[1])).toContain("(empty message)");
  });
});

describe("a compaction that a provider wrote", () => {
  const sealed = { id: "cmp_1", type: "compaction", encrypted_content: "gAAAAB".padEnd(400, "sealed") };
  const items = [{ role: "user", content: "Plan the opening." }, sealed, ...plain(20)];
  const block = {
    type: "compaction",
    content: "The museum opens on 4 May 2027. The budget must stay below 4711 crowns.",
  };
  const messages = [
    { role: "user", content: "Plan the opening." },
    { role: "assistant", content: [block, { type: "text", text: "I will go on." }] },
    ...plain(20),
  ];
  const providerRuns = (plan: { readonly runs: readonly { readonly reason: string }[] }) =>
    plan.runs.filter(({ reason }) => reason.includes("compaction by the provider"));

  test("stays in the messages of fit if it is encrypted, is counted, and is in the plan", async () => {
    const { messages: fitted, report } = await fitHistory(items, { ...size, format: "openai-responses" });
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(fitted).toContain(sealed);
    expect(report.tokens).toBeLessThanOrEqual(size.budgetTokens);
    expect(providerRuns(report.plan)).toMatchObject([{ fate: "verbatim", tokens: expect.any(Number) }]);
  });

  test("stays in a session's prompts over several folds if it is sealed, until a newer one replaces it", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append(items, { format: "openai-responses" });
    const first = await session.prompt({ provider: "openai-responses" });
    expect(first.report.compactions.length).toBeGreaterThan(0);
    expect(first.as("openai-responses").input).toContainEqual(sealed);
    const newer = { ...sealed, id: "cmp_2" };
    await session.append([newer, ...plain(20)], { format: "openai-responses" });
    const second = await session.prompt({ provider: "openai-responses" });
    expect(second.report.compactions.length).toBeGreaterThan(0);
    const { input } = second.as("openai-responses");
    expect(input.filter((item) => JSON.stringify(item).includes("encrypted_content"))).toEqual([newer]);
    expect(validate(input, "openai-responses")).toEqual([]);
    expect(providerRuns(second.report.plan)).toHaveLength(1);
    // Anthropic cannot read OpenAI's compaction, so it gets a text instead.
    const { messages: others } = second.as("anthropic");
    expect(JSON.stringify(others)).toContain("compaction by the provider");
    expect(validate(others, "anthropic")).toEqual([]);
  });

  test("is dropped with a warning if it is sealed and would use more than a quarter of the budget", async () => {
    const palimpsest = await openPalimpsest(size);
    const warnings: string[] = [];
    palimpsest.on("warning", ({ text }) => warnings.push(text));
    const session = await palimpsest.session();
    const large = { ...sealed, encrypted_content: "gAAAAB".padEnd(4_000, "sealed") };
    await session.append([items[0] ?? {}, large, ...plain(20)], { format: "openai-responses" });
    const prompt = await session.prompt({ provider: "openai-responses" });
    expect(prompt.report.tokens).toBeLessThanOrEqual(size.budgetTokens);
    expect(prompt.as("openai-responses").input).not.toContainEqual(large);
    expect(warnings.join()).toContain("compaction by the provider");
  });

  test("is kept unchanged by fit while its text is shown, and its text is folded in later", async () => {
    const short = await fitHistory(messages.slice(0, 4), { ...size, format: "anthropic" });
    expect(short.messages).toContain(messages[1]);
    expect(providerRuns(short.report.plan)).toHaveLength(1);
    const { messages: fitted, report } = await fitHistory(messages, { ...size, format: "anthropic" });
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(JSON.stringify(fitted)).toContain("4711");
    expect(JSON.stringify(fitted)).toContain("4 May 2027");
  });

  test("is in a session's prompt for every provider if it has text, and a fold keeps its number", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append(messages.slice(0, 2), { format: "anthropic" });
    const before = await session.prompt();
    expect(before.as("anthropic").messages[1]).toMatchObject({ content: [block, expect.anything()] });
    for (const provider of ["openai", "openai-responses", "gemini"] as const) {
      expect(JSON.stringify(before.as(provider))).toContain("must stay below 4711 crowns");
      expect(validate(before.as(provider), provider)).toEqual([]);
    }
    await session.append(messages.slice(2), { format: "anthropic" });
    const after = await session.prompt();
    expect(after.report.compactions.length).toBeGreaterThan(0);
    expect(JSON.stringify(after.messages)).toContain("4711");
  });
});

describe("a signed compaction by Anthropic", () => {
  const tool_changes = [{ type: "tool_removal", name: "search" }];
  const signed = { type: "compaction", content: null, encrypted_content: "gAAAAB".padEnd(400, "sealed") };
  const block = { ...signed, signature: "c2lnbmVk", tool_changes };
  const messages = [
    { role: "user", content: "Plan the opening." },
    { role: "assistant", content: [block, { type: "text", text: "I will go on." }] },
    ...plain(20),
  ];
  const findBlock = (sent: readonly unknown[]) => sent.filter((item) => JSON.stringify(item).includes("tool_removal"));

  test("keeps its signature and its tool changes in a session's prompts over a fold", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append(messages, { format: "anthropic" });
    const prompt = await session.prompt({ provider: "anthropic" });
    expect(prompt.report.compactions.length).toBeGreaterThan(0);
    const sent = prompt.as("anthropic").messages;
    expect(findBlock(sent)).toMatchObject([{ role: "assistant", content: expect.arrayContaining([block]) }]);
    expect(validate(sent, "anthropic")).toEqual([]);
    expect(JSON.stringify(prompt.as("gemini"))).not.toContain("gAAAAB");
  });

  test("keeps them in the messages of fit", async () => {
    const { messages: fitted, report } = await fitHistory(messages, { ...size, format: "anthropic" });
    expect(report.compactions.length).toBeGreaterThan(0);
    expect(findBlock(fitted)).toEqual([messages[1]]);
  });

  test("keeps them in a prompt for LangChain, with the report of the edits that cleared tool uses", async () => {
    const applied_edits = [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 8, cleared_input_tokens: 50_000 }];
    const reply = {
      type: "ai",
      content: messages[1]?.content,
      response_metadata: { context_management: { applied_edits } },
    };
    const session = await (await openPalimpsest(size)).session();
    await session.append([{ type: "human", content: "Plan the opening." }, reply, ...plain(20)], {
      format: "langchain",
    });
    const prompt = await session.prompt();
    expect(prompt.report.compactions.length).toBeGreaterThan(0);
    expect(findBlock(prompt.forLangChain().messages)).toMatchObject([reply]);
  });
});

describe("a compaction in a history for fit", () => {
  const sealed = { id: "cmp_1", type: "compaction", encrypted_content: "gAAAAB".padEnd(300, "sealed") };
  const list = [...plain(3), sealed, ...plain(12)];
  const options = { ...size, format: "openai-responses" } as const;

  test("comes before the summary after a fold, because its API ignores what precedes it", async () => {
    const { messages } = await fitHistory<object>(list, options);
    expect(messages[0]).toBe(sealed);
    expect(JSON.stringify(messages[1])).toContain("Summary of the");
    expect(validate(messages, "openai-responses")).toEqual([]);
  });

  test("is read back with the summary after it", async () => {
    let messages: object[] = (await fitHistory<object>(list, options)).messages;
    const { messages: same, report } = await fitHistory<object>(messages, options);
    expect(report.compactions).toEqual([]);
    expect(same.every((item, index) => item === messages[index])).toBe(true);
    for (let turn = 0; turn < 3; turn += 1)
      messages = (await fitHistory<object>([...messages, ...plain(4)], options)).messages;
    expect(messages[0]).toBe(sealed);
    expect(JSON.stringify(messages).split("Summary of the")).toHaveLength(2);
    const count = Number(/Summary of the (\d+) earlier/.exec(JSON.stringify(messages))?.[1]);
    expect(count).toBeGreaterThan(20);
  });

  test("replaces the messages before it if the policy allows it, with a state too", async () => {
    const allowed = { ...options, budgetTokens: 20_000, policy: { providerCompaction: "allow" } } as const;
    const { messages, state } = await fitHistory<object>(list, allowed);
    expect(messages[0]).toBe(sealed);
    expect(messages).toHaveLength(25);
    const next = { role: "user", content: "And now?" };
    const { messages: more, report } = await fitHistory<object>([...list, next], { ...allowed, state });
    expect(report.startedOver).toBe(false);
    expect(more).toEqual([...messages, next]);
    const call = { type: "function_call", call_id: "call_1", name: "read", arguments: "{}" };
    const output = { type: "function_call_output", call_id: "call_1", output: "Pier 4." };
    const { messages: open } = await fitHistory<object>([next, call, sealed, output], allowed);
    expect(open).toContain(call);
  });

  test("is the first item of Anthropic's messages if the policy allows it", async () => {
    const block = { type: "compaction", content: "The code of the museum is 4711.", signature: "c2lnbmVk" };
    const compacted = { role: "assistant", content: [block] };
    const history = [...plain(3), compacted, { role: "user", content: "And now?" }];
    const policy = { providerCompaction: "allow" } as const;
    const { messages } = await fitHistory(history, { ...size, format: "anthropic", policy });
    expect(messages).toEqual(history.slice(6));
    expect(validate(messages, "anthropic")).toEqual([]);
  });
});

describe("a compaction that Anthropic wrote on request", () => {
  const block = { type: "compaction", content: "The code of the museum is 4711.", signature: "c2lnbmVk" };
  const compacted = { role: "assistant", content: [block] };
  const messages = [...plain(3), compacted, { role: "user", content: "And now?" }];

  test("comes first if the policy allows it, without what it covers, and pins follow it", async () => {
    const session = await (await openPalimpsest({ ...size, policy: { providerCompaction: "allow" } })).session();
    const { messages: stored } = await session.append(messages.slice(0, -1), { format: "anthropic" });
    await session.pin(stored[0]?.id ?? "");
    await session.pin({ note: "The director is Ada." });
    const next = { role: "user", content: "And now?" };
    const { report, ...prompt } = await session.prompt({ next, model: "claude-opus-5-5", provider: "anthropic" });
    const { messages: sent } = prompt.as("anthropic");
    expect(sent[0]).toEqual(compacted);
    expect(report.providerCompaction).toEqual({ by: "anthropic", messageId: stored.at(-1)?.id, place: "first" });
    expect(validate(sent, "anthropic")).toEqual([]);
    const rest = JSON.stringify(sent.slice(1));
    expect(rest).toContain("The director is Ada.");
    expect(rest).toContain("Question 0:");
    expect(rest).not.toContain("Question 1:");
    expect(JSON.stringify(prompt.as("openai"))).not.toContain("Summary by the provider");
    expect(JSON.stringify(prompt.as("openai"))).toContain("Summary of the");
  });

  test("is sent as a text if it is not first, because the API refuses it there", async () => {
    const session = await (await openPalimpsest(size)).session();
    await session.append(messages, { format: "anthropic" });
    const { messages: sent } = (await session.prompt({ provider: "anthropic" })).as("anthropic");
    expect(validate(sent, "anthropic")).toEqual([]);
    expect(JSON.stringify(sent)).toContain("[Summary by the provider]\\nThe code of the museum is 4711.");
    expect(validate(messages, "anthropic").map(({ rule }) => rule)).toContain("compaction-first");
  });

  test("keeps its signature from the AI SDK to Anthropic's client and back", async () => {
    const session = await (await openPalimpsest({ ...size, policy: { providerCompaction: "allow" } })).session();
    const providerOptions = { anthropic: { type: "compaction", signature: "c2lnbmVk" } };
    const written = { role: "assistant", content: [{ type: "text", text: block.content, providerOptions }] };
    await session.append([...plain(3), written]);
    const next = { role: "user", content: "And now?" };
    const prompt = await session.prompt({ next, model: "claude-opus-5-5" });
    expect(prompt.as("anthropic").messages[0]).toEqual(compacted);
    expect(prompt.messages[0]).toMatchObject(written);
  });
});

describe("an image inside the JSON of a tool's result", () => {
  const data = `iVBORw0KGgo${"A".repeat(60_000)}`;
  const mcp = {
    content: [
      { type: "text", text: "The chart of pier 4:" },
      { type: "image", data, mimeType: "image/png" },
    ],
  };
  const call = (id: string) => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name: "draw_chart", input: { pier: id } }],
  });
  const result = (id: string, content: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content }],
  });
  const drawn = (id: string) => [
    { role: "user", content: `Draw chart ${id}.` },
    call(id),
    result(id, JSON.stringify(mcp)),
    { role: "assistant", content: `Chart ${id} is drawn.` },
  ];
  const large = { budgetTokens: 12_000, counter: "estimate" } as const;

  test("is shown to the model as an image by fit, and counted as one", async () => {
    const { messages, report } = await fitHistory([...drawn("c1"), { role: "user", content: "And?" }], large);
    expect(report.compactions).toEqual([]);
    expect(report.tokens).toBeLessThan(4_000);
    expect(messages[2]).toEqual({
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "c1",
          content: [
            { type: "text", text: "The chart of pier 4:" },
            { type: "image", source: { type: "base64", media_type: "image/png", data } },
          ],
        },
      ],
    });
    expect(validate(messages, "anthropic")).toEqual([]);
  });

  test("is pruned by fit with a placeholder that describes it", async () => {
    const history = [...["c1", "c2", "c3", "c4"].flatMap(drawn), { role: "user", content: "And?" }];
    const policy = { summary: { maxTokens: 10 }, prune: { protectTokens: 0, minimumTokens: 50 } };
    const { messages, report } = await fitHistory(history, { ...large, budgetTokens: 3_000, policy });
    expect(report.tokens).toBeLessThanOrEqual(3_000);
    expect(JSON.stringify(messages)).toContain("[Output of draw_chart (c2), with image: image/png shortened");
    expect(JSON.stringify(messages)).not.toContain("characters cut");
    expect(report.plan.runs.map(({ fate }) => fate)).not.toContain("cut");
  });

  test("is shown and counted as an image in a session, whether the output is a value or a text", async () => {
    const session = await (await openPalimpsest(large)).session();
    await session.append(drawn("c1"), { format: "anthropic" });
    await session.append([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c2", toolName: "shoot", input: { page: "harbour" } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c2",
            toolName: "shoot",
            output: { type: "json", value: { page: "harbour", screenshot: { data, mimeType: "image/jpeg" } } },
          },
        ],
      },
    ]);
    const prompt = await session.prompt();
    expect(prompt.report.tokens).toBeLessThan(6_000);
    const { messages } = prompt.as("anthropic");
    expect(validate(messages, "anthropic")).toEqual([]);
    expect(JSON.stringify(messages).match(/"media_type":"image\/(png|jpeg)"/g)).toHaveLength(2);
    expect(JSON.stringify(messages)).toContain("[image: image/jpeg]");
    expect(JSON.stringify(prompt.as("openai"))).not.toContain("AAAA");
    const [stored] = (await session.entries({ types: ["message"] })).slice(2, 3);
    expect(JSON.stringify(stored)).toContain("mimeType");
  });

  test("is pruned by a session with a placeholder that describes it", async () => {
    const policy = { prune: { protectTokens: 0, minimumTokens: 50 }, summary: { maxTokens: 10 } };
    const session = await (await openPalimpsest({ ...large, budgetTokens: 3_000, policy })).session();
    await session.append([...["c1", "c2", "c3"].flatMap(drawn), { role: "user", content: "And?" }], {
      format: "anthropic",
    });
    const prompt = await session.prompt();
    expect(prompt.report.tokens).toBeLessThanOrEqual(3_000);
    const steps = prompt.report.compactions.flatMap((compaction) => compaction.steps);
    expect(steps).toContain("prune");
    expect(JSON.stringify(prompt.messages)).toContain("[Output of draw_chart (c1), with image: image/png shortened");
  });
});
