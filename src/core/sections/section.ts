/**
 * The named parts of a prompt, in the order in which a model reads them. What changes least stands first, because a
 * provider's cache is kept up to the first byte that moved.
 *
 * `L0` to `L3` hold what a workspace shows and has not changed for long, with the history that stands there; `workspace`
 * what has. `reserve` is no text: it is the room held back for the reply, named here so that a meter can show it beside the rest.
 */

export const SECTION_ORDER = [
  "instructions",
  "tools",
  "L0",
  "L1",
  "L2",
  "L3",
  "workspace",
  "summary",
  "pinned",
  "history",
  "next",
  "notes",
  "reserve",
] as const;

export type SectionName = (typeof SECTION_ORDER)[number];
