/**
 * What one session shows of the workspace: the files that were chosen, the pages that were read, and whatever the
 * repository itself tells. A selection belongs to the session's handle and is not stored: after a restart it is empty.
 */
import type { ShownLink } from "../core/prompt/workspace/format-files.ts";
import type { WorkspaceContent } from "../core/prompt/workspace/lay-out-workspace.ts";
import type { Workspace, WorkspaceOutline } from "../ports/workspace.ts";
import { FileContext } from "./file-context.ts";

export interface GatheredWorkspace extends WorkspaceContent {
  readonly outlines: readonly WorkspaceOutline[];
  /** Chosen files that are there no more, or may not be shown any more. */
  readonly gone: readonly string[];
}

export type LinkOutcome =
  | { readonly type: "added"; readonly url: string }
  | { readonly type: "refused"; readonly url: string; readonly reason: string };

export class WorkspaceContext {
  readonly files: FileContext;
  readonly #workspace: Workspace | undefined;
  readonly #links = new Map<string, ShownLink>();
  #review: string | undefined;

  constructor(workspace: Workspace | undefined) {
    this.#workspace = workspace;
    this.files = new FileContext(workspace);
  }

  /** False where nothing could ever be shown: such a prompt is flat and costs nothing more. */
  get isUsed(): boolean {
    return (
      this.#workspace !== undefined || this.files.paths.length > 0 || this.#links.size > 0 || this.#review !== undefined
    );
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

  removeLink(url: string): boolean {
    return this.#links.delete(url);
  }

  /** Changes that are under review; none ends it. */
  review(changes: string | undefined): void {
    this.#review = changes;
  }

  async gather(): Promise<GatheredWorkspace> {
    const gone = await this.files.refresh();
    const [tree, outlines] = await Promise.all([this.#workspace?.listTree(), this.#workspace?.listOutlines()]);
    return {
      outlines: outlines ?? [],
      tree: tree?.paths,
      links: [...this.#links.values()],
      review: this.#review,
      files: this.files.files,
      gone,
    };
  }
}
