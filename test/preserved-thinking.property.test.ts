/**
 * Laws 2 and 6 for thinking: after any changes of a conversation, the double of Anthropic's API refuses no block, no
 * block is left out that it would accept, and a reopened session sends the same thinking.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { floorOfError } from "../src/engine/context/errors.ts";
import type { Palimpsest } from "../src/engine/palimpsest.ts";
import type { Prompt } from "../src/engine/prompt/prompt.ts";
import type { Session } from "../src/engine/session/session.ts";
import type { PromptOptions } from "../src/engine/session/session-options.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { shows } from "../src/testing/shows.ts";
import { propertyRuns } from "./support/property-runs.ts";
import { ScriptedWorkspace } from "./support/scripted-workspace.ts";
import { ThinkingTalk, TOOLS, textBlock, thinkingBlock, toolUseBlock } from "./support/thinking-talk.ts";

type Step =
  | { readonly type: "turn"; readonly steps: number; readonly words: number; readonly notes?: PromptOptions["notes"] }
  | { readonly type: "stray" | "compact" | "undo" | "redo" | "restart" | "pin" | "unpin" | "fork" | "clear" | "delete" }
  | { readonly type: "instructions" | "tools" | "model" | "budget" | "file"; readonly value: number };

const nth = { value: fc.nat(2) };
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant("turn" as const),
      steps: fc.constantFrom(0, 0, 1, 3, 8),
      words: fc.constantFrom(2, 12, 40),
      notes: fc.constantFrom(undefined, undefined, "It is day one.", { text: "Only now.", keep: false }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...(["stray", "compact", "undo", "redo", "restart", "pin", "unpin", "fork", "clear", "delete"] as const),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom(...(["instructions", "tools", "model", "budget", "file"] as const)),
      ...nth,
    }),
  },
);

const INSTRUCTIONS = [undefined, "Be brief.", "Be friendly."];
const TOOL_LISTS = [TOOLS, [...TOOLS, { name: "write", description: "Writes.", input_schema: { type: "object" } }], []];
/** None of these models reads the thinking of another. */
const MODELS = ["claude-opus-5-5", "claude-mythos-5-1", "claude-sonnet-5-5"];
const BUDGETS = [1_500, 2_500, 20_000];

const words = (count: number, seed: number) =>
  Array.from({ length: count }, (_, index) => `word${(seed * 31 + index * 7) % 997}`).join(" ");

class Scene {
  readonly talk = new ThinkingTalk();
  readonly #store = createMemoryStore();
  readonly #workspace: ScriptedWorkspace | undefined;
  #engine: Palimpsest | undefined;
  #session: Session | undefined;
  #options: PromptOptions = { budgetTokens: 2_500, tools: TOOLS, model: MODELS[0] };
  #count = 0;

  constructor({ hasFiles }: { readonly hasFiles: boolean }) {
    this.#workspace = hasFiles ? new ScriptedWorkspace().write("src/0.ts", "const zero = 0;\n") : undefined;
  }

  #openEngine(): Promise<Palimpsest> {
    const workspace = this.#workspace === undefined ? {} : { workspace: this.#workspace };
    return openPalimpsest({ store: this.#store, counter: "estimate", ...workspace });
  }

  async #open(): Promise<Session> {
    this.#engine ??= await this.#openEngine();
    this.#session ??= await this.#engine.session("scene");
    return this.#session;
  }

  async play(step: Step): Promise<void> {
    const session = await this.#open();
    switch (step.type) {
      case "turn":
        return this.#turn(session, step);
      case "instructions":
        this.#options = { ...this.#options, instructions: INSTRUCTIONS[step.value] };
        return;
      case "tools":
        this.#options = { ...this.#options, tools: TOOL_LISTS[step.value] };
        return;
      case "model":
        this.#options = { ...this.#options, model: MODELS[step.value] };
        return;
      case "budget":
        this.#options = { ...this.#options, budgetTokens: BUDGETS[step.value] };
        return;
      case "file": {
        const path = `src/${step.value}.ts`;
        this.#workspace?.write(path, `const version = ${this.#next()};\n`.repeat(5));
        await session.workspace.files.add(path);
        return;
      }
      default:
        await this.#change(session, step.type);
    }
  }

  async #turn(session: Session, { steps: rounds, words: length, notes }: Extract<Step, { readonly type: "turn" }>) {
    await session.append({ role: "user", content: `Question ${this.#next()}: ${words(length, this.#count)}` });
    for (let round = 0; round < rounds; round += 1) {
      const id = `call_${this.#next()}`;
      const thought = thinkingBlock(`Thought ${id} ${words(length, this.#count)}`);
      if (!(await this.#ask(session, [thought, toolUseBlock(id, { path: id })], notes))) return;
      const result = { type: "tool_result", tool_use_id: id, content: `File ${id}: ${words(length * 2, this.#count)}` };
      await session.append([{ role: "user", content: [result] }], { format: "anthropic" });
    }
    await this.#ask(session, [thinkingBlock(`Thought ${this.#next()}`), textBlock(`Answer ${this.#count}`)], notes);
  }

  /** Returns false if no prompt fits; the turn then ends. */
  async #ask(session: Session, reply: Parameters<ThinkingTalk["ask"]>[1], notes: PromptOptions["notes"]) {
    try {
      const { prompt } = await this.talk.ask(session, reply, { ...this.#options, notes });
      expect(prompt.report.tokens).toBeLessThanOrEqual(prompt.report.limitTokens);
      await this.#expectNewestFiles(session, prompt);
      return true;
    } catch (error) {
      if (floorOfError(error) === undefined) throw error;
      return false;
    }
  }

  /** Checks that the last version of a file in a prompt is its current text. */
  async #expectNewestFiles({ workspace }: Session, { messages }: Prompt): Promise<void> {
    const sentText = messages.map(({ content }) => textOf(content)).join("\n");
    for (const path of workspace.files.paths) {
      const file = await this.#workspace?.findFile(path);
      const place = sentText.lastIndexOf(`${path}\n\`\`\`\n`);
      expect(sentText.slice(place)).toContain(`${path}\n\`\`\`\n${file?.text}\`\`\``);
    }
  }

  async #change(session: Session, type: Exclude<Step, { readonly type: "turn" } | { readonly value: number }>["type"]) {
    const entries = await session.entries({ types: ["message"] });
    const messages = entries.filter((entry) => entry.type === "message" && entry.erased !== true);
    const middle = messages[Math.floor(messages.length / 2)];
    switch (type) {
      case "stray": {
        const body = { model: "claude-opus-5-5", messages: [] };
        const content = this.talk.issue(body, [
          thinkingBlock(`Stray ${this.#next()}`),
          textBlock(`Said ${this.#count}`),
        ]);
        await session.append(
          [
            { role: "user", content: "Elsewhere?" },
            { role: "assistant", content },
          ],
          {
            format: "anthropic",
          },
        );
        return;
      }
      case "compact":
        await session.compact().catch(ignoreFloor);
        return;
      case "undo":
        await session.undo();
        return;
      case "redo": {
        const undone = (await session.entries({ types: ["undo"] })).at(-1);
        if (undone !== undefined) await session.undo(undone.id);
        return;
      }
      case "restart":
        return this.#restart(session);
      case "pin":
        if (middle !== undefined) await session.pin(middle.id);
        return;
      case "unpin": {
        const pin = (await session.entries({ types: ["pin"] })).at(-1);
        if (pin !== undefined) await session.unpin(pin.id);
        return;
      }
      case "fork":
        if (middle !== undefined) this.#session = await session.fork(middle.seq);
        return;
      case "clear":
        await session.clear();
        return;
      case "delete":
        if (middle !== undefined) await session.delete(middle.id);
        return;
      default:
        return type satisfies never;
    }
  }

  /** Opens the session with another engine on the same store, and checks that its prompt is the same. */
  async #restart(session: Session): Promise<void> {
    const before = await this.#preview(session);
    this.#engine = await this.#openEngine();
    this.#session = await this.#engine.session(session.id);
    // A new handle has no chosen files; the host chooses them again.
    if (this.#workspace === undefined) expect(await this.#preview(this.#session)).toEqual(before);
  }

  async #preview(session: Session): Promise<unknown> {
    try {
      const next = { role: "user", content: "And now?" };
      const prompt = await session.prompt({ ...this.#options, next, preview: true, provider: "anthropic" });
      const { system, messages } = prompt.as("anthropic");
      return { system, messages, thinking: prompt.report.thinking };
    } catch (error) {
      return ignoreFloor(error);
    }
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("\n");
}

function ignoreFloor(error: unknown): undefined {
  if (floorOfError(error) === undefined) throw error;
  return undefined;
}

describe("thinking that is bound to the messages before it", () => {
  test.each([
    ["a conversation", { hasFiles: false }],
    ["a conversation beside files", { hasFiles: true }],
  ])(
    shows("X-32", "is never refused and never left out without need, after any changes of %s"),
    async (_name, options) => {
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 18 }), async (played) => {
          const scene = new Scene(options);
          for (const step of played) await scene.play(step);
          expect(scene.talk.refusals).toEqual([]);
          const { refused, missed, misreported } = scene.talk;
          expect({ refused, missed, misreported }).toEqual({ refused: 0, missed: 0, misreported: 0 });
          sent += scene.talk.sent;
        }),
        { numRuns: propertyRuns(15) },
      );
      expect(sent).toBeGreaterThan(0);
    },
  );
});
