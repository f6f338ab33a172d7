import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { FilePart, ImagePart, Message, Part } from "../../core/message/message.ts";
import { histories } from "../../testing/generate-histories.ts";
import { shows } from "../../testing/shows.ts";
import { type BlobBox, cutChunks } from "./blob.ts";
import { attachBlobs, checkAttachments, detachBlobs } from "./detach-blobs.ts";
import { createFolderBlobBox } from "./folder-blob-box.ts";

const root = mkdtempSync(join(tmpdir(), "palimpsest-blobs-"));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
const newFolder = (): string => {
  made += 1;
  return join(root, `blobs-${made}`);
};

function chunkBox(): BlobBox {
  const rows = new Map<string, readonly Uint8Array[]>();
  return {
    put: async ({ bytes, sha256: name }) => {
      const isNew = !rows.has(name);
      rows.set(name, cutChunks(bytes, 100));
      return { name, isNew };
    },
    find: async (name) => {
      const chunks = rows.get(name);
      return chunks && Buffer.concat(chunks);
    },
    remove: async (name) => void rows.delete(name),
  };
}

const boxes: readonly (readonly [string, () => BlobBox])[] = [
  ["files of a folder", () => createFolderBlobBox({ folder: newFolder() })],
  ["chunks of a table", chunkBox],
];

const image = (bytes: Buffer, mediaType = "image/png"): ImagePart => ({
  type: "image",
  source: { type: "data", base64: bytes.toString("base64") },
  mediaType,
});
const file = (bytes: Buffer): FilePart => ({
  ...image(bytes, "application/pdf"),
  type: "file",
  mediaType: "application/pdf",
});
const aMessage = (...parts: readonly Part[]): Message => ({ id: "m", role: "user", parts });
const everything = { at: 5, smallestMedium: 1, smallestText: 1 };
const noise = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 31 + seed * 7) % 256));

describe.each(boxes)("blobs as %s", (_, make) => {
  test("blobs of any message are restored exactly", async () => {
    const box = make();
    await fc.assert(
      fc.asyncProperty(histories(), fc.constantFrom(1, 8, 200), async (messages, smallest) => {
        for (const message of messages) {
          const options = { at: 5, smallestMedium: smallest, smallestText: smallest };
          const detached = await detachBlobs(message, box, options);
          expect(await attachBlobs(JSON.parse(JSON.stringify(detached)), box)).toEqual(
            JSON.parse(JSON.stringify(message)),
          );
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test("a message whose blobs were detached contains none of their content", async () => {
    const box = make();
    const inner = { type: "parts", parts: [image(noise(900, 1))] } as const;
    const result: Part = { type: "tool-result", callId: "c", output: inner, failed: false };
    const message = aMessage(
      image(noise(900, 2)),
      file(noise(900, 3)),
      { type: "text", text: "x".repeat(300_000) },
      result,
    );
    const detached = await detachBlobs(message, box, { at: 5 });
    expect(JSON.stringify(detached).length).toBeLessThan(1_500);
    expect(detached.blobs.map(({ part, inner: at }) => [part, at])).toEqual(
      [[0], [1], [2], [3, 0]].map(([a, b]) => [a, b]),
    );
    expect(await attachBlobs(detached, box)).toEqual(message);
  });

  test("identical blobs are stored once", async () => {
    const box = make();
    const blob = { bytes: Buffer.from("cat"), sha256: "a".repeat(64), mediaType: "image/png", at: 5 };
    const first = await box.put(blob);
    expect(await box.put({ ...blob, at: 9 })).toEqual({ name: first.name, isNew: false });
    expect(first.isNew).toBe(true);
    await box.remove(first.name);
    await box.remove(first.name);
    expect(await box.find(first.name)).toBeUndefined();
    expect(await box.put(blob)).toMatchObject({ isNew: true });
  });

  test("a missing blob is reported, and a text replaces it in the message", async () => {
    const box = make();
    const detached = await detachBlobs(aMessage(image(noise(900, 1)), { type: "text", text: "Hello." }), box, {
      at: 5,
    });
    const [reference] = detached.blobs;
    await box.remove(reference?.name ?? "");
    const missing: string[] = [];
    const attached = await attachBlobs(detached, box, { onMissing: (name) => missing.push(name) });
    expect(missing).toEqual([reference?.name]);
    expect(attached.parts).toEqual([
      { type: "text", text: expect.stringContaining("is missing") },
      { type: "text", text: "Hello." },
    ]);
  });

  test("media are not read when only texts are requested", async () => {
    const box = make();
    const detached = await detachBlobs(
      aMessage(image(noise(900, 1)), { type: "text", text: "Hello." }),
      box,
      everything,
    );
    for (const { name, as } of detached.blobs) if (as === "base64") await box.remove(name);
    const missing: string[] = [];
    const attached = await attachBlobs(detached, box, { onlyTexts: true, onMissing: (name) => missing.push(name) });
    expect([missing, attached.parts[1]]).toEqual([[], { type: "text", text: "Hello." }]);
  });
});

describe("detachBlobs", () => {
  test.each<[string, Part]>([
    ["base64 with line breaks", { ...image(Buffer.from("x")), source: { type: "data", base64: "AB==\n".repeat(200) } }],
    ["a URL", { type: "image", source: { type: "url", url: `https://example.com/${"a".repeat(900)}` } }],
    ["text that UTF-8 cannot encode", { type: "text", text: `\ud800${"a".repeat(300_000)}` }],
    ["a short text", { type: "text", text: "Hello." }],
  ])("detachBlobs leaves %s in the message", async (_, part) => {
    const message = aMessage(part);
    const box = createFolderBlobBox({ folder: newFolder() });
    expect(await detachBlobs(message, box, { at: 5 })).toEqual({ message, blobs: [] });
  });
});

describe("a blob folder", () => {
  test("stores two contents separately if the first twelve digits of their hashes are equal", async () => {
    const box = createFolderBlobBox({ folder: newFolder() });
    const blob = (text: string, end: string) => ({
      bytes: Buffer.from(text),
      sha256: `${"a".repeat(12)}${end.repeat(52)}`,
      mediaType: undefined,
      at: 5,
    });
    const cat = await box.put(blob("cat", "1"));
    const dog = await box.put(blob("dog", "2"));
    expect([await box.find(cat.name), await box.find(dog.name)].map(String)).toEqual(["cat", "dog"]);
  });

  test.each([["../secret.png"], ["/etc/passwd"], ["5-0123456789ab.png/../../x"], [""]])(
    "finds nothing under the foreign name %j",
    async (name) => {
      const folder = newFolder();
      writeFileSync(join(root, "secret.png"), "secret");
      const box = createFolderBlobBox({ folder });
      expect(await box.find(name)).toBeUndefined();
      await box.remove(name);
      expect(readdirSync(root)).toContain("secret.png");
    },
  );
});

describe("checkAttachments", () => {
  test(
    shows("C-24", "accepts at most five images of five megabytes in a message, including those in tool results"),
    () => {
      const most = image(Buffer.alloc(5 * 2 ** 20));
      const result = (count: number): Part => ({
        type: "tool-result",
        callId: "c",
        output: { type: "parts", parts: Array.from({ length: count }, () => most) },
        failed: false,
      });
      expect(() => checkAttachments(aMessage(most, result(4)))).not.toThrow();
      expect(() => checkAttachments(aMessage(most, result(5)))).toThrow("6 images, at most 5");
      expect(() => checkAttachments(aMessage(image(Buffer.alloc(5 * 2 ** 20 + 1))))).toThrow("parts[0]: 5242881 bytes");
    },
  );
});
