/** The engine on a file returns the same prompts as in memory, byte for byte, even if reopened for each prompt. */
import { afterAll, describe, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { createIds } from "../../src/engine/context/create-ids.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import type { Store } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { shows } from "../../src/testing/shows.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const TURNS = 24;

/** An engine with reproducible ids and times. */
function anEngine() {
  const clock = scriptedClock({ startMs: 1_700_000_000_000 });
  let made = 0;
  const randomHex = (digits: number) => (made++).toString(16).padStart(digits, "0");
  const ids = createIds({ clock, randomHex });
  const open = (store: string | Store) => openPalimpsest({ budgetTokens: 1_200, counter: "chars4", clock, ids, store });
  return { clock, open };
}

async function takeTurn(palimpsest: Palimpsest, turn: number): Promise<string> {
  const session = await palimpsest.session("chat");
  const question = `Question ${turn}: what is the port of service ${turn}? ${"It has to be known today. ".repeat(12)}`;
  const prompt = await session.prompt({ next: { role: "user", content: question } });
  const answer = `Service ${turn} listens on port ${4_000 + turn}. ${"That was decided long ago. ".repeat(12)}`;
  await session.append([{ role: "assistant", content: answer }], { promptId: prompt.id });
  if (turn === 8) await session.pin({ note: "Ana decides." });
  if (turn === 15) await session.undo();
  await session.settle();
  return JSON.stringify([prompt.instructions, prompt.messages]);
}

describe("the engine on a SQLite file", () => {
  test(shows("S3-117", "a session on SQLite continues as if it had never been closed"), async () => {
    const path = folder.newPath();
    const [here, there] = [anEngine(), anEngine()];
    const remembered = await here.open(createMemoryStore());
    let compactions = 0;
    remembered.on("compaction", () => {
      compactions += 1;
    });
    for (let turn = 0; turn < TURNS; turn += 1) {
      const stored = await there.open(`sqlite:${path}`);
      expect(await takeTurn(stored, turn)).toBe(await takeTurn(remembered, turn));
      await stored.close();
      for (const { clock } of [here, there]) clock.advance(60_000);
    }
    expect(compactions).toBeGreaterThan(1);
    const reopened = await there.open(`sqlite:${path}`);
    expect(await reopened.sessions()).toEqual(await remembered.sessions());
    expect(await reopened.search("port 4003")).toEqual(await remembered.search("port 4003"));
    await reopened.close();
    await remembered.close();
  });
});
