/**
 * Facts from the plain lists that a summarizer proposes, so that they can be merged by id. They are proposals: whoever
 * merges them drops those that their source does not support (`verify/keep-supported-facts.ts`).
 */
import type { MessageId } from "../../message/message.ts";
import type { ActionItem, Facets, Fact } from "../record/record.ts";
import { redactSecrets } from "../secrets/redact-secrets.ts";
import { type FactDraft, makeFact } from "./make-fact.ts";

export interface ReadFacetsOptions {
  /** The message they are taken to come from: the last of the stretch. */
  readonly source: MessageId;
  /** The turn they are taken to be of, within the stretch. */
  readonly turn: number;
}

export type Proposed = Partial<Omit<Facets, "sheet" | "actionItems">> & {
  readonly actionItems?: readonly (Omit<ActionItem, "status"> & Partial<Pick<ActionItem, "status">>)[] | undefined;
};

export function readFacets(facets: Proposed, { source, turn }: ReadFacetsOptions): readonly Fact[] {
  type Draft = Omit<FactDraft, "source" | "saidBy" | "turn">;
  const drafts: readonly Draft[] = [
    ...(facets.goal === undefined ? [] : [{ kind: "goal", text: facets.goal } as const]),
    ...(facets.constraints ?? []).map((text) => ({ kind: "constraint", text }) as const),
    ...(facets.decisions ?? []).map((text) => ({ kind: "decision", text }) as const),
    ...(facets.actionItems ?? []).map(
      ({ task, ...item }) => ({ kind: "open-item", text: task, ...item, status: item.status ?? "open" }) as const,
    ),
    ...(facets.unresolved ?? []).map((text) => ({ kind: "question", text }) as const),
    ...(facets.entities ?? []).map((text) => ({ kind: "identifier", text }) as const),
    ...(facets.participants ?? []).map((text) => ({ kind: "participant", text }) as const),
    ...(facets.done ?? []).map((text) => ({ kind: "open-item", text, status: "done" }) as const),
  ];
  return drafts.flatMap((draft) => {
    const text = redactSecrets(draft.text).text;
    return makeFact({ ...draft, text, source, saidBy: "assistant", turn }) ?? [];
  });
}
