/**
 * What one session shows of the workspace: the files that were chosen, the pages that were read, and whatever the
 * repository itself tells. A selection belongs to the session's handle and is not stored: after a restart it is empty.
 */

import { findLinks } from "../core/prompt/workspace/find-links.ts";
import type { ShownLink } from "../core/prompt/workspace/format-files.ts";
import type { TierSnapshot } from "../core/sections/tier.ts";
import type { Workspace, WorkspaceOutline } from "../ports/workspace.ts";
import { FileContext } from "./file-context.ts";
import type { GatheredWorkspace } from "./gathered-workspace.ts";
import { WorkspaceMemo } from "./workspace-memo.ts";

export type LinkOutcome =
  | { readonly type: "added"; readonly url: string }
  | { readonly type: "refused"; readonly url: string; readonly reason: string };

export class WorkspaceContext {
  readonly files: FileContext;
  /** What earlier prompts have found out. */
  readonly memo = new WorkspaceMemo();
  readonly #workspace: Workspace | undefined;
  readonly #links = new Map<string, ShownLink>();
  #review: string | undefined;
  #gathered: GatheredWorkspace | undefined;
  #inherited: TierSnapshot | undefined;

  constructor(workspace: Workspace | undefined) {
    this.#workspace = workspace;
    this.files = new FileContext(workspace);
  }

  get links(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** Text that the host has, or a page to read. */
  async addLink(url: string, text?: string): Promise<LinkOutcome> {
    if (text !== undefined) {
      this.#links.set(url, { url, text });
      return { type: "added", url };
    }
    const link = await this.#workspace?.readLink(url);
    if (link?.type !== "page") {
      return { type: "refused", url, reason: link?.reason ?? "no workspace was given to read it with" };
    }
    this.#links.set(url, { url: link.url, title: link.title, text: link.text });
    return { type: "added", url };
  }

  /** The pages that a message asks to be read: at most three, those that are not here yet. */
  async addLinksOf(text: string): Promise<readonly LinkOutcome[]> {
    const urls = findLinks(text).filter((url) => !this.#links.has(url));
    return Promise.all(urls.map((url) => this.addLink(url)));
  }

  removeLink(url: string): boolean {
    return this.#links.delete(url);
  }

  /** Changes that are under review; none ends it. */
  review(changes: string | undefined): void {
    this.#review = changes;
  }

  /** What was gathered last, for whoever plans ahead between two prompts. */
  get gathered(): GatheredWorkspace | undefined {
    return this.#gathered;
  }

  /** Where files and outlines stood in the session that this one goes on from. */
  get inherited(): TierSnapshot | undefined {
    return this.#inherited;
  }

  /** Starts with what another session shows: its files, pages and review, and where they stood. */
  inherit(other: WorkspaceContext, tiers: TierSnapshot | undefined): void {
    this.files.takeOver(other.files);
    for (const [url, link] of other.#links) this.#links.set(url, link);
    this.#review = other.#review;
    this.#inherited = tiers;
  }

  /** Looks at the disk. Undefined where nothing could ever be shown: such a prompt costs nothing more. */
  async gather(): Promise<GatheredWorkspace | undefined> {
    this.#gathered = this.#isUsed ? await this.#look() : undefined;
    return this.#gathered;
  }

  get #isUsed(): boolean {
    const isGiven = this.files.paths.length > 0 || this.#links.size > 0 || this.#review !== undefined;
    return isGiven || this.#workspace !== undefined;
  }

  async #look(): Promise<GatheredWorkspace> {
    const gone = await this.files.refresh();
    const [tree, outlines] = await Promise.all([this.#workspace?.listTree(), this.#workspace?.listOutlines()]);
    return {
      legend: this.#workspace?.legend,
      outlines: outlines ?? NO_OUTLINES,
      tree: tree?.paths,
      links: [...this.#links.values()],
      review: this.#review,
      files: this.files.files,
      gone,
      shed: [],
      isFollowed: this.#workspace !== undefined,
    };
  }
}

const NO_OUTLINES: readonly WorkspaceOutline[] = [];
