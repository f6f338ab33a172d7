import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { hashMessage } from "../message/hash-message.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import type { Entry, MessageEntry } from "./entry.ts";
import { eraseEntry, mapErasures } from "./erase-entry.ts";

const SECRET = "the launch code is 4711";
const { aUserMessage } = messageBuilder();
const message = aUserMessage(SECRET, { name: SECRET, saidAt: 7 });
const entry: MessageEntry = {
  type: "message",
  id: message.id,
  seq: 3,
  at: 1_000,
  message,
  hash: hashMessage(message),
  tokens: { "chars4@1": 10 },
  promptId: "prompt-1",
  usage: { inputTokens: 12 },
};
const record: SummaryRecord = {
  id: "summary-1",
  at: 1_000,
  depth: 1,
  parentId: "summary-0",
  coverage: { firstSeq: 1, lastSeq: 3, count: 3, chainHash: "aa" },
  messageIds: [message.id],
  text: SECRET,
  keyPoints: [SECRET],
  facets: {
    goal: SECRET,
    constraints: [SECRET],
    decisions: [SECRET],
    actionItems: [{ task: SECRET, status: "open" }],
    unresolved: [SECRET],
    entities: [SECRET],
    participants: [SECRET],
    done: [SECRET],
  },
  strategy: "offline",
  reason: "too long",
  instructions: SECRET,
  tokensBefore: 100,
  tokensAfter: 10,
};

describe("mapErasures", () => {
  test("lists each entry once, with `delete` if both kinds of erasure are requested", () => {
    const erasures = mapErasures({ erase: ["a", "b"], tombstone: ["b", "c"] });
    expect([...erasures].sort()).toEqual([
      ["a", "delete"],
      ["b", "delete"],
      ["c", "tombstone"],
    ]);
    expect(mapErasures({}).size).toBe(0);
  });
});

describe("eraseEntry", () => {
  test("keeps the seq, id, role and counts of a message, and marks it as erased", () => {
    expect(eraseEntry(entry)).toEqual({
      ...entry,
      message: { id: message.id, role: "user", parts: [] },
      hash: "",
      erased: true,
    });
  });

  test("also keeps the hash for a tombstone", () => {
    const { hash } = entry;
    expect(eraseEntry(entry, "tombstone")).toEqual({ ...eraseEntry(entry), hash });
    expect(eraseEntry(eraseEntry(entry, "tombstone"))).toEqual(eraseEntry(entry));
  });

  test("keeps the coverage of a summary, but none of its text", () => {
    const erased = eraseEntry({ type: "summary", id: record.id, seq: 4, at: 0, epoch: 1, record, keptRequests: [] });
    expect(erased).toMatchObject({ id: record.id, seq: 4, epoch: 1, record: { coverage: record.coverage, text: "" } });
    expect(JSON.stringify(erased)).not.toContain(SECRET);
  });

  test("removes the text of a summary that an undo restored", () => {
    const undo: Entry = {
      type: "undo",
      id: "undo-1",
      seq: 5,
      at: 0,
      epoch: 2,
      undoes: "x",
      summary: record,
      holdThroughCount: 9,
    };
    expect(JSON.stringify(eraseEntry(undo))).not.toContain(SECRET);
    expect(eraseEntry({ ...undo, summary: undefined })).toEqual({ ...undo, summary: undefined });
  });

  test("returns the same result when applied twice", () => {
    expect(eraseEntry(eraseEntry(entry))).toEqual(eraseEntry(entry));
  });

  test("returns the same entry if it contains no message text", () => {
    const note: Entry = { type: "note", id: "note-1", seq: 6, at: 0, kind: "warning", text: "slow" };
    expect(eraseEntry(note)).toBe(note);
  });
});
