import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findStorePath } from "../../stores/open-store.ts";
import { PendingUploads } from "./pending-uploads.ts";
import { findUploadFolder } from "./upload-files.ts";

const image = (fill: number, length: number) => ({
  mediaType: "image/png",
  bytes: new Uint8Array(Buffer.alloc(length, fill)),
});
const parent = mkdtempSync(join(tmpdir(), "palimpsest-images-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const asImage = (reference: string) => [{ role: "user", content: [{ type: "image", image: reference }] }];

test("a tenant with too many uploads loses only its own oldest images", async () => {
  const uploads = new PendingUploads({ maxBytes: 1_000 });
  const [one, two] = [
    { tenantId: "one", sessionId: "s" },
    { tenantId: "two", sessionId: "s" },
  ];
  const kept = (await uploads.put(one, image(0, 200))).reference;
  const sent: string[] = [];
  for (let index = 1; index <= 20; index += 1) sent.push((await uploads.put(two, image(index, 200))).reference);
  expect(JSON.stringify(await uploads.resolve(one, asImage(kept)))).toContain("data:image/png;base64,");
  await expect(uploads.resolve(two, asImage(sent[0] ?? ""))).rejects.toThrow(/Upload it again/);
  expect(JSON.stringify(await uploads.resolve(two, asImage(sent.at(-1) ?? "")))).toContain("data:image/png;base64,");
  await expect(uploads.resolve(two, asImage(kept))).rejects.toThrow(/Upload it again/);
});

test("a pending upload expires after an hour", async () => {
  let now = 0;
  const uploads = new PendingUploads({ now: () => now });
  const place = { tenantId: "one", sessionId: "s" };
  const { reference } = await uploads.put(place, image(0, 10));
  now = 3_600_000;
  await expect(uploads.resolve(place, asImage(reference))).rejects.toThrow(/Upload it again/);
});

test("a text that looks like a reference to an image is left unchanged", async () => {
  const uploads = new PendingUploads();
  const name = `palimpsest-image:${"0".repeat(32)}`;
  const place = { tenantId: "one", sessionId: "s" };
  const messages = [
    { role: "user", content: name },
    { role: "user", parts: [{ type: "text", text: name }] },
    { role: "assistant", content: [{ type: "text", text: name }] },
  ];
  expect(await uploads.resolve(place, messages)).toEqual(messages);
});

test("an image from another server is used if its hash matches", async () => {
  const [here, there] = [image(1, 10), image(2, 10)];
  const theirs = new PendingUploads();
  const place = { tenantId: "one", sessionId: "s" };
  const right = (await theirs.put(place, here)).reference;
  const wrong = (await theirs.put(place, there)).reference;
  const asked: unknown[] = [];
  const uploads = new PendingUploads({
    connect: () => async (from, id) => {
      asked.push(from);
      return right.endsWith(id) || wrong.endsWith(id) ? here : undefined;
    },
  });
  expect(JSON.stringify(await uploads.resolve(place, asImage(right)))).toContain("data:image/png;base64,");
  await expect(uploads.resolve(place, asImage(wrong))).rejects.toThrow(/Upload it again/);
  const unknown = `palimpsest-image:${"0".repeat(32)}`;
  await expect(uploads.resolve(place, asImage(unknown))).rejects.toThrow(/Upload it again/);
  expect(asked).toEqual([place, place, place]);
});

test("an upload in a folder survives a restart, belongs to its owner alone, and is removed with its session", async () => {
  const folder = join(parent, "kept");
  const [place, other] = [
    { tenantId: "one", sessionId: "../s" },
    { tenantId: "two", sessionId: "../s" },
  ];
  const { reference } = await new PendingUploads({ folder }).put(place, image(1, 10));
  const [name = ""] = readdirSync(folder);
  expect(name).toMatch(/^[0-9a-f]{32}-[0-9a-f]{32}$/);
  if (process.platform !== "win32") expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  const next = new PendingUploads({ folder });
  expect(JSON.stringify(await next.resolve(place, asImage(reference)))).toContain("data:image/png;base64,AQEB");
  await expect(next.resolve(other, asImage(reference))).rejects.toThrow(/Upload it again/);
  await next.put(other, image(1, 10));
  await next.forget(place);
  await expect(next.resolve(place, asImage(reference))).rejects.toThrow(/Upload it again/);
  expect(JSON.stringify(await next.resolve(other, asImage(reference)))).toContain("data:");
  await next.forget(other);
  expect(existsSync(folder)).toBe(false);
});

test("an upload in a folder expires after an hour, and is refused if its content changed", async () => {
  const folder = join(parent, "old");
  const place = { tenantId: "one", sessionId: "s" };
  const { reference } = await new PendingUploads({ folder }).put(place, image(1, 10));
  const path = join(folder, readdirSync(folder)[0] ?? "");
  writeFileSync(path, "image/png\nsomething else");
  await expect(new PendingUploads({ folder }).resolve(place, asImage(reference))).rejects.toThrow(/Upload it again/);
  await new PendingUploads({ folder }).put(place, image(1, 10));
  const hourAgo = Date.now() / 1_000 - 3_600;
  utimesSync(path, hourAgo, hourAgo);
  await expect(new PendingUploads({ folder }).resolve(place, asImage(reference))).rejects.toThrow(/Upload it again/);
  await expect.poll(() => existsSync(folder)).toBe(false);
});

test("the oldest upload above the limit of a folder is removed, and uploads work if the folder cannot be created", async () => {
  const folder = join(parent, "full");
  const place = { tenantId: "one", sessionId: "s" };
  const uploads = new PendingUploads({ folder, maxBytes: 500 });
  for (let index = 0; index < 5; index += 1) await uploads.put(place, image(index, 200));
  expect(readdirSync(folder)).toHaveLength(2);
  writeFileSync(join(parent, "file"), "");
  const memory = new PendingUploads({ folder: join(parent, "file", "below") });
  const { reference } = await memory.put(place, image(1, 10));
  expect(JSON.stringify(await memory.resolve(place, asImage(reference)))).toContain("data:");
});

test.each([
  ["sqlite:./chats.db", "./chats.db-images"],
  ["windowed-sql:./chats.db", "./chats.db-images"],
  ["jsonl:/data/chats/", "/data/chats-images"],
  ["workspace:/repository", join("/repository", ".ac-dc", "history.jsonl-images")],
  ["memory:", undefined],
  ["sqlite::memory:", undefined],
  ["postgres://db/chats", undefined],
])("the folder of pending uploads for the store %s is %s", (store, folder) => {
  expect(findUploadFolder(findStorePath(store))).toBe(folder);
});
