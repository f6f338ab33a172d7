/**
 * What an object looks like in another form, for as long as the object is there. Most look as they did: those are
 * remembered without a value, which a garbage collector need not follow.
 */
export class KnownForms<T extends object> {
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
