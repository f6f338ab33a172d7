import { expect, test } from "vitest";
import { ImageShelf } from "./image-shelf.ts";

const image = (fill: number, length: number) => ({
  mediaType: "image/png",
  bytes: new Uint8Array(Buffer.alloc(length, fill)),
});
const asImage = (reference: string) => [{ role: "user", content: [{ type: "image", image: reference }] }];

test("a tenant with many images drives out its own, and not another's", async () => {
  const shelf = new ImageShelf({ mostBytes: 1_000 });
  const [one, two] = [
    { tenantId: "one", sessionId: "s" },
    { tenantId: "two", sessionId: "s" },
  ];
  const kept = shelf.put(one, image(0, 200)).reference;
  const sent = Array.from({ length: 20 }, (_, index) => shelf.put(two, image(index + 1, 200)).reference);
  expect(JSON.stringify(await shelf.resolve(one, asImage(kept)))).toContain("data:image/png;base64,");
  await expect(shelf.resolve(two, asImage(sent[0] ?? ""))).rejects.toThrow(/put it again/);
  expect(JSON.stringify(await shelf.resolve(two, asImage(sent.at(-1) ?? "")))).toContain("data:image/png;base64,");
  await expect(shelf.resolve(two, asImage(kept))).rejects.toThrow(/put it again/);
});

test("an image is gone after an hour", async () => {
  let now = 0;
  const shelf = new ImageShelf({ now: () => now });
  const place = { tenantId: "one", sessionId: "s" };
  const { reference } = shelf.put(place, image(0, 10));
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
  const [right, wrong] = [theirs.put(place, here).reference, theirs.put(place, there).reference];
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
