/**
 * A table from ids to numbers in a few bytes for each, because a file can have millions of records. It keeps a hash of
 * 53 bits instead of the id: among a million ids, two with equal hashes are as likely as one in ten thousand.
 */

const FIRST_SLOTS = 1_024;
const EMPTY = -1;
/** At most this share of the slots is used, so that searches stay short. */
const MAX_LOAD = 0.6;

export class IdTable {
  #keys = new Float64Array(FIRST_SLOTS).fill(EMPTY);
  #values = new Float64Array(FIRST_SLOTS);
  #size = 0;

  find(id: string): number | undefined {
    const slot = this.#findSlot(hashId(id));
    return this.#keys[slot] === EMPTY ? undefined : this.#values[slot];
  }

  set(id: string, value: number): void {
    if (this.#size >= this.#keys.length * MAX_LOAD) this.#grow();
    this.#put(hashId(id), value);
  }

  #put(key: number, value: number): void {
    const slot = this.#findSlot(key);
    if (this.#keys[slot] === EMPTY) this.#size += 1;
    this.#keys[slot] = key;
    this.#values[slot] = value;
  }

  #findSlot(key: number): number {
    const slots = this.#keys.length;
    let slot = key % slots;
    while (this.#keys[slot] !== EMPTY && this.#keys[slot] !== key) slot = (slot + 1) % slots;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(keys.length * 2).fill(EMPTY);
    this.#values = new Float64Array(keys.length * 2);
    this.#size = 0;
    for (const [slot, key] of keys.entries()) if (key !== EMPTY) this.#put(key, values[slot] ?? 0);
  }
}

const [FIRST_PRIME, SECOND_PRIME] = [2_654_435_761, 1_597_334_677];
/** Bits of the upper half; the lower half has 32. */
const UPPER_BITS = 2 ** 21;

function hashId(id: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < id.length; index += 1) {
    const unit = id.charCodeAt(index);
    low = Math.imul(low ^ unit, FIRST_PRIME);
    high = Math.imul(high ^ unit, SECOND_PRIME);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return 2 ** 32 * ((high >>> 0) % UPPER_BITS) + (low >>> 0);
}
