/** SHA-256 for browsers and workers, which have no synchronous one. On Node, `#sha256` is `sha256-node.ts` instead. */

const BLOCK_BYTES = 64;
const ROUNDS = 64;
/** The standard takes its constants from the first primes: bits of the fractions of their square and cube roots. */
const PRIMES = findPrimes(ROUNDS);
const START = PRIMES.slice(0, 8).map((prime) => readFraction(Math.sqrt(prime)));
const CONSTANTS = PRIMES.map((prime) => readFraction(Math.cbrt(prime)));

/** Returns the hash of bytes, or of a text encoded as UTF-8, in hexadecimal digits. */
export function sha256(input: string | Uint8Array): string {
  const blocks = padBytes(typeof input === "string" ? new TextEncoder().encode(input) : input);
  const hash = Uint32Array.from(START);
  const schedule = new Uint32Array(ROUNDS);
  for (let offset = 0; offset < blocks.byteLength; offset += BLOCK_BYTES) {
    fillSchedule(schedule, blocks, offset);
    addBlock(hash, schedule);
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** Adds a one bit, zeros, and the length in bits. */
function padBytes(bytes: Uint8Array): DataView {
  const length = Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function fillSchedule(schedule: Uint32Array, blocks: DataView, offset: number): void {
  const at = (index: number) => schedule[index] ?? 0;
  for (let index = 0; index < ROUNDS; index += 1) {
    if (index < 16) {
      schedule[index] = blocks.getUint32(offset + index * 4);
      continue;
    }
    const [early, late] = [at(index - 15), at(index - 2)];
    const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = at(index - 16) + first + at(index - 7) + second;
  }
}

function addBlock(hash: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let index = 0; index < ROUNDS; index += 1) {
    const mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const first = h + mixedE + ((e & f) ^ (~e & g)) + (CONSTANTS[index] ?? 0) + (schedule[index] ?? 0);
    const second = mixedA + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) hash[index] = (hash[index] ?? 0) + word;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function readFraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}

function findPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
