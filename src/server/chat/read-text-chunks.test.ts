import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { describe, expect, test } from "vitest";
import { readTextChunks } from "./read-text-chunks.ts";

const started: UIMessage = { id: "m", role: "assistant", parts: [{ type: "text", text: "Before.", state: "done" }] };

async function readWithSdk(chunks: readonly UIMessageChunk[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  for await (const message of readUIMessageStream({ message: structuredClone(started), stream })) last = message;
  return last;
}

describe("the chunks of a plain text reply", () => {
  const texts: readonly UIMessageChunk[] = [
    { type: "start-step" },
    { type: "text-start", id: "a" },
    { type: "text-delta", id: "a", delta: "One" },
    { type: "text-delta", id: "a", delta: " two." },
    { type: "data-retry", transient: true, data: {} },
    { type: "text-start", id: "b" },
    { type: "text-delta", id: "b", delta: "Three" },
  ];
  const ended: readonly UIMessageChunk[] = [
    ...texts,
    { type: "text-end", id: "b" },
    { type: "text-end", id: "a" },
    { type: "finish-step" },
  ];

  test.each([
    ["all parts", ended],
    ["parts that have not ended", texts],
  ])("give the same message as the AI SDK's reader, with %s", async (_, chunks) => {
    expect(readTextChunks(started, chunks)).toEqual(await readWithSdk(chunks));
    expect(started.parts).toHaveLength(1);
  });

  test.each<[string, UIMessageChunk]>([
    ["of tools", { type: "tool-input-start", toolCallId: "c", toolName: "t" }],
    ["with metadata of a provider", { type: "text-start", id: "c", providerMetadata: { openai: { itemId: "i" } } }],
    ["of a text that has not started", { type: "text-delta", id: "c", delta: "x" }],
    ["of data that stays", { type: "data-plan", data: {} }],
  ])("are left to the AI SDK if there are other chunks, such as those %s", (_, chunk) => {
    expect(readTextChunks(started, [...texts, chunk])).toBeUndefined();
  });
});
