import { describe, expect, test } from "vitest";
import type { ThreadRequest } from "./background-thread.ts";
import { BackgroundThread } from "./background-thread.ts";

const outline = (path: string, source: string): ThreadRequest => ({ type: "outline", path, source });
const page = (markup: string): ThreadRequest => ({
  type: "page",
  page: { url: "https://a.example/", mediaType: "text/html", charset: undefined, bytes: Buffer.from(markup) },
});
/** Mismatched brackets, which take the grammar minutes to parse. */
const ENDLESS = outline("a.py", "}{)(\n".repeat(95_000));

const ordinary = { timeoutMs: 30_000, idleMs: 60_000, maxHeapMegabytes: 256 };

describe("BackgroundThread", () => {
  test("a background thread answers requests in order", async () => {
    const thread = new BackgroundThread(ordinary);
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => thread.run(outline("x.ts", `function ${name}() {}`))),
    );
    expect(answers.map((answer) => answer.type === "outline" && answer.outline?.text)).toEqual([
      "function a()",
      "function b()",
      "function c()",
    ]);
  });

  test("a background thread fails a request that takes too long, and handles the next one", async () => {
    // On a busy machine the new thread needs longer to start, so a second try waits longer.
    for (const timeoutMs of [1_500, 20_000]) {
      const thread = new BackgroundThread({ ...ordinary, timeoutMs });
      const [stuck, next] = await Promise.allSettled([
        thread.run(ENDLESS),
        thread.run(outline("x.py", "def tide(): pass")),
      ]);
      expect(stuck).toMatchObject({ status: "rejected", reason: { message: `not read within ${timeoutMs} ms` } });
      if (next.status === "rejected" && timeoutMs < 20_000) continue;
      expect(next).toMatchObject({ status: "fulfilled", value: { outline: { text: "def tide()" } } });
      return;
    }
  });

  test("a background thread that runs out of memory fails one request and handles the next", async () => {
    const thread = new BackgroundThread({ ...ordinary, maxHeapMegabytes: 24 });
    const large = page(`<html><body>${"<p>a<b>c</b></p>".repeat(120_000)}</body></html>`);
    const [heavy, next] = await Promise.allSettled([thread.run(large), thread.run(page("<p>Tide</p>"))]);
    expect(heavy).toMatchObject({ status: "rejected" });
    expect(next).toMatchObject({ status: "fulfilled", value: { page: { text: "Tide" } } });
  });

  test("a background thread that stopped while idle starts again", async () => {
    const thread = new BackgroundThread({ ...ordinary, idleMs: 1 });
    expect((await thread.run(page("<p>one</p>"))).type).toBe("page");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await thread.run(page("<p>two</p>"))).type).toBe("page");
  });
});
