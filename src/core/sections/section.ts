/**
 * The sections of a prompt in order. The most stable ones come first, for the provider's cache. `L0` to `L3` contain
 * stable workspace content and history. `reserve` is the room for the reply.
 */

const FIRST_SECTIONS = ["instructions", "tools", "L0", "L1", "L2", "L3", "workspace"] as const;
const LAST_SECTIONS = ["summary", "pinned", "history", "next", "notes", "reserve"] as const;

export const SECTION_ORDER = [...FIRST_SECTIONS, ...LAST_SECTIONS] as const;
export type SectionName = (typeof SECTION_ORDER)[number];
