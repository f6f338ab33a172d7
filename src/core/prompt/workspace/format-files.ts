/**
 * Files, the tree and links as text of a prompt. The text of a file is data: its fence is longer than any run of
 * backticks inside, so that nothing in it can end it.
 */

export interface ShownFile {
  readonly path: string;
  readonly text: string;
}

export interface ShownLink {
  readonly url: string;
  readonly title?: string | undefined;
  readonly text: string;
}

/** Each file as its path and its text between fences, a blank line between two. */
export function formatFiles(files: readonly ShownFile[]): string {
  return files.map(formatFile).join("\n\n");
}

export function formatFile({ path, text }: ShownFile): string {
  const fence = fenceFor(text);
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${inOneLine(path)}\n${fence}\n${text}${end}${fence}`;
}

/** A count, then one path a line. `count`: of all files, where only the first are listed. */
export function formatTree(paths: readonly string[], count: number = paths.length): string {
  const counted = `${count} ${count === 1 ? "file" : "files"}`;
  const listed = count > paths.length ? `${counted}, of which these are the first ${paths.length}` : counted;
  return [listed, ...paths.map(inOneLine)].join("\n");
}

const BETWEEN_LINKS = "\n---\n";

export function formatLinks(links: readonly ShownLink[]): string {
  return links
    .map(({ url, title, text }) => {
      const heading = title === undefined ? inOneLine(url) : `${inOneLine(title)} (${inOneLine(url)})`;
      return `${heading}\n${text.trim()}`;
    })
    .join(BETWEEN_LINKS);
}

function fenceFor(text: string): string {
  const longest = text.match(/`{3,}/g)?.reduce((most, run) => Math.max(most, run.length), 2) ?? 2;
  return "`".repeat(longest + 1);
}

/** A file's name may hold line breaks; a line of the prompt may not be made of them. */
export function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}

// The headings and answers around what a workspace shows. They are part of what a provider caches, so they never
// depend on anything.
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
