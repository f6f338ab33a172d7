/** What can be asked for among what was said, and how it is checked at the border, before any store sees it. */

import { COUNT, checkArgument, checkOptions, ID, type OptionRule, oneOf, TEXT } from "../../core/check-options.ts";
import type { SearchQuery } from "../../ports/store.ts";

export type SearchOptions = Partial<Omit<SearchQuery, "text">>;

const LIMIT = 50;

export const SEARCH_VIEW_RULES = { role: oneOf("user", "assistant", "system", "tool"), limit: COUNT };
export const SEARCH_RULES = { order: oneOf("newest", "relevance"), ...SEARCH_VIEW_RULES };
export const SEARCH_ALL_RULES = { ...SEARCH_RULES, sessionId: ID };

interface Asked {
  readonly name: string;
  readonly text: string;
  readonly options: SearchOptions;
}

export function readQuery({ name, text, options }: Asked, rules: Readonly<Record<string, OptionRule>>): SearchQuery {
  checkArgument(text, TEXT, name);
  checkOptions(options, rules, name);
  return { ...options, limit: options.limit ?? LIMIT, text };
}
