import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findStorePath } from "../../stores/open-store.ts";
import { imagesBeside } from "./image-files.ts";
import { ImageShelf } from "./image-shelf.ts";

const image = (fill: number, length: number) => ({
  mediaType: "image/png",
  bytes: new Uint8Array(Buffer.alloc(length, fill)),
});
const parent = mkdtempSync(join(tmpdir(), "palimpsest-images-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const asImage = (reference: string) => [{ role: "user", content: [{ type: "image", image: reference }] }];

test("a tenant with many images drives out its own, and not another's", async () => {
  const shelf = new ImageShelf({ mostBytes: 1_000 });
  const [one, two] = [
    { tenantId: "one", sessionId: "s" },
    { tenantId: "two", sessionId: "s" },
  ];
  const kept = (await shelf.put(one, image(0, 200))).reference;
  const sent: string[] = [];
  for (let index = 1; index <= 20; index += 1) sent.push((await shelf.put(two, image(index, 200))).reference);
  expect(JSON.stringify(await shelf.resolve(one, asImage(kept)))).toContain("data:image/png;base64,");
  await expect(shelf.resolve(two, asImage(sent[0] ?? ""))).rejects.toThrow(/put it again/);
  expect(JSON.stringify(await shelf.resolve(two, asImage(sent.at(-1) ?? "")))).toContain("data:image/png;base64,");
  await expect(shelf.resolve(two, asImage(kept))).rejects.toThrow(/put it again/);
});

test("an image is gone after an hour", async () => {
  let now = 0;
  const shelf = new ImageShelf({ now: () => now });
  const place = { tenantId: "one", sessionId: "s" };
  const { reference } = await shelf.put(place, image(0, 10));
  now = 3_600_000;
  await expect(shelf.resolve(place, asImage(reference))).rejects.toThrow(/put it again/);
});

test("words that look like the name of an image stay words", async () => {
  const shelf = new ImageShelf();
  const name = `palimpsest-image:${"0".repeat(32)}`;
  const place = { tenantId: "one", sessionId: "s" };
  const said = [
    { role: "user", content: name },
    { role: "user", parts: [{ type: "text", text: name }] },
    { role: "assistant", content: [{ type: "text", text: name }] },
  ];
  expect(await shelf.resolve(place, said)).toEqual(said);
});

test("an image of another server is taken where it is the one that was named", async () => {
  const [here, there] = [image(1, 10), image(2, 10)];
  const theirs = new ImageShelf();
  const place = { tenantId: "one", sessionId: "s" };
  const right = (await theirs.put(place, here)).reference;
  const wrong = (await theirs.put(place, there)).reference;
  const asked: unknown[] = [];
  const shelf = new ImageShelf({
    connect: () => async (from, id) => {
      asked.push(from);
      return right.endsWith(id) || wrong.endsWith(id) ? here : undefined;
    },
  });
  expect(JSON.stringify(await shelf.resolve(place, asImage(right)))).toContain("data:image/png;base64,");
  await expect(shelf.resolve(place, asImage(wrong))).rejects.toThrow(/put it again/);
  const unknown = `palimpsest-image:${"0".repeat(32)}`;
  await expect(shelf.resolve(place, asImage(unknown))).rejects.toThrow(/put it again/);
  expect(asked).toEqual([place, place, place]);
});

test("an image waits in a folder for the next server, for its owner alone, and goes with its session", async () => {
  const folder = join(parent, "kept");
  const [place, other] = [
    { tenantId: "one", sessionId: "../s" },
    { tenantId: "two", sessionId: "../s" },
  ];
  const { reference } = await new ImageShelf({ folder }).put(place, image(1, 10));
  const [name = ""] = readdirSync(folder);
  expect(name).toMatch(/^[0-9a-f]{32}-[0-9a-f]{32}$/);
  if (process.platform !== "win32") expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  const next = new ImageShelf({ folder });
  expect(JSON.stringify(await next.resolve(place, asImage(reference)))).toContain("data:image/png;base64,AQEB");
  await expect(next.resolve(other, asImage(reference))).rejects.toThrow(/put it again/);
  await next.put(other, image(1, 10));
  await next.forget(place);
  await expect(next.resolve(place, asImage(reference))).rejects.toThrow(/put it again/);
  expect(JSON.stringify(await next.resolve(other, asImage(reference)))).toContain("data:");
  await next.forget(other);
  expect(existsSync(folder)).toBe(false);
});

test("an image in a folder is gone after an hour, or when it is not the one that was put", async () => {
  const folder = join(parent, "old");
  const place = { tenantId: "one", sessionId: "s" };
  const { reference } = await new ImageShelf({ folder }).put(place, image(1, 10));
  const path = join(folder, readdirSync(folder)[0] ?? "");
  writeFileSync(path, "image/png\nsomething else");
  await expect(new ImageShelf({ folder }).resolve(place, asImage(reference))).rejects.toThrow(/put it again/);
  await new ImageShelf({ folder }).put(place, image(1, 10));
  const hourAgo = Date.now() / 1_000 - 3_600;
  utimesSync(path, hourAgo, hourAgo);
  await expect(new ImageShelf({ folder }).resolve(place, asImage(reference))).rejects.toThrow(/put it again/);
  await expect.poll(() => existsSync(folder)).toBe(false);
});

test("of too much in a folder the oldest goes, and a folder that cannot be made is done without", async () => {
  const folder = join(parent, "full");
  const place = { tenantId: "one", sessionId: "s" };
  const shelf = new ImageShelf({ folder, mostBytes: 500 });
  for (let index = 0; index < 5; index += 1) await shelf.put(place, image(index, 200));
  expect(readdirSync(folder)).toHaveLength(2);
  writeFileSync(join(parent, "file"), "");
  const memory = new ImageShelf({ folder: join(parent, "file", "below") });
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
])("images wait beside a store that is a file or a folder: %s", (store, folder) => {
  expect(imagesBeside(findStorePath(store))).toBe(folder);
});
