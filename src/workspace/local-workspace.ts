/** A workspace on the local disk. Every call checks the disk; files with the same stamp are not read again. */
import {
  COUNT,
  checkOptions,
  FLAG,
  FUNCTION,
  ID,
  type OptionRules,
  RECORD,
  required,
  WHOLE_NUMBER,
} from "../core/check-options.ts";
import type { Workspace, WorkspaceLink, WorkspaceOutline, WorkspaceTree } from "../ports/workspace.ts";
import { listTree, type TreeOptions } from "./files/list-tree.ts";
import { Repository, type RepositoryOptions } from "./files/repository.ts";
import { requirePackages } from "./files/require-packages.ts";
import { type FetchLimits, fetchLink } from "./links/fetch-link.ts";
import { readInThread } from "./links/read-in-thread.ts";
import { OutlineIndex } from "./symbols/outline-index.ts";
import { LEGEND } from "./symbols/outline-reader.ts";

/** The folder of a workspace, and what may be read of it. */
export interface LocalWorkspaceOptions extends RepositoryOptions, TreeOptions {
  /** The folder whose files may be read; nothing outside of it is. */
  readonly root: string;
  /** False: no outlines, and their package is not needed. Default true. */
  readonly outlines?: boolean | undefined;
  /** Limits for fetching pages; false turns it off. */
  readonly links?: FetchLimits | false | undefined;
}

/**
 * Opens a folder as a workspace: its files can be found, read and put into prompts.
 *
 * @example
 * ```ts
 * const palimpsest = await openPalimpsest({ workspace: await openLocalWorkspace({ root: "." }) });
 * ```
 */
export async function openLocalWorkspace(options: LocalWorkspaceOptions): Promise<Workspace> {
  checkWorkspaceOptions(options);
  const repository = await Repository.open(options.root, options);
  const walk = shareWithinTurn(() => listTree(repository.root, options));
  const shared = {
    listTree: walk,
    findFile: (path: string) => repository.findText(path),
    readLink: (url: string) => readLinkPage(url, options.links),
  };
  if (options.outlines === false) return { ...shared, listOutlines: async () => NO_OUTLINES };
  const index = new OutlineIndex(repository);
  const outlines = runOneAtATime(async () => index.refresh((await walk()).paths));
  return { ...shared, legend: LEGEND, listOutlines: outlines };
}

const NO_OUTLINES: readonly WorkspaceOutline[] = [];

/** Shares one walk among the callers of one turn of the event loop. */
function shareWithinTurn(walk: () => Promise<WorkspaceTree>): () => Promise<WorkspaceTree> {
  let begun: Promise<WorkspaceTree> | undefined;
  return () => {
    if (begun !== undefined) return begun;
    queueMicrotask(() => {
      begun = undefined;
    });
    begun = walk();
    return begun;
  };
}

/** Runs one call at a time; callers that arrive in the meantime share the next run. */
function runOneAtATime<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<unknown> | undefined;
  let next: Promise<Result> | undefined;
  const start = (): Promise<Result> => {
    next = undefined;
    const started = act();
    current = started
      .catch(() => undefined)
      .finally(() => {
        if (next === undefined) current = undefined;
      });
    return started;
  };
  return () => {
    if (current === undefined) return start();
    next ??= current.then(start);
    return next;
  };
}

async function readLinkPage(url: string, limits: FetchLimits | false | undefined): Promise<WorkspaceLink> {
  if (limits === false) return { type: "refused", url, reason: "links are turned off in this workspace" };
  requirePackages(REQUIREMENT);
  const outcome = await fetchLink(url, limits);
  if (outcome.type === "refused") return { type: "refused", url, reason: outcome.reason };
  const { page } = outcome;
  const text = await readInThread(page).catch((error: Error) => error);
  if (text instanceof Error) return { type: "refused", url, reason: text.message };
  if (text.text === "") return { type: "refused", url, reason: "there is no text in it" };
  return { type: "page", url: page.url, ...text };
}

const REQUIREMENT = {
  feature: "Web pages need",
  packages: ["@mozilla/readability", "linkedom"],
  otherwise: "or paste the text of the page.",
} as const;

const LINK_RULES: OptionRules = {
  timeoutMs: COUNT,
  maxBytes: COUNT,
  maxRedirects: WHOLE_NUMBER,
  allowsPrivate: {
    allowed: "true, false or a list of addresses",
    holds: (value) =>
      typeof value === "boolean" || (Array.isArray(value) && value.every((each) => typeof each === "string")),
  },
  resolveName: FUNCTION,
};

const RULES: OptionRules = {
  root: required({ ...ID, allowed: "the path of a folder" }),
  maxBytes: COUNT,
  maxFiles: COUNT,
  outlines: FLAG,
  links: {
    allowed: "false or an object of limits",
    holds: (value) => value === false || RECORD.holds(value),
    check: (value, { path }) => {
      if (value !== false) checkOptions(value, LINK_RULES, path);
    },
  },
};

export function checkWorkspaceOptions(options: unknown): void {
  checkOptions(options, RULES, "workspace");
}
