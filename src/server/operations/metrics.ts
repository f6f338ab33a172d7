/** Metrics in the text format of Prometheus. Label values come from our tables, so requests cannot create any. */
import { monitorEventLoopDelay } from "node:perf_hooks";

export type Labels = Readonly<Record<string, string>>;

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const FAMILIES = {
  http_requests_total: { type: "counter", help: "HTTP responses by route, method and status." },
  http_request_seconds: { type: "histogram", help: "Seconds until the response began, by route." },
  messages_appended_total: { type: "counter", help: "Messages stored." },
  tokens_appended_total: { type: "counter", help: "Tokens of the messages stored." },
  prompts_total: { type: "counter", help: "Prompts returned." },
  compactions_total: { type: "counter", help: "Compactions written, by phase and policy." },
  compactions_ended_total: { type: "counter", help: "Compactions that changed nothing, by outcome." },
  summaries_total: { type: "counter", help: "Attempts to write a summary, by strategy and outcome." },
  summarizer_failures_total: { type: "counter", help: "Summaries that failed or were rejected, by code and model." },
  summary_cost_usd_total: { type: "counter", help: "Cost of summaries in US dollars." },
  tokens_saved_total: { type: "counter", help: "Tokens removed from prompts by compactions." },
  recalls_total: { type: "counter", help: "Searches for earlier messages, by source and outcome." },
  recalled_passages_total: { type: "counter", help: "Earlier messages quoted, by source." },
  recalled_tokens_total: { type: "counter", help: "Tokens of earlier messages quoted, by source." },
  recall_seconds_total: { type: "counter", help: "Seconds spent on searches for earlier messages, by source." },
  jobs_total: { type: "counter", help: "Jobs run by this process, by outcome." },
  warnings_total: { type: "counter", help: "Warnings of the engines." },
  active_streams: { type: "gauge", help: "Open streams, by kind." },
  resident_memory_bytes: { type: "gauge", help: "Resident memory of the process." },
  event_loop_delay_seconds: { type: "gauge", help: "Delay of the event loop since the last reading, by quantile." },
  uptime_seconds: { type: "gauge", help: "Seconds since the process started." },
} as const;

type FamilyName = keyof typeof FAMILIES;

export class Metrics {
  readonly #values = new Map<FamilyName, Map<string, number>>();
  readonly #histograms = new Map<string, { readonly counts: number[]; sum: number; count: number }>();
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

  answered(line: { route: string; method: string; status: number; durationMs: number }): void {
    const { route, method, status, durationMs } = line;
    this.add("http_requests_total", { route, method, status: String(status) });
    const key = writeLabels({ route });
    const histogram = this.#histograms.get(key) ?? { counts: SECONDS.map(() => 0), sum: 0, count: 0 };
    this.#histograms.set(key, histogram);
    const seconds = durationMs / 1_000;
    for (const [index, most] of SECONDS.entries())
      if (seconds <= most) histogram.counts[index] = (histogram.counts[index] ?? 0) + 1;
    histogram.sum += seconds;
    histogram.count += 1;
  }

  /** Counts an open stream. Call the returned function when it ends. */
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
      const lines = type === "histogram" ? this.#writeHistograms(name) : this.#writeValues(name);
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

  #writeHistograms(name: FamilyName): readonly string[] {
    return [...this.#histograms].flatMap(([labels, { counts, sum, count }]) => {
      const opened = labels.slice(0, -1);
      const buckets = SECONDS.map((most, index) => `palimpsest_${name}_bucket${opened},le="${most}"} ${counts[index]}`);
      return [
        ...buckets,
        `palimpsest_${name}_bucket${opened},le="+Inf"} ${count}`,
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
