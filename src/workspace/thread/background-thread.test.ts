import { describe, expect, test } from "vitest";
import { BackgroundThread } from "./background-thread.ts";
import type { Order } from "./order.ts";

const outline = (path: string, source: string): Order => ({ type: "outline", path, source });
const page = (markup: string): Order => ({
  type: "page",
  page: { url: "https://a.example/", mediaType: "text/html", charset: undefined, bytes: Buffer.from(markup) },
});
/** Brackets that never fit: the grammar tries for minutes to make sense of them. */
const ENDLESS = outline("a.py", "}{)(\n".repeat(95_000));

const ordinary = { timeoutMs: 30_000, idleMs: 60_000, mostHeapMegabytes: 256 };

describe("a background thread", () => {
  test("answers in the order of asking", async () => {
    const thread = new BackgroundThread(ordinary);
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => thread.ask(outline("x.ts", `function ${name}() {}`))),
    );
    expect(answers.map((answer) => answer.type === "outline" && answer.outline?.text)).toEqual([
      "function a()",
      "function b()",
      "function c()",
    ]);
  });

  test("gives up what takes too long, and reads on", async () => {
    const thread = new BackgroundThread({ ...ordinary, timeoutMs: 1_500 });
    const [stuck, next] = await Promise.allSettled([
      thread.ask(ENDLESS),
      thread.ask(outline("x.py", "def tide(): pass")),
    ]);
    expect(stuck).toMatchObject({ status: "rejected", reason: { message: "not read within 1500 ms" } });
    expect(next).toMatchObject({ status: "fulfilled", value: { outline: { text: "def tide()" } } });
  });

  test("that runs out of memory fails what it was at, and reads on", async () => {
    const thread = new BackgroundThread({ ...ordinary, mostHeapMegabytes: 24 });
    const large = page(`<html><body>${"<p>a<b>c</b></p>".repeat(120_000)}</body></html>`);
    const [heavy, next] = await Promise.allSettled([thread.ask(large), thread.ask(page("<p>Tide</p>"))]);
    expect(heavy).toMatchObject({ status: "rejected" });
    expect(next).toMatchObject({ status: "fulfilled", value: { page: { text: "Tide" } } });
  });

  test("that has been let go starts again", async () => {
    const thread = new BackgroundThread({ ...ordinary, idleMs: 1 });
    expect((await thread.ask(page("<p>one</p>"))).type).toBe("page");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await thread.ask(page("<p>two</p>"))).type).toBe("page");
  });
});
