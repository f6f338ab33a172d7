/**
 * Checks that core is pure: values in, values out, synchronous and reproducible. check-rooms.ts forbids imports of
 * clocks and networks; this finds globals that need no import.
 */
import type { SourceFiles, Violation } from "./check-rooms.ts";
import { maskSource } from "./mask-source.ts";

const impurities: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\./, what: "clock" },
  { pattern: /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/, what: "chance" },
  { pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/, what: "timer" },
  { pattern: /\bprocess\.|\bconsole\.|\bglobalThis\b|\bfetch\(/, what: "world outside" },
  { pattern: /\basync\b|\bawait\b|\bPromise\b/, what: "promise" },
];

export function checkPurity(files: SourceFiles): readonly Violation[] {
  return [...files]
    .filter(([file]) => file.startsWith("src/core/") && !file.endsWith(".test.ts"))
    .flatMap(([file, source]) => {
      const { code } = maskSource(source);
      return impurities.flatMap(({ pattern, what }) => {
        const found = pattern.exec(code)?.[0];
        return found === undefined ? [] : [{ file, rule: `core knows no ${what}, and this has ${found}` }];
      });
    });
}
