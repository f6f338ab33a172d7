/** Breaks a session file in one of three ways: bytes, lines, or fields of its JSON. */
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

export const MUTATIONS = ["bytes", "lines", "fields"] as const;
export type Mutation = (typeof MUTATIONS)[number];

const MAX_CHANGES = 4;

export function mutateTranscript(text: string, kind: Mutation, random: SeededRandom): Uint8Array {
  const changes = 1 + random.integer(MAX_CHANGES);
  let changed: Uint8Array = Buffer.from(text);
  for (let index = 0; index < changes; index += 1) changed = mutateOnce(changed, kind, random);
  return changed;
}

function mutateOnce(bytes: Uint8Array, kind: Mutation, random: SeededRandom): Uint8Array {
  if (kind === "bytes") return mutateBytes(bytes, random);
  const text = Buffer.from(bytes).toString("utf8");
  return Buffer.from(kind === "lines" ? mutateLines(text, random) : mutateFields(text, random));
}

function mutateBytes(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const at = random.integer(bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const junk = Uint8Array.from({ length: 1 + random.integer(8) }, () => random.integer(256));
  switch (random.integer(4)) {
    case 0:
      return Buffer.concat([before, junk, after]);
    case 1:
      return Buffer.concat([before, after.subarray(random.integer(40))]);
    case 2:
      return before.length === 0 ? after : before;
    default:
      return Buffer.concat([before, junk, after.subarray(junk.length)]);
  }
}

function mutateLines(text: string, random: SeededRandom): string {
  const lines = text.split("\n");
  const at = random.integer(lines.length);
  const line = lines[at] ?? "";
  switch (random.integer(5)) {
    case 0:
      return lines.toSpliced(at, 1).join("\n");
    case 1:
      return lines.toSpliced(at, 0, line).join("\n");
    case 2:
      return random.shuffle(lines).join("\n");
    case 3:
      return lines.with(at, line.slice(0, random.integer(line.length + 1))).join("\n");
    default:
      return lines
        .toSpliced(at, 0, random.pick(["", "null", "[]", "{}", '"text"', "####", "[[[[", "\u0000"]))
        .join("\n");
  }
}

const JUNK: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  true,
  "",
  "x",
  "\u0000\ud800",
  "y".repeat(10_000),
  [],
  [null],
  {},
  { type: "text" },
  [[[[[]]]]],
  Number.MAX_SAFE_INTEGER,
  "2026-13-45T99:99:99Z",
  "__proto__",
];

/** Replaces, removes, renames or repeats fields at random places of the values in a file. */
function mutateFields(text: string, random: SeededRandom): string {
  return text
    .split("\n")
    .map((line) => {
      if (random.integer(3) > 0) return line;
      try {
        const value: unknown = JSON.parse(line);
        return JSON.stringify(mutateValue(value, random));
      } catch {
        return line;
      }
    })
    .join("\n");
}

function mutateValue(root: unknown, random: SeededRandom): unknown {
  if (typeof root !== "object" || root === null || random.integer(12) === 0) return random.pick(JUNK.slice(1));
  const keys = Object.keys(root);
  if (keys.length === 0) return root;
  const key = random.pick(keys);
  const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string, unknown>;
  switch (random.integer(6)) {
    case 0:
      delete copy[key];
      break;
    case 1:
      copy[key] = JUNK[random.integer(JUNK.length)];
      break;
    case 2:
      copy[`${key}x`] = copy[key];
      break;
    case 3:
      copy[key] = [copy[key], copy[key]];
      break;
    default:
      copy[key] = mutateValue(copy[key], random);
  }
  return copy;
}
