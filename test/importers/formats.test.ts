/** Every format of session files: recognized, read completely, stored, and exported where the format can hold it. */
import { describe, expect, test } from "vitest";
import { EXPORT_FORMATS, TOOL_FORMATS } from "../../src/core/message/formats/tool-formats.ts";
import { importTranscript, openPalimpsest, type Palimpsest } from "../../src/index.ts";
import { TRANSCRIPT_SAMPLES } from "../support/transcript-samples.ts";

const openMemory = () => openPalimpsest({ store: "memory:", counter: "estimate" });

/** Returns the messages and notes of a session, without the fields that only its own store adds. */
async function readStored(palimpsest: Palimpsest, id: string) {
  const entries = await (await palimpsest.load(id)).entries({ types: ["message", "note"], limit: 1_000 });
  return entries.map((entry) => {
    if (entry.type !== "message") return { type: entry.type, text: "text" in entry ? entry.text : "" };
    const { extras: _, ...message } = entry.message;
    return { message, usage: entry.usage };
  });
}

async function exportText(
  palimpsest: Palimpsest,
  id: string,
  format: (typeof EXPORT_FORMATS)[number],
): Promise<string> {
  let text = "";
  for await (const piece of palimpsest.exportTranscript(id, { format })) text += piece;
  return text;
}

describe.each(TRANSCRIPT_SAMPLES)("a file of $format named $name", (sample) => {
  const { format, name, text, messages, calls, results, sessions = 1, summaries = 0 } = sample;

  test("is recognized, and every message, call and result is read", async () => {
    const read = await importTranscript(text, { name });
    expect(read.problems).toEqual([]);
    expect(read.format).toBe(format);
    expect(read.sessions).toHaveLength(sessions);
    const all = read.sessions.flatMap((session) => session.messages.map(({ message }) => message));
    const types = all.flatMap(({ parts }) => parts.map(({ type }) => type));
    expect(all).toHaveLength(messages);
    expect(types.filter((type) => type === "tool-call")).toHaveLength(calls);
    expect(types.filter((type) => type === "tool-result")).toHaveLength(results);
    expect(read.sessions.flatMap((session) => session.summaries)).toHaveLength(summaries);
  });

  test("is the same in pieces of any size", async () => {
    const whole = await importTranscript(text, { name });
    const bytes = Buffer.from(text);
    for (const size of [1, 7, 1_000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(await importTranscript(pieces, { name })).toEqual(whole);
    }
  });

  test("is stored once, however often it is imported", async () => {
    const palimpsest = await openMemory();
    const first = await palimpsest.importTranscript(text, { name });
    expect(first).toMatchObject({ format, messages, added: messages, skipped: 0 });
    const before = await Promise.all(first.sessions.map(({ sessionId }) => readStored(palimpsest, sessionId)));
    expect(await palimpsest.importTranscript(text, { name })).toMatchObject({ messages, added: 0, skipped: 0 });
    const again = await Promise.all(first.sessions.map(({ sessionId }) => readStored(palimpsest, sessionId)));
    expect(again).toEqual(before);
    expect(await palimpsest.sessions()).toHaveLength(sessions);
  });
});

const isExported = (name: string) => EXPORT_FORMATS.some((each) => each === name);

test.each(TRANSCRIPT_SAMPLES.filter(({ format }) => isExported(format)))(
  "a $format file named $name comes back the same after import, export and import",
  async ({ format, name, text }) => {
    const [palimpsest, other] = [await openMemory(), await openMemory()];
    const { sessions: imported } = await palimpsest.importTranscript(text, { name });
    for (const { sessionId } of imported) {
      const exported = await exportText(palimpsest, sessionId, format as (typeof EXPORT_FORMATS)[number]);
      const again = await other.importTranscript(exported, { name });
      expect(again).toMatchObject({ format, skipped: 0 });
      expect(await readStored(other, again.sessionId ?? "")).toEqual(await readStored(palimpsest, sessionId));
    }
  },
);

test("there is a sample of every tool", () => {
  const sampled = new Set(TRANSCRIPT_SAMPLES.map(({ format }) => format));
  expect(TOOL_FORMATS.filter((name) => !sampled.has(name))).toEqual([]);
});
