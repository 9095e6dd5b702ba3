import { useMemo } from "preact/hooks";
import { type Finding, type History, type HistoryRange, historyRanges } from "../api/wire.js";
import type { Problem } from "../api/problem.js";
import { HistoryCharts } from "../charts/history-charts.js";
import type { Feed } from "../feeds/feed.js";
import { goTo } from "../place/place.js";
import type { OverviewView } from "../place/route.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Seg } from "../ui/seg.js";
import { Skeleton } from "../ui/skeleton.js";

const texts: Readonly<Record<HistoryRange, string>> = { "1h": "1 h", "24h": "24 h", "7d": "7 d" };

interface HistoryPanelProps {
  view: OverviewView;
  history: Feed<History>;
  findings: readonly Finding[];
  /** Names that can be chosen. */
  types: readonly string[];
}

/** What happened, from the server's own history: three charts, and the findings of the last day as dotted lines. */
export function HistoryPanel({ view, history: { value, problem }, findings, types }: HistoryPanelProps) {
  const { range = "1h", type } = view;
  const events = useMemo(
    () => findings.map(({ since, title }) => ({ at: Date.parse(since) / 1000, text: shortened(title) })),
    [findings],
  );
  return (
    <Panel
      title="How it went"
      note={type ? `${type} alone; dotted lines are findings` : "The server's own history; dotted lines are findings"}
      more={
        <div class="choices">
          <TypeChoice
            types={types}
            type={type}
            onChange={(chosen) => goTo({ page: "overview", view: { ...view, type: chosen } })}
          />
          <Seg
            label="How far back"
            choices={historyRanges.map((one) => ({ value: one, text: texts[one] }))}
            value={range}
            onChange={(chosen) => goTo({ page: "overview", view: { ...view, range: chosen } }, "replace")}
          />
        </div>
      }
    >
      <div class="body charts-body">
        {value ? (
          <HistoryCharts key={`${range} ${type}`} history={value} events={events} />
        ) : (
          <Missing problem={problem} />
        )}
      </div>
    </Panel>
  );
}

function Missing({ problem }: { problem: Problem | null }) {
  return problem ? <ProblemView problem={problem} /> : <Skeleton lines={6} />;
}

interface TypeChoiceProps {
  types: readonly string[];
  type: string | undefined;
  onChange: (type: string | undefined) => void;
}

function TypeChoice({ types, type, onChange }: TypeChoiceProps) {
  const names = [...new Set([...types, ...(type ? [type] : [])])].sort();
  return (
    <select aria-label="Type" value={type ?? ""} onChange={(event) => onChange(event.currentTarget.value || undefined)}>
      <option value="">All types</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

const longest = 44;

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
