/** Conversations that fit pass through the gateway unchanged, and are recognized by their content. */
import { createHash } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TenantStore } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { writeWords } from "../integrations/strict-provider.ts";
import { startRaw } from "./raw-upstream.ts";
import { chat, post, replyWith, startGateway } from "./start-gateway.ts";

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
describe("a conversation that fits", () => {
  test("passes through byte for byte in both directions, compressed or not", async () => {
    const reply = gzipSync(Buffer.from(`  ${replyWith("Pier four. ñ 舟")}\n`));
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip", "x-own": "kept" });
      response.end(reply);
    });
    await using gateway = await startGateway(upstream.url);
    const plain = Buffer.from(
      `{ "messages" :[ {"content":"Which pier?","role":"user"}],\n "model":"gpt-5.4", "n":1.0}`,
    );
    for (const [bytes, headers] of [
      [plain, {}],
      [gzipSync(plain), { "content-encoding": "gzip" }],
    ] as const) {
      const response = await new Promise<{ readonly bytes: Buffer; readonly incoming: IncomingMessage }>((resolve) => {
        const options = { method: "POST", headers: { "content-type": "application/json", ...headers } };
        const outgoing = request(`${gateway.url}/v1/chat/completions`, options, async (incoming) => {
          const chunks: Buffer[] = [];
          for await (const chunk of incoming) chunks.push(chunk);
          resolve({ bytes: Buffer.concat(chunks), incoming });
        });
        outgoing.end(bytes);
      });
      expect(hash(response.bytes)).toBe(hash(reply));
      expect(response.incoming.headers).toMatchObject({ "x-own": "kept", "content-encoding": "gzip" });
      expect(hash(upstream.requests.at(-1)?.bytes ?? Buffer.alloc(0))).toBe(hash(bytes));
    }
    const { body } = await gateway.ask("GET", "/api/sessions");
    const messages = await gateway.ask("GET", `/api/sessions/${body.sessions.at(-1).id}/entries`);
    expect(JSON.stringify(messages.body)).toContain("Pier four. ñ 舟");
  });

  test("continues its session with a new message and after retries, and forks after an edit or another reply", async () => {
    let count = 0;
    await using upstream = await startRaw((_request, response) => {
      count += 1;
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith(`Reply ${count}.`));
    });
    await using gateway = await startGateway(upstream.url);
    const sessionOf = async (...texts: string[]) => {
      const response = await post(gateway, chat(...texts));
      await response.text();
      return response.headers.get("x-palimpsest-session");
    };
    const first = await sessionOf("Hello");
    expect(await sessionOf("Hello", "Reply 1.", "More")).toBe(first);
    expect(await sessionOf("Hello", "Reply 1.", "More", "Reply 2.", "Still more")).toBe(first);
    const edited = await sessionOf("Hello", "Reply 1.", "Other");
    expect(edited).not.toBe(first);
    expect(await sessionOf("Hello", "Reply 1.", "Other", "Reply 4.", "On")).toBe(edited);
    for (let retry = 0; retry < 3; retry += 1) expect(await sessionOf("Hello")).toBe(first);
    const replied = await sessionOf("Hello", "Reply 6.", "More");
    expect(await sessionOf("Hello", "Reply 6.", "More", "Reply 9.", "On")).toBe(replied);
    expect(await sessionOf("Hello", "Reply 1.", "More", "Reply 2.", "Still more", "Reply 3.", "End")).toBe(first);
    expect(new Set([first, edited, replied]).size).toBe(3);
    const { body } = await gateway.ask("GET", "/api/sessions");
    expect(body.sessions).toHaveLength(3);
  });

  test("is forwarded before its conversation is read, once its bytes show that it fits", async () => {
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Noted."));
    });
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const store = createMemoryStore();
    const slow = new Proxy(store, {
      get: (target, name, receiver) =>
        name === "tenant" ? (id: string) => slowAppend(target.tenant(id)) : Reflect.get(target, name, receiver),
    });
    const slowAppend = (tenant: TenantStore) =>
      new Proxy(tenant, {
        get(target, name, receiver) {
          if (name !== "append") return Reflect.get(target, name, receiver);
          const append: TenantStore["append"] = async (...args) => {
            if (isHeld) await held.promise;
            return target.append(...args);
          };
          return append;
        },
      });
    await using gateway = await startGateway(upstream.url, { store: slow });
    const first = await post(gateway, chat("Hello"));
    await first.text();
    isHeld = true;
    const second = await post(gateway, chat("Hello", "Noted.", "More"));
    expect(upstream.requests).toHaveLength(2);
    expect(second.headers.get("x-palimpsest-session")).toBe(first.headers.get("x-palimpsest-session"));
    held.resolve();
    await second.text();
    const { body } = await gateway.ask("GET", `/api/sessions/${first.headers.get("x-palimpsest-session")}/entries`);
    expect(JSON.stringify(body)).toContain("More");
  });

  test("is compacted without text of other conversations that began alike", async () => {
    await using upstream = await startRaw((request, response) => {
      const [, name = ""] = /marker-(\w+)/.exec(request.bytes.toString()) ?? [];
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(replyWith(`Noted ${name}. ${writeWords(200, 3)}`));
    });
    await using gateway = await startGateway(upstream.url, { gateway: { windowTokens: 2_000 } });
    const names = ["alpha", "beta", "gamma"];
    const lists = names.map(() => ["Hello", "Welcome", writeWords(60, 1), "Yes"]);
    for (let turn = 0; turn < 8; turn += 1) {
      for (const [index, name] of names.entries()) {
        const list = lists[index] ?? [];
        list.push(`marker-${name} ${turn} ${writeWords(80, turn)}`);
        const response = await post(gateway, chat(...list));
        list.push(JSON.parse(await response.text()).choices[0].message.content);
        const sent = upstream.requests.at(-1)?.bytes.toString() ?? "";
        for (const other of names.filter((each) => each !== name)) expect(sent).not.toContain(other);
      }
    }
    expect(upstream.requests.at(-1)?.bytes.toString()).toContain("[Summary of");
  });
});
