/**
 * Values by name in the tab's session storage, so that they survive a change of screen and a reload of the page.
 * Without storage, or when it is full, they last as long as the page.
 */
export interface TabStorage<Value> {
  readonly read: (name: string) => Value;
  readonly write: (name: string, value: Value) => void;
  /** Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
}

export interface TabStorageOptions<Value> {
  /** Prefix of every name, so that storages do not share keys. */
  readonly prefix: string;
  /** Decodes the stored value, or undefined if nothing is stored. */
  readonly decode: (stored: string | undefined) => Value;
  /** Encodes the value. Returns undefined to remove it from the storage. */
  readonly encode: (value: Value) => string | undefined;
}

export function createTabStorage<Value>({ prefix, decode, encode }: TabStorageOptions<Value>): TabStorage<Value> {
  const values = new Map<string, Value>();
  const listeners = new Set<() => void>();
  return {
    read(name) {
      if (!values.has(name)) values.set(name, decode(readStored(prefix + name)));
      return values.get(name) as Value;
    },
    write(name, value) {
      values.set(name, value);
      writeStored(prefix + name, encode(value));
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function readStored(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeStored(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // The value lasts as long as the page.
  }
}
