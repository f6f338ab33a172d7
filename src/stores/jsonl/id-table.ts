/** From hashed ids to positions, in two flat arrays: twenty-odd bytes an id instead of the hundred that a map takes. */

/** Slots for each id; more empty ones make shorter searches. */
const SLOTS_PER_ID = 2;
const SMALLEST = 128;

export class IdTable {
  #hashes: Float64Array;
  /** Positions plus one; 0 is empty. */
  #positions: Int32Array;
  #count = 0;

  constructor(expected: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(SMALLEST, expected * SLOTS_PER_ID)));
    this.#hashes = new Float64Array(size);
    this.#positions = new Int32Array(size);
  }

  add(hash: number, position: number): void {
    if ((this.#count + 1) * SLOTS_PER_ID > this.#positions.length) this.#grow();
    this.#insert(hash, position + 1);
    this.#count += 1;
  }

  find(hash: number): readonly number[] {
    const found: number[] = [];
    const mask = this.#positions.length - 1;
    for (let slot = hash & mask; this.#positions[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#hashes[slot] === hash) found.push((this.#positions[slot] ?? 1) - 1);
    }
    return found;
  }

  #insert(hash: number, value: number): void {
    const mask = this.#positions.length - 1;
    let slot = hash & mask;
    while (this.#positions[slot] !== 0) slot = (slot + 1) & mask;
    this.#hashes[slot] = hash;
    this.#positions[slot] = value;
  }

  #grow(): void {
    const [hashes, positions] = [this.#hashes, this.#positions];
    this.#hashes = new Float64Array(hashes.length * 2);
    this.#positions = new Int32Array(positions.length * 2);
    for (const [slot, value] of positions.entries()) if (value !== 0) this.#insert(hashes[slot] ?? 0, value);
  }
}
