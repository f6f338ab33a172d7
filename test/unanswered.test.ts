/**
 * A summarizer that never answers and has no open connection: while a caller waits for a prompt the process must not
 * end, and after close nothing may keep it alive. Each case runs in its own process.
 */
import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";

const INDEX = new URL("../src/index.ts", import.meta.url).href;
const START = `
  const { fit, openPalimpsest } = await import(${JSON.stringify(INDEX)});
  const talk = Array.from({ length: 60 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: "Message " + index + ": " + "some more words here. ".repeat(8),
  }));
  const summarizer = { name: "never", estimateCost: () => 0, summarize: () => new Promise(() => {}) };
`;

interface ProcessEnd {
  readonly code: number | null;
  readonly output: string;
}

function run(program: string): Promise<ProcessEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessEnd>();
  const child = spawn(process.execPath, ["--input-type=module", "-e", START + program], { stdio: "pipe" });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  child.on("error", reject);
  child.on("close", (code) => resolve({ code, output: output.trim() }));
  return promise;
}

const OPEN = "await openPalimpsest({ budgetTokens: 1_500, summarizer, summarizerTimeoutMs: 200 })";

describe("a summarizer that never answers", () => {
  test("does not end the process while a prompt waits, nor keep it alive after close", async () => {
    const ended = await run(`
      const palimpsest = ${OPEN};
      const session = await palimpsest.session("s");
      await session.append(talk);
      const prompt = await session.prompt();
      console.log(prompt.report.tokens <= 1_500 ? "fits" : "does not fit");
      await palimpsest.close();
    `);
    expect(ended).toEqual({ code: 0, output: "fits" });
  });

  test("does not end the process while its caller waits for it", async () => {
    const ended = await run(`
      const palimpsest = ${OPEN};
      const session = await palimpsest.session("s");
      await session.append(talk);
      const compaction = session.compact();
      await session.settle();
      await compaction;
      console.log("settled");
      await palimpsest.close();
    `);
    expect(ended).toEqual({ code: 0, output: "settled" });
  });
});
