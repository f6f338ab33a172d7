/**
 * Plays a conversation with thinking through the library, like a host: each prompt is sent to the double of Anthropic's
 * API, which judges it and issues the reply, and the reply is appended with the id of its prompt. The player keeps the
 * verdicts and the prompts, so that laws can be checked over the whole conversation.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/message/json.ts";
import { createIds } from "../../src/engine/context/create-ids.ts";
import { type ErrorCode, openPalimpsest, PalimpsestError, type Prompt, type Session } from "../../src/index.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import {
  type AnthropicDouble,
  createAnthropicDouble,
  scriptedClock,
  type Verdict,
} from "../../src/testing/public/index.ts";
import { countThinking, isThinking } from "./count-thinking.ts";
import { renderUnits } from "./render-units.ts";
import { ScriptedWorkspace } from "./scripted-workspace.ts";

/** One step of a conversation. `size` and `choice` select a variant, `at` a message by its position from 0 to 1. */
export type ThinkingStep =
  | { readonly type: "turn"; readonly size: number; readonly steps: number; readonly notes?: string | undefined }
  | { readonly type: "note-once" | "undo" | "compact" | "restart" | "idle" | "edit-summary" | "preview" }
  | { readonly type: "pin" | "unpin" | "delete" | "fork"; readonly at: number }
  | { readonly type: "instructions" | "tools" | "model" | "file"; readonly choice: number };

export interface SceneOptions {
  readonly models: readonly string[];
  readonly budgetTokens?: number | undefined;
  /** `enabled` requests manual thinking. */
  readonly thinking?: JsonObject | undefined;
  readonly workspace?: boolean | undefined;
}

export interface SentPrompt {
  readonly prompt: Prompt;
  readonly sessionId: string;
  readonly verdict: Verdict;
  /** Blocks of thinking in the request. */
  readonly sent: number;
  /** Blocks of thinking that were issued before the request. */
  readonly issuedBefore: number;
  readonly step: string;
}

const INSTRUCTIONS = ["Be brief.", "Be friendly and brief.", "Answer in full sentences."];
const TOOL_LISTS: readonly (readonly JsonObject[])[] = [
  [{ name: "read", description: "Reads a file.", input_schema: { type: "object" } }],
  [
    { name: "read", description: "Reads a file.", input_schema: { type: "object" } },
    { name: "write", description: "Writes a file.", input_schema: { type: "object" } },
  ],
];
const FILES = ["src/pier.ts", "src/ferry.ts", "notes/harbour.md"] as const;
const WORDS = "the ferry leaves the old pier at dawn and the crew counts every crate of tea twice ";
const IDLE_MS = 20 * 60_000;

export class ThinkingScene {
  readonly double: AnthropicDouble = createAnthropicDouble();
  readonly prompts: SentPrompt[] = [];
  readonly #store = createMemoryStore();
  readonly #clock = scriptedClock({ startMs: 1_800_000_000_000, stepMs: 7 });
  readonly #files = new ScriptedWorkspace();
  readonly #options: SceneOptions;
  #session: Session | undefined;
  #ids = 0;
  #calls = 0;
  #issued = 0;
  #instructions: string | undefined = INSTRUCTIONS[0];
  #tools = TOOL_LISTS[0] ?? [];
  #model: string;
  #onceNote = false;

  constructor(options: SceneOptions) {
    this.#options = options;
    this.#model = options.models[0] ?? "claude-opus-5-5";
  }

  get session(): Session {
    if (this.#session === undefined) throw new TypeError("The scene has not begun.");
    return this.#session;
  }

  async play(steps: readonly ThinkingStep[]): Promise<this> {
    await this.#open(undefined);
    for (const [index, step] of steps.entries()) await this.#playStep(step, `${index} ${step.type}`);
    return this;
  }

  /** Plays a recorded conversation: the double issues its replies for our prompts. */
  async replay(items: readonly unknown[]): Promise<this> {
    await this.#open(undefined);
    for (const [index, item] of (items as readonly JsonValue[]).entries()) {
      const { role, content } = isJsonObject(item) ? item : { role: undefined, content: undefined };
      const isReply = role === "assistant" && index > 0;
      const body = isReply ? await this.#send(`item ${index}`) : undefined;
      const blocks = isReply && Array.isArray(content) ? content.filter(isJsonObject) : undefined;
      const reply = body === undefined || blocks === undefined ? item : this.#issueRecorded(body.body, item, blocks);
      const promptId = body?.prompt.id;
      await this.session.append([reply as JsonObject], {
        format: "anthropic",
        ...(promptId === undefined ? {} : { promptId }),
      });
    }
    return this;
  }

  #issueRecorded(body: JsonObject, item: JsonValue, blocks: readonly JsonObject[]): JsonValue {
    const unsigned = blocks.map(({ signature: _, ...block }) => block);
    return { ...(isJsonObject(item) ? item : {}), content: this.#issue({ body }, unsigned) };
  }

  #issue(request: { readonly body: JsonObject }, blocks: readonly JsonObject[]): readonly JsonObject[] {
    this.#issued += blocks.filter(isThinking).length;
    return this.double.issue(request, blocks);
  }

  async #open(id: string | undefined): Promise<void> {
    const clock = this.#clock;
    const randomHex = (digits: number) => (this.#ids++).toString(16).padStart(digits, "0");
    const workspace = this.#options.workspace === true ? { workspace: this.#files } : {};
    if (this.#options.workspace === true) for (const path of FILES) this.#files.write(path, `// ${path}\n`);
    const palimpsest = await openPalimpsest({
      store: this.#store,
      clock,
      ids: createIds({ clock, randomHex }),
      counter: "estimate",
      ...workspace,
    });
    const before = this.#session;
    this.#session = await palimpsest.session(id);
    if (before !== undefined && id === before.id) this.#session.workspace.inherit(before.workspace, undefined);
  }

  async #playStep(step: ThinkingStep, name: string): Promise<void> {
    switch (step.type) {
      case "turn":
        return this.#playTurn(step, name);
      case "note-once":
        this.#onceNote = true;
        return;
      case "undo":
        return void (await this.session.undo());
      case "compact":
        return void (await this.session.compact());
      case "restart":
        return this.#open(this.session.id);
      case "idle":
        return this.#clock.advance(IDLE_MS);
      case "edit-summary":
        return void (await this.session.editSummary("They spoke of ferries.").catch(ignore("message-not-found")));
      case "preview":
        return void (await this.session.prompt({ ...this.#ask(), preview: true }).catch(ignore("does-not-fit")));
      case "instructions":
        this.#instructions = INSTRUCTIONS[step.choice % INSTRUCTIONS.length];
        return;
      case "tools":
        this.#tools = TOOL_LISTS[step.choice % TOOL_LISTS.length] ?? [];
        return;
      case "model":
        this.#model = this.#options.models[step.choice % this.#options.models.length] ?? this.#model;
        return;
      case "file":
        return this.#changeFile(step.choice);
      case "pin":
      case "unpin":
      case "delete":
      case "fork":
        return this.#changePast(step);
      default:
        step satisfies never;
    }
  }

  async #changePast({ type, at }: Extract<ThinkingStep, { readonly at: number }>): Promise<void> {
    const messages = await this.session.entries({ types: ["message"] });
    const entry = messages[Math.floor(at * messages.length)];
    if (entry === undefined) return;
    if (type === "pin") await this.session.pin(entry.id).catch(ignore("message-not-found"));
    else if (type === "unpin") await this.session.unpin(entry.id);
    else if (type === "delete") await this.session.delete(entry.id).catch(ignore("message-not-found"));
    else this.#session = await this.session.fork(entry.seq);
  }

  async #changeFile(choice: number): Promise<void> {
    if (this.#options.workspace !== true) return;
    const path = FILES[choice % FILES.length] ?? FILES[0];
    this.#files.write(path, `// ${path}, written ${choice} times\n${WORDS.repeat(choice % 5)}`);
    await this.session.workspace.files.add(path);
  }

  /** A question and its tool loop: this many calls with results, then an answer. */
  async #playTurn({ size, steps, notes }: Extract<ThinkingStep, { type: "turn" }>, name: string): Promise<void> {
    await this.session.append({ role: "user", content: `Question ${name}: ${WORDS.repeat(1 + (size % 4))}` });
    for (let step = 0; step <= steps; step += 1) {
      const sent = await this.#send(`${name}, step ${step}`, step === 0 ? notes : undefined);
      if (sent === undefined) return;
      const isLast = step === steps;
      const callId = `toolu_${this.#calls++}`;
      const words = { type: "text", text: `Well, ${name} at ${step}: ${WORDS.repeat(size % 3)}`.trim() };
      const call = { type: "tool_use", id: callId, name: "read", input: { path: FILES[step % 3] } };
      const thinking = { type: "thinking", thinking: `Thought ${name}.${step}. ${WORDS.repeat((size + step) % 3)}` };
      // Some steps think twice and some do not think.
      const thoughts = (size + step) % 5 === 4 ? [] : [thinking];
      const again =
        (size + step) % 7 === 3 && thoughts.length > 0 ? [words, { ...thinking, thinking: "Once more." }] : [];
      const reply = this.#issue(sent, [...thoughts, ...again, isLast ? words : call]);
      await this.session.append([{ role: "assistant", content: reply }], {
        format: "anthropic",
        promptId: sent.prompt.id,
      });
      if (isLast) return;
      const output = `Result ${callId}: ${WORDS.repeat(1 + ((size + step) % 6))}`;
      const result = { type: "tool_result", tool_use_id: callId, content: output };
      await this.session.append([{ role: "user", content: [result] }], { format: "anthropic" });
    }
  }

  #ask() {
    const { budgetTokens = 3_000 } = this.#options;
    return {
      instructions: this.#instructions,
      tools: this.#tools,
      model: this.#model,
      budgetTokens,
      provider: "anthropic",
    } as const;
  }

  /** Requests a prompt and has it judged; undefined if it does not fit. */
  async #send(
    step: string,
    notes?: string,
  ): Promise<{ readonly body: JsonObject; readonly prompt: Prompt } | undefined> {
    const note = this.#onceNote ? { text: `Only for ${step}.`, keep: false } : notes;
    this.#onceNote = false;
    const prompt = await this.session.prompt({ ...this.#ask(), notes: note }).catch(ignore("does-not-fit"));
    if (prompt === undefined) return undefined;
    const rendered: JsonObject = JSON.parse(JSON.stringify(prompt.as("anthropic")));
    const { thinking = { type: "adaptive" } } = this.#options;
    const body: JsonObject = { model: this.#model, max_tokens: 4_000, thinking, tools: this.#tools, ...rendered };
    const verdict = this.double.judge({ body });
    const [sent, issuedBefore] = [countThinking(rendered), this.#issued];
    this.prompts.push({ prompt, sessionId: this.session.id, verdict, sent, issuedBefore, step });
    return { body, prompt };
  }
}

/** Returns the provider's refusals, each with its step and message. */
export function findRefusals({ prompts }: ThinkingScene): readonly string[] {
  return prompts.flatMap(({ verdict, step }) => (verdict.type === "refusal" ? [`${step}: ${verdict.message}`] : []));
}

/** Describes prompts that neither continue the previous one nor list a change. */
export function findUnnamedChanges({ prompts }: ThinkingScene): readonly string[] {
  const last = new Map<string, Prompt>();
  return prompts.flatMap(({ prompt, sessionId, step }) => {
    const before = last.get(sessionId);
    last.set(sessionId, prompt);
    if (before === undefined || prompt.report.changes.length > 0) return [];
    const units = renderUnits(before.as("anthropic"), "anthropic");
    const durable = units.slice(0, units.length - before.report.volatileBlocks);
    const now = renderUnits(prompt.as("anthropic"), "anthropic");
    const place = durable.findIndex((unit, index) => now[index] !== unit);
    return place === -1 ? [] : [`${step}: ${durable[place]?.slice(0, 200)} became ${now[place]?.slice(0, 200)}`];
  });
}

/** Expects a rejection with this code; every other error is thrown again. */
function ignore(code: ErrorCode) {
  return (error: unknown): undefined => {
    if (!(error instanceof PalimpsestError) || error.code !== code) throw error;
    return undefined;
  };
}
