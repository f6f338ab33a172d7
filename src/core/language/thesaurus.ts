/**
 * Looks up related words. Recall looks up words that a question may use instead of those in the answer: "fetch" for
 * "pick up", "color" for "green". Topics look up the subject fields of a word: "dog" and "kitten" share one.
 */
import { listWords } from "./list-words.ts";
import { CATEGORIES, SUBJECT_FIELDS, SYNONYMS } from "./thesaurus-words.ts";
import { termsOf } from "./words.ts";

/** A synonym weighs less than the word itself, and a member of a category less than a synonym. */
const SYNONYM_WEIGHT = 0.6;
const CATEGORY_WEIGHT = 0.4;

interface Thesaurus {
  readonly synonyms: ReadonlyMap<string, ReadonlySet<string>>;
  readonly categories: ReadonlyMap<string, ReadonlySet<string>>;
  readonly fields: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Returns the terms that can replace a term, each with its weight, without the term itself. */
export function relatedTerms(term: string): ReadonlyMap<string, number> {
  const { synonyms, categories } = thesaurus();
  const found = new Map<string, number>();
  for (const member of categories.get(term) ?? []) found.set(member, CATEGORY_WEIGHT);
  for (const synonym of synonyms.get(term) ?? []) found.set(synonym, SYNONYM_WEIGHT);
  found.delete(term);
  return found;
}

/** Returns the numbers of the subject fields that a term belongs to. */
export function findSubjectFields(term: string): ReadonlySet<number> {
  return thesaurus().fields.get(term) ?? NO_FIELDS;
}

const NO_FIELDS: ReadonlySet<number> = new Set();
let known: Thesaurus | undefined;

/** Builds the thesaurus on first use, because most processes never need it. */
function thesaurus(): Thesaurus {
  known ??= { synonyms: readSynonyms(), categories: readCategories(), fields: readSubjectFields() };
  return known;
}

function readSynonyms(): Thesaurus["synonyms"] {
  const synonyms = new Map<string, Set<string>>();
  for (const line of SYNONYMS) {
    const terms = termsOfList(line);
    for (const term of terms) addAll(synonyms, term, terms);
  }
  return synonyms;
}

function readCategories(): Thesaurus["categories"] {
  const categories = new Map<string, Set<string>>();
  for (const line of CATEGORIES) {
    const [names = "", members = ""] = line.split(": ");
    for (const name of termsOfList(names)) addAll(categories, name, termsOfList(members));
  }
  return categories;
}

function readSubjectFields(): Thesaurus["fields"] {
  const fields = new Map<string, Set<number>>();
  for (const [field, line] of SUBJECT_FIELDS.entries()) {
    for (const term of termsOf(line.slice(line.indexOf(":")))) addAll(fields, term, [field]);
  }
  return fields;
}

/** Takes only the last term of each word. In a script without spaces that is the last pair of characters. */
function termsOfList(line: string): readonly string[] {
  return listWords(line).flatMap((word) => termsOf(word).slice(-1));
}

function addAll<Value>(lists: Map<string, Set<Value>>, key: string, values: Iterable<Value>): void {
  const list = lists.get(key) ?? new Set();
  for (const value of values) list.add(value);
  lists.set(key, list);
}
