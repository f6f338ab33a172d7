/**
 * Values that the tab keeps by name: whoever looks at something else or loads the page again finds them as they were.
 * Where a browser allows no storage, or has no room, the page itself still knows them.
 */
export interface KeptByTab<Value> {
  readonly read: (name: string) => Value;
  readonly keep: (name: string, value: Value) => void;
  /** Tells of every change until it is called off. */
  readonly follow: (listener: () => void) => () => void;
}

export interface KeepByTabOptions<Value> {
  /** Before every name, so that different things can have the same. */
  readonly prefix: string;
  /** Undefined where nothing is kept. */
  readonly decode: (stored: string | undefined) => Value;
  /** Undefined where there is nothing to keep. */
  readonly encode: (value: Value) => string | undefined;
}

export function keepByTab<Value>({ prefix, decode, encode }: KeepByTabOptions<Value>): KeptByTab<Value> {
  const known = new Map<string, Value>();
  const listeners = new Set<() => void>();
  return {
    read(name) {
      if (!known.has(name)) known.set(name, decode(readStored(prefix + name)));
      return known.get(name) as Value;
    },
    keep(name, value) {
      known.set(name, value);
      store(prefix + name, encode(value));
      for (const listener of listeners) listener();
    },
    follow(listener) {
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

function store(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // As said above.
  }
}
