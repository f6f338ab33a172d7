/** The result of one check, with advice if something is wrong. */
export interface Finding {
  readonly name: string;
  readonly state: "good" | "warning" | "bad";
  readonly text: string;
  readonly advice?: string | undefined;
}

export function goodFinding(name: string, text: string): Finding {
  return { name, state: "good", text };
}

export function warningFinding(name: string, text: string, advice: string): Finding {
  return { name, state: "warning", text, advice };
}

export function badFinding(name: string, text: string, advice: string): Finding {
  return { name, state: "bad", text, advice };
}
