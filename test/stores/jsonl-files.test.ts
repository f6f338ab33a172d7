/** The files of a JSONL store: their names, modes and sizes, and that nothing of erased texts is left in them. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import type { EpochDraft } from "../../src/core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../src/core/log/fold-entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { ImagePart } from "../../src/core/message/message.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { shows } from "../../src/testing/shows.ts";
import { aDraft, appendDrafts, aSession, idsOf, TestFolder } from "./jsonl-folder.ts";

const image = (text: string): ImagePart => ({
  type: "image",
  source: { type: "data", base64: Buffer.from(text.repeat(200)).toString("base64") },
  mediaType: "image/png",
});

/** Returns the content of all files of a folder as one text. */
function allText(folder: TestFolder): string {
  const paths = folder.files("").filter((path) => statSync(path).isFile());
  return paths.map((path) => readFileSync(path, "latin1")).join("\n");
}

async function changePast(tenant: TenantStore, change: EpochDraft, erase?: readonly string[]): Promise<void> {
  const { head } = (await tenant.findSession("s")) ?? { head: EMPTY_HEAD };
  const now = foldEntries(await tenant.readEntries("s", { afterSeq: head.foldedThroughSeq }), head);
  const draft = { ...change, epoch: now.epoch + 1 };
  const batch = { entries: [draft], expect: { epoch: now.epoch }, head: foldEpochEntry(now, draft), erase };
  expect(await tenant.append("s", batch)).toMatchObject({ type: "appended" });
}

describe("files", () => {
  test("each tenant has a folder and each session a file inside it, for any ids", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const ids = [
      "a",
      "A",
      "..",
      "../../escape",
      "/etc/passwd",
      "C:\\x",
      "con",
      "",
      "\u0000",
      "\ud800",
      "日本",
      "x".repeat(500),
    ];
    for (const tenantId of ids) {
      for (const id of ids) await store.tenant(tenantId).createSession({ id, createdAt: 0 }, EMPTY_HEAD);
    }
    const files = folder.files(".jsonl").map((path) => relative(folder.path, path).split(sep));
    expect(files.length).toBe(ids.length ** 2);
    expect(files.every((parts) => parts.length === 2 && parts.every((part) => /^[a-z0-9_.-]+$/.test(part)))).toBe(true);
    for (const tenantId of ids) {
      const sessions = await store.tenant(tenantId).listSessions({ limit: 100 });
      expect(sessions.map(({ id }) => id).sort()).toEqual([...ids].sort());
    }
    expect(readdirSync(dirname(folder.path))).not.toContain("escape");
  });

  test.each(["own", "workspace"] as const)("with the format %j can be read only by their owner", async (format) => {
    await using folder = new TestFolder();
    const umask = process.umask(0);
    try {
      const store = folder.open({ format, folder: join(folder.path, "new"), fsync: "always" });
      const tenant = await aSession(store);
      await appendDrafts(tenant, aDraft("a", [image("pixels")]), aDraft("b", "Two."));
      await store.tenant("other").createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD);
      const gone = {
        type: "delete",
        id: "d",
        at: 0,
        epoch: 0,
        messageIds: ["b"],
        seqs: [2],
        dropsSummary: false,
      } as const;
      await changePast(tenant, gone, ["b"]);
      await store.close();
      const modes = folder.files("").map((path) => [path, statSync(path)] as const);
      const isPrivate = ([, found]: (typeof modes)[number]) =>
        (found.mode & 0o777) === (found.isDirectory() ? 0o700 : 0o600);
      expect(modes.filter((each) => !isPrivate(each)).map(([path]) => path)).toEqual([]);
      expect(modes.length).toBeGreaterThan(6);
    } finally {
      process.umask(umask);
    }
  });

  test("a file keeps the mode that a user set, even when text is erased", async () => {
    await using folder = new TestFolder();
    const tenant = await aSession(folder.open());
    await appendDrafts(tenant, aDraft("a", "One."));
    chmodSync(folder.file(".jsonl"), 0o640);
    const gone = {
      type: "delete",
      id: "d",
      at: 0,
      epoch: 0,
      messageIds: ["a"],
      seqs: [1],
      dropsSummary: false,
    } as const;
    await changePast(tenant, gone, ["a"]);
    expect(statSync(folder.file(".jsonl")).mode & 0o777).toBe(0o640);
  });

  test(shows("S3-117", "many sessions are stored with few open files, and can be read after a restart"), async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = store.tenant("local");
    const ids = Array.from({ length: 150 }, (_, index) => `s${index}`);
    for (const [index, id] of ids.entries()) {
      await tenant.createSession({ id, createdAt: index }, EMPTY_HEAD);
      await tenant.append(id, { entries: [{ ...aDraft("m1", `Hello from ${id}.`), at: index }] });
    }
    await Promise.all(ids.map((id) => tenant.append(id, { entries: [aDraft("m2", `Again from ${id}.`)] })));
    const openFiles = readdirSync("/proc/self/fd").length;
    expect(openFiles).toBeLessThan(300);
    await store.close();
    const again = folder.open().tenant("local");
    for (const id of ids) expect(await idsOf(again, id)).toEqual(["m1", "m2"]);
    expect((await again.listSessions({ limit: 3 })).map(({ id }) => id)).toEqual(["s149", "s148", "s147"]);
  });

  test("an append writes only the appended data, for a session of any length", async () => {
    await using folder = new TestFolder();
    const sizes: number[] = [];
    for (let first = 1; first <= 3_000; first += 1_000) {
      const store = folder.open();
      const tenant = await aSession(store);
      for (let turn = first; turn < first + 1_000; turn += 1) {
        await appendDrafts(tenant, aDraft(`m${String(turn).padStart(5, "0")}`, "Sixty tokens or so. ".repeat(12)));
      }
      await store.close();
      const grown = folder.files("").filter((path) => !path.endsWith("-reserve"));
      sizes.push(grown.reduce((sum, path) => sum + statSync(path).size, 0));
    }
    const [first = 0, second = 0, third = 0] = sizes;
    expect((third - second) / (second - first)).toBeCloseTo(1, 1);
  });

  test("a folder is opened by its address", async () => {
    await using folder = new TestFolder();
    const url = `jsonl:${join(folder.path, "chats")}`;
    const opened = await openPalimpsest({ store: url });
    await (await opened.session("s")).append([{ role: "user", content: "Hello." }]);
    await opened.close();
    expect(folder.files(".jsonl").length).toBe(1);
  });
});

describe("erased text", () => {
  const SECRET = "the launch code is 4711";

  test("is nowhere in the folder, except in the one head that is left if it was a pinned note", async () => {
    await using folder = new TestFolder();
    const tenant = await aSession(folder.open());
    await appendDrafts(tenant, aDraft("m1", [{ type: "text", text: SECRET }, image("secret picture ")]));
    await appendDrafts(tenant, ...Array.from({ length: 300 }, (_, index) => aDraft(`f${index}`, "filler ".repeat(40))));
    const pin: EpochDraft = { type: "pin", id: "pin", at: 0, epoch: 0, target: { type: "note", text: SECRET } };
    await changePast(tenant, pin);
    await changePast(tenant, { type: "unpin", id: "unpin", at: 0, epoch: 0, pinIds: ["pin"], reason: "" });
    expect(allText(folder)).toContain(SECRET);
    const gone: EpochDraft = {
      type: "delete",
      id: "delete",
      at: 0,
      epoch: 0,
      messageIds: ["m1"],
      seqs: [1],
      dropsSummary: true,
    };
    await changePast(tenant, gone, ["m1", "pin"]);
    const left = allText(folder);
    expect(left).not.toContain("secret picture");
    // The head may contain the text of the pin, for an undo; no other line may.
    expect(left.split("\n").filter((line) => line.includes(SECRET) && !line.includes('"kind":"head"'))).toEqual([]);
    expect(left.split('"kind":"head"').length).toBe(2);
    expect((await tenant.readEntries("s", {})).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 304 }, (_, i) => i + 1),
    );
    expect(await tenant.findMessage("s", "m1")).toMatchObject({ erased: true, seq: 1, message: { parts: [] } });
    expect(folder.files(".new")).toEqual([]);
  });

  test("text that a fork erases is erased from the file of its parent", async () => {
    await using folder = new TestFolder();
    const tenant = await aSession(folder.open());
    await appendDrafts(tenant, aDraft("m1", SECRET), aDraft("m2", "Two."));
    const head = foldEntries(await tenant.readEntries("s", {}));
    await tenant.createSession({ id: "f", createdAt: 0, fork: { parentId: "s", atSeq: 1 } }, head);
    await tenant.append("f", { entries: [aDraft("m3", "Three.")], erase: ["m1", "m2"] });
    expect(allText(folder)).not.toContain(SECRET);
    expect(JSON.stringify(await tenant.readEntries("s", {}))).toContain("Two.");
    expect(await idsOf(tenant, "f")).toEqual(["m1", "m3"]);
  });

  test("a deleted session leaves no images and no text in the index", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = await aSession(store);
    await appendDrafts(
      tenant,
      ...Array.from({ length: 300 }, (_, index) =>
        aDraft(`m${index}`, [image(`picture ${index % 3} `), { type: "text", text: "filler ".repeat(150) }]),
      ),
    );
    expect(folder.files(".png").length).toBe(3);
    expect(await tenant.deleteSession("s")).toBe(true);
    expect(allText(folder)).not.toContain("filler");
    expect(folder.files("").filter((path) => path.includes(`${sep}s-`))).toEqual([]);
    expect(await aSession(store).then((again) => idsOf(again))).toEqual([]);
  });
});

describe("images and long texts", () => {
  const long = `${"word ".repeat(60_000)} needle ${"word ".repeat(60_000)}`;

  test("are stored once, in files next to the log, and are read with their message, also in forks", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = await aSession(store);
    const draft = aDraft("m1", [{ type: "text", text: long }, image("picture "), image("picture ")]);
    await appendDrafts(tenant, draft);
    expect(statSync(folder.file(".jsonl")).size).toBeLessThan(3_000);
    expect([folder.files(".png").length, folder.files(".txt").length]).toEqual([1, 1]);
    const head = foldEntries(await tenant.readEntries("s", {}));
    await tenant.createSession({ id: "f", createdAt: 0, fork: { parentId: "s", atSeq: 1 } }, head);
    await store.close();
    const again = folder.open().tenant("local");
    for (const id of ["s", "f"]) expect((await again.findMessage(id, "m1"))?.message).toEqual(draft.message);
    expect((await again.search({ text: "NEEDLE", limit: 1 })).map(({ matchLength }) => matchLength)).toEqual([6]);
  });

  test("images of a failed append are removed", async () => {
    await using folder = new TestFolder();
    const tenant = await aSession(folder.open());
    rmSync(folder.file(".jsonl"));
    await expect(appendDrafts(tenant, aDraft("m1", [image("picture ")]))).rejects.toMatchObject({
      code: "store-unavailable",
    });
    expect(folder.files(".png")).toEqual([]);
  });
});

describe("the order of search", () => {
  const found = async (tenant: TenantStore) =>
    (await tenant.search({ text: "hello", limit: 9 })).map(({ sessionId, messageId }) => `${sessionId}/${messageId}`);

  test("search returns the newest messages first after a restart, also without the index and with wrong clocks", async () => {
    await using folder = new TestFolder();
    const at = [900, 20, 300, 1];
    for (const [index, id] of ["s", "t", "s", "t"].entries()) {
      const store = folder.open();
      const tenant = await aSession(store, id);
      await tenant.append(id, { entries: [{ ...aDraft(`m${index}`, "Hello."), at: at[index] ?? 0 }] });
      await store.close();
      if (index === 2) folder.removeIndex();
    }
    const order = ["t/m3", "s/m2", "t/m1", "s/m0"];
    expect(await found(folder.open().tenant("local"))).toEqual(order);
  });
});

describe("durability", () => {
  test.each(["always", "interval", "never"] as const)(
    "messages written with fsync %s are read again",
    async (fsync) => {
      await using folder = new TestFolder();
      const store = folder.open({ fsync });
      await appendDrafts(await aSession(store), aDraft("m1", "Hello."), aDraft("m2", [image("picture ")]));
      await store.close();
      expect(await idsOf(folder.open({ fsync }).tenant("local"))).toEqual(["m1", "m2"]);
    },
  );
});
