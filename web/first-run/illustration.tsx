/** The drawing of the first screen: a page with older writing below the new writing. */
const LINES = [
  { top: 10, width: 150, fate: "summarised" },
  { top: 26, width: 168, fate: "summarised" },
  { top: 42, width: 132, fate: "summarised" },
  { top: 58, width: 160, fate: "pruned" },
  { top: 74, width: 146, fate: "summarised" },
  { top: 98, width: 164, fate: "verbatim" },
  { top: 114, width: 120, fate: "verbatim" },
  { top: 130, width: 152, fate: "pinned" },
] as const;

export function Illustration() {
  return (
    <svg className="illustration" viewBox="0 0 240 150" aria-hidden="true" focusable="false">
      {LINES.map(({ top, width, fate }) => (
        <rect key={top} x="24" y={top} width={width} height="9" rx="1" fill={`url(#fate-${fate})`} />
      ))}
      <g className="first-sheet">
        <rect className="sheet-paper" x="92" y="4" width="128" height="84" rx="3" />
        <path className="sheet-line" d="M106 22h96M106 36h84M106 50h92M106 64h44" />
      </g>
    </svg>
  );
}
