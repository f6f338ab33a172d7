/**
 * Figures of a running server in the text format of Prometheus: counted as things happen, written when somebody asks.
 * Labels are names of our own tables, so that nobody can make them many by asking for odd things.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

export type Labels = Readonly<Record<string, string>>;

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
}

const FAMILIES = {
  http_requests_total: { type: "counter", help: "Answers by route, method and status." },
  http_request_seconds: { type: "histogram", help: "Time until an answer began, by route." },
  messages_appended_total: { type: "counter", help: "Messages that were stored." },
  tokens_appended_total: { type: "counter", help: "Their tokens." },
  prompts_total: { type: "counter", help: "Prompts that were handed out." },
  compactions_total: { type: "counter", help: "Changes of the past that were written, by phase and policy." },
  compactions_ended_total: { type: "counter", help: "Compactions that changed nothing, by outcome." },
  summaries_total: { type: "counter", help: "Tries to have a summary written, by strategy and outcome." },
  summarizer_failures_total: { type: "counter", help: "Summaries that failed or were rejected, by code and model." },
  summary_cost_usd_total: { type: "counter", help: "What summaries have cost, in US dollars." },
  tokens_saved_total: { type: "counter", help: "Tokens that compactions took out of prompts." },
  jobs_total: { type: "counter", help: "Jobs that ran here, by outcome." },
  warnings_total: { type: "counter", help: "Warnings of the engines." },
  active_streams: { type: "gauge", help: "Streams that are open now, by kind." },
  resident_memory_bytes: { type: "gauge", help: "Memory of this process." },
  event_loop_delay_seconds: { type: "gauge", help: "How late timers ran since the last reading, by quantile." },
  uptime_seconds: { type: "gauge", help: "Since this process began." },
} as const satisfies Readonly<Record<string, Family>>;

type FamilyName = keyof typeof FAMILIES;

interface Spread {
  readonly counts: number[];
  sum: number;
  count: number;
}

export class Metrics {
  readonly #values = new Map<FamilyName, Map<string, number>>();
  readonly #spreads = new Map<string, Spread>();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#delay.enable();
  }

  add(name: FamilyName, labels: Labels = {}, amount = 1): void {
    const values = this.#values.get(name) ?? new Map<string, number>();
    const key = writeLabels(labels);
    values.set(key, (values.get(key) ?? 0) + amount);
    this.#values.set(name, values);
  }

  /** An answer as the log tells of it. */
  answered(line: { route: string; method: string; status: number; durationMs: number }): void {
    const { route, method, status, durationMs } = line;
    this.add("http_requests_total", { route, method, status: String(status) });
    const key = writeLabels({ route });
    const spread = this.#spreads.get(key) ?? { counts: SECONDS.map(() => 0), sum: 0, count: 0 };
    this.#spreads.set(key, spread);
    const seconds = durationMs / 1_000;
    for (const [index, most] of SECONDS.entries())
      if (seconds <= most) spread.counts[index] = (spread.counts[index] ?? 0) + 1;
    spread.sum += seconds;
    spread.count += 1;
  }

  /** A stream began; call what comes back when it has ended. */
  openStream(kind: "events" | "chat" | "rpc"): () => void {
    this.add("active_streams", { kind });
    let isOpen = true;
    return () => {
      if (isOpen) this.add("active_streams", { kind }, -1);
      isOpen = false;
    };
  }

  write(): string {
    this.#readProcess();
    const families = (Object.keys(FAMILIES) as FamilyName[]).map((name) => {
      const { type, help } = FAMILIES[name];
      const lines = type === "histogram" ? this.#writeSpreads(name) : this.#writeValues(name);
      return [`# HELP palimpsest_${name} ${help}`, `# TYPE palimpsest_${name} ${type}`, ...lines].join("\n");
    });
    return `${families.join("\n")}\n`;
  }

  close(): void {
    this.#delay.disable();
  }

  #readProcess(): void {
    this.#set("resident_memory_bytes", {}, process.memoryUsage.rss());
    this.#set("uptime_seconds", {}, Math.round(process.uptime()));
    for (const quantile of [50, 99, 100]) {
      const seconds = this.#delay.count === 0 ? 0 : this.#delay.percentile(quantile) / 1e9;
      this.#set("event_loop_delay_seconds", { quantile: String(quantile / 100) }, seconds);
    }
    this.#delay.reset();
  }

  #set(name: FamilyName, labels: Labels, value: number): void {
    const values = this.#values.get(name) ?? new Map<string, number>();
    this.#values.set(name, values.set(writeLabels(labels), value));
  }

  #writeValues(name: FamilyName): readonly string[] {
    return [...(this.#values.get(name) ?? [])].map(([labels, value]) => `palimpsest_${name}${labels} ${value}`);
  }

  #writeSpreads(name: FamilyName): readonly string[] {
    return [...this.#spreads].flatMap(([labels, { counts, sum, count }]) => {
      const within = labels.slice(0, -1);
      const buckets = SECONDS.map((most, index) => `palimpsest_${name}_bucket${within},le="${most}"} ${counts[index]}`);
      return [
        ...buckets,
        `palimpsest_${name}_bucket${within},le="+Inf"} ${count}`,
        `palimpsest_${name}_sum${labels} ${sum}`,
        `palimpsest_${name}_count${labels} ${count}`,
      ];
    });
  }
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, "_")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
