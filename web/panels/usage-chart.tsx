/** Answers side by side: what each read, from a cache or not, and what it wrote, to one scale. */
import type { AnswerUse } from "../api/usage.ts";
import { writeCost, writeCount, writeShort, writeWhole } from "../ui/format.ts";

const HEIGHT = 96;
const WIDTH = 360;
const WIDEST_BAR = 16;

export interface UsageChartProps {
  readonly answers: readonly AnswerUse[];
  readonly onJump: (seq: number) => void;
}

export function UsageChart({ answers, onJump }: UsageChartProps) {
  const most = Math.max(1, ...answers.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens));
  const step = Math.min(WIDEST_BAR, WIDTH / answers.length);
  return (
    <figure className="usage-chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="xMinYMax meet"
        role="img"
        aria-label={describe(answers, most)}
      >
        <pattern id="from-cache" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="4" height="4" className="usage-well" />
          <rect width="1.5" height="4" className="usage-line" />
        </pattern>
        {answers.map((answer, index) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table below has a button for each of them.
          <g key={answer.messageId} onClick={() => onJump(answer.seq)}>
            <title>{sayAnswer(answer)}</title>
            <Bar answer={answer} left={index * step} width={Math.max(1, step - 1)} scale={HEIGHT / most} />
          </g>
        ))}
      </svg>
      <figcaption className="aside">
        <span className="usage-keys">
          {Object.entries(KEYS).map(([key, words]) => (
            <span key={key}>
              <span className={`usage-key usage-key-${key}`} /> {words}
            </span>
          ))}
        </span>
        The highest is {writeShort(most)} tokens.
      </figcaption>
    </figure>
  );
}

const KEYS = { cached: "read from a cache", fresh: "read anew", wrote: "wrote" } as const;

interface BarProps {
  readonly answer: AnswerUse;
  readonly left: number;
  readonly width: number;
  readonly scale: number;
}

function Bar({ answer: { inputTokens, cacheReadTokens, outputTokens }, left, width, scale }: BarProps) {
  const [cached, read, all] = [cacheReadTokens, inputTokens, inputTokens + outputTokens].map((each) => each * scale);
  const bar = (from = 0, to = 0) => ({ x: left, width, y: HEIGHT - to, height: Math.max(0, to - from) });
  return (
    <>
      <rect {...bar(0, cached)} fill="url(#from-cache)" />
      <rect {...bar(cached, read)} className="usage-fresh" />
      <rect {...bar(read, all)} className="usage-wrote" />
    </>
  );
}

function describe(answers: readonly AnswerUse[], most: number): string {
  return `What ${writeCount(answers.length, "answer")} read and wrote; the most is ${writeCount(most, "token")}.`;
}

function sayAnswer({ inputTokens, cacheReadTokens, outputTokens, costUsd, isEstimate }: AnswerUse): string {
  const cost = costUsd === undefined ? "price not known" : writeCost(costUsd);
  const figures = `read ${writeCount(inputTokens, "token")}, ${writeWhole(cacheReadTokens)} of them from a cache, wrote ${writeWhole(outputTokens)}, ${cost}`;
  return isEstimate ? `About: ${figures}` : figures;
}
