/**
 * The parts of a prompt in reading order: what changes least comes first, for the provider's cache. `L0` to `L3` hold
 * stable workspace content and history. `reserve` is the room for the reply, named so that a meter can show it.
 */

const FIRST_SECTIONS = ["instructions", "tools", "L0", "L1", "L2", "L3", "workspace"] as const;
const LAST_SECTIONS = ["summary", "pinned", "history", "next", "notes", "reserve"] as const;

export const SECTION_ORDER = [...FIRST_SECTIONS, ...LAST_SECTIONS] as const;
export type SectionName = (typeof SECTION_ORDER)[number];
