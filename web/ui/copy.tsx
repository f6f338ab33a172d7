/** A button that copies a text, and a code block with such a button. */
import { useEffect, useState } from "react";

const SHOWN_MS = 1_600;

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [status, setStatus] = useState<string | undefined>();
  useEffect(() => {
    if (status === undefined) return;
    const timer = setTimeout(() => setStatus(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [status]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setStatus("Copied"),
      () => setStatus("Copying failed"),
    );
  };
  return (
    <button type="button" className="quiet" aria-label={status ?? `Copy ${what}`} onClick={copy}>
      {status ?? "Copy"}
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
