import { expect, test } from "vitest";
import { ImageShelf } from "./image-shelf.ts";

const image = (fill: number, length: number) => ({
  mediaType: "image/png",
  bytes: new Uint8Array(Buffer.alloc(length, fill)),
});
const asImage = (reference: string) => [{ role: "user", content: [{ type: "image", image: reference }] }];

test("a tenant with many images drives out its own, and not another's", () => {
  const shelf = new ImageShelf({ mostBytes: 1_000 });
  const [one, two] = [
    { tenantId: "one", sessionId: "s" },
    { tenantId: "two", sessionId: "s" },
  ];
  const kept = shelf.put(one, image(0, 200)).reference;
  const sent = Array.from({ length: 20 }, (_, index) => shelf.put(two, image(index + 1, 200)).reference);
  expect(JSON.stringify(shelf.resolve(one, asImage(kept)))).toContain("data:image/png;base64,");
  expect(() => shelf.resolve(two, asImage(sent[0] ?? ""))).toThrow(/put it again/);
  expect(JSON.stringify(shelf.resolve(two, asImage(sent.at(-1) ?? "")))).toContain("data:image/png;base64,");
  expect(() => shelf.resolve(two, asImage(kept))).toThrow(/put it again/);
});

test("an image is gone after an hour", () => {
  let now = 0;
  const shelf = new ImageShelf({ now: () => now });
  const place = { tenantId: "one", sessionId: "s" };
  const { reference } = shelf.put(place, image(0, 10));
  now = 3_600_000;
  expect(() => shelf.resolve(place, asImage(reference))).toThrow(/put it again/);
});

test("words that look like the name of an image stay words", () => {
  const shelf = new ImageShelf();
  const name = `palimpsest-image:${"0".repeat(32)}`;
  const place = { tenantId: "one", sessionId: "s" };
  const said = [
    { role: "user", content: name },
    { role: "user", parts: [{ type: "text", text: name }] },
    { role: "assistant", content: [{ type: "text", text: name }] },
  ];
  expect(shelf.resolve(place, said)).toEqual(said);
});
