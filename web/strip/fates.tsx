/** The eight fates in words: what is on the label, and what it means for the model. */
import type { Fate } from "../api/values.ts";

interface FateWords {
  readonly name: string;
  readonly meaning: string;
}

export const FATE_WORDS: Readonly<Record<Fate, FateWords>> = {
  verbatim: { name: "word for word", meaning: "The model reads it as it was said." },
  pinned: { name: "pinned", meaning: "Somebody pinned it: the model reads it in every prompt, as it was said." },
  pruned: { name: "pruned", meaning: "A line stands in place of bulky tool output. The rest can be had back." },
  cut: { name: "cut", meaning: "The model reads its beginning and its end; the middle is left out." },
  summarised: { name: "summarised", meaning: "The model does not read it. A summary stands for it." },
  truncated: { name: "left out", meaning: "The model does not read it. A line says how much is missing." },
  cleared: { name: "cleared", meaning: "The conversation was started over after it." },
  deleted: { name: "deleted", meaning: "Its text is gone, for the model and for everybody." },
};

export function FateSwatch({ fate, isTall = false }: { readonly fate: Fate; readonly isTall?: boolean | undefined }) {
  return (
    <svg className={isTall ? "swatch swatch-tall" : "swatch"} aria-hidden="true" focusable="false">
      <rect className="swatch-edge" width="100%" height="100%" fill={`url(#fate-${fate})`} />
    </svg>
  );
}

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

/**
 * How each fate is drawn, once for the whole page. Tone says how much of a message is left for the model, pattern says
 * why; colour only helps. From full ink to bare paper: word for word, pinned, cut, pruned, summarised, left out,
 * cleared, deleted.
 */
export function FatePatterns() {
  return (
    <svg className="patterns" width="0" height="0" aria-hidden="true" focusable="false">
      <defs>
        <pattern id="fate-verbatim" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="ink-full" />
        </pattern>
        <pattern id="fate-pinned" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="ink-full" />
          <path d="M4 1 7 4 4 7 1 4z" className="ink-accent" />
        </pattern>
        <pattern id="fate-cut" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="ink-full" />
          <path d="M0 5 2 3 4 5 6 3 8 5" className="line-paper" />
        </pattern>
        <pattern id="fate-pruned" width="8" height="4" patternUnits="userSpaceOnUse">
          <rect width="8" height="4" className="ink-ground" />
          <rect width="8" height="2" className="ink-half" />
        </pattern>
        <pattern id="fate-summarised" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
          <rect width="4" height="4" className="ink-ground" />
          <rect width="4" height="1" className="ink-half" />
        </pattern>
        <pattern id="fate-truncated" width="5" height="5" patternUnits="userSpaceOnUse">
          <rect width="5" height="5" className="ink-ground" />
          <circle cx="2.5" cy="2.5" r="0.9" className="ink-half" />
        </pattern>
        <pattern id="fate-cleared" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="ink-none" />
          <path d="M0 0v8M8 0v8" className="line-half" />
        </pattern>
        <pattern id="fate-deleted" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect width="8" height="8" className="ink-none" />
          <path d="m1 1 6 6M7 1 1 7" className="line-half" />
        </pattern>
      </defs>
    </svg>
  );
}
