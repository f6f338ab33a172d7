/** `palimpsest compact`: compacts a session now, or previews it. `palimpsest undo` undoes it. */
import { type OpenSession, SESSION_OPTIONS, withSession } from "../setup/open-session.ts";
import type { Command, Invocation } from "../terminal/command.ts";
import { ownCommand, repeatStoreOptions } from "../terminal/own-command.ts";
import { describeNotCompacted } from "../terminal/terminal-text.ts";

export const command: Command = {
  usage: "compact <session> [--instructions <text>] [--preview] [--server <url>] [--json]",
  about: [
    "Summarizes everything before the last turns now, whether or not it is due. The log keeps every word, and",
    "palimpsest undo undoes it. --preview prints the effect and the summary, and writes nothing.",
    "The configured model writes the summary, or code if there is none; with --server, the server's model.",
  ],
  options: {
    ...SESSION_OPTIONS,
    instructions: { value: "<text>", help: "What the summary should focus on." },
    preview: { help: "Show the effect and write nothing." },
  },
  positionalCount: [1, 1],
  examples: [
    "palimpsest compact support-17 --preview",
    "palimpsest compact support-17 --server http://127.0.0.1:7420",
    'palimpsest compact support-17 --instructions "Keep every price that was named."',
  ],
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const instructions = invocation.text("instructions");
    const outcome = await withSession<Outcome>(invocation, { id, writesSummaries: true }, async (session) =>
      invocation.flag("preview") ? preview(session, instructions) : compactNow(session, instructions),
    );
    await printOutcome(invocation, id, outcome);
  },
};

async function compactNow(session: OpenSession, instructions: string | undefined) {
  return session.client.compact(await buildRequest(session, instructions));
}

/** A command cannot apply a preview later, so it does not print its id. */
async function preview(session: OpenSession, instructions: string | undefined) {
  const outcome = await session.client.previewCompaction(await buildRequest(session, instructions));
  if (outcome.type !== "preview") return outcome;
  const { previewId: _, ...shown } = outcome;
  return shown;
}

/** Compacts for the window that the next prompt has, which the sample sets itself. */
async function buildRequest({ client, params, query }: OpenSession, instructions: string | undefined) {
  const { windowTokens, reserveTokens } = await client.readBudget({ params, query });
  return { params, query: { ...query, windowTokens, reserveTokens }, body: { instructions } };
}

type Outcome = Awaited<ReturnType<typeof preview | typeof compactNow>>;
type ShownPreview = Extract<Outcome, { readonly type: "preview" }>;

async function printOutcome(invocation: Invocation, id: string, outcome: Outcome): Promise<void> {
  const { flag, terminal, say } = invocation;
  if (flag("json")) return terminal.print(JSON.stringify({ id, ...outcome }));
  switch (outcome.type) {
    case "compacted": {
      const { tokensBefore, tokensAfter, steps } = outcome.report;
      await say(`${id}: ${tokensBefore} → ${tokensAfter} tokens (${steps.join(", ")}).`);
      return say(`Undo: ${ownCommand()} undo ${id}${repeatStoreOptions(invocation)}`);
    }
    case "preview":
      return printPreview(invocation, id, outcome);
    default:
      return say(`${id}: ${describeNotCompacted(outcome)}`);
  }
}

async function printPreview({ say }: Invocation, id: string, preview: ShownPreview): Promise<void> {
  const { before, after, kept, dropped, record } = preview;
  await say(`${id}: ${before.tokens} → ${after.tokens} tokens (preview).`);
  await say(`${kept.length} messages stay, ${dropped.length} are no longer shown.`);
  if (record === undefined) return;
  await say("The summary:");
  for (const line of record.text.split("\n")) await say(`  ${line}`);
}
