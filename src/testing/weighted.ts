/** Weighted choices for generators. A failing value shrinks toward the first choice, so the simplest comes first. */
import fc from "fast-check";

export function weighted<Value>(choices: readonly (readonly [number, fc.Arbitrary<Value>])[]): fc.Arbitrary<Value> {
  return fc.oneof({ withCrossShrink: true }, ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Generates a value in `chances` of `outOf` cases, else undefined. Shrinks to undefined. */
export function maybeUndefined<Value>(
  values: fc.Arbitrary<Value>,
  { chances, outOf }: { readonly chances: number; readonly outOf: number },
): fc.Arbitrary<Value | undefined> {
  return weighted<Value | undefined>([
    [outOf - chances, fc.constant(undefined)],
    [chances, values],
  ]);
}
