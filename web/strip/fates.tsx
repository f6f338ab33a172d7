/** The eight fates of a message: labels, patterns, swatches and the legend. */
import type { Fate } from "../api/values.ts";

interface FateLabel {
  readonly name: string;
  readonly meaning: string;
}

export const FATE_LABELS: Readonly<Record<Fate, FateLabel>> = {
  verbatim: { name: "word for word", meaning: "The model reads it unchanged." },
  pinned: { name: "pinned", meaning: "You pinned it: the model reads it in every prompt." },
  pruned: { name: "pruned", meaning: "Large tool output is replaced by one line. The log keeps it." },
  cut: { name: "cut", meaning: "The model reads its start and its end." },
  summarised: { name: "summarized", meaning: "The model reads a summary instead." },
  truncated: { name: "left out", meaning: "The model does not read it." },
  cleared: { name: "cleared", meaning: "The context was cleared after this message." },
  deleted: { name: "deleted", meaning: "Its text was deleted." },
};

/** In the order of the legend. */
export const FATES = Object.keys(FATE_LABELS) as readonly Fate[];

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
            <strong className="sentence-start">{FATE_LABELS[fate].name}.</strong> {FATE_LABELS[fate].meaning}
          </span>
        </li>
      ))}
    </ul>
  );
}

/**
 * The pattern of each fate, once for the whole page. The tone shows how much of a message the model reads, the
 * pattern shows why; the accent color is never needed to tell them apart.
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
