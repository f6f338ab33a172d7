/** Bodies above the limit, sent from another process: the client must receive the refusal while it is still sending. */
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { newFolders } from "../support/new-folders.ts";
import { startServe } from "../support/serve-process.ts";

const newFolder = newFolders("too-large");
const SIZES = [4_000_001, 8_000_000, 20_000_000, 60_000_000];
const CHUNK = new TextEncoder().encode("x".repeat(65_536));

describe("a body that is too large", () => {
  test("is answered with 413, with or without a Content-Length header", async () => {
    await using server = await startServe({ environment: { PALIMPSEST_HOME: newFolder() } });
    const send = async (size: number, isAnnounced: boolean): Promise<number> => {
      const chunks = Array.from({ length: Math.ceil(size / CHUNK.length) }, () => CHUNK);
      const body = isAnnounced ? "x".repeat(size) : ReadableStream.from(chunks);
      const headers = { "content-type": "application/json" };
      const sent = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      return (await fetch(`${server.url}/api/sessions/a/messages`, sent)).status;
    };
    const answers = SIZES.flatMap((size) => [true, false].map((isAnnounced) => send(size, isAnnounced)));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([413]));
  });

  test("causes an error in the client that is not retryable", async () => {
    await using server = await startServe({ environment: { PALIMPSEST_HOME: newFolder() } });
    const client = createClient({ url: server.url });
    for (const size of [...SIZES, ...SIZES]) {
      const messages = [{ role: "user", content: "x".repeat(size) }] as const;
      const sent = client.appendMessages({ params: { id: "a" }, body: { messages } as never });
      await expect(sent).rejects.toMatchObject({ code: "request-too-large", retryable: false });
    }
  });
});
