import type { UIMessageChunk } from "ai";
import { describe, expect, test } from "vitest";
import { ChatStream } from "../../src/server/chat/chat-stream.ts";
import { OpenParts } from "../../src/server/chat/open-parts.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { logOf, startChat, until } from "../support/start-chat.ts";

const { slow, serverError, text } = scriptedReplies;

const delta = (value: string, id = "t"): UIMessageChunk => ({ type: "text-delta", id, delta: value });
const NEVER = new AbortController().signal;

async function readAll(stream: ChatStream): Promise<readonly UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const piece of stream.read(NEVER)) chunks.push(...piece);
  return chunks;
}

const textIn = (chunks: readonly UIMessageChunk[]): string =>
  chunks.map((chunk) => (chunk.type === "text-delta" ? chunk.delta : "")).join("");

describe("ChatStream", () => {
  test("joins consecutive pieces of one text, and keeps other chunks separate", () => {
    const stream = new ChatStream();
    stream.write({ type: "text-start", id: "t" });
    for (const piece of ["One ", "two ", "three."]) stream.write(delta(piece));
    stream.write(delta("Another text.", "u"));
    stream.write({ type: "text-end", id: "t" });
    expect(stream.since(0)).toEqual([
      { type: "text-start", id: "t" },
      delta("One two three."),
      delta("Another text.", "u"),
      { type: "text-end", id: "t" },
    ]);
    expect(stream.since(2)).toEqual([delta("Another text.", "u"), { type: "text-end", id: "t" }]);
  });

  test("returns everything once to every reader, even to a late or slow reader", async () => {
    const stream = new ChatStream();
    const early = readAll(stream);
    const lagging = stream.read(NEVER);
    const taken: UIMessageChunk[] = [];
    const texts: string[] = [];
    for (let index = 0; index < 500; index += 1) {
      const piece = `${index} `;
      texts.push(piece);
      stream.write(delta(piece, index % 100 === 0 ? `t${index}` : "t"));
      if (index % 90 === 0) taken.push(...((await lagging.next()).value ?? []));
      if (index % 7 === 0) await Promise.resolve();
    }
    const late = readAll(stream);
    stream.end();
    stream.write(delta("Nobody hears this."));
    for await (const piece of lagging) taken.push(...piece);
    const whole = texts.join("");
    expect(textIn(await early)).toBe(whole);
    expect(textIn(await late)).toBe(whole);
    expect(textIn(taken)).toBe(whole);
    expect((await late).length).toBeLessThan(20);
  });

  test("can be read from a position, and returns a long text in pieces", async () => {
    const stream = new ChatStream();
    const texts = Array.from({ length: 40_000 }, (_, index) => `Word ${index}. `);
    const place = { index: 0, offset: 0 };
    const reader = stream.read(NEVER, { position: place });
    const taken: UIMessageChunk[] = [];
    for (const [index, piece] of texts.entries()) {
      stream.write(delta(piece));
      if (index % 20_000 === 0) taken.push(...((await reader.next()).value ?? []));
    }
    expect(stream.isRead(place)).toBe(false);
    stream.end();
    const pieces: (readonly UIMessageChunk[])[] = [];
    for await (const piece of stream.read(NEVER, { position: place })) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(textIn([...taken, ...pieces.flat()])).toBe(texts.join(""));
    expect(stream.isRead(place)).toBe(true);
  });

  test("releases a reader whose signal is aborted while it waits", async () => {
    const stream = new ChatStream();
    const leaving = new AbortController();
    const reader = stream.read(leaving.signal);
    const waiting = reader.next();
    leaving.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

describe("OpenParts", () => {
  test("closes each open part with a chunk for its type", () => {
    const open = new OpenParts();
    const seen: readonly UIMessageChunk[] = [
      { type: "start-step" },
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-end", id: "r" },
      { type: "text-start", id: "t" },
      { type: "tool-input-start", toolCallId: "a", toolName: "look" },
      { type: "tool-input-start", toolCallId: "b", toolName: "look" },
      { type: "tool-input-available", toolCallId: "b", toolName: "look", input: { at: 1 } },
      { type: "tool-input-available", toolCallId: "c", toolName: "look", input: { at: 2 } },
      { type: "tool-output-available", toolCallId: "c", output: "Nothing." },
    ];
    expect(open.hasOutput).toBe(false);
    for (const chunk of seen) open.add(chunk);
    expect(open.hasOutput).toBe(true);
    expect(open.isCalling((name) => name === "look")).toBe(true);
    expect(open.isCalling(() => false)).toBe(false);
    expect(open.closing("Stopped.")).toEqual([
      { type: "text-end", id: "t" },
      { type: "tool-input-error", toolCallId: "a", toolName: "look", input: {}, errorText: "Stopped." },
      { type: "tool-output-error", toolCallId: "b", errorText: "Stopped." },
    ]);
  });
});

describe("many chats at once", () => {
  test("are all stored although every client disconnects during its reply, and no stream stays open", async () => {
    await using chat = await startChat({ script: () => slow("A reply that takes its time to arrive.", 0) });
    const ids = Array.from({ length: 20 }, (_, index) => `chat-${index}`);
    await Promise.all(
      ids.map(async (id) => {
        const leaving = new AbortController();
        const client = chat.client(id);
        await client.say("Hello.", { signal: leaving.signal, leaveAfter: ({ type }) => type === "text-start" });
        leaving.abort();
      }),
    );
    const streams = () => Promise.all(ids.map((id) => chat.server.ask("GET", `/api/chat/${id}/stream`)));
    await until(async () => (await streams()).every(({ status }) => status === 204), 60_000);
    for (const id of ids) {
      expect(await logOf(chat.server, id)).toEqual([
        "user: Hello.",
        "assistant: A reply that takes its time to arrive.",
      ]);
    }
    await chat.provider.settle(20_000);
  });

  test("all end with a reply or an error although every second request fails", async () => {
    await using chat = await startChat({
      chat: { longestPauseMs: 5 },
      script: (_, index) => (index % 2 === 0 ? serverError() : text("Here.")),
    });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => chat.client(`chat-${index}`).say("Hello?")),
    );
    for (const { text: content, errors } of replies) expect(content === "Here." || errors.length === 1).toBe(true);
    expect(replies.filter(({ text: content }) => content === "Here.").length).toBeGreaterThan(15);
  });
});
