/** A call of a tool with what came back, folded: its name and outcome are on the fold. */
import { memo } from "react";
import type { ToolCall } from "../api/values.ts";

const GLIMPSE_CHARACTERS = 90;

export const ToolRound = memo(function ToolRound({ call }: { readonly call: ToolCall }) {
  const { tool, input, output, failed } = call;
  const state = failed ? "failed" : output === undefined ? "waiting" : "done";
  return (
    <details className="fold tool">
      <summary>
        <span className="mono tool-name">{tool}</span>
        <span className="tool-glimpse">{glimpse(input === "" ? (output ?? "") : input)}</span>
        <span className={`tool-state tool-${state}`}>{state}</span>
      </summary>
      {input === "" ? null : <ToolText label="Called with" text={input} />}
      {output === undefined ? null : <ToolText label={failed ? "Failed with" : "Gave back"} text={output} />}
    </details>
  );
});

function ToolText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="tool-text">
      <p className="aside">{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

function glimpse(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > GLIMPSE_CHARACTERS ? `${line.slice(0, GLIMPSE_CHARACTERS)}…` : line;
}
