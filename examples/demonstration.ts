/**
 * `npm run demo`: shows in the terminal what Palimpsest does with a conversation that outgrows its budget. It needs no
 * key and no other service, writes no file, and ends by itself.
 */
import { drawDemonstration, paintColors, paintNothing } from "./demonstration/draw-demonstration.ts";
import { runDemonstration } from "./demonstration/run-demonstration.ts";

const HELP = `Usage: npm run demo [-- --json | --help]

Appends a scripted conversation, in which an agent fixes a build, to a session
with prompts of at most 4,000 tokens, and shows:

  - what the model sees at each turn, one character for each message
  - what was summarized, cut or left out, when, and why
  - what the model reads instead
  - how to find and pin a message that it no longer sees
  - how full the last prompt is, and how many prompts extend the previous one

It calls no model, writes no file and needs no key.

  --json   the same facts as one JSON object
  --help   this text

The sources are examples/demonstration.ts and examples/demonstration/.
NO_COLOR=1 turns colors off; they are off if the output is not a terminal.
`;

async function main(words: readonly string[]): Promise<number> {
  const unknown = words.find((word) => !["--json", "--help", "-h"].includes(word));
  if (unknown !== undefined) {
    process.stderr.write(`Unknown option ${unknown}.\n\n${HELP}`);
    return 1;
  }
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(HELP);
    return 0;
  }
  const facts = await runDemonstration();
  const hasColors = process.stdout.isTTY && !process.env.NO_COLOR;
  const page = drawDemonstration(facts, hasColors ? paintColors : paintNothing);
  process.stdout.write(words.includes("--json") ? `${JSON.stringify(facts)}\n` : page);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
