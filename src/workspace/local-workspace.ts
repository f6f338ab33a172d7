/**
 * A workspace on this machine's disk. Everything is looked at again with every call: what has not changed is known by
 * its stamp and costs next to nothing. Outlines and pages are read by threads of their own.
 */
import type { Workspace, WorkspaceLink, WorkspaceOutline, WorkspaceTree } from "../ports/workspace.ts";
import { checkWorkspaceOptions } from "./check-options.ts";
import { type FetchLimits, fetchLink } from "./fetch-link.ts";
import { listTree, type TreeOptions } from "./list-tree.ts";
import { readInThread } from "./read-in-thread.ts";
import { Repository, type RepositoryOptions } from "./repository.ts";
import { requirePackages } from "./require-packages.ts";
import { LEGEND } from "./symbols/legend.ts";
import { OutlineIndex } from "./symbols/outline-index.ts";

export interface LocalWorkspaceOptions extends RepositoryOptions, TreeOptions {
  /** The folder whose files may be read, and nothing outside of it. */
  readonly root: string;
  /** False: no outlines, and no package is needed for them. True without it. */
  readonly outlines?: boolean | undefined;
  /** Limits for pages of the network; false: none are read. */
  readonly links?: FetchLimits | false | undefined;
}

export async function openLocalWorkspace(options: LocalWorkspaceOptions): Promise<Workspace> {
  checkWorkspaceOptions(options);
  const repository = await Repository.open(options.root, options);
  const walk = sharedInOneTurn(() => listTree(repository.root, options));
  const shared = {
    listTree: walk,
    findFile: (path: string) => repository.findText(path),
    readLink: (url: string) => readLink(url, options.links),
  };
  if (options.outlines === false) return { ...shared, listOutlines: async () => NO_OUTLINES };
  const index = new OutlineIndex(repository);
  const outlines = oneAfterAnother(async () => index.refresh((await walk()).paths));
  return { ...shared, legend: LEGEND, listOutlines: outlines };
}

const NO_OUTLINES: readonly WorkspaceOutline[] = [];

/** A tree and outlines that are asked for in one breath are of one walk. */
function sharedInOneTurn(walk: () => Promise<WorkspaceTree>): () => Promise<WorkspaceTree> {
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

/** Whoever asks while one is under way gets the next one, with all others who do. */
function oneAfterAnother<Result>(act: () => Promise<Result>): () => Promise<Result> {
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

async function readLink(url: string, limits: FetchLimits | false | undefined): Promise<WorkspaceLink> {
  if (limits === false) return { type: "refused", url, reason: "this workspace reads no links" };
  requirePackages(NEEDED);
  const outcome = await fetchLink(url, limits);
  if (outcome.type === "refused") return { type: "refused", url, reason: outcome.reason };
  const { page } = outcome;
  const text = await readInThread(page).catch((error: Error) => error);
  if (text instanceof Error) return { type: "refused", url, reason: text.message };
  if (text.text === "") return { type: "refused", url, reason: "there is no text in it" };
  return { type: "page", url: page.url, ...text };
}

const NEEDED = {
  feature: "Pages of the network need",
  packages: ["@mozilla/readability", "linkedom"],
  otherwise: "or give the text of the page yourself.",
} as const;
