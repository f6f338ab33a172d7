/** A process that imports a long conversation, reports when half of it is written, and waits to be killed. */
import { writeSync } from "node:fs";
import { openPalimpsest } from "../../src/compose.ts";

export interface ImportingTask {
  readonly store: string;
  readonly id: string;
  readonly messages: number;
}

export type ImportingLine = { readonly type: "half" };

async function main({ store, id, messages }: ImportingTask): Promise<void> {
  const palimpsest = await openPalimpsest({ store });
  async function* read(): AsyncGenerator<string> {
    for (let index = 0; index < messages; index += 1) {
      if (index === messages / 2) await waitForever();
      yield `${JSON.stringify({ id: `m${index}`, role: "user", content: `Line ${index}.` })}\n`;
    }
  }
  await palimpsest.importTranscript(read(), { id, title: "Half" });
}

async function waitForever(): Promise<void> {
  writeSync(1, `${JSON.stringify({ type: "half" } satisfies ImportingLine)}\n`);
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
