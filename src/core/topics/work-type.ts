/**
 * What kind of work a request asks for, read from its first words: mending, building, testing, writing, reviewing,
 * shipping or explaining. Turning from one to another speaks for a new topic, weakly: tests often follow what was built.
 */
export type WorkType = "mend" | "build" | "test" | "write" | "review" | "ship" | "explain";

const OPENING_CHARACTERS = 160;

const PATTERNS: readonly (readonly [WorkType, RegExp])[] = [
  ["mend", /\b(?:fix|bug|broken|crash(?:es|ed)?|fails?|failing|error|wrong|debug|repair|regression|kaputt|fehler)\b/u],
  ["test", /\b(?:tests?|testing|coverage|benchmark|measure)\b/u],
  ["write", /\b(?:readme|docs?|documentation|changelog|release notes|write[- ]?up|blog|translate)\b/u],
  ["review", /\b(?:review|refactor|clean ?up|simplify|rename|audit|lint)\b/u],
  ["ship", /\b(?:commit|push|merge|rebase|deploy|release|publish|pull request)\b/u],
  ["build", /\b(?:add|build|create|implement|make|introduce|support|new feature|set up|design)\b/u],
  ["explain", /\b(?:explain|why|how does|what does|where is|tell me|show me)\b/u],
];

export function findWorkType(text: string): WorkType | undefined {
  const opening = text.slice(0, OPENING_CHARACTERS).toLowerCase();
  return PATTERNS.find(([, pattern]) => pattern.test(opening))?.[0];
}
