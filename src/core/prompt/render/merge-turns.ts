/**
 * Joins messages into alternating turns. Thinking must stay at the beginning of a turn: later thinking is dropped, or
 * begins a turn of its own if it calls tools. Thinking at the end of the list is left out until a message follows it.
 */
import { listCallIds, type Message, type Part, type Role } from "../../message/message.ts";
import { findProviderCompaction } from "../../message/provider-compaction.ts";
import { ASSISTANT_BEGINS, ASSISTANT_CONTINUES, NO_VISIBLE_TEXT } from "../notes.ts";

export interface MergedTurn {
  readonly role: Role;
  readonly parts: readonly Part[];
}

export function mergeTurns(messages: readonly Message[], kindOf: (role: Role) => Role): readonly MergedTurn[] {
  const builder = new TurnBuilder();
  for (const message of messages) {
    if (message.role === "assistant") builder.addAssistant(message);
    else builder.add(kindOf(message.role), message.parts);
  }
  return builder.turns;
}

class TurnBuilder {
  readonly turns: { readonly role: Role; readonly parts: Part[] }[] = [];
  /** Thinking without a text or call after it. */
  #waiting: readonly Part[] = [];

  add(role: Role, parts: readonly Part[]): void {
    if (this.#waiting.length > 0) this.#sayNothing();
    this.#append(role, parts);
  }

  addAssistant(message: Message): void {
    const begun = this.#waiting.length === 0 && this.turns.at(-1)?.role === "assistant";
    const thinksFirst = message.parts[0]?.type === "reasoning";
    if (begun && thinksFirst && listCallIds(message).length > 0) {
      this.#append("user", [{ type: "text", text: ASSISTANT_CONTINUES }]);
      this.#continue(message.parts);
    } else if (begun) {
      this.#continue(withoutThoughts(message.parts));
    } else {
      this.#continue(this.#waiting.length > 0 || thinksFirst ? message.parts : withoutThoughts(message.parts));
    }
  }

  #continue(parts: readonly Part[]): void {
    const end = parts.findLastIndex((part) => part.type !== "reasoning") + 1;
    if (end > 0) this.#append("assistant", [...this.#waiting, ...parts.slice(0, end)]);
    this.#waiting = end > 0 ? [] : [...this.#waiting, ...parts];
  }

  #sayNothing(): void {
    this.#waiting = [];
    this.#append("assistant", [{ type: "text", text: NO_VISIBLE_TEXT }]);
  }

  #append(role: Role, parts: readonly Part[]): void {
    const isCompaction = parts[0] !== undefined && findProviderCompaction(parts[0]) !== undefined;
    if (this.turns.length === 0 && role === "assistant" && !isCompaction)
      this.#append("user", [{ type: "text", text: ASSISTANT_BEGINS }]);
    const last = this.turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.turns.push({ role, parts: [...parts] });
  }
}

function withoutThoughts(parts: readonly Part[]): readonly Part[] {
  const rest = parts.filter((part) => part.type !== "reasoning");
  return rest.length > 0 ? rest : [{ type: "text", text: NO_VISIBLE_TEXT }];
}
