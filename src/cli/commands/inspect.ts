/** `palimpsest inspect`: plan, budget and summary of a session, or the fate of one message. */
import type { Client } from "../../client/index.ts";
import { type OpenSession, SESSION_OPTIONS, withSession } from "../setup/open-session.ts";
import { alignColumns } from "../terminal/align-columns.ts";
import type { Command, Invocation } from "../terminal/command.ts";
import { describeCount } from "../terminal/terminal-text.ts";

export const command: Command = {
  usage: "inspect <session> [--message <id>] [--server <url>] [--json]",
  about: [
    "Prints the fate of every message, in runs with the same fate and reason, how full the context window is, when the",
    "next compaction is due, and the summary. With --message: the fate of one message, and why. Changes nothing.",
    "Fates: verbatim, pinned, pruned, cut, summarised, truncated, cleared, deleted.",
  ],
  options: {
    ...SESSION_OPTIONS,
    message: { value: "<id>", help: "Explain this message; palimpsest show prints the ids." },
  },
  positionalCount: [1, 1],
  examples: [
    "palimpsest inspect support-17",
    "palimpsest inspect support-17 --message msg_01 --json",
    "palimpsest inspect support-17 --server http://127.0.0.1:7420",
  ],
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const messageId = invocation.text("message");
    await withSession(invocation, { id }, (session) =>
      messageId === undefined ? printContext(invocation, session) : printMessage(invocation, session, messageId),
    );
  },
};

async function printMessage(
  { flag, terminal, say }: Invocation,
  session: OpenSession,
  messageId: string,
): Promise<void> {
  const { client, params, query } = session;
  const explanation = await client.explainMessage({ params: { ...params, messageId }, query });
  if (flag("json")) return terminal.print(JSON.stringify(explanation));
  const { seq, fate, isShown, reason, entryId, isAhead = false, recalled = [], isDismissed } = explanation;
  await say(`#${seq} ${messageId}: ${fate}, ${isShown ? "shown" : "not shown"}`);
  const by = entryId === undefined ? "" : ` (${isAhead ? "to be written" : entryId})`;
  await say(`  ${reason}${by}`);
  for (const { entryId: blockId, afterSeq, words, tokens } of recalled) {
    const place = blockId === undefined ? "will be recalled" : `recalled (${blockId})`;
    await say(`  ${place} after #${afterSeq}, because of ${words.join(", ")}: ${tokens} tokens`);
  }
  if (isDismissed === true) await say("  left out of recalled passages");
}

async function printContext({ flag, terminal, say }: Invocation, session: OpenSession): Promise<void> {
  const { client, params, query } = session;
  const { id } = params;
  const plan = await client.readPlan({ params, query });
  const { windowTokens, reserveTokens, compaction: status, ...budget } = await client.readBudget({ params, query });
  const { targetTokens, ...compaction } = status;
  const window = { windowTokens, reserveTokens, triggerTokens: compaction.triggerTokens, targetTokens };
  const { summaries } = await client.listSummaries({ params });
  const summary = summaries.findLast(({ isLive }) => isLive)?.record;
  if (flag("json")) return terminal.print(JSON.stringify({ id, plan, budget, compaction, window, summary }));
  await say(`${id}: ${describeBudget(budget)}`);
  await say(
    compaction.enabled
      ? `compaction: starts at ${window.triggerTokens} tokens, target ${window.targetTokens}; ${compaction.percent} % reached${budget.needsSummary ? ", due" : ""}`
      : "compaction: disabled by the policy",
  );
  for (const line of alignRuns(plan.runs)) await say(line);
  if (summary === undefined) return;
  await say(
    `summary ${summary.id}, of ${describeCount(summary.coverage.count, "message", "messages")}, depth ${summary.depth}:`,
  );
  for (const line of summary.text.split("\n")) await say(`  ${line}`);
}

type Budget = Pick<Awaited<ReturnType<Client["readBudget"]>>, "promptTokens" | "historyTokens" | "maxInputTokens">;

function describeBudget({ promptTokens, historyTokens, maxInputTokens }: Budget): string {
  const history = `stored history ${historyTokens} tokens`;
  if (promptTokens === undefined) return `no prompt fits into ${maxInputTokens} tokens; ${history}`;
  const part = maxInputTokens === 0 ? "full" : `${Math.round((promptTokens / maxInputTokens) * 100)} %`;
  return `the next prompt takes ${promptTokens} of ${maxInputTokens} tokens, ${part}; ${history}`;
}

function alignRuns(runs: Awaited<ReturnType<Client["readPlan"]>>["runs"]): readonly string[] {
  const cells = runs.map(({ firstSeq, lastSeq, fate, tokens, reason, entryId }) => [
    firstSeq === lastSeq ? `#${firstSeq}` : `#${firstSeq}-${lastSeq}`,
    fate,
    `${tokens} tokens`,
    `${reason}${entryId === undefined ? "" : ` (${entryId})`}`,
  ]);
  return alignColumns(cells).map((line) => `  ${line}`);
}
