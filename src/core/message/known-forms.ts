/**
 * Caches another form of an object for as long as the object exists. Most objects are their own form; those are stored
 * without a value, which a garbage collector need not follow.
 */
export class FormCache<T extends object> {
  readonly #same = new WeakSet<T>();
  readonly #others = new WeakMap<T, T>();

  get(original: T): T | undefined {
    return this.#same.has(original) ? original : this.#others.get(original);
  }

  set(original: T, form: T): void {
    if (form === original) this.#same.add(original);
    else this.#others.set(original, form);
  }
}
