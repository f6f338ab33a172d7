import { type ModelMessage, modelMessageSchema } from "ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { renderUnits } from "../../../../test/support/render-units.ts";
import type { JsonValue } from "../../message/json.ts";
import type { Extras, Message, Part, ToolCallPart, ToolOutput, ToolResultPart } from "../../message/message.ts";
import { PROVIDERS } from "../provider.ts";
import { validate } from "../validate/validate.ts";
import { fitCallId, fitToolName } from "./fit-message.ts";
import { type RenderTarget, renderPrompt } from "./render-prompt.ts";

const TARGETS: readonly RenderTarget[] = [...PROVIDERS, "ai-sdk"];

const words = fc
  .oneof(fc.constantFrom("yes", "look \n", " a\u00a0", "déjà\n\nvu"), fc.string({ minLength: 1 }))
  .map((text) => (text.trim() === "" ? "x" : text));
const blank = fc.constantFrom("", " ", "\n\t");
const json: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const toolName = fc.constantFrom(
  "read_file",
  "fs.read",
  "1st",
  "",
  "a name with spaces",
  "x".repeat(150),
  "f_px0123456789abcdef",
);
const mediaType = fc.constantFrom(
  "image/png",
  "image/tiff",
  "application/pdf",
  "text/plain; charset=utf-8",
  "audio/wav",
  "",
);

const media: fc.Arbitrary<Part> = fc
  .tuple(
    fc.constantFrom("image" as const, "file" as const),
    fc.oneof(
      fc.record({ type: fc.constant("data" as const), base64: fc.base64String() }),
      fc.record({
        type: fc.constant("url" as const),
        url: fc.constantFrom("https://example.com/a", "data:,x", "file:///a"),
      }),
      fc.record({ type: fc.constant("reference" as const), id: fc.constantFrom("file-1", "file_1", "other") }),
    ),
    mediaType,
    fc.boolean(),
  )
  .map(([type, source, mediaType, typed]): Part => {
    if (type === "file") return { type, source, mediaType };
    return typed ? { type, source, mediaType } : { type, source };
  });

const extrasOfThoughts: fc.Arbitrary<Extras | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<Extras>(
    { anthropic: { signature: "c2ln" } },
    { anthropic: { signature: "" } },
    { anthropic: { redactedData: "xyz" } },
    { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } },
    { openai: { itemId: "rs_2", reasoningEncryptedContent: null } },
    { openai: { reasoningEncryptedContent: "e" } },
    { google: { thoughtSignature: "c2ln" } },
  ),
);
const thought: fc.Arbitrary<Part> = fc
  .tuple(fc.oneof(words, blank), extrasOfThoughts)
  .map(([text, extras]): Part => ({ type: "reasoning", text, ...(extras === undefined ? {} : { extras }) }));

const odd: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("source" as const), id: fc.string(), url: fc.webUrl() }),
  fc.record({
    type: fc.constant("unknown" as const),
    format: fc.constantFrom("anthropic", "gemini", "openai-chat", "openai-responses", "langchain"),
    value: fc.oneof(
      json,
      fc.constantFrom<JsonValue>(
        { type: "tool_use", id: "x", name: "y", input: {} },
        { type: "search_result", source: "s", title: "t", content: [], cache_control: { type: "ephemeral" } },
        { type: "hologram", cache_control: { type: "ephemeral" } },
        { type: "web_search_call", id: "ws_1" },
        { type: "reasoning", id: "rs_9", summary: [] },
        { content_part: { type: "input_glow", watts: 3 } },
        { functionCall: { name: "f" } },
        { text: "", thought: true },
        { toolCall: { id: "t" } },
      ),
    ),
  }),
);

/** A call and result of a provider-run tool, or only one of them, with or without wire fields. */
const providerRun: fc.Arbitrary<readonly Part[]> = fc
  .tuple(fc.nat(), fc.constantFrom("anthropic", "gemini", "none"), fc.constantFrom("both", "call", "result"), json)
  .map(([number, wire, which, value]) => {
    const callExtras = wireExtras(wire, { type: "server_tool_use", executableCode: {} });
    const resultExtras = wireExtras(wire, { type: "web_search_tool_result", codeExecutionResult: {} });
    const callId = `run ${number}`;
    const call: Part = {
      type: "tool-call",
      callId,
      tool: "web_search",
      input: { q: value },
      byProvider: true,
      ...callExtras,
    };
    const output = { type: "json", value: { found: value } } as const;
    const result: Part = { type: "tool-result", callId, output, failed: false, byProvider: true, ...resultExtras };
    return which === "both" ? [call, result] : which === "call" ? [call] : [result];
  });

function wireExtras(wire: string, notes: Record<string, JsonValue>): { extras?: Extras } {
  return wire === "none" ? {} : { extras: { [`wire:${wire}`]: notes } };
}

const textPart: fc.Arbitrary<Part> = fc
  .tuple(
    words,
    fc.constantFrom<Extras | undefined>(
      undefined,
      { anthropic: { cacheControl: { type: "ephemeral" } } },
      { google: { thoughtSignature: "c2ln" } },
    ),
  )
  .map(([text, extras]): Part => ({ type: "text", text, ...(extras === undefined ? {} : { extras }) }));
const blankPart: fc.Arbitrary<Part> = blank.map((text): Part => ({ type: "text", text }));

const userParts = fc.oneof(
  fc.array(fc.oneof(textPart, media, odd), { minLength: 1, maxLength: 3 }),
  fc.tuple(blankPart, textPart).map((parts) => [...parts]),
);
const assistantParts = fc.oneof(
  fc.array(fc.oneof(textPart, thought, odd, media), { minLength: 1, maxLength: 4 }),
  fc.tuple(thought, textPart).map((parts) => [...parts]),
  fc.tuple(thought).map((parts) => [...parts]),
  fc.tuple(providerRun, textPart).map(([run, text]) => [...run, text]),
  providerRun.map((run) => [...run]),
  fc.tuple(blankPart, textPart).map((parts) => [...parts]),
);

const output: fc.Arbitrary<ToolOutput> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.oneof(words, blank) }),
  fc.record({ type: fc.constant("json" as const), value: json }),
  fc.record({
    type: fc.constant("parts" as const),
    parts: fc.array(
      fc
        .oneof(textPart, blankPart, media, odd)
        .map((part) =>
          part.type === "text" || part.type === "image" || part.type === "file" || part.type === "unknown"
            ? part
            : ({ type: "text", text: "s" } as const),
        ),
      { maxLength: 3 },
    ),
  }),
);
const call = fc.record({
  tool: toolName,
  input: fc.oneof(json, fc.constant({ path: "a.ts" })),
  inputText: fc.constantFrom(undefined, '{"a": 1}', "{broken"),
  custom: fc.boolean(),
  made: fc.boolean(),
  output,
  failed: fc.boolean(),
});
const step = fc.oneof(
  fc.record({ kind: fc.constant("user" as const), parts: userParts }),
  fc.record({ kind: fc.constant("system" as const), text: words }),
  fc.record({ kind: fc.constant("assistant" as const), parts: assistantParts }),
  fc.record({
    kind: fc.constant("round" as const),
    parts: fc.oneof(fc.constant([]), assistantParts),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    reversed: fc.boolean(),
    together: fc.boolean(),
    trailing: fc.array(thought, { maxLength: 1 }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Message lists that rendering accepts, as groups between which a list may be cut. */
const groupsOfMessages = fc.array(step, { maxLength: 12 }).map((steps) => steps.map(toMessages));

function toMessages(step: Step, index: number): readonly Message[] {
  const id = `m${index}`;
  switch (step.kind) {
    case "user":
    case "assistant":
      return [{ id, role: step.kind, parts: step.parts, name: "Maria Lopez" }];
    case "system":
      return [{ id, role: "system", parts: [{ type: "text", text: step.text }] }];
    case "round":
      return toRound(step, index);
    default:
      return step satisfies never;
  }
}

function toRound(step: Extract<Step, { kind: "round" }>, index: number): readonly Message[] {
  const idOf = (place: number) => (place === 1 ? `call ${index}.${place}~2` : `call_${index}_${place}`);
  const extrasOf = (made: boolean, custom: boolean, kind: string): { extras?: Extras } => {
    const extras: Extras = {
      ...(made ? { "wire:call-id": { made: true } } : {}),
      ...(custom ? { "wire:openai-responses": { type: kind }, "wire:openai-chat": { type: "custom" } } : {}),
    };
    return Object.keys(extras).length === 0 ? {} : { extras };
  };
  const calls = step.calls.map(
    ({ tool, input, inputText, made, custom }, place): ToolCallPart => ({
      type: "tool-call",
      callId: idOf(place),
      tool,
      input,
      ...(inputText === undefined ? {} : { inputText }),
      ...extrasOf(made, custom, "custom_tool_call"),
    }),
  );
  const results = step.calls.map(
    ({ output, failed }, place): ToolResultPart => ({ type: "tool-result", callId: idOf(place), output, failed }),
  );
  const ordered = step.reversed ? results.toReversed() : results;
  const answers: Message[] = step.together
    ? [{ id: `r${index}`, role: "tool", parts: ordered }]
    : ordered.map((result, place) => ({ id: `r${index}-${place}`, role: "tool", parts: [result] }));
  return [{ id: `m${index}`, role: "assistant", parts: [...step.parts, ...calls, ...step.trailing] }, ...answers];
}

describe("renderPrompt", () => {
  test.each(PROVIDERS)("returns prompts that pass the strict rules of %s", (provider) => {
    fc.assert(
      fc.property(groupsOfMessages, fc.constantFrom(undefined, "", "Be brief."), (groups, instructions) => {
        const body = renderPrompt({ instructions, messages: groups.flat(), provider });
        expect(validate(body, provider)).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("returns AI SDK messages that the schema of the AI SDK accepts", () => {
    fc.assert(
      fc.property(groupsOfMessages, (groups) => {
        const { messages } = renderPrompt({ instructions: undefined, messages: groups.flat(), provider: "ai-sdk" });
        const typed: ModelMessage[] = messages;
        for (const message of typed) expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
      }),
      { numRuns: propertyRuns() },
    );
  });

  test.each(TARGETS)("only appends to earlier output when messages are added, for %s", (provider) => {
    fc.assert(
      fc.property(groupsOfMessages, fc.nat(), (groups, cut) => {
        const whole = groups.flat();
        const part = groups.slice(0, cut % (groups.length + 1)).flat();
        const unitsFor = (messages: readonly Message[]) =>
          renderUnits(renderPrompt({ instructions: "Be brief.", messages, provider }), provider);
        const before = unitsFor(part);
        expect(unitsFor(whole).slice(0, before.length)).toEqual(before);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test.each(TARGETS)("returns the same bytes for the same messages and does not mutate them, for %s", (provider) => {
    fc.assert(
      fc.property(groupsOfMessages, (groups) => {
        const messages = groups.flat();
        const before = JSON.stringify(messages);
        const render = () => JSON.stringify(renderPrompt({ instructions: "x", messages, provider }));
        expect(render()).toBe(render());
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

const createMessage = (role: "user" | "assistant" | "system", text: string): Message => ({
  id: text,
  role,
  parts: [{ type: "text", text }],
});
const signed = (text: string): Part => ({ type: "reasoning", text, extras: { anthropic: { signature: "c2ln" } } });
const called = (callId: string, tool = "f", input: JsonValue = {}): ToolCallPart => ({
  type: "tool-call",
  callId,
  tool,
  input,
});
const answered = (callId: string, text = "ok"): Message => ({
  id: `r-${callId}`,
  role: "tool",
  parts: [{ type: "tool-result", callId, output: { type: "text", text }, failed: false }],
});
const assistant = (...parts: Part[]): Message => ({ id: "a", role: "assistant", parts });
const render = <Name extends RenderTarget>(provider: Name, ...messages: Message[]) =>
  renderPrompt({ instructions: undefined, messages, provider });

describe("renderPrompt, system text", () => {
  const messages = [
    createMessage("system", "Rule one."),
    createMessage("user", "hi"),
    createMessage("system", "Speak French."),
    createMessage("user", "again"),
  ];
  const rendered = <Name extends RenderTarget>(provider: Name) =>
    renderPrompt({ instructions: "Be brief.", messages, provider });

  test("joins leading system messages to the instructions", () => {
    expect(rendered("anthropic").system).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Rule one." },
    ]);
    expect(rendered("gemini").systemInstruction).toEqual({ parts: [{ text: "Be brief." }, { text: "Rule one." }] });
    expect(rendered("openai-responses").instructions).toBe("Be brief.\n\nRule one.");
    expect(rendered("ai-sdk").instructions).toBe("Be brief.\n\nRule one.");
    expect(rendered("openai").messages.slice(0, 2)).toEqual([
      { role: "system", content: "Be brief." },
      { role: "system", content: "Rule one." },
    ]);
  });

  test("keeps a later system message in place, or turns it into a user note if the provider requires it", () => {
    const note = "[system note] Speak French.";
    expect(rendered("anthropic").messages).toEqual([
      { role: "user", content: ["hi", note, "again"].map((text) => ({ type: "text", text })) },
    ]);
    expect(rendered("gemini").contents).toEqual([
      { role: "user", parts: ["hi", note, "again"].map((text) => ({ text })) },
    ]);
    expect(rendered("ai-sdk").messages[1]).toEqual({ role: "user", content: note });
    expect(rendered("openai").messages[3]).toEqual({ role: "system", content: "Speak French." });
    expect(rendered("openai-responses").input[1]).toMatchObject({ role: "system" });
  });

  test("omits the field for system text if there is none", () => {
    expect(render("anthropic")).toEqual({ messages: [] });
    expect(render("gemini")).toEqual({ contents: [] });
    expect(render("openai")).toEqual({ messages: [] });
    expect(render("openai-responses")).toEqual({ input: [] });
    expect(render("ai-sdk")).toEqual({ messages: [] });
  });
});

describe("renderPrompt, turns", () => {
  test("adds a first user message for providers that require it", () => {
    const text = "(The conversation begins with the assistant.)";
    expect(render("anthropic", createMessage("assistant", "hello")).messages[0]).toEqual({
      role: "user",
      content: [{ type: "text", text }],
    });
    expect(render("gemini", createMessage("assistant", "hello")).contents[0]).toEqual({
      role: "user",
      parts: [{ text }],
    });
    expect(render("openai", createMessage("assistant", "hello")).messages).toHaveLength(1);
  });

  test("joins results and user text for Anthropic, and separates them for Gemini", () => {
    const list = [
      createMessage("user", "look"),
      assistant(called("a"), called("b")),
      answered("b"),
      answered("a"),
      createMessage("user", "stop"),
    ];
    expect(render("anthropic", ...list).messages.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "b", content: "ok" },
        { type: "tool_result", tool_use_id: "a", content: "ok" },
        { type: "text", text: "stop" },
      ],
    });
    expect(render("gemini", ...list).contents.slice(2)).toEqual([
      {
        role: "user",
        parts: ["a", "b"].map((id) => ({ functionResponse: { id, name: "f", response: { output: "ok" } } })),
      },
      { role: "user", parts: [{ text: "stop" }] },
    ]);
  });

  test("trims white space at the end of a final assistant message for Anthropic", () => {
    expect(
      render("anthropic", createMessage("user", "hi"), createMessage("assistant", "It is \n")).messages[1],
    ).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "It is" }],
    });
  });
});

describe("renderPrompt, thinking", () => {
  test("sends thinking to Anthropic only if it is signed", () => {
    const list = [
      createMessage("user", "hi"),
      assistant({ type: "reasoning", text: "mine" }, signed("hers"), { type: "text", text: "yes" }),
    ];
    expect(render("anthropic", ...list).messages[1]?.content).toEqual([
      { type: "thinking", thinking: "hers", signature: "c2ln" },
      { type: "text", text: "yes" },
    ]);
    expect(render("openai", ...list).messages[1]).toEqual({ role: "assistant", content: "yes" });
    expect(render("gemini", ...list).contents[1]).toEqual({ role: "model", parts: [{ text: "yes" }] });
  });

  test("replaces a message that has only thinking with a short text", () => {
    const list = [
      createMessage("user", "hi"),
      assistant({ type: "reasoning", text: "hm" }),
      createMessage("user", "well?"),
    ];
    expect(render("anthropic", ...list).messages[1]?.content).toEqual([{ type: "text", text: "(no visible text)" }]);
    expect(render("openai", ...list).messages[1]).toEqual({ role: "assistant", content: "(no visible text)" });
  });

  test("keeps thinking before its calls, with a user message between it and earlier assistant text", () => {
    const list = [
      createMessage("user", "look"),
      createMessage("assistant", "Looking."),
      assistant(signed("hm"), called("a")),
      answered("a"),
    ];
    expect(render("anthropic", ...list).messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", [{ type: "text", text: "look" }]],
      ["assistant", [{ type: "text", text: "Looking." }]],
      ["user", [{ type: "text", text: "(The assistant continues.)" }]],
      [
        "assistant",
        [
          { type: "thinking", thinking: "hm", signature: "c2ln" },
          { type: "tool_use", id: "a", name: "f", input: {} },
        ],
      ],
      ["user", [{ type: "tool_result", tool_use_id: "a", content: "ok" }]],
    ]);
  });

  test("drops thinking from a later assistant message without calls", () => {
    const list = [
      createMessage("user", "hi"),
      createMessage("assistant", "one"),
      assistant(signed("hm"), { type: "text", text: "two" }),
    ];
    expect(render("anthropic", ...list).messages[1]?.content).toEqual(
      ["one", "two"].map((text) => ({ type: "text", text })),
    );
  });

  test("sends thinking in a message of its own together with the call that follows", () => {
    const list = [createMessage("user", "look"), assistant(signed("hm"))];
    expect(render("anthropic", ...list).messages).toHaveLength(1);
    expect(render("anthropic", ...list, assistant(called("a")), answered("a")).messages[1]?.content).toEqual([
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "tool_use", id: "a", name: "f", input: {} },
    ]);
  });

  test("replaces thinking with a short text if a user message follows it", () => {
    const list = [
      createMessage("user", "look"),
      assistant(signed("hm")),
      createMessage("user", "well?"),
      createMessage("assistant", "yes"),
    ];
    expect(render("anthropic", ...list).messages.slice(1)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "(no visible text)" }] },
      { role: "user", content: [{ type: "text", text: "well?" }] },
      { role: "assistant", content: [{ type: "text", text: "yes" }] },
    ]);
  });

  test("sends encrypted thinking to the Responses API directly before its call", () => {
    const encrypted: Part = {
      type: "reasoning",
      text: "hm",
      extras: { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } },
    };
    const list = [createMessage("user", "look"), assistant(encrypted), assistant(called("a")), answered("a")];
    expect(render("openai-responses", ...list).input.slice(1)).toEqual([
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "e" },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "ok" },
    ]);
  });
});

describe("renderPrompt, tool calls", () => {
  test("wraps input that is not an object for providers that accept only objects", () => {
    const list = [createMessage("user", "look"), assistant(called("a", "f", "ls -la")), answered("a")];
    expect(render("anthropic", ...list).messages[1]?.content).toEqual([
      { type: "tool_use", id: "a", name: "f", input: { value: "ls -la" } },
    ]);
    expect(render("gemini", ...list).contents[1]).toMatchObject({
      parts: [{ functionCall: { args: { value: "ls -la" } } }],
    });
  });

  test("sends the model's original input text if it is valid JSON", () => {
    const spelled = (inputText: string) => ({ ...called("a", "f", inputText), inputText });
    const argumentsOf = (inputText: string) =>
      render("openai-responses", createMessage("user", "look"), assistant(spelled(inputText)), answered("a")).input[1];
    expect(argumentsOf('{"a": 1}')).toMatchObject({ arguments: '{"a": 1}' });
    expect(argumentsOf("{broken")).toMatchObject({ arguments: '"{broken"' });
  });

  test("sends a short text for a blank result", () => {
    const list = [createMessage("user", "look"), assistant(called("a")), answered("a", " ")];
    expect(render("anthropic", ...list).messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "a", content: "(no output)" },
    ]);
  });

  test("sends calls to Gemini without ids if they had none", () => {
    const made: Extras = { "wire:call-id": { made: true } };
    const list = [
      createMessage("user", "look"),
      assistant({ ...called("m1-call-0"), extras: made }),
      answered("m1-call-0"),
    ];
    expect(render("gemini", ...list).contents.slice(1)).toEqual([
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "ok" } } }] },
    ]);
  });

  test("keeps distinct call ids and tool names distinct, and leaves accepted ones unchanged", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom("a b", "a_b", "a.b", "a-b")), { maxLength: 20 }),
        (names) => {
          for (const provider of PROVIDERS) {
            const hashedOnce = names.map((name) => fitCallId(name, provider));
            expect(
              new Set([...hashedOnce, ...hashedOnce.map((id) => fitCallId(id, provider))]).size,
            ).toBeGreaterThanOrEqual(names.length);
            expect(new Set(hashedOnce).size).toBe(names.length);
            expect(new Set(names.map((name) => fitToolName(name, provider))).size).toBe(names.length);
          }
        },
      ),
      { numRuns: propertyRuns() },
    );
    expect(fitCallId("toolu_1", "anthropic")).toBe("toolu_1");
    expect(fitToolName("fs.read", "gemini")).toBe("fs.read");
    expect(fitToolName("fs.read", "openai")).toMatch(/^fs_read_px[0-9a-f]{16}$/);
    const taken = fitCallId("a b", "anthropic");
    expect(fitCallId(taken, "anthropic")).not.toBe(taken);
  });
});

describe("renderPrompt, content that a provider does not accept", () => {
  test("replaces an image of an unsupported type with a short text", () => {
    const image: Part = { type: "image", source: { type: "data", base64: "AAAA" }, mediaType: "image/tiff" };
    const list: Message[] = [{ id: "u", role: "user", parts: [image] }];
    for (const provider of TARGETS.filter((target) => target !== "ai-sdk")) {
      expect(renderUnits(render(provider, ...list), provider).join()).toContain("[image: image/tiff]");
    }
  });

  test("sends reasoning with the same id to the Responses API only once", () => {
    const encrypted = (text: string): Part => ({
      type: "reasoning",
      text,
      extras: { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } },
    });
    const text: Part = { type: "text", text: "so" };
    const { input } = render(
      "openai-responses",
      assistant(encrypted("a"), text, encrypted("b")),
      assistant(called("c")),
      answered("c"),
    );
    expect(input.filter((item) => JSON.stringify(item).includes("rs_1"))).toHaveLength(1);
  });

  test("describes sources and unknown parts in a short text", () => {
    const source: Part = { type: "source", id: "s", url: "https://example.com", title: "A page" };
    const foreign: Part = { type: "unknown", format: "langchain", value: { type: "x" } };
    const list: Message[] = [{ id: "u", role: "user", parts: [foreign] }, assistant(source)];
    for (const provider of TARGETS) {
      const units = renderUnits(render(provider, ...list), provider).join();
      expect(units).toContain("[unsupported content]");
      expect(units).toContain("[source: A page, https://example.com]");
    }
  });

  test("describes the call and result of a tool that another provider ran", () => {
    const run: Part[] = [
      { type: "tool-call", callId: "s", tool: "web_search", input: { query: "news" }, byProvider: true },
      {
        type: "tool-result",
        callId: "s",
        tool: "web_search",
        output: { type: "text", text: "none" },
        failed: false,
        byProvider: true,
      },
    ];
    const { messages } = render(
      "anthropic",
      createMessage("user", "news?"),
      assistant(...run, { type: "text", text: "None." }),
    );
    expect(messages[1]?.content).toEqual([
      { type: "text", text: '[web_search was called: {"query":"news"}]' },
      { type: "text", text: "[web_search answered: none]" },
      { type: "text", text: "None." },
    ]);
  });

  test("sends the call and result of a provider-run tool back unchanged", () => {
    const notes = (type: string): { extras: Extras } => ({ extras: { "wire:anthropic": { type } } });
    const run: Part[] = [
      { type: "tool-call", callId: "s", tool: "web_search", input: {}, byProvider: true, ...notes("server_tool_use") },
      {
        type: "tool-result",
        callId: "s",
        output: { type: "json", value: [] },
        failed: false,
        byProvider: true,
        ...notes("web_search_tool_result"),
      },
    ];
    const { messages } = render(
      "anthropic",
      createMessage("user", "news?"),
      assistant(...run, { type: "text", text: "None." }),
    );
    expect(messages[1]?.content).toEqual([
      { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "text", text: "None." },
    ]);
  });
});
