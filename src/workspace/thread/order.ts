/** What the main thread asks of the one that reads for it, and what comes back. Plain values, because they are copied. */
import type { Page } from "../fetch-link.ts";
import type { PageText } from "../read-page.ts";
import type { PackedOutline } from "../symbols/packed-outline.ts";

export type Order =
  | { readonly type: "page"; readonly page: Page }
  | { readonly type: "outline"; readonly path: string; readonly source: string };

export type OrderAnswer =
  | { readonly type: "page"; readonly page: PageText }
  /** Undefined for a file that has none. */
  | { readonly type: "outline"; readonly outline: PackedOutline | undefined }
  | { readonly type: "failed"; readonly reason: string };
