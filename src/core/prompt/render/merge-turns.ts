/**
 * Messages as turns that alternate, for providers that insist on it: neighbours of one kind become one turn, in their
 * order, and a conversation that the assistant begins gets a first word from the user.
 *
 * Thoughts stay where a provider can check them: at the beginning of a turn, before what they led to. A later message
 * of the same turn loses its thoughts, unless it calls tools: then it must keep them, and begins a turn of its own
 * after a word from the user. Thoughts at the very end wait for what they lead to; until then nothing is sent of them,
 * so that what was sent never changes.
 */
import { listCallIds, type Message, type Part, type Role } from "../../message/message.ts";
import { ASSISTANT_BEGINS, ASSISTANT_CONTINUES, NO_VISIBLE_TEXT } from "../notes.ts";

export interface Turn {
  readonly role: Role;
  readonly parts: readonly Part[];
}

interface OpenTurn {
  readonly role: Role;
  readonly parts: Part[];
}

export function mergeTurns(messages: readonly Message[], kindOf: (role: Role) => Role): readonly Turn[] {
  const builder = new TurnBuilder();
  for (const message of messages) {
    if (message.role === "assistant") builder.addAssistant(message);
    else builder.add(kindOf(message.role), message.parts);
  }
  return builder.turns;
}

class TurnBuilder {
  readonly turns: OpenTurn[] = [];
  /** Thoughts that nothing follows yet. */
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

  /** The thoughts led to nothing that was said. */
  #sayNothing(): void {
    this.#waiting = [];
    this.#append("assistant", [{ type: "text", text: NO_VISIBLE_TEXT }]);
  }

  #append(role: Role, parts: readonly Part[]): void {
    if (this.turns.length === 0 && role === "assistant")
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
