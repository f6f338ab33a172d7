/** The inspector's tabs, in their order. At most five fit side by side on a desktop; a phone scrolls their row. */
export const TABS = {
  view: "What the model sees",
  summaries: "Summaries",
  message: "Message",
  workspace: "Workspace",
  usage: "Usage",
} as const;
export type Tab = keyof typeof TABS;
