/** The history file of the workspace document: its records, its images, and records of other programs. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { MessageDraft } from "../../src/core/log/entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { hashMessage } from "../../src/core/message/hash-message.ts";
import type { ImagePart } from "../../src/core/message/message.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import type { JsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { histories } from "../../src/testing/generate-histories.ts";
import { shows } from "../../src/testing/shows.ts";
import { askHistory } from "../support/ask-history.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { aDraft, TestFolder } from "./jsonl-folder.ts";

/** The fields of a record in the history file. */
type FoundRecord = Readonly<Record<string, string>>;

const SESSION = "sess_1712000000000_abc123";
const AT = 1_712_000_000_000;
const SAID_BY_OTHERS = {
  id: "1712000000000-0a1b2c3d",
  session_id: SESSION,
  timestamp: "2024-04-01T19:33:20+00:00",
  role: "user",
  content: "What does this show?",
  files: ["src/a.ts"],
  image_refs: ["1712000000000-0123456789ab.png"],
  images: 1,
};

const openWorkspace = (folder: TestFolder): JsonlStore => folder.open({ format: "workspace" });
const historyPath = (folder: TestFolder): string => join(folder.path, ".ac-dc", "history.jsonl");
const imagesPath = (folder: TestFolder): string => join(folder.path, ".ac-dc", "images");
const linesOf = (folder: TestFolder): readonly Record<string, unknown>[] =>
  readFileSync(historyPath(folder), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const imagePart = (bytes: Buffer, mediaType: string | undefined = "image/png"): ImagePart => ({
  type: "image",
  source: { type: "data", base64: bytes.toString("base64") },
  mediaType,
});

async function aHistory(folder: TestFolder, ...entries: readonly MessageDraft[]): Promise<TenantStore> {
  const tenant = openWorkspace(folder).tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: AT }, EMPTY_HEAD);
  if (entries.length > 0) await tenant.append(SESSION, { entries });
  return tenant;
}

function writeHistory(folder: TestFolder, ...lines: readonly unknown[]): void {
  mkdirSync(imagesPath(folder), { recursive: true });
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(historyPath(folder), `${texts.join("\n")}\n`);
}

describe("the history file", () => {
  test(
    shows(["S3-30", "S3-32", "S3-119"], "is .ac-dc/history.jsonl, with a record of the document for each message"),
    async () => {
      await using folder = new TestFolder();
      const message = {
        id: "1712000000000-0a1b2c3d",
        role: "user" as const,
        parts: [{ type: "text" as const, text: "Look at this." }, imagePart(Buffer.from("pixels"))],
        saidAt: AT,
        extras: { workspace: { files: ["src/a.ts"] } },
      };
      const answer = aDraft("1712000000001-0a1b2c3e", "Done.", {
        role: "assistant",
        extras: {
          workspace: { files_modified: ["src/a.ts"], edit_results: [{ file: "src/a.ts", status: "applied" }] },
        },
      });
      const asked: MessageDraft = {
        type: "message",
        id: message.id,
        at: AT,
        tokens: {},
        message,
        hash: hashMessage(message),
      };
      await aHistory(folder, asked, answer);
      const records = linesOf(folder).filter(({ role }) => role !== undefined);
      expect(records).toEqual([
        expect.objectContaining({
          id: "1712000000000-0a1b2c3d",
          session_id: SESSION,
          timestamp: "2024-04-01T19:33:20.000Z",
          role: "user",
          content: "Look at this.",
          image_refs: [expect.stringMatching(/^1712000000000-[0-9a-f]{12}\.png$/)],
          images: 1,
          files: ["src/a.ts"],
        }),
        expect.objectContaining({
          role: "assistant",
          content: "Done.",
          images: 0,
          files_modified: ["src/a.ts"],
          edit_results: [{ file: "src/a.ts", status: "applied" }],
        }),
      ]);
    },
  );

  test("contains the text of a plain message once", async () => {
    await using folder = new TestFolder();
    await aHistory(folder, aDraft("m1", "Only once, please."));
    expect(readFileSync(historyPath(folder), "utf8").split("Only once").length).toBe(2);
  });

  test("has entries that are not messages, which are not listed, counted or found as messages", async () => {
    await using folder = new TestFolder();
    const tenant = await aHistory(folder, aDraft("m1", "Hello."));
    await tenant.append(SESSION, {
      entries: [{ type: "note", id: "n1", at: AT, kind: "warning", text: "Hello note." }],
    });
    await tenant.lease(SESSION, 1_000);
    expect(linesOf(folder).map(({ type, role }) => role ?? type)).toEqual(["session", "head", "user", "note", "lease"]);
    expect(await askHistory(folder, "history_list_sessions")).toMatchObject([{ message_count: 1, preview: "Hello." }]);
    expect((await askHistory(folder, "history_get_session", SESSION)).length).toBe(1);
    expect((await askHistory(folder, "history_search", "hello")).map(({ id }: FoundRecord) => id)).toEqual(["m1"]);
  });

  test("returns any history as it was written, with its images", async () => {
    await using folder = new TestFolder();
    const tenant = openWorkspace(folder).tenant("local");
    let count = 0;
    await fc.assert(
      fc.asyncProperty(histories(), async (messages) => {
        count += 1;
        const id = `s${count}`;
        await tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
        const drafts = new Map(messages.map((message) => [message.id, aDraft(message.id, message.parts, message)]));
        const wanted = [...drafts.values()];
        await tenant.append(id, { entries: wanted });
        const entries = await tenant.readEntries(id, {});
        expect(entries).toEqual(wanted.map((draft, index) => ({ ...draft, seq: index + 1 })));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("records of other programs", () => {
  test(shows(["S3-117", "S3-45", "S3-120"], "are read as sessions, with images from their files"), async () => {
    await using folder = new TestFolder();
    writeHistory(folder, SAID_BY_OTHERS, {
      ...SAID_BY_OTHERS,
      id: "x",
      role: "assistant",
      content: "A cat.",
      image_refs: [],
    });
    writeFileSync(join(imagesPath(folder), "1712000000000-0123456789ab.png"), "pixels");
    const tenant = openWorkspace(folder).tenant("local");
    const images = [`data:image/png;base64,${Buffer.from("pixels").toString("base64")}`];
    expect(await askHistory(folder, "get_session_messages_for_context", SESSION)).toEqual([
      { role: "user", content: "What does this show?", images },
      { role: "assistant", content: "A cat." },
    ]);
    expect(await tenant.findSession(SESSION)).toMatchObject({ lastSeq: 2, header: { createdAt: AT } });
  });

  test("can be continued as a session after their last line", async () => {
    await using folder = new TestFolder();
    writeHistory(folder, { ...SAID_BY_OTHERS, image_refs: undefined });
    // Another program may not have ended its last line.
    writeFileSync(historyPath(folder), readFileSync(historyPath(folder), "utf8").trimEnd());
    const store = openWorkspace(folder);
    const palimpsest = await openPalimpsest({ store });
    await (await palimpsest.session(SESSION)).append([{ role: "user", content: "And this?" }]);
    expect(
      (await askHistory(folder, "get_session_messages_for_context", SESSION)).map(
        ({ content }: FoundRecord) => content,
      ),
    ).toEqual(["What does this show?", "And this?"]);
    expect(linesOf(folder).length).toBe(2);
  });

  test("that are appended in the meantime get their seqs before our next record", async () => {
    await using folder = new TestFolder();
    const tenant = await aHistory(folder, aDraft("m1", "One."));
    appendFileSync(historyPath(folder), `${JSON.stringify({ ...SAID_BY_OTHERS, image_refs: undefined })}\n`);
    await tenant.append(SESSION, { entries: [aDraft("m3", "Three.")] });
    expect((await tenant.readEntries(SESSION, {})).map(({ seq, id }) => [seq, id])).toEqual([
      [1, "m1"],
      [2, SAID_BY_OTHERS.id],
      [3, "m3"],
    ]);
    expect(folder.warnings).toEqual([]);
  });

  test(shows(["S3-31", "S3-118"], "that cannot be read are skipped with a warning"), async () => {
    await using folder = new TestFolder();
    const record = { ...SAID_BY_OTHERS, image_refs: undefined };
    writeHistory(folder, record, '{"id": "half', { ...record, id: "b", content: "Second." }, { role: "user" });
    const store = openWorkspace(folder);
    expect(
      (await askHistory(folder, "get_session_messages_for_context", SESSION)).map(
        ({ content }: FoundRecord) => content,
      ),
    ).toEqual(["What does this show?", "Second."]);
    await store.tenant("local").readEntries(SESSION, {});
    expect(store.statistics().damagedLines).toBe(2);
    expect(folder.warnings.every(({ text }) => text.includes("is skipped"))).toBe(true);
  });

  test("stay unchanged when a session is deleted", async () => {
    await using folder = new TestFolder();
    const foreign = `{"id":"f1", "session_id":"theirs","timestamp":"2024-04-01","role":"user","content":"Kept.","extra":1}`;
    writeHistory(folder, foreign);
    const tenant = await aHistory(folder, aDraft("m1", "Goes."));
    expect(await tenant.deleteSession(SESSION)).toBe(true);
    expect(readFileSync(historyPath(folder), "utf8")).toBe(`${foreign}\n`);
    expect(
      (await askHistory(folder, "history_list_sessions")).map(({ session_id }: FoundRecord) => session_id),
    ).toEqual(["theirs"]);
  });
});

describe("sessions", () => {
  test(shows(["S3-34", "S3-115"], "are listed with time, count, preview and first role, up to a limit"), async () => {
    await using folder = new TestFolder();
    const tenant = await aHistory(
      folder,
      { ...aDraft("m1", "x".repeat(300)), at: AT },
      { ...aDraft("m2", "Two."), at: AT + 5 },
    );
    await tenant.createSession({ id: "older", createdAt: 5 }, EMPTY_HEAD);
    expect(await askHistory(folder, "history_list_sessions", 1)).toEqual([
      {
        session_id: SESSION,
        timestamp: new Date(AT + 5).toISOString(),
        message_count: 2,
        preview: "x".repeat(100),
        first_role: "user",
      },
    ]);
    expect((await askHistory(folder, "history_list_sessions")).length).toBe(2);
  });

  test(
    shows(["S3-113", "S3-114", "S3-121"], "have only their own messages, and an unknown session has none"),
    async () => {
      await using folder = new TestFolder();
      const tenant = await aHistory(folder, aDraft("m1", "Mine."));
      await tenant.createSession({ id: "other", createdAt: AT }, EMPTY_HEAD);
      await tenant.append("other", { entries: [aDraft("m1", "Theirs.")] });
      expect(
        (await askHistory(folder, "history_get_session", SESSION)).map(({ content }: FoundRecord) => content),
      ).toEqual(["Mine."]);
      expect(
        (await askHistory(folder, "history_get_session", "other")).map(({ content }: FoundRecord) => content),
      ).toEqual(["Theirs."]);
      expect(await askHistory(folder, "history_get_session", "nowhere")).toEqual([]);
      await tenant.createSession({ id: "empty", createdAt: AT }, EMPTY_HEAD);
      expect(await askHistory(folder, "get_session_messages_for_context", "empty")).toEqual([]);
    },
  );

  test(
    shows(["S3-46", "S3-155"], "are returned with everything stored, and images as a list of data URIs"),
    async () => {
      await using folder = new TestFolder();
      const extras = { workspace: { files: ["src/a.ts"] } };
      const draft = aDraft("m1", [{ type: "text", text: "Look." }, imagePart(Buffer.from("pixels"))], { extras });
      await aHistory(folder, draft);
      const images = [`data:image/png;base64,${Buffer.from("pixels").toString("base64")}`];
      expect(await askHistory(folder, "history_get_session", SESSION)).toMatchObject([
        { id: "m1", files: ["src/a.ts"], images },
      ]);
      expect(await askHistory(folder, "get_session_messages_for_context", SESSION)).toEqual([
        { role: "user", content: "Look.", images },
      ]);
    },
  );

  test(
    shows(["S3-33", "S3-122"], "get ids in the document's format from the engine, and start with the first message"),
    async () => {
      await using folder = new TestFolder();
      const palimpsest = await openPalimpsest({ store: openWorkspace(folder) });
      const session = await palimpsest.session();
      await session.append([{ role: "user", content: "Hello." }]);
      const [record] = linesOf(folder).filter(({ role }) => role !== undefined);
      expect(record?.session_id).toMatch(/^sess_\d{13}_[0-9a-f]{6}$/);
      expect(record?.id).toMatch(/^\d{13}-[0-9a-f]{8}$/);
      await palimpsest.close();
    },
  );
});

describe("when the server starts", () => {
  test(shows("S3-145", "the newest session is loaded with its messages"), async () => {
    await using folder = new TestFolder();
    const tenant = await aHistory(folder, { ...aDraft("m1", "Hello."), at: AT });
    await tenant.createSession({ id: "older", createdAt: 5 }, EMPTY_HEAD);
    expect(await askHistory(folder, "get_current_state")).toMatchObject({
      session_id: SESSION,
      messages: [{ role: "user", content: "Hello." }],
    });
  });

  test(shows("S3-146", "no session is loaded if none exists or the store does not answer"), async () => {
    await using folder = new TestFolder();
    const nothing = { session_id: null, messages: [] };
    expect(await askHistory(folder, "get_current_state")).toMatchObject(nothing);
    mkdirSync(historyPath(folder), { recursive: true });
    expect(await askHistory(folder, "get_current_state")).toMatchObject(nothing);
  });
});

describe("a search", () => {
  test(shows("S3-116", "ignores case, filters by role, and finds nothing for a blank query"), async () => {
    await using folder = new TestFolder();
    await aHistory(folder, aDraft("m1", "The Launch."), aDraft("m2", "launched", { role: "assistant" }));
    const found = async (...query: readonly unknown[]) =>
      (await askHistory(folder, "history_search", ...query)).map(({ id }: FoundRecord) => id);
    expect(await found("LAUNCH")).toEqual(["m2", "m1"]);
    expect(await found("launch", "user")).toEqual(["m1"]);
    expect(await found("launch", null, 1)).toEqual(["m2"]);
    expect(await found("  ")).toEqual([]);
  });
});

describe("images", () => {
  const draft = (id: string, ...images: readonly ImagePart[]) => aDraft(id, [{ type: "text", text: id }, ...images]);

  test(
    shows("C-24", "are files named by time and hash, one for each content, with the extension of their type"),
    async () => {
      await using folder = new TestFolder();
      const tenant = await aHistory(folder);
      const [cat, dog] = [Buffer.from("cat"), Buffer.from("dog")];
      const types = ["image/jpeg", "image/gif", "image/webp", "image/tiff"] as const;
      const others = types.map((type) => imagePart(Buffer.from(type), type));
      await tenant.append(SESSION, { entries: [{ ...draft("m1", imagePart(cat), imagePart(dog)), at: 5 }] });
      await tenant.append(SESSION, { entries: [{ ...draft("m2", imagePart(cat), ...others), at: 6 }] });
      const names = readdirSync(imagesPath(folder));
      expect(names.length).toBe(6);
      expect(names.every((name) => /^\d+-[0-9a-f]{12}\.(png|jpg|gif|webp)$/.test(name))).toBe(true);
      expect(names.map((name) => name.split(".")[1]).sort()).toEqual(["gif", "jpg", "png", "png", "png", "webp"]);
      expect(readFileSync(join(imagesPath(folder), names.find((name) => name.startsWith("5-")) ?? ""), "utf8")).toMatch(
        /cat|dog/,
      );
    },
  );

  test(shows("C-24", "that are missing cause a warning, and their message is read without them"), async () => {
    await using folder = new TestFolder();
    const tenant = await aHistory(folder, draft("m1", imagePart(Buffer.from("cat"))));
    rmSync(imagesPath(folder), { recursive: true });
    const found = await tenant.findMessage(SESSION, "m1");
    expect(found?.message.parts[1]).toEqual({ type: "text", text: expect.stringContaining("is missing") });
    expect(folder.warnings).toMatchObject([{ counted: "missingBlobs" }]);
    expect(await askHistory(folder, "get_session_messages_for_context", SESSION)).toMatchObject([{ role: "user" }]);
  });

  test(shows("C-24", "are refused if a message has more than five or one has more than five megabytes"), async () => {
    await using folder = new TestFolder();
    const tenant = await aHistory(folder);
    const small = imagePart(Buffer.from("cat"));
    const large = imagePart(Buffer.alloc(5 * 2 ** 20 + 1));
    const invalid = { code: "message-invalid" };
    const six = tenant.append(SESSION, {
      entries: [draft("m1"), draft("m2", ...Array.from({ length: 6 }, () => small))],
    });
    await expect(six).rejects.toMatchObject({ ...invalid, message: expect.stringContaining("6 images, at most 5") });
    await expect(tenant.append(SESSION, { entries: [draft("m3", large)] })).rejects.toMatchObject(invalid);
    expect([await tenant.readEntries(SESSION, {}), existsSync(imagesPath(folder))]).toEqual([[], false]);
    const most = imagePart(Buffer.alloc(5 * 2 ** 20, 1));
    await tenant.append(SESSION, { entries: [draft("m4", most, small, small, small, small)] });
    expect((await tenant.findMessage(SESSION, "m4"))?.message.parts[1]).toEqual(most);
  });

  test("are removed with the last message that contains them", async () => {
    await using folder = new TestFolder();
    const [cat, dog] = [imagePart(Buffer.from("cat")), imagePart(Buffer.from("dog"))];
    const tenant = await aHistory(folder, draft("m1", cat, dog), draft("m2", cat));
    await tenant.append(SESSION, { entries: [], erase: ["m1"] });
    expect(readdirSync(imagesPath(folder)).length).toBe(1);
    expect((await tenant.findMessage(SESSION, "m2"))?.message.parts[1]).toEqual(cat);
    await tenant.deleteSession(SESSION);
    expect(readdirSync(imagesPath(folder))).toEqual([]);
  });
});
