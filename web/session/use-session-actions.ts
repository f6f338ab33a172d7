/** What can be done with the conversation on the screen, by name. */
import { sayError } from "../api/errors.ts";
import type { Command } from "../chat/read-command.ts";
import { type Action, useActions } from "../hooks/use-actions.ts";
import { TABS, type Tab } from "../panels/inspector.tsx";
import { saveExport } from "./save-session.ts";
import type { Held } from "./use-session.ts";

export function useSessionActions({ sessionId, run, inspect, jump, log, turn, ways, notices }: Held): void {
  const command = (name: Command["name"]) => () => void run({ name, words: "" });
  const look = Object.entries(TABS).map(([tab, name]): Action => ({ name, run: () => inspect({ tab: tab as Tab }) }));
  useActions("session", [
    { name: "Write a message", hint: "/", run: () => document.querySelector<HTMLElement>("#composer")?.focus() },
    { name: "Compact: fold what is old now", hint: "/compact", run: command("compact") },
    { name: "Write the summary anew", hint: "/resummarize", run: command("resummarize") },
    { name: "Clear context", hint: "/clear", run: command("clear") },
    { name: "Undo the last change of the view", hint: "/undo", run: command("undo") },
    ...(turn.isRunning ? [{ name: "Stop the answer", hint: "Escape", run: turn.stop }] : []),
    ...look,
    { name: "Go to the first message", run: () => jump(1) },
    { name: "Go to the newest message", run: () => void log.newest() },
    { name: "Fork: go on from here in another one", run: () => void ways.fork() },
    {
      name: "Export: save every word as a file",
      run: () => void saveExport(sessionId).catch((error: unknown) => notices.tell(sayError(error), "failed")),
    },
  ]);
}
