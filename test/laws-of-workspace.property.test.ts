/**
 * Laws 1, 2 and 6 with a workspace: files are added, changed, deleted, chosen and deselected, pages and reviews are
 * added and removed, and the conversation changes in any way. If a prompt does not continue the previous one, its
 * report lists a change, for every provider.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryWorkspace } from "../bench/cache/memory-workspace.ts";
import { PROVIDERS } from "../src/core/prompt/provider.ts";
import { validate } from "../src/core/prompt/validate/validate.ts";
import { floorOfError } from "../src/engine/context/errors.ts";
import type { Prompt } from "../src/engine/prompt/prompt.ts";
import type { PolicyInput } from "../src/policies/policy-input.ts";
import { type SessionCommand, sessionCommands } from "./support/generate-session-commands.ts";
import { type Play, type PlayOptions, type PromptOutcome, playSession, tryPrompt } from "./support/play-session.ts";
import { playTogether } from "./support/play-together.ts";
import { LAW_HISTORIES, propertyRuns } from "./support/property-runs.ts";
import { renderUnits } from "./support/render-units.ts";

const PATHS = ["src/a.ts", "src/b.ts", "src/deep/c.ts", "README.md", "notes/d.txt"] as const;
const LINKS = ["https://a.example/", "https://b.example/page"] as const;

type WorkspaceStep =
  | { readonly type: "write"; readonly path: string; readonly lines: number; readonly version: number }
  | { readonly type: "remove" | "choose" | "put-away"; readonly path: string }
  | { readonly type: "link" | "unlink"; readonly url: string }
  | { readonly type: "review"; readonly changes: string | undefined };

const paths = fc.constantFrom(...PATHS);
const steps: fc.Arbitrary<WorkspaceStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("write" as const),
      path: paths,
      lines: fc.constantFrom(1, 5, 40, 120),
      version: fc.nat(3),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("choose" as const), path: paths }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("remove" as const, "put-away" as const), path: paths }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom("link" as const, "unlink" as const), url: fc.constantFrom(...LINKS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("review" as const),
      changes: fc.constantFrom(undefined, "-a\n+b", "-c\n+```"),
    }),
  },
);

interface Scene {
  readonly commands: readonly SessionCommand[];
  /** The changes of the workspace before each command. */
  readonly steps: readonly (readonly WorkspaceStep[])[];
  readonly policy: PolicyInput;
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  commands: sessionCommands({ maxCommands: 24 }),
  steps: fc.array(fc.array(steps, { maxLength: 2 }), { maxLength: 24 }),
  policy: fc.constantFrom<PolicyInput>(
    { cacheTargetTokens: 100 },
    { cacheTiers: "document", cacheTargetTokens: 100 },
    { cacheTiers: "document", cacheTargetTokens: 0 },
    { cacheTiers: "off" },
    "workspace",
  ),
});

function textOf(path: string, { lines, version }: { readonly lines: number; readonly version: number }): string {
  const other = PATHS[(PATHS.indexOf(path as (typeof PATHS)[number]) + 1) % PATHS.length];
  const head = `import { x } from "${other}";\nexport function f${version}() {\n`;
  return (
    head + Array.from({ length: lines }, (_, line) => `  call(${version}, ${line}); // \`\`\` of ${path}\n`).join("")
  );
}

async function step(each: WorkspaceStep, { session }: Play, workspace: MemoryWorkspace): Promise<void> {
  switch (each.type) {
    case "write":
      return workspace.write(each.path, textOf(each.path, each));
    case "remove":
      return workspace.remove(each.path);
    case "choose":
      await session.workspace.files.add(each.path);
      return;
    case "put-away":
      session.workspace.files.remove(each.path);
      return;
    case "link":
      await session.workspace.addLink(each.url, `What ${each.url} says.\n---\nAnd more of it.`);
      return;
    case "unlink":
      session.workspace.removeLink(each.url);
      return;
    case "review":
      session.workspace.review(each.changes);
      return;
  }
}

interface LawSubject {
  readonly outcome: PromptOutcome;
  readonly play: Play;
}

function laws() {
  const keep = playTogether<Scene, LawSubject>({
    histories: scenes,
    play: playScene,
    parameters: { numRuns: propertyRuns(LAW_HISTORIES) },
  });
  return (law: NonNullable<PlayOptions["onPrompt"]>) => keep(({ outcome, play }) => law(outcome, play));
}

async function playScene(
  { commands, steps: beside, policy }: Scene,
  judge: (seen: LawSubject) => Promise<void>,
): Promise<void> {
  const workspace = new MemoryWorkspace(new Map([["src/a.ts", textOf("src/a.ts", { lines: 5, version: 0 })]]));
  await playSession({
    commands,
    budgetTokens: 4_000,
    workspace,
    policy,
    beforeCommand: async (index, play) => {
      for (const each of beside[index] ?? []) await step(each, play, workspace);
    },
    onPrompt: (outcome, play) => judge({ outcome, play }),
  });
}

const holds = laws();
/** Laws that ask for previews play separately, so that their calls do not affect the other laws. */
const holdsWithPreviews = laws();

describe("laws with a workspace", () => {
  test(
    "law 1: every prompt is inside its limit, or the error names the floor and its parts",
    holds((outcome, play) => {
      if ("prompt" in outcome) {
        const { report } = outcome.prompt;
        expect(report.tokens).toBeLessThanOrEqual(play.budgetTokens);
        const counted = report.sections.reduce((sum, section) => sum + section.tokens, 0);
        expect(report.tokens).toBeGreaterThanOrEqual(counted);
        return;
      }
      const floor = floorOfError(outcome.error);
      expect(floor?.floorTokens).toBeGreaterThan(play.budgetTokens);
      expect(floor?.parts.length).toBeGreaterThan(0);
    }),
  );

  test(
    "law 2: every prompt passes the strict rules of every provider",
    holds((outcome) => {
      if (!("prompt" in outcome)) return;
      for (const provider of PROVIDERS) expect(validate(outcome.prompt.as(provider), provider)).toEqual([]);
    }),
  );

  test(
    "law 2: at most four marks, none on content that the next prompt will not have",
    holdsWithPreviews(async (outcome, { session, budgetTokens, model }) => {
      if (!("prompt" in outcome)) return;
      const ask = { budgetTokens, model, instructions: "Be brief.", provider: "anthropic", preview: true } as const;
      const again = await tryPrompt(() => session.prompt(ask));
      if (!("prompt" in again)) return;
      const marked = again.prompt.as("anthropic");
      expect(validate(marked, "anthropic")).toEqual([]);
      expect(JSON.stringify(marked).split('"cache_control"').length - 1).toBeLessThanOrEqual(4);
      const noted = await tryPrompt(() => session.prompt({ ...ask, notes: "Only now." }));
      const sent = "prompt" in noted ? JSON.stringify(noted.prompt.as("anthropic")) : "";
      expect(sent).not.toMatch(/Only now\.","cache_control"/);
    }),
  );

  test(
    "law 6: a prompt continues the previous one, or its report lists a change",
    holds((outcome, play) => {
      const before = play.lastPrompts.get(play.session.id);
      if (!("prompt" in outcome) || before === undefined || outcome.prompt.report.changes.length > 0) return;
      for (const provider of PROVIDERS) {
        const durable = durableUnits(before, provider);
        expect(unitsOf(outcome.prompt, provider).slice(0, durable.length)).toEqual(durable);
      }
    }),
  );

  test(
    "law 6: the same state gives the same bytes after a restart, with the same files chosen",
    holdsWithPreviews(async (outcome, play) => {
      if (!("prompt" in outcome)) return;
      const ask = { budgetTokens: play.budgetTokens, model: play.model, instructions: "Be brief.", preview: true };
      const here = await tryPrompt(() => play.session.prompt(ask));
      const again = await play.reopen();
      again.workspace.inherit(play.session.workspace, undefined);
      const there = await tryPrompt(() => again.prompt(ask));
      expect("prompt" in there).toBe("prompt" in here);
      if (!("prompt" in here) || !("prompt" in there)) return;
      expect(JSON.stringify(there.prompt.messages)).toBe(JSON.stringify(here.prompt.messages));
      expect(there.prompt.instructions).toBe(here.prompt.instructions);
    }),
  );

  test(
    "no exchange is split at a tier border: a user message and its answers are in one tier, the newest in none of L0 to L3",
    holds(async (outcome, { session }) => {
      if (!("prompt" in outcome)) return;
      const tiers = outcome.prompt.report.workspace?.tiers ?? [];
      const tracked = tiers.flatMap(({ tier, items }) =>
        items.flatMap(({ key }) => (key.startsWith("history:") ? [{ seq: Number(key.slice(8)), tier }] : [])),
      );
      const seqs = new Map((await session.entries({ types: ["message"] })).map(({ id, seq }) => [id, seq]));
      const asked = (await session.history()).flatMap(({ id, role }) => (role === "user" ? [seqs.get(id) ?? 0] : []));
      const exchangeOf = (seq: number) => asked.findLast((each) => each <= seq);
      const places = Map.groupBy(
        tracked.filter(({ seq }) => seq > 0 && exchangeOf(seq) !== undefined),
        ({ seq }) => exchangeOf(seq),
      );
      for (const [exchange, items] of places) {
        const held = new Set(items.map(({ tier }) => tier));
        expect([exchange, held.size]).toEqual([exchange, 1]);
        if (exchange === asked.at(-1)) expect(held).toEqual(new Set(["active"]));
      }
    }),
  );

  test(
    "law 6: the system text is unchanged if the first named change is after it",
    holds((outcome, play) => {
      const before = play.lastPrompts.get(play.session.id);
      if (!("prompt" in outcome) || before === undefined) return;
      const [first] = outcome.prompt.report.changes;
      if (first?.section === "instructions") return;
      expect(outcome.prompt.instructions).toBe(before.instructions);
    }),
  );
});

type ProviderName = (typeof PROVIDERS)[number];

function unitsOf(prompt: Prompt, provider: ProviderName): readonly string[] {
  return renderUnits(prompt.as(provider), provider);
}

function durableUnits(prompt: Prompt, provider: ProviderName): readonly string[] {
  const units = unitsOf(prompt, provider);
  return units.slice(0, units.length - prompt.report.volatileBlocks);
}
