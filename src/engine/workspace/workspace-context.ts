/**
 * What one session shows of the workspace: the files that were chosen, the pages that were read, and whatever the
 * repository itself tells. A selection belongs to the session's handle and is not stored: after a restart it is empty.
 */
import { checkArgument, TEXT } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { findLinks, MOST_LINKS } from "../../core/prompt/workspace/find-links.ts";
import type { ShownLink } from "../../core/prompt/workspace/format-files.ts";
import type { TierSnapshot } from "../../core/sections/tier.ts";
import type { Workspace, WorkspaceLink, WorkspaceOutline } from "../../ports/workspace.ts";
import { FileContext } from "./file-context.ts";
import type { FrozenWorkspace, GatheredWorkspace } from "./workspace-content.ts";
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
  #isHistoryNew = false;
  #frozen: FrozenWorkspace | undefined;

  constructor(workspace: Workspace | undefined) {
    this.#workspace = workspace;
    this.files = new FileContext(workspace);
  }

  get links(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** Text that the host has, or a page to read. */
  async addLink(url: string, text?: string): Promise<LinkOutcome> {
    checkArgument(url, TEXT, "workspace.addLink: url");
    if (text !== undefined) checkArgument(text, TEXT, "workspace.addLink: text");
    if (text !== undefined) {
      this.#links.set(url, { url, text });
      return { type: "added", url };
    }
    const link = await this.#readLink(url);
    if (link.type !== "page") return link;
    this.#links.set(url, { url: link.url, title: link.title, text: link.text });
    return { type: "added", url };
  }

  async #readLink(url: string): Promise<WorkspaceLink> {
    try {
      const link = await this.#workspace?.readLink(url);
      return link ?? { type: "refused", url, reason: "no workspace was given to read it with" };
    } catch (error) {
      // A package that is missing is told as it is; whatever else went wrong is the page's.
      if (error instanceof PalimpsestError && error.code === "config-invalid") throw error;
      return { type: "refused", url, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The pages that a message asks to be read: at most three, those that are not here yet. */
  async addLinksOf(text: string): Promise<readonly LinkOutcome[]> {
    checkArgument(text, TEXT, "workspace.addLinksOf");
    const urls = findLinks(text, Number.POSITIVE_INFINITY).filter((url) => !this.#links.has(url));
    return Promise.all(urls.slice(0, MOST_LINKS).map((url) => this.addLink(url)));
  }

  removeLink(url: string): boolean {
    return this.#links.delete(url);
  }

  /** Changes that are under review; none ends it. */
  review(changes: string | undefined): void {
    if (changes !== undefined) checkArgument(changes, TEXT, "workspace.review");
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

  /** Whether the next prompt takes all history out of the tiers. */
  get isHistoryNew(): boolean {
    return this.#isHistoryNew;
  }

  /**
   * Takes all history out of the cache tiers with the next prompt and clears none of it: every message is registered
   * again, as if it were new. Files and outlines stay where they are.
   */
  reregisterHistory(): void {
    this.#isHistoryNew = true;
  }

  /** A prompt was handed out that shows it so. */
  historyRegistered(): void {
    this.#isHistoryNew = false;
  }

  /** What the newest prompt has shown of it, where its model binds thinking. */
  get frozen(): FrozenWorkspace | undefined {
    return this.#frozen;
  }

  freeze(frozen: FrozenWorkspace): void {
    this.#frozen = frozen;
  }

  /** Starts with what another session shows: its files, pages and review, and where they stood. */
  inherit(other: WorkspaceContext, tiers: TierSnapshot | undefined): void {
    this.files.takeOver(other.files);
    for (const [url, link] of other.#links) this.#links.set(url, link);
    this.#review = other.#review;
    this.#inherited = tiers;
    this.#frozen = other.#frozen;
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

  /** Without the package that reads them there are none, and the host is told which one that is. */
  async #listOutlines(): Promise<Pick<GatheredWorkspace, "outlines" | "warning">> {
    try {
      return { outlines: (await this.#workspace?.listOutlines()) ?? NO_OUTLINES, warning: undefined };
    } catch (error) {
      if (!(error instanceof PalimpsestError) || error.code !== "config-invalid") throw error;
      return { outlines: NO_OUTLINES, warning: `No outlines are shown. ${error.message}` };
    }
  }

  async #look(): Promise<GatheredWorkspace> {
    const workspace = this.#workspace;
    const [found, tree, listed] = await answered(
      Promise.all([this.files.look(), workspace?.listTree(), this.#listOutlines()]),
    );
    return {
      legend: workspace?.legend,
      ...listed,
      hiddenOutlines: 0,
      tree: tree?.paths,
      links: [...this.#links.values()],
      review: this.#review,
      ...found,
      shed: [],
      isFollowed: workspace !== undefined,
    };
  }
}

/** A first look at a large repository takes its time; one that never answers must not hold a session. */
const LONGEST_LOOK_MS = 120_000;

async function answered<Found>(looking: Promise<Found>): Promise<Found> {
  const timer = Promise.withResolvers<never>();
  const late = setTimeout(() => timer.reject(new Error("It did not answer within two minutes.")), LONGEST_LOOK_MS);
  try {
    return await Promise.race([looking, timer.promise]);
  } catch (error) {
    if (error instanceof PalimpsestError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("file-refused", `The workspace could not be looked at: ${reason}`, { cause: error });
  } finally {
    clearTimeout(late);
  }
}

const NO_OUTLINES: readonly WorkspaceOutline[] = [];
