/** Compares the figures of recall with their targets and with the other ways to choose messages in the same run. */

interface Compared {
  readonly facts: number;
  readonly evidence: number;
}

interface Baselines {
  readonly search: Compared | undefined;
  readonly tail: Compared | undefined;
}

const TARGETS: readonly (readonly [figure: string, least: number])[] = [
  ["recallFacts500", 0.79],
  ["recallDates500", 0.8],
  ["recallEvidence500", 0.69],
  ["recall hit@1", 0.53],
  ["recall hit@5", 0.76],
  ["recall hit@1 by sitting", 0.75],
  ["recall hit@5 by sitting", 0.93],
  ["recallNothingForNoNeed", 0.95],
];

/** Returns a line for each target, which says whether it is reached. */
export function judgeRecall(figures: Readonly<Record<string, number>>, baselines: Baselines): readonly string[] {
  const judge = (figure: string, least: number, what: string): string => {
    const measured = figures[figure] ?? 0;
    return `must: ${figure} at least ${what}: ${measured.toFixed(3)}, ${measured >= least ? "holds" : "FAILS"}`;
  };
  const compared = Object.entries(baselines).flatMap(([name, score]: [string, Compared | undefined]) =>
    score === undefined
      ? []
      : [
          judge("recallFacts500", score.facts, `${score.facts.toFixed(3)} (${name})`),
          judge("recallEvidence500", score.evidence, `${score.evidence.toFixed(3)} (${name})`),
        ],
  );
  const names = figures["names without recall"];
  return [
    ...TARGETS.map(([figure, least]) => judge(figure, least, String(least))),
    ...compared,
    ...(names === undefined ? [] : [judge("names with recall", names, `${names.toFixed(3)} (without recall)`)]),
  ];
}
