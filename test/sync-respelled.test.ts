/**
 * Lists that clients resend without data that only a provider reads: signatures of thinking, metadata of calls,
 * thinking itself. The words, calls and results are the same, so nothing forks and the log keeps its originals.
 */
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/index.ts";

const TURNS = 4;

const question = (turn: number) => ({
  id: `q${turn}`,
  role: "user",
  parts: [{ type: "text", text: `Question ${turn}?` }],
});
const thought = (turn: number) => ({ type: "reasoning", text: `Thought ${turn}.`, state: "done" });
const signed = (turn: number) => ({
  ...thought(turn),
  providerMetadata: { anthropic: { signature: `signature-${turn}` } },
});
const call = (turn: number) => ({
  type: "tool-look",
  toolCallId: `call-${turn}`,
  state: "output-available",
  input: { place: `pier ${turn}` },
  output: { sky: "clear" },
});
const signedCall = (turn: number) => ({
  ...call(turn),
  callProviderMetadata: { google: { thoughtSignature: `t${turn}` } },
});
const text = (turn: number, words = `Answer ${turn}.`) => ({ type: "text", text: words });
const STEP = { type: "step-start" };
const reply = (turn: number, ...parts: readonly object[]) => ({ id: `a${turn}`, role: "assistant", parts });

type Spelling = (turn: number) => object;
const listOf = (spell: Spelling, turns: number): readonly object[] =>
  Array.from({ length: turns }, (_, turn) => [question(turn), spell(turn)]).flat();

const whole: Spelling = (turn) => reply(turn, STEP, signed(turn), signedCall(turn), STEP, signed(turn), text(turn));
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  "without signatures": (turn) => reply(turn, STEP, thought(turn), call(turn), STEP, thought(turn), text(turn)),
  "without thinking": (turn) => reply(turn, STEP, call(turn), STEP, text(turn)),
  "with thinking of some steps only": (turn) => reply(turn, STEP, call(turn), STEP, thought(turn), text(turn)),
  "with thinking that is empty": (turn) =>
    reply(turn, STEP, { ...thought(turn), text: "" }, call(turn), STEP, text(turn)),
};

async function openTalk() {
  const palimpsest = await openPalimpsest({ counter: "estimate", budgetTokens: 20_000 });
  const session = await palimpsest.session("talk");
  await session.sync(listOf(whole, TURNS));
  return { palimpsest, session };
}

describe("a list that a client resends", () => {
  test.each(Object.entries(SPELLINGS))(
    "%s creates no fork, turn after turn, and the log keeps its originals",
    async (_, spell) => {
      const { palimpsest, session } = await openTalk();
      const before = JSON.stringify(await session.transcript());
      expect(await session.sync(listOf(spell, TURNS))).toMatchObject({ type: "unchanged" });
      for (let turn = TURNS; turn < TURNS + 3; turn += 1) {
        const asked = await session.sync([...listOf(spell, turn), question(turn)]);
        expect(asked).toMatchObject({ type: "appended", sessionId: "talk", appended: 1 });
        await session.append(whole(turn));
      }
      expect(await palimpsest.sessions()).toHaveLength(1);
      const after = JSON.stringify(await session.transcript());
      expect(after.startsWith(before.slice(0, -1))).toBe(true);
      expect(after.match(/signature-\d/g)).toHaveLength(2 * (TURNS + 3));
      await palimpsest.close();
    },
  );

  test("in a format without ids and without thinking creates no fork", async () => {
    const palimpsest = await openPalimpsest({ counter: "estimate", budgetTokens: 20_000 });
    const session = await palimpsest.session("talk");
    await session.append(listOf((turn) => reply(turn, signed(turn), text(turn)), TURNS));
    const list = (await session.prompt({ preview: true })).as("openai").messages;
    expect(JSON.stringify(list)).not.toContain("Thought");
    const outcome = await session.sync([...list, { role: "user", content: "And now?" }]);
    expect(outcome).toMatchObject({ type: "appended", sessionId: "talk", appended: 1 });
    await palimpsest.close();
  });

  test.each<readonly [string, Spelling]>([
    ["other text", (turn) => reply(turn, STEP, call(turn), STEP, text(turn, "Another answer."))],
    ["other thinking", (turn) => reply(turn, STEP, { ...thought(turn), text: "Guess." }, call(turn), STEP, text(turn))],
    ["another call", (turn) => reply(turn, STEP, { ...call(turn), input: { place: "here" } }, STEP, text(turn))],
    ["another result", (turn) => reply(turn, STEP, { ...call(turn), output: { sky: "grey" } }, STEP, text(turn))],
  ])("with %s creates a fork at the difference", async (_, spell) => {
    const { palimpsest, session } = await openTalk();
    const list = listOf((turn) => (turn === 2 ? spell : whole)(turn), TURNS);
    expect(await session.sync(list)).toMatchObject({ type: "forked" });
    await palimpsest.close();
  });
});

describe("a reply that a client sends alone", () => {
  const pending = { type: "tool-look", toolCallId: "call-0", state: "input-available", input: { place: "pier 0" } };
  const signedPending = { ...pending, callProviderMetadata: { google: { thoughtSignature: "t0" } } };

  async function openCall() {
    const palimpsest = await openPalimpsest({ counter: "estimate" });
    const session = await palimpsest.session("talk");
    await session.append([question(0), reply(0, STEP, signed(0), signedPending)]);
    return session;
  }

  test.each([
    ["without metadata", [STEP, thought(0), call(0)]],
    ["without thinking", [STEP, call(0)]],
  ])("with the answer to its call and %s is accepted, and the log keeps its original", async (_, parts) => {
    const session = await openCall();
    await session.append(reply(0, ...parts));
    const [, original, answer] = await session.transcript();
    expect(original?.parts.map(({ type }) => type)).toEqual(["reasoning", "tool-call"]);
    expect(JSON.stringify(original)).toContain("signature-0");
    expect(answer).toMatchObject({ role: "tool", parts: [{ callId: "call-0" }] });
    expect(await session.append(reply(0, ...parts, STEP, text(0)))).toMatchObject({ messages: { length: 3 } });
    expect((await session.transcript()).length).toBe(4);
  });

  test("with a different call of the same id is a conflict, and nothing is stored", async () => {
    const session = await openCall();
    const other = { ...call(0), input: { place: "here" } };
    await expect(session.append(reply(0, STEP, other))).rejects.toMatchObject({ code: "message-conflict" });
    expect((await session.transcript()).length).toBe(2);
  });
});
