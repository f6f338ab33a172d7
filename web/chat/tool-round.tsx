/** A tool call with its result. The collapsed line shows its name and state. */
import { memo } from "react";
import type { ToolCall } from "../api/values.ts";

const EXCERPT_CHARACTERS = 90;

export const ToolRound = memo(function ToolRound({ call }: { readonly call: ToolCall }) {
  const { tool, input, output, failed } = call;
  const state = failed ? "failed" : output === undefined ? "waiting" : "done";
  return (
    <details className="fold tool">
      <summary>
        <span className="mono tool-name">{tool}</span>
        <span className="tool-excerpt">{excerpt(input === "" ? (output ?? "") : input)}</span>
        <span className={`tool-state tool-${state}`}>{state}</span>
      </summary>
      {input === "" ? null : <ToolText label="Input" text={input} />}
      {output === undefined ? null : <ToolText label={failed ? "Error" : "Result"} text={output} />}
    </details>
  );
});

function ToolText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="tool-text">
      <p className="aside">{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > EXCERPT_CHARACTERS ? `${line.slice(0, EXCERPT_CHARACTERS)}…` : line;
}
