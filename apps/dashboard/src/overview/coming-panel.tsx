import { type Ahead, aheads } from "../api/asked.js";
import type { Forecast } from "../api/wire.js";
import { comingIn, comingWords, dueText, typesAhead, type TypeAhead } from "../charts/coming-words.js";
import { FutureChart } from "../charts/future-chart.js";
import type { Feed } from "../feeds/feed.js";
import { goTo } from "../place/place.js";
import { fragmentOf, type OverviewView } from "../place/route.js";
import { formatCount } from "../time/format.js";
import { clockText } from "../time/zone.js";
import { DataTable, type Column } from "../ui/data-table.js";
import { Panel } from "../ui/panel.js";
import { ProblemView } from "../ui/problem-view.js";
import { Seg } from "../ui/seg.js";
import { Skeleton } from "../ui/skeleton.js";

const texts: Readonly<Record<Ahead, string>> = { "1h": "1 h", "24h": "24 h", "30d": "30 d" };

interface ComingPanelProps {
  view: OverviewView;
  /** What is shown: of the time and the type that are chosen. */
  forecast: Feed<Forecast>;
  /** The forecasts of all types. */
  forecasts: Readonly<Record<Ahead, Forecast | null>>;
}

/** What is due, against what can be started. */
export function ComingPanel({ view, forecast: { value, problem }, forecasts }: ComingPanelProps) {
  const { ahead = "1h", type } = view;
  const note =
    value &&
    `${comingIn(value) > 0 ? `${dueText(value, ahead)} ` : ""}Counted ${clockText(Date.parse(value.countedAt))} from Postgres.`;
  return (
    <Panel
      title="What is coming"
      note={note && (type ? `${type} alone: ${note}` : note)}
      more={
        <Seg
          label="How far ahead"
          choices={aheads.map((one) => ({ value: one, text: texts[one] }))}
          value={ahead}
          onChange={(chosen) => goTo({ page: "overview", view: { ...view, ahead: chosen } }, "replace")}
        />
      }
    >
      <div class="body coming-body">
        {value && <Coming forecast={value} forecasts={forecasts} ahead={ahead} />}
        {!value && (problem ? <ProblemView problem={problem} /> : <Skeleton lines={5} />)}
      </div>
    </Panel>
  );
}

interface ComingProps {
  forecast: Forecast;
  forecasts: ComingPanelProps["forecasts"];
  ahead: Ahead;
}

function Coming({ forecast, forecasts, ahead }: ComingProps) {
  const rows = typesAhead(forecasts, ahead).slice(0, 10);
  return (
    <>
      <ComingSentence forecast={forecast} ahead={ahead} />
      <div class={rows.length > 0 && comingIn(forecast) > 0 ? "grid-2" : undefined}>
        <FutureChart key={`${ahead} ${forecast.type}`} forecast={forecast} ahead={ahead} />
        {rows.length > 0 && (
          <DataTable caption="Due by type" columns={columnsFor(forecasts)} rows={rows} rowKey={({ type }) => type} />
        )}
      </div>
    </>
  );
}

/** What the time ahead asks of the cluster. */
export function ComingSentence({ forecast, ahead }: Pick<ComingProps, "forecast" | "ahead">) {
  const { lead, rest } = comingWords(forecast, { ahead, when: (at) => clockText(Date.parse(at)) });
  return (
    <p class="coming-words">
      {lead && <b class="strong ink is-overdue">{lead} </b>}
      <span class="muted">{rest}</span>
    </p>
  );
}

function columnsFor(forecasts: ComingPanelProps["forecasts"]): Column<TypeAhead>[] {
  const places = { "1h": "b", "24h": "c", "30d": "c2" } as const;
  return [
    {
      head: "Type",
      at: "a",
      isWide: true,
      cell: ({ type }) => <a href={fragmentOf({ page: "types", type })}>{type}</a>,
    },
    ...aheads.map((ahead) => ({
      head: texts[ahead],
      isNumber: true,
      at: places[ahead],
      cell: ({ due }: TypeAhead) => (
        <>
          {forecasts[ahead]?.incomplete && due[ahead] !== null && "≥ "}
          {formatCount(due[ahead])}
          <span class="narrow small muted"> in {texts[ahead]}</span>
        </>
      ),
    })),
  ];
}
