/** The part of the workspace that one session shows. The selection is not stored: after a restart it is empty. */
import { checkArgument, TEXT } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { hashText } from "../../core/message/hash-message.ts";
import { cleanPath } from "../../core/prompt/workspace/clean-path.ts";
import { findLinks, MAX_LINKS } from "../../core/prompt/workspace/find-links.ts";
import { formatFile, formatFiles, type ShownLink } from "../../core/prompt/workspace/format-files.ts";
import type { TierSnapshot } from "../../core/sections/tier.ts";
import type { Workspace, WorkspaceFile, WorkspaceLink, WorkspaceOutline } from "../../ports/workspace.ts";
import type { FrozenWorkspace, GatheredWorkspace } from "./workspace-content.ts";
import { WorkspaceMemo } from "./workspace-memo.ts";

export type LinkOutcome =
  | { readonly type: "added"; readonly url: string }
  | { readonly type: "refused"; readonly url: string; readonly reason: string };

export class WorkspaceContext {
  readonly files: FileContext;
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

  async addLink(url: string, text?: string): Promise<LinkOutcome> {
    checkArgument(url, TEXT, "workspace.addLink: url");
    if (text !== undefined) {
      checkArgument(text, TEXT, "workspace.addLink: text");
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
      return link ?? { type: "refused", url, reason: "no workspace is configured to read pages" };
    } catch (error) {
      // A missing package is an error of the configuration; any other failure concerns this page only.
      if (error instanceof PalimpsestError && error.code === "config-invalid") throw error;
      return { type: "refused", url, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Adds the pages that a message links to: at most three new ones. */
  async addLinksOf(text: string): Promise<readonly LinkOutcome[]> {
    checkArgument(text, TEXT, "workspace.addLinksOf");
    const urls = findLinks(text, Number.POSITIVE_INFINITY).filter((url) => !this.#links.has(url));
    return Promise.all(urls.slice(0, MAX_LINKS).map((url) => this.addLink(url)));
  }

  removeLink(url: string): boolean {
    return this.#links.delete(url);
  }

  /** Sets the changes under review; undefined ends the review. */
  review(changes: string | undefined): void {
    if (changes !== undefined) checkArgument(changes, TEXT, "workspace.review");
    this.#review = changes;
  }

  get gathered(): GatheredWorkspace | undefined {
    return this.#gathered;
  }

  get inherited(): TierSnapshot | undefined {
    return this.#inherited;
  }

  /** Whether the next prompt takes all history out of the tiers. */
  get isHistoryNew(): boolean {
    return this.#isHistoryNew;
  }

  /** Registers every message again with the next prompt, as if it were new. Files and outlines keep their tiers. */
  reregisterHistory(): void {
    this.#isHistoryNew = true;
  }

  markHistoryRegistered(): void {
    this.#isHistoryNew = false;
  }

  /** The workspace as the newest prompt showed it, for models that bind thinking. */
  get frozen(): FrozenWorkspace | undefined {
    return this.#frozen;
  }

  freeze(frozen: FrozenWorkspace): void {
    this.#frozen = frozen;
  }

  inherit(other: WorkspaceContext, tiers: TierSnapshot | undefined): void {
    this.files.copyFrom(other.files);
    for (const [url, link] of other.#links) this.#links.set(url, link);
    this.#review = other.#review;
    this.#inherited = tiers;
    this.#frozen = other.#frozen;
  }

  /** Reads the disk. Returns undefined at no cost if there is nothing to show. */
  async gather(): Promise<GatheredWorkspace | undefined> {
    this.#gathered = this.isUsed ? await this.#read() : undefined;
    return this.#gathered;
  }

  /** Whether there may be something to show. */
  get isUsed(): boolean {
    const isGiven = this.files.paths.length > 0 || this.#links.size > 0 || this.#review !== undefined;
    return isGiven || this.#workspace !== undefined;
  }

  async #listOutlines(): Promise<Pick<GatheredWorkspace, "outlines" | "warning">> {
    try {
      return { outlines: (await this.#workspace?.listOutlines()) ?? NO_OUTLINES, warning: undefined };
    } catch (error) {
      if (!(error instanceof PalimpsestError) || error.code !== "config-invalid") throw error;
      return { outlines: NO_OUTLINES, warning: `No outlines are shown. ${error.message}` };
    }
  }

  async #read(): Promise<GatheredWorkspace> {
    const workspace = this.#workspace;
    const [found, tree, listed] = await failIfSlow(
      Promise.all([this.files.refresh(), workspace?.listTree(), this.#listOutlines()]),
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

/** Reading a large repository for the first time is slow; one that never answers must not block a session. */
const MAX_READ_MS = 120_000;

async function failIfSlow<Found>(reading: Promise<Found>): Promise<Found> {
  const timer = Promise.withResolvers<never>();
  const late = setTimeout(() => timer.reject(new Error("it did not answer within two minutes.")), MAX_READ_MS);
  try {
    return await Promise.race([reading, timer.promise]);
  } catch (error) {
    if (error instanceof PalimpsestError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("file-refused", `The workspace could not be read: ${reason}`, { cause: error });
  } finally {
    clearTimeout(late);
  }
}

const NO_OUTLINES: readonly WorkspaceOutline[] = [];

/** The selected files as they are on disk now. */
export type FoundFiles = Pick<GatheredWorkspace, "files" | "gone" | "unread">;

export type CountText = (text: string) => number;

export class FileContext {
  readonly #workspace: Pick<Workspace, "findFile"> | undefined;
  readonly #files = new Map<string, WorkspaceFile & { readonly isGiven: boolean }>();

  /** Without a workspace, only texts given by the host can be shown. */
  constructor(workspace?: Pick<Workspace, "findFile">) {
    this.#workspace = workspace;
  }

  /** Returns false if there is no such file. Throws `file-refused` for one that must not be shown. */
  async add(path: string, text?: string): Promise<boolean> {
    checkArgument(path, TEXT, "files.add: path");
    if (text !== undefined) checkArgument(text, TEXT, "files.add: text");
    const name = cleanPath(path);
    if (text !== undefined) {
      this.#files.set(name, { path: name, text, hash: text === "" ? "" : hashText(text), isGiven: true });
      return true;
    }
    const file = await this.#workspace?.findFile(name);
    if (file === undefined) return false;
    this.#files.set(name, { ...file, isGiven: false });
    return true;
  }

  remove(path: string): boolean {
    return this.#files.delete(cleanPath(path));
  }

  has(path: string): boolean {
    return this.#files.has(cleanPath(path));
  }

  textOf(path: string): string | undefined {
    return this.#files.get(cleanPath(path))?.text;
  }

  /** Sorted, so that a prompt does not depend on the order of selection. */
  get paths(): readonly string[] {
    return [...this.#files.keys()].toSorted();
  }

  get files(): readonly WorkspaceFile[] {
    return this.paths.flatMap((path) => this.#files.get(path) ?? []);
  }

  clear(): void {
    this.#files.clear();
  }

  copyFrom(other: FileContext): void {
    for (const [path, file] of other.#files) this.#files.set(path, file);
  }

  /** Reads the disk again. Files that are gone or cannot be read stay selected until the caller removes them. */
  async refresh(): Promise<FoundFiles> {
    const [gone, unread]: [string[], string[]] = [[], []];
    for (const [path, known] of this.#files) {
      if (known.isGiven) continue;
      const found = await this.#find(path);
      if (found === "unread") unread.push(path);
      else if (found === undefined) gone.push(path);
      else if (found.hash !== known.hash) this.#files.set(path, { ...found, isGiven: false });
    }
    const isShown = ({ path }: WorkspaceFile): boolean => !gone.includes(path) && !unread.includes(path);
    return { files: this.files.filter(isShown), gone: gone.toSorted(), unread: unread.toSorted() };
  }

  async #find(path: string): Promise<WorkspaceFile | "unread" | undefined> {
    try {
      return await this.#workspace?.findFile(path);
    } catch (error) {
      return error instanceof PalimpsestError && error.code === "file-refused" ? undefined : "unread";
    }
  }

  format(): string {
    return formatFiles(this.files);
  }

  tokens(count: CountText): number {
    return this.#files.size === 0 ? 0 : count(this.format());
  }

  tokensByFile(count: CountText): ReadonlyMap<string, number> {
    return new Map(this.files.map((file) => [file.path, count(formatFile(file))]));
  }
}
