/** `palimpsest compact`: folds a session by hand, or shows what that would do. `palimpsest undo` takes it back. */
import type { CompactionPreview, CompactOutcome, NotCompacted } from "../../engine/manual-compaction.ts";
import type { Command, Invocation } from "../command.ts";
import { ENGINE_OPTIONS, readEngineSetup } from "../engine-setup.ts";
import { withStored } from "../open-for.ts";

export const compact: Command = {
  usage: "compact <session> [--instructions <text>] [--preview] [--json]",
  about: [
    "Folds everything before the last turns into one summary, now, whether or not it is due. Every word stays in the",
    "log, and palimpsest undo takes it back. With --preview nothing is written: it says what would be shown and what",
    "would not, and prints the summary. The summary is written by the model that is set, or by code without one.",
  ],
  options: {
    ...ENGINE_OPTIONS,
    instructions: { type: "string", value: "<text>", help: "What the summary should keep in mind." },
    preview: { type: "boolean", help: "Show what it would do, and write nothing." },
  },
  words: [1, 1],
  examples: [
    "palimpsest compact support-17 --preview",
    'palimpsest compact support-17 --instructions "Keep every price that was named."',
  ],
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const instructions = invocation.text("instructions");
    const { engine, found } = await readEngineSetup(invocation);
    for (const complaint of found.complaints) invocation.terminal.note(complaint);
    await withStored(
      invocation,
      async (palimpsest) => {
        const session = await palimpsest.load(id);
        if (!invocation.flag("preview")) return tell(invocation, id, await session.compact({ instructions }));
        return tell(invocation, id, await session.compact({ instructions, preview: true }));
      },
      engine,
    );
  },
};

type Told = CompactionPreview | CompactOutcome | NotCompacted;

async function tell(invocation: Invocation, id: string, outcome: Told): Promise<void> {
  const { flag, terminal, say } = invocation;
  // What can only be done with a preview here is no part of it for others.
  if (flag("json")) return terminal.print(JSON.stringify({ id, ...outcome }));
  switch (outcome.type) {
    case "compacted": {
      const { tokensBefore, tokensAfter, steps } = outcome.report;
      await say(`${id}: ${tokensBefore} tokens became ${tokensAfter} (${steps.join(", ")}).`);
      return say(`palimpsest undo ${id} takes it back.`);
    }
    case "preview":
      return tellPreview(invocation, id, outcome);
    case "nothing-to-compact":
      return say(`${id}: nothing to compact. ${outcome.reason}`);
    case "stale":
      return say(`${id}: somebody else changed it meanwhile; nothing was written. Try again.`);
    case "busy":
      return say(`${id}: another compaction of it is under way; nothing was written.`);
    default:
      return outcome satisfies never;
  }
}

async function tellPreview({ say }: Invocation, id: string, preview: CompactionPreview): Promise<void> {
  const { before, after, kept, dropped, record } = preview;
  await say(`${id}: ${before.tokens} tokens would become ${after.tokens}.`);
  await say(`${kept.length} messages would stay as they are, ${dropped.length} would no longer be shown.`);
  if (record === undefined) return;
  await say("The summary:");
  for (const line of record.text.split("\n")) await say(`  ${line}`);
}
