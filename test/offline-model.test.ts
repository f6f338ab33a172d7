/**
 * The offline model as hosts call it: through the engine's port, and through the AI SDK's own `streamText` and
 * `generateText`.
 */
import { generateText, streamText } from "ai";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Message } from "../src/core/message/message.ts";
import { PHRASES } from "../src/core/recall/phrases.ts";
import { createAiSdkModel } from "../src/models/ai-sdk-model.ts";
import { createOfflineModel, type OfflineSource } from "../src/models/offline-model.ts";
import { messageBuilder } from "../src/testing/builders.ts";

const { aUserMessage, anAssistantMessage, aRound } = messageBuilder();
const talk: readonly Message[] = [
  aUserMessage("The kiln is fired at 1,060 degrees.", { id: "kiln", name: "Ilse", saidAt: Date.UTC(2026, 1, 3) }),
  anAssistantMessage("Noted, I will plan the glaze for that.", { id: "noted" }),
  aUserMessage("We decided to sell the bowls at the harbour market.", { id: "market", name: "Ilse" }),
  ...aRound([{ callId: "c1", tool: "stock", output: "bowl,blue,14\nplate,white,3" }]),
  anAssistantMessage("There are fourteen blue bowls.", { id: "stock-answer" }),
];
const asking = (question: string): readonly Message[] => [...talk, aUserMessage(question, { id: "question" })];

const never = new AbortController().signal;
const generate = async (messages: readonly Message[], model = createOfflineModel()): Promise<string> => {
  const outcome = await model.generate({ instructions: "", messages, maxOutputTokens: 500 }, never);
  return outcome.type === "text" ? outcome.text : `${outcome.type}: ${outcome.reason}`;
};

const sourceOf = (messages: readonly Message[], rest: Partial<OfflineSource> = {}): OfflineSource => ({
  messages: async () => ({ messages }),
  ...rest,
});
const user = (content: string) => ({ role: "user" as const, content });

describe("an answer of the offline model", () => {
  test("begins by saying that there is no model, and cites the message that it quotes", async () => {
    expect(await generate(asking("How hot is the kiln?"))).toBe(
      [
        "No language model is connected, so I only quote what was said here.",
        "",
        "This is what I found:",
        "- “The kiln is fired at 1,060 degrees.” — Ilse, 2026-02-03 [kiln]",
      ].join("\n"),
    );
  });

  test("reports that nothing matches, and names the question's subject", async () => {
    expect(await generate(asking("Which orchid won in Singapore?"))).toContain(
      "I found nothing about orchid won Singapore.",
    );
  });

  test("never quotes the question, an earlier question or one of its own answers", async () => {
    const before = [
      aUserMessage("What temperature does the kiln have?", { id: "asked-before" }),
      anAssistantMessage(await generate(asking("How hot is the kiln?")), { id: "own-answer" }),
    ];
    const text = await generate([...talk, ...before, aUserMessage("What temperature does the kiln have?")]);
    expect(text).toContain("[kiln]");
    expect(text).not.toContain("asked-before");
    expect(text).not.toContain("own-answer");
  });

  test("is in the language of the question", async () => {
    expect(await generate(asking("Wie heiß wird der Ofen, wer weiß das?"))).toContain(PHRASES.de.notice);
    expect(await generate(asking("¿Qué puedes hacer?"))).toContain(PHRASES.es.capabilities);
    expect(await generate(asking("谢谢"))).toContain(PHRASES.zh.thanks);
    expect(await generate(asking("何ができますか"))).toContain(PHRASES.ja.capabilities);
  });

  test("lists decisions, names the speaker of a message, and gives the main points with their messages", async () => {
    expect(await generate(asking("What did we decide?"))).toContain(
      "“We decided to sell the bowls at the harbour market.” [market]",
    );
    expect(await generate(asking("Who said that the kiln is fired at 1,060 degrees?"))).toContain("Said by Ilse:");
    expect(await generate(asking("Please summarise"))).toMatch(/main points[\s\S]*\[market\]/);
  });

  test("quotes the live summary if the user asks for a summary", async () => {
    const summary = async () => ({ id: "summary-4", text: "Bowls are sold at the harbour." });
    const model = createOfflineModel({ source: sourceOf(asking("Summarise, please"), { summary }) });
    expect(await generate([], model)).toMatch(/Bowls are sold at the harbour\.\n\[summary-4\]$/);
  });

  test("quotes files of the workspace by their paths", async () => {
    const files = async () => [
      { path: "docs/glaze.md", text: "# Glaze\n\nCobalt oxide: 2 percent of the dry weight.\n" },
    ];
    const model = createOfflineModel({ source: sourceOf(asking("How much cobalt goes into it?"), { files }) });
    expect(await generate([], model)).toContain("“Cobalt oxide: 2 percent of the dry weight.” [docs/glaze.md]");
  });

  test("does not quote messages that its source no longer has", async () => {
    let messages = asking("How hot is the kiln?");
    const model = createOfflineModel({ source: { messages: async () => ({ messages }) } });
    expect(await generate([], model)).toContain("[kiln]");
    messages = messages.filter(({ id }) => id !== "kiln");
    expect(await generate([], model)).not.toContain("1,060");
  });
});

describe("the offline model with the AI SDK", () => {
  test("streams its answer in small pieces that add up to the whole", async () => {
    const model = createOfflineModel({ source: sourceOf(asking("How hot is the kiln?")) });
    const { textStream, finishReason } = streamText({ model, prompt: "How hot is the kiln?" });
    const pieces: string[] = [];
    for await (const piece of textStream) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(20);
    expect(pieces.join("")).toBe(await generate(asking("How hot is the kiln?")));
    expect(await finishReason).toBe("stop");
  });

  test("cites messages by their position if they have no ids", async () => {
    const messages = [user("My locker has number 88."), user("Fine."), user("Which number does my locker have?")];
    expect((await generateText({ model: createOfflineModel(), messages })).text).toContain("[#1]");
  });

  test("reads ids from the options of a message", async () => {
    const providerOptions = { palimpsest: { messageId: "locker" } };
    const messages = [
      { ...user("My locker has number 88."), providerOptions },
      { role: "assistant" as const, content: "Good to know." },
      user("Which number does my locker have?"),
    ];
    expect((await generateText({ model: createOfflineModel(), messages })).text).toContain("[locker]");
  });

  test("stops when it is aborted, before its answer and in the middle of it", async () => {
    const model = createOfflineModel({ pauseMs: 5 });
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "What can you do?" }] }];
    await expect(model.doStream({ prompt, abortSignal: AbortSignal.abort() })).rejects.toThrow(/abort/);
    const abort = new AbortController();
    const { stream } = await model.doStream({ prompt, abortSignal: abort.signal });
    const reader = stream.getReader();
    await reader.read();
    abort.abort();
    await expect(readAll(reader)).rejects.toThrow(/abort/);
  });

  test("lists its citations with its answer", async () => {
    const model = createOfflineModel({ source: sourceOf(asking("How hot is the kiln?")) });
    const { providerMetadata } = await generateText({ model, prompt: "How hot is the kiln?" });
    expect(providerMetadata).toEqual({ palimpsest: { cited: ["kiln"] } });
  });

  test("stops at the caller's limit, and reports it", async () => {
    const { text, finishReason } = await generateText({
      model: createOfflineModel(),
      prompt: "Hi",
      maxOutputTokens: 8,
    });
    expect(finishReason).toBe("length");
    expect(PHRASES.en.notice.startsWith(text)).toBe(true);
  });

  test("reports no token usage", async () => {
    const { usage } = await generateText({ model: createOfflineModel(), prompt: "Hello!" });
    expect([usage.inputTokens, usage.outputTokens]).toEqual([undefined, undefined]);
  });

  test("refuses a schema instead of pretending to follow it", async () => {
    const model = createOfflineModel();
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "My port is 8." }] }];
    const { content, finishReason } = await model.doGenerate({ prompt, responseFormat: { type: "json" } });
    expect(finishReason.unified).toBe("content-filter");
    expect(content).toEqual([{ type: "text", text: expect.stringContaining("No language model is connected") }]);
  });
});

describe("a request to the offline model for a summary", () => {
  const schema = { type: "object", properties: { summary: { type: "string" } } } as const;

  test("is refused, by the port and through the AI SDK", async () => {
    const request = { instructions: "", messages: asking("Hello?"), maxOutputTokens: 500, schema };
    const offline = createOfflineModel();
    expect((await offline.generate(request, never)).type).toBe("refused");
    const wrapped = createAiSdkModel(offline, { timeoutMs: 10_000 });
    expect((await wrapped.generate(request, never)).type).toBe("refused");
  });

  test.each(["brief", "structured"] as const)("leads to a summary by code: %s", async (strategy) => {
    const palimpsest = await openPalimpsest({
      model: createOfflineModel(),
      windowTokens: 1_500,
      reserveTokens: 300,
      policy: { summary: { strategy } },
    });
    const compactions: string[] = [];
    palimpsest.on("compaction", ({ steps }) => compactions.push(...steps));
    const session = await palimpsest.session();
    for (let turn = 0; turn < 40; turn += 1) {
      await session.append({ role: "user", content: `Jar ${turn} stands on shelf ${turn * 3}, behind the red ones.` });
      const prompt = await session.prompt({ next: user(`Where does jar ${turn} stand, and what is near it?`) });
      expect(JSON.stringify(prompt.messages)).not.toContain("No language model is connected");
      await session.append({ role: "assistant", content: `Jar ${turn} stands on shelf ${turn * 3}. `.repeat(3) });
    }
    await palimpsest.close();
    expect(compactions).toContain("summarise");
  });
});

async function readAll(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
