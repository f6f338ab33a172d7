/** Copies a text, and says that it did. */
import { useEffect, useState } from "react";

const TOLD_MS = 1_600;

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [told, setTold] = useState<string | undefined>();
  useEffect(() => {
    if (told === undefined) return;
    const timer = setTimeout(() => setTold(undefined), TOLD_MS);
    return () => clearTimeout(timer);
  }, [told]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setTold("Copied"),
      () => setTold("Not allowed"),
    );
  };
  return (
    <button type="button" className="quiet" aria-label={told ?? `Copy ${what}`} onClick={copy}>
      {told ?? "Copy"}
    </button>
  );
}

export function CodeBlock({ text, language }: { readonly text: string; readonly language: string | undefined }) {
  return (
    <figure className="code">
      <figcaption className="code-head">
        <span>{language ?? "text"}</span>
        <CopyButton text={text} what="code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
