/** A small piece of a fate's pattern, beside its name in a legend or along a message in the margin. */
import type { Fate } from "../api/values.ts";

export function FateSwatch({ fate, isTall = false }: { readonly fate: Fate; readonly isTall?: boolean | undefined }) {
  return (
    <svg className={isTall ? "swatch swatch-tall" : "swatch"} aria-hidden="true" focusable="false">
      <rect className="swatch-edge" width="100%" height="100%" fill={`url(#fate-${fate})`} />
    </svg>
  );
}
