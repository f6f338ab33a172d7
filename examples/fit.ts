/** The first program of the README, run from the sources. */
import { fit } from "../src/index.ts";

const chat = Array.from({ length: 60 }, (_, turn) => [
  { role: "user", content: `What does module ${turn} do, and which module calls it?` },
  { role: "assistant", content: `It parses what it is given and hands the result to module ${turn + 1}.` },
]).flat();
const call = { toolCallId: "build-1", toolName: "build" };
const log = { type: "text", value: "compiled one more file\n".repeat(200) };
const build = [
  { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
  { role: "tool", content: [{ type: "tool-result", ...call, output: log }] },
];
const history = [...chat.slice(0, 61), ...build, ...chat.slice(61)];

// biome-ignore lint/suspicious/noFocusedTests: this is Palimpsest's fit, and no test
const { messages, report } = await fit(history, { budgetTokens: 2_000 });
console.log(`${history.length} messages in, ${messages.length} out, ${report.tokens} of ${report.limitTokens} tokens`);
for (const run of report.plan.runs) console.log(`${run.firstSeq}-${run.lastSeq} ${run.fate}: ${run.reason}`);
