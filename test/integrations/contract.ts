/**
 * The contract of all integrations, played through the real framework against a provider on a real socket that checks
 * every request: long conversations with parallel tools and images, a restart, two users at once, and broken streams.
 */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type OpenOptions, openPalimpsest } from "../../src/compose.ts";
import { countTokens } from "../../src/core/public/index.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { PIXEL } from "../support/pixel.ts";
import type { StrictProvider } from "./strict-provider.ts";
import { writeWords } from "./strict-provider.ts";

/** One conversation in a framework: its messages, its tools and its model. */
export interface Host {
  /** Runs a turn to its end and returns the text of the answer. */
  ask(question: ContractQuestion): Promise<string>;
}

export interface ContractQuestion {
  readonly text: string;
  /** An image as base64. */
  readonly image?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each piece of streamed text. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface HostOptions {
  readonly session: Session;
  /** Address of the provider. */
  readonly url: string;
  readonly budgetTokens: number;
  /** The messages of a host that was restarted. */
  readonly earlier?: Host | undefined;
}

export interface Integration {
  readonly startProvider: () => Promise<StrictProvider>;
  readonly open: (options: HostOptions) => Host;
  /** False for frameworks that do not report broken streams, so that the session cannot record them. */
  readonly recordsBrokenStreams: boolean;
  readonly takesImages: boolean;
}

export const BUDGET_TOKENS = 3_000;
/** The conversation is this many times as large as the budget. */
const TIMES = 5;

/** Opens an engine for `await using`, which closes it. */
export async function openEngine(store = "memory:", options: OpenOptions = {}) {
  const engine = await openPalimpsest({ store, counter: "estimate", summarizer: "offline", ...options });
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() });
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-integration-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const TURNS = 14;

export function describeIntegration(integration: Integration): void {
  test("a conversation five times as large as the budget stays valid, in budget and cached, over a restart", async () => {
    await using provider = await integration.startProvider();
    const store = `sqlite:${join(createFolder(), "store.db")}`;
    let compactions = 0;
    let host: Host | undefined;
    for (const part of [0, 1]) {
      await using engine = await openEngine(store);
      engine.on("compaction", () => {
        compactions += 1;
      });
      const session = await engine.session("long");
      host = integration.open({ session, url: provider.url, budgetTokens: BUDGET_TOKENS, earlier: host });
      for (let turn = 0; turn < TURNS / 2; turn += 1) {
        const image = integration.takesImages && turn % 5 === 1 ? PIXEL : undefined;
        const text = `Question ${part}.${turn}: ${writeWords(110, part * TURNS + turn)}?`;
        expect(await host.ask({ text, image })).toContain("Answer");
      }
    }
    expect(provider.faults).toEqual([]);
    await using engine = await openEngine(store);
    expect(await engine.forks("long")).toEqual([]);
    const session = await engine.session("long");
    const transcript = await session.transcript();
    expect(transcript.filter(({ role }) => role === "user")).toHaveLength(TURNS);
    expect(countTokens(JSON.stringify(transcript))).toBeGreaterThan(TIMES * BUDGET_TOKENS);
    expect(Math.max(...provider.sizes)).toBeLessThanOrEqual(BUDGET_TOKENS);
    expect(compactions).toBeGreaterThan(0);
    // A prune may also drop recalled passages without a compaction.
    const changes = await session.entries({ types: ["summary", "truncate", "prune"] });
    expect(provider.brokenPrefixes).toBeLessThanOrEqual(changes.length);
    expect(provider.parallelCalls).toBeGreaterThanOrEqual(TURNS);
  });

  test("two users at once see only their own conversation", async () => {
    await using provider = await integration.startProvider();
    await using engine = await openEngine();
    const users = ["ada", "ben"];
    await Promise.all(
      users.map(async (user) => {
        const session = await engine.session(user);
        const host = integration.open({ session, url: provider.url, budgetTokens: BUDGET_TOKENS });
        for (let turn = 0; turn < 3; turn += 1) await host.ask({ text: `I am ${user}. Question ${turn}?` });
      }),
    );
    expect(provider.faults).toEqual([]);
    for (const { body } of provider.requests) {
      const text = JSON.stringify(body);
      expect(users.filter((user) => text.includes(`I am ${user}.`))).toHaveLength(1);
    }
  });

  const recorded = integration.recordsBrokenStreams ? " and are recorded" : "";
  test(`a canceled stream and a failed one leave a conversation that can be continued${recorded}`, async () => {
    await using provider = await integration.startProvider();
    await using engine = await openEngine();
    const session = await engine.session("broken");
    const host = integration.open({ session, url: provider.url, budgetTokens: BUDGET_TOKENS });
    await host.ask({ text: "The first question?" });
    const stop = new AbortController();
    provider.next({ type: "hold" });
    const onText = () => stop.abort();
    await host.ask({ text: "A question that is canceled?", signal: stop.signal, onText }).catch(() => "");
    provider.next({ type: "break" });
    await host.ask({ text: "A question that fails?" }).catch(() => "");
    expect(await host.ask({ text: "The last question?" })).toContain("Answer");
    const questions = (await session.transcript()).flatMap(({ role, parts }) =>
      role === "user" ? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
    );
    expect(questions).toEqual([
      "The first question?",
      "A question that is canceled?",
      "A question that fails?",
      "The last question?",
    ]);
    expect(provider.faults).toEqual([]);
    if (!integration.recordsBrokenStreams) return;
    const notes = (await session.entries({ types: ["note"] })).map((entry) =>
      entry.type === "note" ? entry.text : "",
    );
    expect(notes).toEqual([
      expect.stringContaining("The call was canceled. Received until then: Answer"),
      expect.stringContaining("The call failed: "),
    ]);
  });
}
