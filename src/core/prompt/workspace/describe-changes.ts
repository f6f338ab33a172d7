/** Describes changes of a workspace in a text after the newest message, so that the workspace section stays cached. */
import { formatFiles, formatLinks, keepOnOneLine, type ShownFile, WORKSPACE_HEADINGS } from "./format-files.ts";
import { formatOutline, type WorkspaceContent } from "./lay-out-workspace.ts";

/** Returns undefined if nothing changed. */
export function describeWorkspaceChanges(before: WorkspaceContent, now: WorkspaceContent): string | undefined {
  const blocks = [
    ...describeFiles(before, now),
    ...describeOutlines(before, now),
    ...describeTree(before.tree ?? [], now.tree ?? []),
    ...describeLinks(before.links, now.links),
    ...describeReview(before.review, now.review),
  ];
  return blocks.length === 0 ? undefined : [INTRODUCTION, ...blocks].join("\n\n").toWellFormed();
}

const INTRODUCTION = `${WORKSPACE_HEADINGS.changes}\n\nThese parts have changed since they were shown above. The versions below are current.`;

function describeFiles({ files: before }: WorkspaceContent, { files: now }: WorkspaceContent): readonly string[] {
  const changed = findChanged(before, now);
  const left = exclude(before.map(pathOf), new Set(now.map(pathOf)));
  return [
    ...(changed.length === 0 ? [] : [`${WORKSPACE_HEADINGS.working}\n\n${formatFiles(changed)}`]),
    ...listPaths("Files no longer shown:", left),
  ];
}

/** Describes outlines of files that are not shown in full. Deleted files are listed with the tree. */
function describeOutlines(before: WorkspaceContent, now: WorkspaceContent): readonly string[] {
  const changed = findChanged(shownOutlines(before), shownOutlines(now));
  return changed.length === 0
    ? []
    : [`${WORKSPACE_HEADINGS.structureContinued}\n\n${changed.map(formatOutline).join("\n\n")}`];
}

function shownOutlines({ outlines, files }: WorkspaceContent): readonly ShownFile[] {
  if (files.length === 0) return outlines;
  const asText = new Set(files.map(({ path }) => path));
  return outlines.filter(({ path }) => !asText.has(path));
}

function describeTree(before: readonly string[], now: readonly string[]): readonly string[] {
  if (before === now) return [];
  const [earlier, present] = [new Set(before), new Set(now)];
  return [
    ...listPaths("New in the repository:", exclude(now, earlier)),
    ...listPaths("Removed from the repository:", exclude(before, present)),
  ];
}

function describeLinks(before: WorkspaceContent["links"], now: WorkspaceContent["links"]): readonly string[] {
  const textOf = new Map(before.map((link) => [link.url, formatLinks([link])]));
  const changed = now.filter((link) => textOf.get(link.url) !== formatLinks([link]));
  const left = exclude([...textOf.keys()], new Set(now.map(({ url }) => url)));
  return [
    ...(changed.length === 0 ? [] : [`${WORKSPACE_HEADINGS.links}\n\n${formatLinks(changed)}`]),
    ...listPaths("Pages no longer shown:", left),
  ];
}

function describeReview(before: string | undefined, now: string | undefined): readonly string[] {
  if (before === now) return [];
  return [`${WORKSPACE_HEADINGS.review}\n\n${now ?? "No changes are under review."}`];
}

function findChanged(before: readonly ShownFile[], now: readonly ShownFile[]): readonly ShownFile[] {
  if (before === now) return [];
  const textOf = new Map(before.map(({ path, text }) => [path, text]));
  return now.filter(({ path, text }) => textOf.get(path) !== text);
}

function pathOf({ path }: ShownFile): string {
  return path;
}

function exclude(names: readonly string[], others: ReadonlySet<string>): readonly string[] {
  return names.filter((name) => !others.has(name));
}

/** Further paths are only counted. */
const MAX_PATHS = 100;

function listPaths(heading: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_PATHS ? [`and ${paths.length - MAX_PATHS} more`] : [];
  return [[heading, ...paths.slice(0, MAX_PATHS).map(keepOnOneLine), ...more].join("\n")];
}
