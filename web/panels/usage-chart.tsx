/** A bar for each answer: input tokens, cached or not, and output tokens, on one scale. */
import type { AnswerUsage } from "../api/values.ts";
import { formatCompact, formatCost, formatCount, formatNumber } from "../ui/format.ts";

const HEIGHT = 96;
const WIDTH = 360;
const MAX_BAR_WIDTH = 16;

export interface UsageChartProps {
  readonly answers: readonly AnswerUsage[];
  readonly onJump: (seq: number) => void;
}

export function UsageChart({ answers, onJump }: UsageChartProps) {
  const most = Math.max(1, ...answers.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens));
  const step = Math.min(MAX_BAR_WIDTH, WIDTH / answers.length);
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
            <title>{describeAnswer(answer)}</title>
            <Bar answer={answer} left={index * step} width={Math.max(1, step - 1)} scale={HEIGHT / most} />
          </g>
        ))}
      </svg>
      <figcaption className="aside">
        <span className="usage-keys">
          {Object.entries(KEYS).map(([key, label]) => (
            <span key={key}>
              <span className={`usage-key usage-key-${key}`} /> {label}
            </span>
          ))}
        </span>
        The highest bar is {formatCompact(most)} tokens.
      </figcaption>
    </figure>
  );
}

const KEYS = { cached: "cached input", fresh: "other input", wrote: "output" } as const;

interface BarProps {
  readonly answer: AnswerUsage;
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

function describe(answers: readonly AnswerUsage[], most: number): string {
  return `Input and output of ${formatCount(answers.length, "answer")}, at most ${formatCount(most, "token")}.`;
}

function describeAnswer({ inputTokens, cacheReadTokens, outputTokens, costUsd, isEstimate }: AnswerUsage): string {
  const cost = costUsd === undefined ? "price unknown" : formatCost(costUsd);
  const figures = `${formatCount(inputTokens, "input token")} (${formatNumber(cacheReadTokens)} cached), ${formatCount(outputTokens, "output token")}, ${cost}`;
  return isEstimate ? `About ${figures}` : figures;
}
