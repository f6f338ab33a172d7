/** Plots as SVG text: lines over requests with folds marked, and bars. Colors come from the page's style sheet. */

export interface Line {
  readonly name: string;
  readonly values: readonly number[];
  /** Positions that get a dot. */
  readonly marked: readonly number[];
}

const [WIDTH, HEIGHT] = [720, 240];
const MARGIN = { left: 64, right: 12, top: 12, bottom: 28 };
const MAX_POINTS = 240;
const TICKS = 4;
/** For a session that costs nothing. */
const MIN_HEIGHT = 0.001;

/** Lines share their axes. The class of each is `s` with its place, for its color. */
export function drawLines(lines: readonly Line[], { title, show }: PlotOptions): string {
  const most = Math.max(1, ...lines.map(({ values }) => values.length - 1));
  const step = chooseStep(Math.max(MIN_HEIGHT, ...lines.flatMap(({ values }) => values)));
  const toX = (index: number) => MARGIN.left + (index / most) * (WIDTH - MARGIN.left - MARGIN.right);
  const toY = (value: number) =>
    HEIGHT - MARGIN.bottom - (value / (step * TICKS)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const shapes = lines.map(({ values, marked }, place) => {
    const points = thin(values).map(([index, value]) => `${round(toX(index))},${round(toY(value))}`);
    const dots = marked.map((at) => `<circle cx="${round(toX(at))}" cy="${round(toY(values[at] ?? 0))}" r="2.5"/>`);
    return `<g class="s${place}"><polyline points="${points.join(" ")}"/>${dots.join("")}</g>`;
  });
  return svg(
    title,
    `${drawAxis(step, { toY, show })}${shapes.join("")}<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 8}" text-anchor="end">request ${most + 1}</text>`,
  );
}

interface PlotOptions {
  /** Read by screen readers. */
  readonly title: string;
  readonly show: (value: number) => string;
}

interface AxisOptions extends Pick<PlotOptions, "show"> {
  readonly toY: (value: number) => number;
}

function drawAxis(step: number, { toY, show }: AxisOptions): string {
  return Array.from({ length: TICKS + 1 }, (_, tick) => {
    const value = step * tick;
    const y = round(toY(value));
    const line = `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y}" y2="${y}"/>`;
    return `${line}<text x="${MARGIN.left - 6}" y="${y + 4}" text-anchor="end">${show(value)}</text>`;
  }).join("");
}

const ROUND_STEPS = [1, 2, 2.5, 5, 10];

/** Returns a round distance between the lines of the axis, so that the highest value is below the last one. */
function chooseStep(highest: number): number {
  const least = highest / TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  return (ROUND_STEPS.find((step) => step * power >= least) ?? 10) * power;
}

/** Keeps the highest value of each group, so that no peak is lost. */
function thin(values: readonly number[]): readonly (readonly [index: number, value: number])[] {
  const size = Math.ceil(values.length / MAX_POINTS);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, group) => {
    const start = group * size;
    const part = values.slice(start, start + size);
    const highest = Math.max(...part);
    return [start + part.indexOf(highest), highest] as const;
  });
}

export interface Bar {
  readonly name: string;
  /** Parts of the bar, each with a color of its own. */
  readonly parts: readonly number[];
  readonly label: string;
}

const BAR_HEIGHT = 26;
const BAR_LEFT = 150;
const BAR_RIGHT = 90;

export function drawBars(bars: readonly Bar[], title: string): string {
  const highest = Math.max(Number.MIN_VALUE, ...bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0)));
  const scale = (WIDTH - BAR_LEFT - BAR_RIGHT) / highest;
  const rows = bars.map(({ name, parts, label }, row) => {
    let x = BAR_LEFT;
    const shapes = parts.map((part, place) => {
      const shape = `<rect class="p${place}" x="${round(x)}" y="${row * BAR_HEIGHT + 4}" width="${round(part * scale)}" height="${BAR_HEIGHT - 8}"/>`;
      x += part * scale;
      return shape;
    });
    const y = row * BAR_HEIGHT + BAR_HEIGHT / 2 + 4;
    return `<text x="${BAR_LEFT - 8}" y="${y}" text-anchor="end">${escapeMarkup(name)}</text>${shapes.join("")}<text x="${round(x) + 6}" y="${y}">${label}</text>`;
  });
  return svg(title, rows.join(""), bars.length * BAR_HEIGHT + 4);
}

function svg(title: string, content: string, height = HEIGHT): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeMarkup(title)}">${content}</svg>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const MARKUP: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => MARKUP[character] ?? "");
}
