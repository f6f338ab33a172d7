/**
 * What a prompt's sections are made of, as short prints, and which of them are not a continuation of the prompt before.
 * Prints are kept with the request, so the comparison holds after a restart too.
 */
import type { SectionChange, SectionPrint } from "../core/log/entry.ts";
import type { Head } from "../core/log/head.ts";
import { hashText } from "../core/message/hash-message.ts";
import type { Assembler } from "../core/prompt/assemble-prompt.ts";
import type { SectionName } from "../core/sections/section.ts";
import type { PromptRequest } from "./prompt-request.ts";
import type { Measure } from "./prompt-size.ts";

export function printSections(
  assembler: Assembler,
  { request, measure }: { readonly request: PromptRequest; readonly measure: Measure },
): readonly SectionPrint[] {
  const { instructionsTokens, toolsTokens, notesTokens } = measure.surroundings;
  const preamble = assembler.sectionTotal("instructions");
  const tools = request.tools === undefined ? "" : measure.counts.countTools(request.tools).hash;
  const conversation = (["summary", "pinned", "history"] as const).map((name) => ({
    name,
    ...assembler.sectionTotal(name),
  }));
  return [
    {
      name: "instructions",
      hash: hashText(`${request.instructions ?? ""}\n${preamble.hash}`),
      tokens: instructionsTokens + preamble.tokens,
    },
    { name: "tools", hash: tools, tokens: toolsTokens },
    ...conversation,
    { name: "notes", hash: "", tokens: notesTokens },
  ];
}

export interface ChangeFacts {
  readonly assembler: Assembler;
  readonly sections: readonly SectionPrint[];
  readonly provider: string;
  readonly model: string | undefined;
  readonly isOwnView: boolean;
}

/** Sections whose bytes are not a continuation of what the last prompt had, the first one first. */
export function findChanges(head: Head, facts: ChangeFacts): readonly SectionChange[] {
  const last = head.requests.at(-1);
  if (last === undefined) return [];
  if (last.provider !== facts.provider || last.model !== facts.model) {
    return [{ section: "instructions", reason: "the prompt is for another model or provider" }];
  }
  return facts.sections.flatMap((section): SectionChange[] => {
    const before = last.sections.find((candidate) => candidate.name === section.name);
    if (before === undefined || continues(section, before, facts.assembler)) return [];
    return [{ section: section.name, ...reasonFor(section.name, head, facts.isOwnView) }];
  });
}

function continues(now: SectionPrint, before: SectionPrint, assembler: Assembler): boolean {
  if (now.name !== "history" || before.units === undefined) return now.hash === before.hash;
  return assembler.chainAt(now.name, before.units) === before.hash;
}

function reasonFor(section: SectionName, head: Head, isOwnView: boolean): Omit<SectionChange, "section"> {
  if (section === "tools") return { reason: "other tools were given" };
  if (section === "instructions" && head.requests.at(-1)?.viewEpoch === head.epoch)
    return { reason: "other instructions were given" };
  if (!isOwnView) return { reason: "the view was made smaller for this request only" };
  if (head.requests.at(-1)?.viewEpoch === head.epoch) return { reason: "the request before had a view of its own" };
  const step = [head.undoable.at(-1), head.redoable.at(-1)].find((candidate) => candidate !== undefined);
  return { reason: `an entry changed the view${step === undefined ? "" : `: ${step.type}`}`, entryId: step?.entryId };
}
