import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type MetricSample, METRICS } from "@tickwheel/core";
import { load } from "js-yaml";
import { meteredTime, type Scrape, SCRAPE_MS, type Trouble } from "../simulation/src/metered-time.js";
import { depth } from "../support/depth.js";
import { repositoryRoot } from "../support/node-process.js";
import { promtool } from "../support/servers/prometheus.js";

const MINUTE_MS = 60_000;
const SCRAPES_OF_A_MINUTE = MINUTE_MS / SCRAPE_MS;
const RULES = join(repositoryRoot, "docs/monitoring/tickwheel-alerts.yml");
/** How long a cluster is watched; the fault begins in the third minute. */
const MINUTES = depth({ sample: 9, whole: 60 });
const FAULT_AT_MS = 2 * MINUTE_MS + 5_000;
const FAULT_MS = depth({ sample: 4, whole: 10 }) * MINUTE_MS;

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook_url: string };
}

const rules = (load(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

/**
 * What Prometheus would have of a cluster: by series, a value for each scrape. A value that is not told is stale at
 * once.
 */
function seriesOf(scrapes: readonly (readonly Scrape[])[]): Map<string, string[]> {
  const series = new Map<string, string[]>();
  scrapes.forEach((nodes, at) => {
    const put = (name: string, labels: Record<string, string>, value: number): void => {
      const text = Object.entries({ job: "tickwheel", ...labels }).map(([label, own]) => `${label}="${own}"`);
      const key = `${name}{${text.join(",")}}`;
      const values = series.get(key) ?? Array.from(scrapes, () => "stale");
      values[at] = String(value);
      series.set(key, values);
    };
    for (const { instance, readings } of nodes) {
      put("up", { instance }, readings ? 1 : 0);
      for (const { name, samples } of readings ?? [])
        for (const { labels, value } of samples) putSample({ name, labels: { ...labels, instance }, value }, put);
    }
  });
  return series;
}

function putSample(
  { name, labels, value }: { name: string; labels: Record<string, string>; value: MetricSample["value"] },
  put: (name: string, labels: Record<string, string>, value: number) => void,
): void {
  if (typeof value === "number") return put(name, labels, value);
  let count = 0;
  value.counts.forEach((own, bucket) => {
    const le = String(value.bounds[bucket] ?? "+Inf");
    put(`${name}_bucket`, { ...labels, le }, (count += own));
  });
  put(`${name}_sum`, labels, value.sum);
  put(`${name}_count`, labels, count);
}

/** The alerts that fired at any time, told by promtool. */
async function firedIn(trouble: Trouble, expected: readonly string[]): Promise<{ code: number; output: string }> {
  const scrapes = await meteredTime(trouble, MINUTES);
  const input = [...seriesOf(scrapes)].map(([series, values]) => ({ series, values: values.join(" ") }));
  const minutes = scrapes.length / SCRAPES_OF_A_MINUTE;
  const fired = {
    expr: `group by (alertname) (count_over_time(ALERTS{alertstate="firing"}[${minutes}m]))`,
    eval_time: `${minutes}m`,
    exp_samples: expected.toSorted().map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
  };
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-alerts-"));
  try {
    const file = join(folder, "test.yml");
    const tests = [{ interval: `${SCRAPE_MS}ms`, input_series: input, promql_expr_test: [fired] }];
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: `${SCRAPE_MS}ms`, tests }));
    return await promtool(["test", "rules", file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const faultOf = (breaks: NonNullable<Trouble["faults"]>[number]["breaks"], forMs = FAULT_MS) => ({
  faults: [{ atMs: FAULT_AT_MS, forMs, breaks }],
});
const isFaulty = (minute: number): boolean =>
  minute * MINUTE_MS >= FAULT_AT_MS - MINUTE_MS && minute * MINUTE_MS < FAULT_AT_MS + FAULT_MS;

interface Case {
  what: string;
  trouble: Trouble;
  /** The alerts that fire, and no other does. */
  alerts: readonly string[];
}

const CASES: readonly Case[] = [
  { what: "nothing is wrong", trouble: {}, alerts: [] },
  {
    what: "a node is killed",
    trouble: faultOf({ kind: "crash", node: 1 }, 2 * 60 * MINUTE_MS),
    alerts: ["TickwheelNodeDied", "TickwheelNodeNotScraped"],
  },
  {
    what: "Postgres is away",
    trouble: faultOf({ kind: "postgres-restart" }),
    alerts: ["TickwheelPostgresAway"],
  },
  { what: "Redis is away", trouble: faultOf({ kind: "redis-stop", flushes: false }), alerts: ["TickwheelRedisAway"] },
  {
    what: "a handler fails for good",
    trouble: { behaviourAt: (minute) => (isFaulty(minute) ? { fails: "gives-up", times: 9 } : {}) },
    alerts: ["TickwheelTasksDead", "TickwheelAttemptsFail"],
  },
  {
    what: "a handler blocks the event loop",
    trouble: faultOf({ kind: "block-loop", node: 1 }, 12_000),
    alerts: ["TickwheelLoopBlocked"],
  },
];

/** Beside those of every change. */
const FURTHER_CASES: readonly Case[] = [
  { what: "a node is drained and starts again", trouble: faultOf({ kind: "drain", node: 1 }, 5_000), alerts: [] },
  {
    what: "handlers take too long",
    trouble: { concurrency: 5, behaviourAt: (minute) => (isFaulty(minute) ? { workMs: 50_000 } : {}) },
    alerts: ["TickwheelPlacesTaken", "TickwheelTasksLate"],
  },
];

/** Metrics that no node tells. */
function strangersIn(expressions: readonly string[]): string[] {
  const used = expressions.flatMap((text) => [...text.matchAll(/\btickwheel_[a-z_]+/g)].map(([name]) => name));
  return used.filter((name) => !Object.keys(METRICS).includes(name.replace(/_(bucket|sum|count)$/, "")));
}

describe("the alerts", () => {
  test.each(depth({ sample: CASES, whole: [...CASES, ...FURTHER_CASES] }))(
    "alerts fire as they should, and no other does: $what",
    async ({ trouble, alerts }) => {
      expect(await firedIn(trouble, alerts)).toEqual({ code: 0, output: expect.stringContaining("SUCCESS") });
    },
  );

  test("the alerts are rules as Prometheus wants them, of metrics that there are", async () => {
    expect((await promtool(["check", "rules", RULES])).code).toBe(0);
    expect(strangersIn(rules.map(({ expr }) => expr))).toEqual([]);
  });

  test("the alerts name paragraphs of the runbook", () => {
    const headings = [...readFileSync(join(repositoryRoot, "docs/runbook.md"), "utf8").matchAll(/^## ([A-Z_]+)$/gm)];
    const anchors = [...headings.map(([, code]) => code!.toLowerCase()), "{{ $labels.code | toLower }}"];
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, annotations } of rules)
      expect({ alert, anchor: annotations.runbook_url.split("#")[1] }).toEqual({
        alert,
        anchor: anchors.find((anchor) => annotations.runbook_url.endsWith(`/docs/runbook.md#${anchor}`)),
      });
  });
});

describe("the dashboard for Grafana", () => {
  interface Panel {
    id: number;
    type: string;
    title: string;
    description?: string;
    targets?: { expr: string }[];
  }
  const path = join(repositoryRoot, "docs/monitoring/tickwheel-dashboard.json");
  const { panels } = JSON.parse(readFileSync(path, "utf8")) as { panels: Panel[] };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  test("the dashboard for Grafana asks what Prometheus understands, of metrics that there are", async () => {
    expect(expressions.length).toBeGreaterThan(20);
    expect(strangersIn(expressions)).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), "tickwheel-dashboard-"));
    const rulesOf = expressions.map((expr, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll("$job", "tickwheel").replaceAll("$__rate_interval", "1m"),
    }));
    writeFileSync(join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "panels", rules: rulesOf }] }));
    const { code, output } = await promtool(["check", "rules", join(folder, "rules.yml")]);
    rmSync(folder, { recursive: true });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`${expressions.length} rules found`) });
  });

  test("the dashboard for Grafana says of each panel what it shows", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const drawn = panels.filter(({ type }) => type !== "row");
    expect(drawn.filter(({ title, description }) => !title || !description)).toEqual([]);
  });
});
