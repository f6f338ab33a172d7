/** A prompt block by block: who speaks and what is said, and the same as the bytes that are sent. */
import { useMemo, useState } from "react";
import { findText, readFields, readList, readText } from "../api/fields.ts";
import { writeValue } from "../api/read-entries.ts";
import { CodeBlock } from "../chat/code-block.tsx";
import { writeCount } from "../write-figures.ts";
import { LongText } from "./long-text.tsx";

interface PromptBlock {
  readonly role: string;
  readonly text: string;
  readonly isMarked: boolean;
}

/** A prompt can hold a whole window; more than this is shown when asked for. */
const FIRST_BLOCKS = 40;

export function PromptBlocks({ prompt }: { readonly prompt: unknown }) {
  const [asBytes, setAsBytes] = useState(false);
  const [most, setMost] = useState(FIRST_BLOCKS);
  const blocks = useMemo(() => readPromptBlocks(prompt), [prompt]);
  return (
    <>
      <p className="panel-line aside">
        {writeCount(blocks.length, "block")}
        <button type="button" className="quiet" aria-pressed={asBytes} onClick={() => setAsBytes(!asBytes)}>
          {asBytes ? "Read it" : "As it is sent"}
        </button>
      </p>
      {asBytes ? (
        <CodeBlock text={JSON.stringify(prompt, undefined, 2)} language="json" />
      ) : (
        <ol className="prompt-blocks">
          {blocks.slice(0, most).map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a prompt has an order and no ids.
            <li key={index} className="prompt-block">
              <p className="prompt-role">
                {block.role}
                {block.isMarked ? <span className="fate-name">cached up to here</span> : null}
              </p>
              <LongText text={block.text} />
            </li>
          ))}
        </ol>
      )}
      {!asBytes && blocks.length > most ? (
        <button type="button" className="quiet" onClick={() => setMost(blocks.length)}>
          Show {writeCount(blocks.length - most, "more block")}
        </button>
      ) : null}
    </>
  );
}

/** Every provider has a list of messages under one of few names, and instructions under another. */
export function readPromptBlocks(prompt: unknown): readonly PromptBlock[] {
  const fields = readFields(prompt);
  const said = fields.instructions ?? fields.system ?? fields.systemInstruction ?? fields.system_instruction;
  const items = [fields.messages, fields.input, fields.contents].flatMap(readList);
  const first = said === undefined ? [] : [{ role: "instructions", text: writeContent(said), isMarked: hasMark(said) }];
  const blocks = items.map((item) => {
    const message = readFields(item);
    const content = message.content ?? message.parts ?? message.output ?? message.arguments;
    const calls = message.tool_calls === undefined ? "" : `\n${writeContent(message.tool_calls)}`;
    return {
      role: findText(message.role) ?? findText(message.type) ?? "item",
      text: `${writeContent(content)}${calls}`.trim(),
      isMarked: hasMark(item),
    };
  });
  return [...first, ...blocks];
}

function writeContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) {
    const { content: inner, parts } = readFields(content);
    return inner === undefined && parts === undefined ? writeValue(content) : writeContent(inner ?? parts);
  }
  return content
    .map((part) => {
      const fields = readFields(part);
      return typeof fields.text === "string" ? readText(fields.text) : writeValue(part);
    })
    .join("\n");
}

function hasMark(value: unknown): boolean {
  return /"cache_?control"/i.test(JSON.stringify(value) ?? "");
}
