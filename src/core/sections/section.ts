/**
 * The named parts of a prompt, in the order in which a model reads them. What changes least comes first, because a
 * provider's cache is valid up to the first changed byte.
 *
 * `L0` to `L3` hold workspace content that has not changed for long, with the history placed there; `workspace` holds
 * the rest. `reserve` is no text but the room held back for the reply, named here so that a meter can show it.
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
