/** `palimpsest compact`: folds a session by hand, or shows what that would do. `palimpsest undo` takes it back. */
import type { CompactOutcome, NotCompacted } from "../../engine/compaction/manual-compaction.ts";
import type { Command, Invocation } from "../command.ts";
import { SESSION_OPTIONS, type ShownPreview, withSession } from "../conversations.ts";
import { describeNotCompacted } from "../describe-not-compacted.ts";
import { ownCommand } from "../own-command.ts";
import { repeatPlace } from "../repeat-place.ts";

export const compact: Command = {
  usage: "compact <session> [--instructions <text>] [--preview] [--server <url>] [--json]",
  about: [
    "Folds everything before the last turns into one summary, now, whether or not it is due. Every word stays in the",
    "log, and palimpsest undo takes it back. With --preview nothing is written: it says what would be shown and what",
    "would not, and prints the summary. The summary is written by the model that is set, or by code without one;",
    "with --server by the one that is set there.",
  ],
  options: {
    ...SESSION_OPTIONS,
    instructions: { type: "string", value: "<text>", help: "What the summary should keep in mind." },
    preview: { type: "boolean", help: "Show what it would do, and write nothing." },
  },
  words: [1, 1],
  examples: [
    "palimpsest compact support-17 --preview",
    "palimpsest compact support-17 --server http://127.0.0.1:7420",
    'palimpsest compact support-17 --instructions "Keep every price that was named."',
  ],
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const instructions = invocation.text("instructions");
    await withSession(invocation, { id, writesSummaries: true }, async (session) =>
      tell(
        invocation,
        id,
        await (invocation.flag("preview") ? session.preview(instructions) : session.compact(instructions)),
      ),
    );
  },
};

type Told = ShownPreview | CompactOutcome | NotCompacted;

async function tell(invocation: Invocation, id: string, outcome: Told): Promise<void> {
  const { flag, terminal, say } = invocation;
  if (flag("json")) return terminal.print(JSON.stringify({ id, ...outcome }));
  switch (outcome.type) {
    case "compacted": {
      const { tokensBefore, tokensAfter, steps } = outcome.report;
      await say(`${id}: ${tokensBefore} tokens became ${tokensAfter} (${steps.join(", ")}).`);
      return say(`${ownCommand()} undo ${id}${repeatPlace(invocation)} takes it back.`);
    }
    case "preview":
      return tellPreview(invocation, id, outcome);
    default:
      return say(`${id}: ${describeNotCompacted(outcome)}`);
  }
}

async function tellPreview({ say }: Invocation, id: string, preview: ShownPreview): Promise<void> {
  const { before, after, kept, dropped, record } = preview;
  await say(`${id}: ${before.tokens} tokens would become ${after.tokens}.`);
  await say(`${kept.length} messages would stay as they are, ${dropped.length} would no longer be shown.`);
  if (record === undefined) return;
  await say("The summary:");
  for (const line of record.text.split("\n")) await say(`  ${line}`);
}
