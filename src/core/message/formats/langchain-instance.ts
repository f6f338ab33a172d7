/**
 * Rebuilds LangChain's message instances. LangChain is never imported: the constructors are those of the caller's own
 * messages, so a kind of message that the caller's list does not contain stays a plain object.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { isInstance, typeOf } from "./langchain-envelope.ts";

type MessageClass = new (fields: Fields) => object;
type MessageClasses = ReadonlyMap<unknown, MessageClass>;

/** Replaces plain objects by instances if the history has instances. Other items are returned unchanged. */
export function rebuildInstances<Item>(items: Item[], history: readonly Item[]): Item[] {
  const classes = findClasses(history);
  if (classes.size === 0) return items;
  return items.map((item) => (isObject(item) && !isInstance(item) ? (rebuild(item, classes) as Item) : item));
}

function findClasses(history: readonly unknown[]): MessageClasses {
  const classes = new Map<unknown, MessageClass>();
  for (const item of history) {
    if (!isObject(item) || !isInstance(item)) continue;
    const kind = typeOf(item);
    // A whole message is preferred to a chunk of a stream.
    if (!classes.has(kind) || !isChunk(item)) classes.set(kind, item.constructor as MessageClass);
  }
  return classes;
}

function isChunk(item: Fields): boolean {
  return typeof item.concat === "function";
}

function rebuild(item: Fields, classes: MessageClasses): object {
  const { type, ...fields } = item;
  const Class = classes.get(type);
  return Class === undefined ? item : new Class(fields);
}
