/** A summary as the model reads it: lines, headings that end in a colon, and items. Nothing in it is read as markup. */
interface Line {
  readonly kind: "heading" | "item" | "line";
  readonly text: string;
}

export function SummaryText({ text }: { readonly text: string }) {
  return (
    <div className="summary-text">
      {text
        .split("\n")
        .map(readLine)
        .map(({ kind, text: said }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a summary are never moved.
          <p key={index} className={`summary-${kind}`}>
            {said}
          </p>
        ))}
    </div>
  );
}

function readLine(line: string): Line {
  const item = /^\s*[-*•]\s+(.*)$/.exec(line)?.[1];
  if (item !== undefined) return { kind: "item", text: item };
  return /^\S.{0,60}:$/.test(line) ? { kind: "heading", text: line.slice(0, -1) } : { kind: "line", text: line };
}
