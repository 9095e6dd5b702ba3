import { formatLine } from "@tickwheel/core/filter";
import type { ComponentChild } from "preact";
import type { Forecast, History, TypeFigures } from "../api/wire.js";
import { comingWords, dueIn, dueText } from "../charts/coming-words.js";
import { FutureChart } from "../charts/future-chart.js";
import { HistoryCharts } from "../charts/history-charts.js";
import type { Feed } from "../feeds/feed.js";
import { useReading } from "../feeds/use-reading.js";
import { nodeName } from "../nodes/known-nodes.js";
import { fragmentOf } from "../place/route.js";
import { formatCount } from "../time/format.js";
import { mayAs } from "../session/session.js";
import { clockText } from "../time/zone.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { latenessWords } from "./lateness-words.js";
import { overdueText } from "../wheel/wheel-words.js";
import { TypeButtons } from "./type-buttons.js";
import { OpenBreaker, Paused } from "./halts.js";
import { Fact, LimitFacts } from "./limit-facts.js";
import { endedText, keptText, pauseWords } from "./type-words.js";

/** One type: where it runs, what it last failed of, its last hour and its next day. */
export function TypeRow({ figures }: { figures: TypeFigures }) {
  const { type, breaker, pause } = figures;
  const waiting = `${overdueText(figures)} due and waiting.`;
  const query = new URLSearchParams({ type });
  const history = useReading<History>(`/stats/history?range=1h&${query}`);
  const forecast = useReading<Forecast>(`/stats/forecast?ahead=24h&${query}`);
  return (
    <div class="type-row">
      {breaker && <OpenBreaker breaker={breaker}>{waiting}</OpenBreaker>}
      {pause && (
        <Paused label="Its pause" words={pauseWords(pause)} pause={pause}>
          {waiting}
        </Paused>
      )}
      {mayAs("operator") && <TypeButtons figures={figures} />}
      <Facts figures={figures} />
      <p>
        <a href={fragmentOf({ page: "tasks", line: formatLine({ type }) })}>Its tasks</a>
        {" · "}
        <a href={fragmentOf({ page: "tasks", tab: "dead", line: formatLine({ type }) })}>Its dead tasks</a>
        {" · "}
        <a href={fragmentOf({ page: "overview", view: { type } })}>On the overview</a>
      </p>
      <div class="grid-2">
        <section aria-label={`The last hour of ${type}`}>
          <Read feed={history}>{(value) => <LastHour history={value} />}</Read>
        </section>
        <section aria-label={`The next 24 h of ${type}`}>
          <Read feed={forecast}>{(value) => <NextDay forecast={value} />}</Read>
        </section>
      </div>
    </div>
  );
}

function Facts({ figures }: { figures: TypeFigures }) {
  const { delivery, nodes, settings, limits, lastError } = figures;
  return (
    <dl class="facts">
      <Fact name="Runs as">{delivery === "webhook" ? "a webhook" : "a handler"}</Fact>
      <Fact name="On" isCode>
        {nodes.map(nodeName).join(", ") || "–"}
      </Fact>
      <Fact name="In five minutes">{endedText(figures)}</Fact>
      <Fact name="At once on each node">{settings.concurrency && formatCount(settings.concurrency)}</Fact>
      <LimitFacts limits={limits} />
      <Fact name="Succeeded tasks are kept">
        {settings.keepSucceeded === null ? null : keptText(settings.keepSucceeded)}
      </Fact>
      <Fact name="Dead tasks are kept">{settings.keepDead === null ? null : keptText(settings.keepDead)}</Fact>
      <Fact name="Last error" isCode>
        {lastError}
      </Fact>
    </dl>
  );
}

function LastHour({ history }: { history: History }) {
  const words = latenessWords(history.buckets);
  return (
    <>
      {words !== null && <p class="small muted">{words}</p>}
      <HistoryCharts history={history} />
    </>
  );
}

function NextDay({ forecast }: { forecast: Forecast }) {
  const { lead, rest } = comingWords(forecast, { ahead: "24h", when: (at) => clockText(Date.parse(at)) });
  return (
    <>
      <p class="small muted">
        {dueIn(forecast) > 0 && dueText(forecast, "24h")} {lead} {rest} Counted{" "}
        {clockText(Date.parse(forecast.countedAt))}.
      </p>
      <FutureChart forecast={forecast} ahead="24h" />
    </>
  );
}

function Read<T>({ feed: { value, problem }, children }: { feed: Feed<T>; children: (value: T) => ComponentChild }) {
  if (value) return <>{children(value)}</>;
  return problem ? <ProblemView problem={problem} /> : <Skeleton lines={6} />;
}
