/** Markdown without side effects: no raw HTML, no external images, no links that run code. */
import { memo } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "../ui/copy.tsx";

const PLUGINS = [remarkGfm];

const COMPONENTS: Components = {
  a: ({ href, children }) =>
    // Other addresses could run code, or open a place of this page that the text chose.
    href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href) ? (
      <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      children
    ),
  img: ({ alt }) => <span className="withheld">[image not loaded{alt ? `: ${alt}` : ""}]</span>,
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = typeof children === "string" ? children : String(children ?? "");
    const language = /language-([\w+#.-]+)/.exec(className ?? "")?.[1];
    if (language === undefined && !text.includes("\n")) return <code>{children}</code>;
    return <CodeBlock text={text.replace(/\n$/, "")} language={language} />;
  },
  table: ({ children }) => (
    <div className="table-frame">
      <table>{children}</table>
    </div>
  ),
  // Headings of a message do not belong to the outline of the page.
  h1: ({ children }) => <p className="prose-heading">{children}</p>,
  h2: ({ children }) => <p className="prose-heading">{children}</p>,
  h3: ({ children }) => <p className="prose-heading">{children}</p>,
  h4: ({ children }) => <p className="prose-heading">{children}</p>,
  h5: ({ children }) => <p className="prose-heading">{children}</p>,
  h6: ({ children }) => <p className="prose-heading">{children}</p>,
};

export const Prose = memo(function Prose({ text }: { readonly text: string }) {
  return (
    <div className="prose">
      <Markdown remarkPlugins={PLUGINS} components={COMPONENTS} skipHtml={false}>
        {text}
      </Markdown>
    </div>
  );
});
