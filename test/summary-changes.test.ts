/** Summaries by code after the user changed a decision, in seven languages, or a rule or goal, in English. */
import { describe, expect, test } from "vitest";
import { summarizeOffline } from "../src/core/public/index.ts";

interface Turn {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

/** Returns user messages, each followed by a tool call and an answer. */
function converse(said: readonly string[], answer = "ok"): readonly Turn[] {
  return said.flatMap((content, place) => {
    const call = { id: `call-${place}`, type: "function", function: { name: "run", arguments: '{"command":"make"}' } };
    return [
      { role: "user", content },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: "ok" },
      { role: "assistant", content: answer },
    ];
  });
}

/** Returns a summary of all messages at once, and the last summary of a chain that folds one message at a time. */
function summarizeBoth(said: readonly string[]) {
  const budgetTokens = 500;
  const whole = summarizeOffline(converse(said), { budgetTokens });
  let chain: typeof whole | undefined;
  for (const text of said) chain = summarizeOffline(converse([text]), { budgetTokens, previous: chain });
  return [whole, chain ?? whole];
}

const DECISIONS: Readonly<Record<string, readonly [decision: string, ...changes: string[]]>> = {
  English: [
    "We decided to use the harbor crane for the mast.",
    "Change of plan: a truck for the mast.",
    "Scrap that, we take a truck.",
    "Forget the crane, a truck is enough.",
    "No wait, let's use a truck rather than the crane.",
  ],
  German: [
    "Wir haben beschlossen, den Hafenkran für den Mast zu nehmen.",
    "Doch lieber einen Lastwagen statt des Hafenkrans, also nicht den Hafenkran.",
    "Ich habe es mir anders überlegt: wir nehmen einen Lastwagen.",
    "Vergiss den Hafenkran, ein Lastwagen reicht.",
    "Stattdessen nehmen wir einen Lastwagen.",
  ],
  Spanish: [
    "Decidimos usar la grúa del puerto para el mástil.",
    "Mejor usemos un camión en lugar de la grúa.",
    "Hemos cambiado de idea: un camión para el mástil.",
    "Olvida la grúa, vamos con un camión.",
    "Ya no queremos la grúa.",
  ],
  French: [
    "Nous avons décidé de prendre la grue du port pour le mât.",
    "Finalement, on prend un camion plutôt que la grue.",
    "On a changé d'avis : un camion pour le mât.",
    "Oublie la grue, on part sur un camion.",
    "On ne veut plus de la grue.",
  ],
  Portuguese: [
    "Decidimos usar o guindaste do porto para o mastro.",
    "Melhor usar um caminhão em vez do guindaste.",
    "Mudamos de ideia: um caminhão para o mastro.",
    "Esquece o guindaste, vamos com um caminhão.",
    "Não vamos mais usar o guindaste.",
  ],
  Chinese: [
    "我们决定用港口的吊车装桅杆。",
    "改用卡车吧，不用吊车了。",
    "我们改主意了，装桅杆用卡车。",
    "别管吊车了，卡车就够了。",
    "不再用吊车了。",
  ],
  Japanese: [
    "マストには港のクレーンを使うことに決めました。",
    "やっぱりクレーンではなくトラックにします。",
    "考えが変わりました。マストはトラックにします。",
    "クレーンはやめてトラックを使います。",
    "クレーンはもう使いません。",
  ],
};

describe.each(Object.entries(DECISIONS))("a decision in %s", (_, [decision, ...changes]) => {
  test.each(changes)("is not listed after: %s", (change) => {
    for (const { facets } of summarizeBoth([decision, change])) {
      expect(facets.decisions.filter((text) => text.startsWith(decision.slice(0, -1)))).toEqual([]);
    }
  });
});

describe("a decision", () => {
  test.each([
    ["We decided to use the crane for the mast.", "Paint the crane blue instead of green."],
    ["Wir haben beschlossen, den Kran zu nehmen.", "Vergiss nicht, den Kran zu ölen."],
    ["Wir haben beschlossen, den Kran zu nehmen.", "Das Treffen findet am Montag statt."],
    ["Decidimos usar la grúa.", "No olvides engrasar la grúa."],
    ["Nous avons décidé de prendre la grue.", "La rampe plutôt bleue que verte."],
    ["Decidimos usar o guindaste.", "O corrimão fica azul em vez de verde."],
    ["我们决定用吊车。", "别忘了给吊车上油。"],
    ["クレーンを使うことに決めました。", "手すりは緑ではなく青にしてください。"],
  ])("stays if something else changes: %s %s", (decision, other) => {
    for (const { facets } of summarizeBoth([decision, other])) expect(facets.decisions).toContain(decision);
  });

  test("is not made by words that only withdraw one", () => {
    const [{ facets }] = summarizeBoth(["We decided to use the crane.", "Hmm, scrap that."]) as [
      ReturnType<typeof summarizeOffline>,
    ];
    expect(facets.decisions).toEqual([]);
  });
});

describe("a rule", () => {
  test("is not listed after the user corrected it, nor in the goal", () => {
    const rule = "Always use tabs for indentation.";
    const change = "Actually use two spaces for indentation, not tabs.";
    for (const { text, facets } of summarizeBoth([`Help me format the annual report. ${rule}`, change])) {
      expect(facets.constraints).toEqual([]);
      expect(facets.goal).toBe("Help me format the annual report.");
      expect(text).toContain(`Decided:\n- ${change}`);
    }
  });

  test("stays if a change has few of its words", () => {
    const rule = "Never delete a row of the price table.";
    const said = ["Help me clean the lists.", rule, "Actually use the new table for the tides."];
    for (const { facets } of summarizeBoth(said)) expect(facets.constraints).toEqual([rule]);
  });

  test("is not read from a clause about what happens", () => {
    const said = "Please review the upload, I worry about places where we stage files but don't change the folder.";
    for (const { facets } of summarizeBoth([said])) expect(facets.constraints).toEqual([]);
  });
});

describe("a goal", () => {
  test("does not name an errand after the next task, an answer, or a command of the program", () => {
    const said = ["Can you check why the harbor import is slow?", "/model", "Write a page about the tides of the bay."];
    for (const { facets } of summarizeBoth(said)) expect(facets.goal).toBe("Write a page about the tides of the bay.");
    const answered = ["Write a page about the tides of the bay.", "Yes, please use the second table of the almanac."];
    for (const { facets } of summarizeBoth(answered)) expect(facets.goal).toBe(answered[0]);
  });
});

test("an announcement of an agent is no open item, and a bare report of a reversal is no decision", () => {
  const answer = "Reverted! Now let me run the tests again to see what is still failing:";
  const { facets } = summarizeOffline(converse(["Fix the tide table.", "Undo the last edit."], answer), {
    budgetTokens: 500,
  });
  expect(facets.actionItems).toEqual([]);
  expect(facets.decisions).toEqual([]);
});
