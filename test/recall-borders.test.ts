/** Recall with unusual messages: identifiers, short replies and equal messages. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openPalimpsest, type Session } from "../src/index.ts";

const size = { budgetTokens: 2_000, counter: "estimate" } as const;

async function appendPiers(session: Session): Promise<void> {
  for (let pier = 1; pier <= 50; pier += 1) {
    await session.append([
      { role: "user", content: `Which ship lies at pier ${pier}?` },
      { role: "assistant", content: `Ship ${pier * 7} lies at pier ${pier}, until the tide turns.` },
    ]);
  }
}

async function openTalk(texts: readonly string[], store = "memory:"): Promise<Session> {
  const session = await (await openPalimpsest({ ...size, store })).session("talk");
  for (const [index, content] of texts.entries()) {
    await session.append([
      { id: `m${index}`, role: "user", content },
      { id: `ok${index}`, role: "assistant", content: "OK" },
    ]);
  }
  await appendPiers(session);
  return session;
}

async function recallInPrompt(session: Session, content: string): Promise<readonly string[]> {
  const { report } = await session.prompt({ next: { role: "user", content }, preview: true });
  return report.recalled?.passages.map(({ messageId }) => messageId) ?? [];
}

describe("a prompt with recall", () => {
  test("quotes the message with an identifier, and neither its short reply nor the next message", async () => {
    const session = await openTalk([
      "ERR_TIDE_4711 means that the sensor is wet.",
      "The lamp of the north pier is repaired on Friday.",
      "The pump is an XR7200 from the harbor office.",
    ]);
    await session.prompt({ next: { id: "first", role: "user", content: "Hello" } });
    await session.append({ role: "assistant", content: "Hello." });
    expect(await recallInPrompt(session, "What does ERR_TIDE_4711 mean?")).toEqual(["m0"]);
    expect(await recallInPrompt(session, "Where is the XR7200 from?")).toEqual(["m2"]);
  });
});

describe("a prompt with recall, for a question about one thing", () => {
  const asked: readonly (readonly [string, readonly string[]])[] = [
    ["Where is the piano now?", ["m0"]],
    ["What happened to the tomatoes?", ["m1"]],
    ["On which day do the children swim?", ["m2"]],
    ["Où est le piano ?", ["m0"]],
    ["Quand est le rendez-vous chez le notaire ?", ["m4"]],
    ["Where is the logo?", ["m5"]],
    ["Where is the trombone now?", []],
    ["How do I tune a violin?", []],
    ["Who is the mayor of Lisbon?", []],
  ];

  test("quotes the message about it, and nothing for a question about something that was never mentioned", async () => {
    const session = await openTalk([
      "I finally moved the piano to the upstairs landing because the damp of the cellar was ruining it.",
      "The tomatoes on the balcony got blight, so I threw all of them out.",
      "The kids' swimming lessons were moved from Wednesday to Monday afternoons.",
      "The mayor opened the fish market.",
      "Le rendez-vous chez le notaire est reporté au 22 mai.",
      "The logo stays blue.",
    ]);
    await session.prompt({ next: { id: "first", role: "user", content: "Hello" } });
    await session.append({ role: "assistant", content: "Hello." });
    for (const [question, ids] of asked)
      expect([question, await recallInPrompt(session, question)]).toEqual([question, ids]);
  });
});

describe("a recalled block in a file", () => {
  test("has the same bytes after a restart, is found in a fork, and has no text there after a deletion", async () => {
    const folder = await mkdtemp(join(tmpdir(), "recall-borders-"));
    const store = `sqlite:${join(folder, "talk.db")}`;
    const session = await openTalk(["The spare key of Anna hangs behind the barrel."], store);
    await session.prompt({ next: { id: "first", role: "user", content: "Hello" } });
    await session.append({ role: "assistant", content: "Hello." });
    const question = { id: "question", role: "user", content: "Where does the spare key of Anna hang?" };
    const { id, report } = await session.prompt({ next: question });
    expect(report.recalled?.text).toContain("behind the barrel");
    await session.append({ id: "reply", role: "assistant", content: "There." }, { promptId: id });
    const previewed = async (opened: Session) =>
      JSON.stringify((await opened.prompt({ preview: true })).as("anthropic").messages);
    const before = await previewed(session);
    const restarted = await openPalimpsest({ ...size, store });
    const again = await restarted.session("talk");
    expect(await previewed(again)).toBe(before);
    const fork = await again.fork((await again.entries({ types: ["message"] })).at(-1)?.seq ?? 0);
    const idsIn = async () => (await fork.recall("spare key of Anna")).passages.map(({ messageId }) => messageId);
    expect(await idsIn()).toContain("m0");
    await again.delete("m0");
    expect(await idsIn()).not.toContain("m0");
    expect(await previewed(fork)).not.toContain("behind the barrel");
    await restarted.close();
    await rm(folder, { recursive: true });
  });
});

describe("a dismissed message", () => {
  test("brings no neighboring message into a prompt", async () => {
    const session = await (await openPalimpsest(size)).session("dismissed");
    await session.append({ id: "key", role: "user", content: "The spare key of Anna hangs behind the barrel." });
    await appendPiers(session);
    await session.prompt({ next: { id: "first", role: "user", content: "Hello" } });
    await session.append({ role: "assistant", content: "Hello." });
    expect(await recallInPrompt(session, "Where does the spare key of Anna hang?")).toEqual(["key"]);
    await session.dismiss("key");
    expect(await recallInPrompt(session, "Where does the spare key of Anna hang?")).toEqual([]);
  });
});

describe("session.recall", () => {
  test("finds the newest of many equal messages, and a different one among them", async () => {
    const session = await (await openPalimpsest(size)).session("equal");
    const equal = Array.from({ length: 150 }, (_, index) => ({
      id: `e${index}`,
      role: "user",
      content: "The gate code is 4711.",
    }));
    await session.append([...equal, { id: "other", role: "user", content: "The gate code was changed to 9922." }]);
    const { passages } = await session.recall("What is the gate code?");
    expect(passages.map(({ messageId }) => messageId)).toEqual(["e149", "other"]);
    await session.delete("other");
    expect((await session.recall("gate code")).passages.map(({ messageId }) => messageId)).toEqual(["e149"]);
  });
});
