/** `palimpsest undo`: undoes the newest change of a session's past, or redoes it. */
import type { Client } from "../../client/index.ts";
import { SESSION_OPTIONS, withSession } from "../setup/open-session.ts";
import { type Command, EXIT_DONE, EXIT_NOT_FOUND, type Invocation } from "../terminal/command.ts";
import { ownCommand, repeatStoreOptions } from "../terminal/own-command.ts";

export const command: Command = {
  usage: "undo <session> [<entry>] [--server <url>] [--json]",
  about: [
    "Undoes the newest change of a session's past, such as a compaction, clear or pin.",
    "What it hid is shown again. Nothing is lost either way.",
    "With the entry that an undo printed, that undo is undone (redo). Older changes are undone one by one.",
  ],
  options: SESSION_OPTIONS,
  positionalCount: [1, 2],
  examples: [
    "palimpsest undo support-17",
    "palimpsest undo support-17 undo_01k9 --json",
    "palimpsest undo support-17 --server http://127.0.0.1:7420",
  ],
  async run(invocation) {
    const [id = "", entryId] = invocation.positionals;
    const outcome = await withSession(invocation, { id }, ({ client, params }) =>
      client.undo({ params, body: { entryId } }),
    );
    if (invocation.flag("json")) await invocation.terminal.print(JSON.stringify({ id, ...outcome }));
    else await invocation.say(`${id}: ${describeUndo(outcome, invocation)}`);
    return entryId !== undefined && outcome.type === "not-undoable" ? EXIT_NOT_FOUND : EXIT_DONE;
  },
};

function describeUndo(outcome: Awaited<ReturnType<Client["undo"]>>, invocation: Invocation): string {
  const [id] = invocation.positionals;
  switch (outcome.type) {
    case "undone":
      return [
        `${outcome.isRedo ? "redid" : "undid"} ${outcome.undid.kinds.join(", ")}.`,
        `${outcome.isRedo ? "Undo" : "Redo"}: ${ownCommand()} undo ${id} ${outcome.entryId}${repeatStoreOptions(invocation)}`,
      ].join(" ");
    case "nothing-to-undo":
      return "nothing to undo.";
    case "not-newest":
      return `there is a newer change${outcome.newestId === undefined ? "" : `: ${outcome.newestId}`}. Undo that first.`;
    case "not-undoable":
      return "that cannot be undone: it deleted something, or there is no such change.";
    default:
      return outcome satisfies never;
  }
}
