/** Messages between the main thread and the worker: plain values, because they are copied. */
import type { Page } from "../links/fetch-link.ts";
import type { PageText } from "../links/read-page.ts";
import type { PackedOutline } from "../symbols/packed-outline.ts";

export type ThreadRequest =
  | { readonly type: "page"; readonly page: Page }
  | { readonly type: "outline"; readonly path: string; readonly source: string };

export type ThreadResponse =
  | { readonly type: "page"; readonly page: PageText }
  /** Undefined for a file without outline. */
  | { readonly type: "outline"; readonly outline: PackedOutline | undefined }
  | { readonly type: "failed"; readonly reason: string };
