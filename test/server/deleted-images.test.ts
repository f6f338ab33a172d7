/** Images of deleted messages: no file keeps their bytes, neither the store's nor the server's. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { append, aUserMessage, draftOf, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { startChild } from "../faults/start-child.ts";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import { startTestServer } from "../support/start-server.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
/** A PNG followed by bytes that compress badly and occur nowhere else. */
function imageOf(words: string): Buffer {
  return Buffer.concat([PNG, Buffer.from(words.repeat(100))]);
}

function findFilesWith(path: string, bytes: Buffer): readonly string[] {
  const files = readdirSync(join(path, ".."), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).filter((each) => each.startsWith(path));
  return paths.filter((each) => {
    const content = readFileSync(each);
    return content.includes(bytes) || content.includes(bytes.toString("base64"));
  });
}

describe.each(["sqlite", "jsonl"])("a server with a %s store", (kind) => {
  test("no file contains the bytes of an uploaded image after the image's message is deleted", async () => {
    const path = folder.newPath();
    await using server = await startTestServer({ store: `${kind}:${path}` });
    const bytes = imageOf(`secret ${kind} `);
    await server.ask("POST", "/api/sessions", { id: "s" });
    const put = await fetch(`${server.url}/api/sessions/s/images`, {
      method: "PUT",
      body: new Uint8Array(bytes),
      headers: { "content-type": "image/png" },
    });
    const { reference } = (await put.json()) as { readonly reference: string };
    const content = [{ type: "image_url", image_url: { url: reference } }];
    const response = await server.ask("POST", "/api/sessions/s/messages", {
      messages: { role: "user", id: "shown", content },
    });
    expect(response.status).toBe(200);
    expect(findFilesWith(path, bytes).length).toBeGreaterThan(0);
    expect((await server.ask("DELETE", "/api/sessions/s/messages/shown")).status).toBe(200);
    expect(findFilesWith(path, bytes)).toEqual([]);
  });
});

test("the next writer of a JSONL folder removes images whose deletion a killed process did not finish", async () => {
  const path = folder.newPath();
  const store = openJsonlStore({ folder: path });
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  const messages = Array.from({ length: 20 }, (_, index) => ({
    ...aUserMessage("Look."),
    parts: [0, 1, 2, 3, 4].map((part) => {
      const base64 = imageOf(`${index} ${part} `).toString("base64");
      return { type: "image", mediaType: "image/png", source: { type: "data", base64 } } as const;
    }),
  }));
  await append(tenant, say("Kept."), ...messages.map((message) => draftOf(message)));
  await store.close();
  const own = join(path, readdirSync(path).find((name) => name.startsWith("local")) ?? "");
  const [blobs = ""] = readdirSync(own).filter((name) => name.endsWith(".blobs"));
  const list = join(own, blobs.replace(".blobs", ".jsonl.erased"));
  const [first = ""] = readdirSync(join(own, blobs)).toSorted();
  const script = fileURLToPath(new URL("../stores/erasing-child.ts", import.meta.url));
  const task = { folder: path, messageIds: messages.map(({ id }) => id), list, first: join(own, blobs, first) };
  const { complaint } = await startChild({ script, task }).ended;
  expect(complaint).toBe("");
  const again = openJsonlStore({ folder: path });
  await again.tenant("local").renameSession(SESSION, "Opened");
  expect(await again.tenant("local").statistics()).toMatchObject({ blobs: { count: 0 }, messages: 21 });
  expect(existsSync(list)).toBe(false);
  await again.close();
});
