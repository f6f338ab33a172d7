/** The result of a validator, and the shape of its rules. For a value that is no prompt, no rule is checked. */
export interface Complaint {
  readonly rule: string;
  readonly path: string;
  readonly text: string;
}

export interface Fault {
  readonly path: string;
  /** What was found, if the rule's sentence does not say it. */
  readonly detail?: string | undefined;
}

export interface Rule<Prompt> {
  readonly name: string;
  readonly says: string;
  find(prompt: Prompt): readonly Fault[];
}

export const MALFORMED = "malformed";

export function complain<Prompt>(prompt: Prompt, rules: readonly Rule<Prompt>[]): readonly Complaint[] {
  return rules.flatMap(({ name, says, find }) =>
    find(prompt).map(({ path, detail }) => ({
      rule: name,
      path,
      text: detail === undefined ? says : `${says} ${detail}`,
    })),
  );
}

export function malformed({ path, detail }: Fault): Complaint {
  return { rule: MALFORMED, path, text: detail ?? "This is not what the provider's list is made of." };
}

/** Returns errors for repeated values, with the path of the later one. */
export function findRepeats<Item>(
  items: readonly Item[],
  { key, path }: { readonly key: (item: Item) => string | undefined; readonly path: (item: Item) => string },
): readonly Fault[] {
  const seen = new Set<string>();
  return items.flatMap((item) => {
    const value = key(item);
    if (value === undefined || !seen.has(value)) {
      if (value !== undefined) seen.add(value);
      return [];
    }
    return [{ path: path(item), detail: `${JSON.stringify(value)} came before.` }];
  });
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}
