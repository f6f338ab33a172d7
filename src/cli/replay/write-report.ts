/** The report of a replay as one HTML page that loads nothing and runs no script. */
import type { PolicyResult } from "../../replay/play-session.ts";
import { FULL_HISTORY, type SessionReplay } from "../../replay/replay-session.ts";
import { shareOf } from "../../replay/sum-replays.ts";
import { drawBars, drawLines, escapeMarkup } from "./draw-plot.ts";
import {
  COST_COLUMNS,
  count,
  describeAdvice,
  describeRecorded,
  dollars,
  EXPLANATION,
  listRows,
  listSessionRows,
  MEMORY_COLUMNS,
  percent,
  type ReplayReport,
  writeSettings,
} from "./print-replay.ts";

export function writeReport(report: ReplayReport): string {
  const { sum, sessions } = report;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>Palimpsest: replay of ${sum.sessions} sessions</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${count(sum.requests)} requests of ${count(sum.sessions)} sessions, by policy</h1>`,
    writeAdvice(report),
    "<h2>Cost</h2>",
    drawBars(Object.entries(sum.policies).map(toCostBar), "Cost by policy"),
    '<p class="legend"><span class="p0">input</span><span class="p1">replies</span><span class="p2">summaries</span></p>',
    writeTable(listRows(sum, COST_COLUMNS)),
    "<h2>What the prompt still contains</h2>",
    drawBars(Object.entries(sum.policies).map(toNamesBar), "Share of the names needed next that the prompt contains"),
    writeTable(listRows(sum, MEMORY_COLUMNS)),
    `<p class="note">${escapeMarkup(EXPLANATION.join(" "))}</p>`,
    ...(sum.recorded === undefined ? [] : writeRecorded(report)),
    "<h2>Sessions</h2>",
    writeLegend(Object.keys(sum.policies)),
    ...sessions.map((session, place) => writeSession(session, place === 0)),
    ...writeProblems(report.problems),
    "</main></body></html>",
  ].join("\n");
}

function writeAdvice({ advice, policies }: ReplayReport): string {
  if (advice === undefined) return "";
  const chosen = policies.find(({ name }) => name === advice.cheapest);
  const settings = chosen === undefined ? "" : `<pre>${escapeMarkup(writeSettings(chosen))}</pre>`;
  return `<p class="advice">${escapeMarkup(describeAdvice(advice))}</p>${settings}`;
}

function toCostBar([name, { inputUsd, outputUsd, summaryUsd }]: [string, PolicyResult]) {
  const parts = [inputUsd, outputUsd, summaryUsd];
  return { name, parts, label: dollars(inputUsd + outputUsd + summaryUsd) };
}

function toNamesBar([name, { atMarks }]: [string, PolicyResult]) {
  const share = shareOf(atMarks.names);
  return { name, parts: [share ?? 0], label: percent(share) };
}

function writeRecorded({ sum, sessions }: ReplayReport): readonly string[] {
  const [cost = "", simulated = ""] = describeRecorded(sum);
  return [
    "<h2>Compared with the recording</h2>",
    `<p>${escapeMarkup(cost)} ${escapeMarkup(simulated)}</p>`,
    writeTable(listSessionRows(sessions)),
  ];
}

function writeSession(
  { name, model, windowTokens, requests, hasTimes, policies }: SessionReplay,
  isOpen: boolean,
): string {
  const lines = Object.entries(policies).map(([policy, { points }]) => ({
    name: policy,
    values: points.map(({ tokens }) => tokens),
    marked: points.flatMap(({ isCut }, index) => (isCut ? [index] : [])),
  }));
  const costs = Object.entries(policies).map(([policy, { points }]) => ({
    name: policy,
    values: points.map(({ usd }) => usd),
    marked: [],
  }));
  const facts = `${model}, ${count(requests)} requests, a window of ${count(windowTokens)} tokens`;
  const times = hasTimes ? "" : " The recording has no times, so every request finds a warm cache.";
  return [
    `<details${isOpen ? " open" : ""}><summary>${escapeMarkup(name)}</summary><p>${escapeMarkup(facts)}.${times}</p>`,
    "<h3>Tokens of each request; a dot is a fold</h3>",
    drawLines(lines, { title: `Tokens by request in ${name}`, show: (value) => count(value) }),
    "<h3>Cumulative cost by request</h3>",
    drawLines(costs, { title: `Cost up to each request in ${name}`, show: dollars }),
    "</details>",
  ].join("\n");
}

function writeLegend(names: readonly string[]): string {
  const items = names.map((name, place) => `<span class="s${place}">${escapeMarkup(name)}</span>`);
  return `<p class="legend">${items.join("")}</p>`;
}

function writeTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${escapeMarkup(cell)}</${tag}>`).join("");
  const body = rows.map((row) => `<tr${row[0] === FULL_HISTORY ? ' class="faint"' : ""}>${cells(row, "td")}</tr>`);
  return `<div class="scroll"><table><thead><tr>${cells(header, "th")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function writeProblems(problems: readonly string[]): readonly string[] {
  if (problems.length === 0) return [];
  return ["<h2>Not replayed</h2>", `<ul>${problems.map((text) => `<li>${escapeMarkup(text)}</li>`).join("")}</ul>`];
}

/** A color for each policy, readable on both backgrounds. */
const COLORS = ["#8a8f98", "#b07d2b", "#2f6fd0", "#c2504a", "#2f9e6e", "#8f58c9", "#c0548f", "#4b97a8"];

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --faint: #5d6675; --line: #d8dce3; --paper: #ffffff; --part: #2f6fd0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --faint: #9aa3b2; --line: #363d49; --paper: #14181f; --part: #6ea0ee; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 22px; } h2 { font-size: 18px; margin-top: 32px; } h3 { font-size: 14px; margin: 12px 0 4px; }
.advice { border-left: 3px solid var(--part); padding-left: 12px; } pre { overflow-x: auto; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } .faint, .note { color: var(--faint); }
svg { width: 100%; height: auto; } svg text { fill: var(--faint); font-size: 11px; } svg line { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 1.6; } details { margin: 8px 0; } summary { cursor: pointer; }
.legend span { display: inline-block; margin-right: 16px; color: var(--faint); }
.legend span::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; background: currentColor; }
rect.p0 { fill: var(--part); } rect.p1 { fill: var(--faint); } rect.p2 { fill: #c2504a; }
.legend .p0::before { color: var(--part); } .legend .p1::before { color: var(--faint); } .legend .p2::before { color: #c2504a; }
${COLORS.map((color, place) => `.s${place} polyline { stroke: ${color}; } .s${place} circle { fill: ${color}; } .legend .s${place}::before { color: ${color}; }`).join("\n")}
`;
