/** Code or other text that stands by itself, with its language and a way to copy it. */
import { CopyButton } from "./copy-button.tsx";

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
