/** `palimpsest undo`: takes the newest change of a session's past back, or takes such a taking back. */
import type { UndoOutcome } from "../../engine/session/undo-entry.ts";
import type { Command, Invocation } from "../command.ts";
import { SESSION_OPTIONS, withSession } from "../conversations.ts";
import { EXIT_DONE, EXIT_NOT_FOUND } from "../exit-codes.ts";
import { ownCommand } from "../own-command.ts";
import { repeatPlace } from "../repeat-place.ts";

export const undo: Command = {
  usage: "undo <session> [<entry>] [--server <url>] [--json]",
  about: [
    "Takes back the newest compaction, clear or pin of a session: what it hid is shown again. Nothing is lost by it",
    "either way. With the entry that an undo printed, that undo is taken back. Older changes are reached one by one.",
  ],
  options: SESSION_OPTIONS,
  words: [1, 2],
  examples: [
    "palimpsest undo support-17",
    "palimpsest undo support-17 undo_01k9 --json",
    "palimpsest undo support-17 --server http://127.0.0.1:7420",
  ],
  async run(invocation) {
    const [id = "", entryId] = invocation.positionals;
    const outcome = await withSession(invocation, { id }, (session) => session.undo(entryId));
    if (invocation.flag("json")) await invocation.terminal.print(JSON.stringify({ id, ...outcome }));
    else await invocation.say(`${id}: ${describe(outcome, invocation)}`);
    return entryId !== undefined && outcome.type === "not-undoable" ? EXIT_NOT_FOUND : EXIT_DONE;
  },
};

function describe(outcome: UndoOutcome, invocation: Invocation): string {
  const [id, entryId] = invocation.positionals;
  switch (outcome.type) {
    case "undone":
      return [
        `${entryId === undefined ? "took back" : "changed back"} ${outcome.undid.kinds.join(", ")}.`,
        `${ownCommand()} undo ${id} ${outcome.entryId}${repeatPlace(invocation)} does the opposite.`,
      ].join(" ");
    case "nothing-to-undo":
      return "there is nothing to take back.";
    case "not-newest":
      return `a newer change stands on that one${outcome.newestId === undefined ? "" : `: ${outcome.newestId}`}. Take that back first.`;
    case "not-undoable":
      return "that cannot be taken back: it deleted something, or there is no such change.";
    default:
      return outcome satisfies never;
  }
}
