/** Formats files, the tree and links as text. A file's fence is longer than any fence inside the file. */

export interface ShownFile {
  readonly path: string;
  readonly text: string;
}

export interface ShownLink {
  readonly url: string;
  readonly title?: string | undefined;
  readonly text: string;
}

export function formatFiles(files: readonly ShownFile[]): string {
  return files.map(formatFile).join("\n\n");
}

export function formatFile({ path, text }: ShownFile): string {
  const fence = fenceFor(text);
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${keepOnOneLine(path)}\n${fence}\n${text}${end}${fence}`;
}

/** Writes the count, then one path per line. `count` is the number of all files if only the first are listed. */
export function formatTree(paths: readonly string[], count: number = paths.length): string {
  const counted = `${count} ${count === 1 ? "file" : "files"}`;
  const listed = count > paths.length ? `${counted}, of which these are the first ${paths.length}` : counted;
  return [listed, ...paths.map(keepOnOneLine)].join("\n");
}

const BETWEEN_LINKS = "\n---\n";

export function formatLinks(links: readonly ShownLink[]): string {
  return links
    .map(({ url, title, text }) => {
      const heading = title === undefined ? keepOnOneLine(url) : `${keepOnOneLine(title)} (${keepOnOneLine(url)})`;
      return `${heading}\n${text.trim()}`;
    })
    .join(BETWEEN_LINKS);
}

function fenceFor(text: string): string {
  const longest = text.match(/`{3,}/g)?.reduce((most, run) => Math.max(most, run.length), 2) ?? 2;
  return "`".repeat(longest + 1);
}

/** Replaces line breaks in a file's name, so that a name stays on one line. */
export function keepOnOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}

// Headings of the workspace sections. They are constant, so that providers can cache them.
export const WORKSPACE_HEADINGS = {
  structure: "# Repository Structure",
  structureContinued: "# Repository Structure (continued)",
  tree: "# Repository Files",
  links: "# URL Context",
  review: "# Code Review Context",
  working: "# Working Files",
  changes: "# Changes in the Workspace",
} as const;

export const REFERENCE_HEADINGS = {
  L0: "# Reference Files (Stable)",
  L1: "# Reference Files",
  L2: "# Reference Files (L2)",
  L3: "# Reference Files (L3)",
} as const;

/** The assistant's replies to workspace sections, so that turns alternate. */
export const WORKSPACE_ANSWERS = {
  reference: "Ok.",
  tree: "Ok.",
  links: "Ok, I've reviewed the URL content.",
  review: "Ok, I've reviewed the code changes.",
  working: "Ok.",
} as const;
