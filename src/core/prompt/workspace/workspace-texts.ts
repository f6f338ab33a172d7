/**
 * The headings and answers around what a workspace shows. They are part of what a provider caches, so they never
 * depend on anything.
 */

export const HEADINGS = {
  structure: "# Repository Structure",
  structureContinued: "# Repository Structure (continued)",
  tree: "# Repository Files",
  links: "# URL Context",
  review: "# Code Review Context",
  working: "# Working Files",
  changes: "# Changes in the Workspace",
} as const;

/** Files that have stayed as they are, by the tier they are in. */
export const REFERENCE_HEADINGS = {
  L0: "# Reference Files (Stable)",
  L1: "# Reference Files",
  L2: "# Reference Files (L2)",
  L3: "# Reference Files (L3)",
} as const;

/** What the assistant says to each, so that turns alternate. */
export const ANSWERS = {
  reference: "Ok.",
  tree: "Ok.",
  links: "Ok, I've reviewed the URL content.",
  review: "Ok, I've reviewed the code changes.",
  working: "Ok.",
} as const;
