/** Actions of the open session in the command palette. */
import { describeError } from "../api/errors.ts";
import type { Command } from "../chat/read-command.ts";
import { type Action, useActions } from "../hooks/use-actions.ts";
import { TABS, type Tab } from "../panels/tabs.ts";
import { saveExport } from "./save-session.ts";
import type { SessionState } from "./use-session.ts";

export function useSessionActions(state: SessionState): void {
  const { sessionId, transcript, conversation, commands, branches, inspector, notices } = state;
  const { turn } = conversation;
  const command = (name: Command["name"]) => () => void commands.run({ name, argument: "" });
  const tabs = Object.entries(TABS).map(
    ([tab, name]): Action => ({ name, run: () => inspector.open({ tab: tab as Tab }) }),
  );
  useActions("session", [
    { name: "Write a message", hint: "/", run: () => document.querySelector<HTMLElement>("#composer")?.focus() },
    { name: "Compact: summarize old messages", hint: "/compact", run: command("compact") },
    { name: "Rewrite summary", hint: "/resummarize", run: command("resummarize") },
    { name: "Clear context", hint: "/clear", run: command("clear") },
    { name: "Undo the last change, such as a compaction, pin or clear", hint: "/undo", run: command("undo") },
    ...(turn.isRunning ? [{ name: "Stop the answer", hint: "Escape", run: turn.stop }] : []),
    ...tabs,
    { name: "Go to the first message", run: () => transcript.jump(1) },
    { name: "Go to the newest message", run: () => void transcript.log.newest() },
    { name: "Fork: continue in a new conversation", run: () => branches.fork() },
    {
      name: "Export the whole log as a file",
      run: () => void saveExport(sessionId).catch((error: unknown) => notices.notify(describeError(error), "failed")),
    },
  ]);
}
