/** What can become of a message: the pattern of each fate, its name, and what it means. */
import type { Fate } from "../api/values.ts";
import { FateSwatch } from "./fate-swatch.tsx";
import { FATE_WORDS } from "./fate-words.ts";

export function FateLegend({ fates }: { readonly fates: readonly Fate[] }) {
  return (
    <ul className="legend">
      {fates.map((fate) => (
        <li key={fate}>
          <FateSwatch fate={fate} />
          <span>
            <strong className="sentence-start">{FATE_WORDS[fate].name}.</strong> {FATE_WORDS[fate].meaning}
          </span>
        </li>
      ))}
    </ul>
  );
}
