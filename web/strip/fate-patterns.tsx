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
