/**
 * Renders a prompt as plain LangChain messages. LangChain's chat models convert them for their provider, so everything
 * that LangChain wrote is kept, and other content is reduced to what every chat model of LangChain accepts. Users and
 * assistants alternate, because LangChain's models do not join messages. Cache marks are left out: the models have a
 * setting for them.
 */
import { findWireExtras, wireName } from "../../message/decode-value.ts";
import { langChainFormat } from "../../message/formats/langchain.ts";
import { isHidden } from "../../message/formats/langchain-hidden.ts";
import type { Message, Part, Role } from "../../message/message.ts";
import { findProviderCompaction, hasProviderCompaction } from "../../message/provider-compaction.ts";
import { ASSISTANT_BEGINS, ASSISTANT_CONTINUES, NO_VISIBLE_TEXT, writeEmptyNote, writeToolNote } from "../notes.ts";
import { arrangeCompaction } from "../use-compaction.ts";
import { describeUnknownPart, fitSystem } from "./fit-message.ts";
import { joinSystem, type PromptSource, splitSystem } from "./split-system.ts";

/** A message of LangChain as a plain object, with `type` and the fields of the class's constructor. */
export interface LangChainMessage {
  readonly type: "human" | "ai" | "tool";
  readonly content: string | readonly object[];
  readonly [field: string]: unknown;
}

export interface LangChainPrompt {
  readonly instructions?: string;
  readonly messages: LangChainMessage[];
}

export function renderLangChain(source: PromptSource): LangChainPrompt {
  const { system, messages } = splitSystem(arrangeCompaction(source, "langchain"));
  // The tests of the format check its output against LangChain's classes.
  const reader = source.compaction?.modelProvider;
  const fitted = messages.map((message) => fitMessage(message, reader));
  const written = langChainFormat.encode(alternate(fitted)) as readonly LangChainMessage[];
  return { ...(system.length === 0 ? {} : { instructions: joinSystem(system) }), messages: [...written] };
}

/** Joins neighboring user messages, and separates other neighbors that models refuse with a short message. */
function alternate(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === "user" && message.role === "user") {
      turns[turns.length - 1] = { ...last, parts: [...last.parts, ...message.parts] };
      continue;
    }
    const isCompacted = last === undefined && hasProviderCompaction(message);
    const between = isCompacted ? undefined : findBetween(last?.role, message.role);
    if (between !== undefined) turns.push({ id: `${message.id}:before`, ...between });
    turns.push(message);
  }
  return turns;
}

function findBetween(before: Role | undefined, role: Role): Pick<Message, "role" | "parts"> | undefined {
  if (role === "user") return before === "tool" ? say("assistant", NO_VISIBLE_TEXT) : undefined;
  if (role !== "assistant" || before === "user" || before === "tool") return undefined;
  return say("user", before === undefined ? ASSISTANT_BEGINS : ASSISTANT_CONTINUES);
}

function say(role: Role, text: string): Pick<Message, "role" | "parts"> {
  return { role, parts: [{ type: "text", text }] };
}

function fitMessage(message: Message, reader: string | undefined): Message {
  if (message.role === "system") return fitSystem(message, { keepsSystem: false });
  const isOwn = findWireExtras(message.extras, langChainFormat.name) !== undefined;
  const fitted = message.parts.flatMap((part) => fitPart(part, { isOwn, reader })).filter(isFilled);
  const isVisible = fitted.some(({ type }) => type !== "reasoning");
  const hasReasoning = message.parts.some(({ type }) => type === "reasoning");
  const note = hasReasoning ? NO_VISIBLE_TEXT : writeEmptyNote(message.parts);
  const parts: readonly Part[] = isVisible ? fitted : [...fitted, { type: "text", text: note }];
  const key = wireName(langChainFormat.name);
  const own = message.extras?.[key];
  const { extras: _, ...bare } = message;
  return { ...bare, parts, ...(own === undefined ? {} : { extras: { [key]: own } }) };
}

function isFilled(part: Part): boolean {
  return part.type !== "text" || part.text.trim() !== "";
}

interface PartPlace {
  /** Whether LangChain wrote the message. */
  readonly isOwn: boolean;
  /** The provider of the model, if it may read compactions. */
  readonly reader: string | undefined;
}

function fitPart(part: Part, { isOwn, reader }: PartPlace): readonly Part[] {
  switch (part.type) {
    case "reasoning": {
      // Unsigned reasoning of another framework has no form that all chat models accept.
      const { signature, redactedData } = part.extras?.anthropic ?? {};
      return isOwn || signature !== undefined || redactedData !== undefined ? [part] : [];
    }
    case "tool-call":
    case "tool-result":
      return part.byProvider === true && !isOwn ? [{ type: "text", text: writeToolNote(part) }] : [part];
    case "source":
      return [];
    case "unknown":
      if (part.format === langChainFormat.name || (isOwn && isHidden(part))) return [part];
      return findBlock(part, reader) ?? describeUnknownPart(part);
    default:
      return [part];
  }
}

/** LangChain's models of Anthropic take compaction blocks as content. */
function findBlock(part: Part, reader: string | undefined): readonly Part[] | undefined {
  const found = reader === "anthropic" ? findProviderCompaction(part) : undefined;
  return found?.by === "anthropic"
    ? [{ type: "unknown", format: langChainFormat.name, value: found.block }]
    : undefined;
}
