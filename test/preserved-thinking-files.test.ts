import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import type { Session } from "../src/engine/session/session.ts";
import type { PromptOptions } from "../src/engine/session/session-options.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { type ScriptedClock, scriptedClock } from "../src/testing/scripted-clock.ts";
import { shows } from "../src/testing/shows.ts";
import { ScriptedWorkspace } from "./support/scripted-workspace.ts";
import { ThinkingTalk, TOOLS, textBlock, thinkingBlock, toolUseBlock } from "./support/thinking-talk.ts";

const PATH = "src/tide.ts";
const version = (number: number) => `export const version = ${number};\n`;
const CHANGES = "# Changes in the Workspace";
const ANTHROPIC = { provider: "anthropic", preview: true } as const;
/** Small enough that a requested summary folds most of twelve turns. */
const SMALL: PromptOptions = { budgetTokens: 1_200 };
const ROOM: PromptOptions = { budgetTokens: 40_000 };

class Scene {
  readonly talk: ThinkingTalk;
  readonly workspace = new ScriptedWorkspace()
    .write(PATH, version(1), { text: "const version" })
    .write("src/moon.ts", "export const pull = 1;\n", { text: "const pull" });
  readonly clock: ScriptedClock = scriptedClock({ startMs: 1_000_000 });
  readonly #store = createMemoryStore();
  #count = 0;

  constructor(model?: string) {
    this.talk = new ThinkingTalk({ model });
  }

  async open(): Promise<Session> {
    const { workspace, clock } = this;
    const engine = await openPalimpsest({ store: this.#store, counter: "estimate", workspace, clock });
    const session = await engine.session("one");
    await session.workspace.files.add(PATH);
    return session;
  }

  /** A step of a tool loop: a call with a thought, and its result. */
  async step(session: Session, options: PromptOptions = ROOM) {
    this.#count += 1;
    const id = `call_${this.#count}`;
    const judged = await this.talk.ask(
      session,
      [thinkingBlock(`Thought ${id}`), toolUseBlock(id, { path: id })],
      options,
    );
    const result = { type: "tool_result", tool_use_id: id, content: `Result of ${id}` };
    await session.append([{ role: "user", content: [result] }], { format: "anthropic" });
    return judged;
  }

  async turn(session: Session, options: PromptOptions = ROOM) {
    this.#count += 1;
    await session.append({ role: "user", content: `Question ${this.#count}?` });
    return this.talk.ask(
      session,
      [thinkingBlock(`Thought ${this.#count}`), textBlock(`Answer ${this.#count}`)],
      options,
    );
  }

  expectValid() {
    expect(this.talk.refusals).toEqual([]);
    expect({ refused: this.talk.refused, missed: this.talk.missed }).toEqual({ refused: 0, missed: 0 });
  }

  get last(): string {
    return JSON.stringify(this.talk.judged.at(-1)?.prompt.as("anthropic"));
  }
}

describe("workspace files and bound thinking", () => {
  test(
    shows("X-32", "never cause thinking to be left out of a loop of 20 steps, even if one of them changes twice"),
    async () => {
      const scene = new Scene();
      const session = await scene.open();
      await session.append({ role: "user", content: "Mend the tide." });
      for (let index = 0; index < 20; index += 1) {
        if (index === 5 || index === 10) scene.workspace.write(PATH, version(index));
        await scene.step(session);
      }
      scene.expectValid();
      expect(scene.talk.judged.map(({ sent }) => sent)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    },
  );

  test(shows("X-32", "are shown after the newest message when they change, and stay at that place"), async () => {
    const scene = new Scene();
    const session = await scene.open();
    for (let turn = 0; turn < 3; turn += 1) await scene.turn(session);
    scene.workspace.write(PATH, version(2).repeat(200));
    const { prompt: before } = await scene.turn(session);
    expect(scene.last).toContain("version = 1;");
    expect(countOf(scene.last, CHANGES)).toBe(1);
    expect(scene.last.indexOf("Question 4?")).toBeLessThan(scene.last.indexOf(CHANGES));
    expect(before.report.changes).toEqual([]);
    expect(before.report.tokens).toBeGreaterThan(1_000);
    scene.workspace.write(PATH, version(3));
    scene.workspace.write("src/sun.ts", "export const heat = 1;\n", { text: "const heat" });
    scene.workspace.remove("src/moon.ts");
    await session.workspace.addLink("https://tides.example/", "Tides follow the moon.");
    session.workspace.review("+ a line");
    await scene.turn(session);
    const changeNote = scene.last.slice(scene.last.lastIndexOf(CHANGES));
    expect(scene.last.indexOf(CHANGES)).toBeLessThan(scene.last.indexOf("Question 5?"));
    expect(changeNote).toContain("version = 3;");
    expect(changeNote).toContain("src/sun.ts:\\n  const heat");
    expect(changeNote).toContain("New in the repository:\\nsrc/sun.ts");
    expect(changeNote).toContain("Removed from the repository:\\nsrc/moon.ts");
    expect(changeNote).toContain("Tides follow the moon.");
    expect(changeNote).toContain("+ a line");
    await session.workspace.files.remove(PATH);
    await session.workspace.removeLink("https://tides.example/");
    session.workspace.review(undefined);
    await scene.turn(session);
    const left = scene.last.slice(scene.last.lastIndexOf(CHANGES));
    expect(left).toContain(`Files no longer shown:\\n${PATH}`);
    expect(left).toContain("Pages no longer shown:\\nhttps://tides.example/");
    expect(left).toContain("No changes are under review.");
    expect(scene.talk.judged.map(({ sent }) => sent)).toEqual([0, 1, 2, 3, 4, 5]);
    scene.expectValid();
  });

  test.each([
    ["when the cache is cold", async (_session: Session, clock: ScriptedClock) => clock.advance(3_600_000)],
    ["after a compaction", async (session: Session) => void (await session.compact())],
  ])(shows("X-32", "are moved to their usual place with their newest text %s"), async (_name, happen) => {
    const scene = new Scene();
    const session = await scene.open();
    for (let turn = 0; turn < 12; turn += 1) await scene.turn(session, SMALL);
    scene.workspace.write(PATH, version(2));
    await scene.turn(session, SMALL);
    expect(scene.talk.judged.at(-1)?.sent).toBe(12);
    await happen(session, scene.clock);
    await scene.turn(session, SMALL);
    expectPlaced(scene.last, 2);
    scene.workspace.write(PATH, version(3));
    await scene.turn(session, SMALL);
    expect(scene.last).toContain(CHANGES);
    expect(scene.talk.judged.at(-1)?.sent).toBe(1);
    scene.expectValid();
  });

  test(shows("X-32", "are shown in a fork and in a preview as in the session"), async () => {
    const scene = new Scene();
    const session = await scene.open();
    for (let turn = 0; turn < 3; turn += 1) await scene.turn(session);
    scene.workspace.write(PATH, version(2));
    await scene.turn(session);
    scene.workspace.write(PATH, version(3));
    const fork = await session.fork();
    const preview = async (of: Session) => {
      const next = { role: "user", content: "Question 5?" };
      const prompt = await of.prompt({ ...ROOM, model: "claude-fable-5-1", tools: TOOLS, ...ANTHROPIC, next });
      return JSON.stringify(prompt.as("anthropic"));
    };
    const seen = await preview(session);
    expect(countOf(seen, CHANGES)).toBe(2);
    expect(await preview(fork)).toBe(seen);
    await scene.turn(session);
    expect(scene.last).toBe(seen);
    await scene.turn(fork);
    expect(scene.talk.judged.at(-1)?.sent).toBe(4);
    scene.expectValid();
  });

  test(shows("X-32", "are at their usual place in a handle that has not shown them before"), async () => {
    const scene = new Scene();
    const session = await scene.open();
    for (let turn = 0; turn < 3; turn += 1) await scene.turn(session);
    scene.workspace.write(PATH, version(2));
    await scene.turn(session);
    const reopened = await scene.open();
    await scene.turn(reopened);
    expectPlaced(scene.last, 2);
    await scene.turn(session);
    expectPlaced(scene.last, 2);
    scene.expectValid();
  });

  test("are named in the report while their text in the prompt is outdated", async () => {
    const scene = new Scene();
    const session = await scene.open();
    const { prompt: first } = await scene.turn(session);
    expect(first.report.workspace?.frozen).toBeUndefined();
    await scene.turn(session);
    scene.workspace.write(PATH, version(2));
    const { prompt } = await scene.turn(session);
    expect(prompt.report.workspace?.frozen).toEqual({ sincePromptId: first.id, outdated: [PATH] });
    await session.compact();
    scene.clock.advance(3_600_000);
    expect((await scene.turn(session)).prompt.report.workspace?.frozen).toBeUndefined();
  });

  test(
    shows("X-32", "cause thinking to be left out at a restart only if they have changed, and nothing is refused"),
    async () => {
      const afterRestart = async (changesAt: readonly number[]) => {
        const scene = new Scene();
        let session = await scene.open();
        await session.append({ role: "user", content: "Mend the tide." });
        for (let index = 0; index < 20; index += 1) {
          if (changesAt.includes(index)) scene.workspace.write(PATH, version(index));
          if (index === 15) session = await scene.open();
          await scene.step(session);
        }
        scene.expectValid();
        return scene.talk.judged.slice(15).map(({ sent }) => sent);
      };
      expect(await afterRestart([])).toEqual([15, 16, 17, 18, 19]);
      expect(await afterRestart([0])).toEqual([15, 16, 17, 18, 19]);
      expect(await afterRestart([10])).toEqual([0, 1, 2, 3, 4]);
    },
  );

  test(
    shows("X-32", "are moved to their usual place if the prompt would be too large with outdated text"),
    async () => {
      const scene = new Scene();
      const session = await scene.open();
      for (let turn = 0; turn < 3; turn += 1) await scene.turn(session, { budgetTokens: 2_000 });
      for (let turn = 2; turn < 6; turn += 1) {
        scene.workspace.write(PATH, version(turn).repeat(80));
        const { prompt } = await scene.turn(session, { budgetTokens: 2_000 });
        expect(prompt.report.tokens).toBeLessThanOrEqual(2_000);
        expect(prompt.report.compactions).toEqual([]);
      }
      expect(scene.talk.judged.slice(3).some(({ sent }) => sent > 0)).toBe(true);
      scene.expectValid();
    },
  );

  test("are shown together with an earlier note, which is not repeated", async () => {
    const scene = new Scene();
    const session = await scene.open();
    for (let turn = 0; turn < 3; turn += 1) {
      scene.workspace.write(PATH, version(turn));
      await scene.turn(session, { ...ROOM, notes: "It is day one." });
    }
    expect(countOf(scene.last, "It is day one.")).toBe(1);
    expect(countOf(scene.last, CHANGES)).toBe(2);
    scene.expectValid();
  });

  test("are at their usual place on models that do not bind thinking", async () => {
    const scene = new Scene("claude-opus-5");
    const session = await scene.open();
    for (let turn = 1; turn < 4; turn += 1) {
      scene.workspace.write(PATH, version(turn));
      await scene.turn(session);
      expectPlaced(scene.last, turn);
    }
  });

  test("are at their usual place while no thinking is sent", async () => {
    const scene = new Scene();
    const session = await scene.open();
    for (let turn = 1; turn < 4; turn += 1) {
      scene.workspace.write(PATH, version(turn));
      await scene.turn(session, { ...ROOM, instructions: `Rule ${turn}.` });
      expectPlaced(scene.last, turn);
    }
    scene.expectValid();
  });
});

function countOf(text: string, words: string): number {
  return text.split(words).length - 1;
}

/** Checks that the prompt has the newest text once, and nothing else of the file. */
function expectPlaced(prompt: string, number: number): void {
  expect(prompt.match(/version = \d+;/g)).toEqual([`version = ${number};`]);
  expect(prompt).not.toContain(CHANGES);
}
