/** Histories in OpenAI's format for tests of `fit`. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

const SENTENCES = [
  "The price must stay below 4711 euros",
  "We decided to use Postgres 17",
  "TODO: write to Ana about invoice-88",
  "The ledger account is acc-7731",
  "I fixed the parser in src/parse.ts",
  "Which port does the server listen on",
  "The harbour was measured on 2024-05-03",
  "Never restart the ledger while invoices are being written",
];
const FILLER = "the tide came in and went out again, as it does here ";

/** Returns messages and tool rounds. */
export function makeHistory(random: SeededRandom, turns: number): readonly object[] {
  return Array.from({ length: turns }, (_, index) => {
    const sentence = `${random.pick(SENTENCES)}, said in turn ${index} of ward-${random.integer(90)}.`;
    const id = `call_${index}`;
    const call = { name: "read_file", arguments: JSON.stringify({ path: `src/part-${random.integer(40)}.ts` }) };
    const round = [
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: call }] },
      {
        role: "tool",
        tool_call_id: id,
        content: `const value${index} = ${random.integer(9_000)}; ${FILLER.repeat(4)}`,
      },
    ];
    return [
      { role: "user", content: `${sentence} ${FILLER.repeat(random.integer(6))}` },
      ...(random.integer(2) === 0 ? round : []),
      { role: "assistant", content: `Done with turn ${index}. ${FILLER.repeat(random.integer(8))}` },
    ];
  }).flat();
}

const SAME = "the quick brown fox jumps over the lazy dog ".repeat(4);

/** Returns turns with the same text, so that there is little to summarize. */
export function makeRepetitiveHistory(turns: number): readonly object[] {
  const call = { name: "read_file", arguments: JSON.stringify({ path: "notes.txt" }) };
  return Array.from({ length: turns }, (_, index) => [
    { role: "user", content: `Message ${index}: ${SAME}` },
    { role: "assistant", content: null, tool_calls: [{ id: `call_${index}`, type: "function", function: call }] },
    { role: "tool", tool_call_id: `call_${index}`, content: SAME },
    { role: "assistant", content: `Answer ${index}: ${SAME}` },
  ]).flat();
}

/** Returns rounds that read one file each. */
export function makeFileRounds(rounds: number): readonly object[] {
  return Array.from({ length: rounds }, (_, index) => {
    const call = { name: "read_file", arguments: JSON.stringify({ path: `src/module-${index}.ts` }) };
    const lines = Array.from({ length: 10 }, (_, line) => `const value${line} = compute_${index}_${line}(input);`);
    return [
      ...(index % 5 === 0 ? [{ role: "user", content: `Look at module ${index / 5} and mend what is wrong.` }] : []),
      { role: "assistant", content: null, tool_calls: [{ id: `call_${index}`, type: "function", function: call }] },
      { role: "tool", tool_call_id: `call_${index}`, content: lines.join("\n") },
    ];
  }).flat();
}

/** Returns turns that read one file each; `lines` are the lengths of the files in lines. */
export function makeFileTurns(lines: readonly number[]): readonly object[] {
  return lines.flatMap((count, index) => {
    const call = { name: "read", arguments: JSON.stringify({ path: `file-${index}.txt` }) };
    const rows = Array.from({ length: count }, (_, row) => `row${row % 97} line`);
    return [
      { role: "user", content: `Read file ${index}` },
      { role: "assistant", content: null, tool_calls: [{ id: `call_${index}`, type: "function", function: call }] },
      { role: "tool", tool_call_id: `call_${index}`, content: rows.join("\n") },
      { role: "assistant", content: `File ${index} is read.` },
    ];
  });
}

/** Yields the items that a host adds before the next request: some messages, and the results of all their calls. */
export function* stepsOf(history: readonly object[], atLeast: number): Generator<readonly object[]> {
  for (let from = 0; from < history.length; ) {
    let end = from + atLeast;
    while (Object(history[end]).role === "tool") end += 1;
    yield history.slice(from, end);
    from = end;
  }
}
