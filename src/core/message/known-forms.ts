/**
 * Caches another form of an object for as long as the object exists. Most objects are their own form; those are stored
 * without a value, so that the garbage collector has less to follow.
 */
export class FormCache<T extends object> {
  readonly #same = new WeakSet<T>();
  readonly #others = new WeakMap<T, T>();

  /** Returns the cached form, or creates it. */
  find(original: T, make: (original: T) => T): T {
    const known = this.get(original);
    if (known !== undefined) return known;
    const form = make(original);
    this.set(original, form);
    return form;
  }

  get(original: T): T | undefined {
    return this.#same.has(original) ? original : this.#others.get(original);
  }

  set(original: T, form: T): void {
    if (form === original) this.#same.add(original);
    else this.#others.set(original, form);
  }
}
