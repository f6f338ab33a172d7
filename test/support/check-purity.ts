/**
 * Checks that core is pure: values in, values out, synchronous and reproducible. check-rooms.ts forbids imports of
 * clocks and networks; this finds globals that need no import.
 */
import type { SourceFiles, Violation } from "./check-rooms.ts";
import { maskSource } from "./mask-source.ts";

const impurities: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\./, what: "a clock" },
  { pattern: /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/, what: "randomness" },
  { pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/, what: "timers" },
  { pattern: /\bprocess\.|\bconsole\.|\bglobalThis\b|\bfetch\(/, what: "the environment" },
  { pattern: /\basync\b|\bawait\b|\bPromise\b/, what: "promises" },
];

export function checkPurity(files: SourceFiles): readonly Violation[] {
  return [...files]
    .filter(([file]) => file.startsWith("src/core/") && !file.endsWith(".test.ts"))
    .flatMap(([file, source]) => {
      const { code } = maskSource(source);
      return impurities.flatMap(({ pattern, what }) => {
        const found = pattern.exec(code)?.[0];
        return found === undefined ? [] : [{ file, rule: `core must not use ${what}, but this file has ${found}` }];
      });
    });
}
