/** The strip: every message by fate and tokens, in a limited number of buckets. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startTestServer, type TestResponse, type TestServer } from "../support/start-server.ts";

interface Bucket {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly messages: number;
  readonly tokens: number;
  readonly shownTokens: number;
  readonly fates: readonly { readonly fate: string; readonly messages: number; readonly tokens: number }[];
}

const bucketsOf = ({ body }: TestResponse): readonly Bucket[] => body.buckets;

async function talk(server: TestServer, count: number): Promise<void> {
  await server.ask("POST", "/api/sessions", { id: "s" });
  for (let start = 0; start < count; start += 500) {
    const messages = Array.from({ length: Math.min(500, count - start) }, (_, index) => ({
      id: `m${start + index + 1}`,
      role: index % 2 ? "assistant" : "user",
      content: `Message ${start + index + 1} of a long talk about the island, its ferry and the weather there.`,
    }));
    await server.ask("POST", "/api/sessions/s/messages", { messages });
  }
}

describe.each(["memory", "sqlite", "jsonl"])("the strip of a session in a %s store", (kind) => {
  async function start(): Promise<TestServer & { readonly remove: () => Promise<void> }> {
    const folder = await mkdtemp(join(tmpdir(), "strip-"));
    const store = kind === "memory" ? "memory:" : `${kind}:${join(folder, kind === "sqlite" ? "chats.db" : "chats")}`;
    const server = await startTestServer({ store, engine: { budgetTokens: 3_000 } });
    return { ...server, remove: () => rm(folder, { recursive: true, force: true }) };
  }

  test("a strip has a bucket for each message of a short log, and the same sums with larger buckets", async () => {
    const server = await start();
    await talk(server, 400);
    await server.ask("POST", "/api/sessions/s/prompts", {});
    await server.ask("POST", "/api/sessions/s/pins", { messageId: "m7" });
    const fine = await server.ask("GET", "/api/sessions/s/strip");
    expect(bucketsOf(fine).filter(({ messages }) => messages === 1)).toHaveLength(400);
    const { messages, tokens, shownTokens } = fine.body;
    expect(messages).toBe(400);
    for (const buckets of [1, 7, 100]) {
      const coarse = await server.ask("GET", `/api/sessions/s/strip?buckets=${buckets}`);
      expect(bucketsOf(coarse).length).toBeLessThanOrEqual(buckets);
      expect(coarse.body).toMatchObject({ messages, tokens, shownTokens });
    }
    await server.server.close();
    await server.remove();
  });

  test("a strip counts every fate, even that of one pinned message among many summarized ones", async () => {
    const server = await start();
    await talk(server, 400);
    await server.ask("POST", "/api/sessions/s/prompts", {});
    await server.ask("POST", "/api/sessions/s/pins", { messageId: "m7" });
    const [whole] = bucketsOf(await server.ask("GET", "/api/sessions/s/strip?buckets=1"));
    const fates = Object.fromEntries((whole?.fates ?? []).map(({ fate, messages }) => [fate, messages]));
    expect(fates).toMatchObject({ pinned: 1 });
    expect(Object.values(fates).reduce((sum, count) => sum + count, 0)).toBe(400);
    expect(fates.summarised).toBeGreaterThan(300);
    expect(fates.verbatim).toBeGreaterThan(1);
    await server.server.close();
    await server.remove();
  });

  test("a strip can be limited to a range of seqs, and is empty for a range beyond the log", async () => {
    const server = await start();
    await talk(server, 400);
    const part = await server.ask("GET", "/api/sessions/s/strip?firstSeq=101&lastSeq=150&buckets=10");
    expect(bucketsOf(part).map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])[0]).toEqual([101, 105]);
    expect(part.body.messages).toBe(50);
    const beyond = await server.ask("GET", "/api/sessions/s/strip?firstSeq=5000");
    expect(beyond.body).toMatchObject({ messages: 0, buckets: [] });
    expect(await server.ask("GET", "/api/sessions/s/strip?buckets=4001")).toMatchObject({ status: 400 });
    await server.server.close();
    await server.remove();
  });
});
