import { formatLine } from "@tickwheel/core/filter";
import type { ComponentChild } from "preact";
import { prettyJson } from "../api/json.js";
import { sentenceOf } from "../api/problem.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Forecast, History, TypeDetails, TypeFigures } from "../api/wire.js";
import { comingWords, dueIn, dueText } from "../charts/coming-words.js";
import { FutureChart } from "../charts/future-chart.js";
import { HistoryCharts } from "../charts/history-charts.js";
import type { Feed } from "../feeds/feed.js";
import { useReading } from "../feeds/use-reading.js";
import { actorName } from "../keys/actor-name.js";
import { nodeName } from "../nodes/known-nodes.js";
import { fragmentOf, types } from "../place/route.js";
import { mayAs } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { clockText } from "../time/zone.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { Panel } from "../ui/panel.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { StateMark } from "../ui/state-mark.js";
import { TextPanel } from "../ui/text-panel.js";
import { overdueText } from "../wheel/wheel-words.js";
import { ConsumersPanel } from "./consumers-panel.js";
import { OpenBreaker, Paused } from "./halts.js";
import { latenessWords } from "./lateness-words.js";
import { TypeButtons } from "./type-buttons.js";
import { OptionsPanel, StandingPanel } from "./type-facts.js";
import { TypeFiguresList } from "./type-figures.js";
import { DeadOfType, SchedulesOfType } from "./type-neighbours.js";
import { breakerWords, capital, needOf, pauseWords, waitsText } from "./type-words.js";
import { useType } from "./use-type.js";

/** One type: how it stands, its last hour and its next day, what its tasks get, its dead tasks and its schedules. */
export function TypePage({ api, type }: { api: TickwheelApi; type: string }) {
  const { figures, countedAt, details, problem, readAt } = useType(api, type);
  if (details.problem?.status === 404) return <NoSuchType sentence={sentenceOf(details.problem)} />;
  return (
    <>
      <PageHead
        name={type}
        detail={figures && <Marks figures={figures} />}
        sub={figures && <Sub figures={figures} />}
        actions={figures && mayAs("operator") && <TypeButtons figures={figures} />}
      />
      {problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      {figures ? (
        <Standing figures={figures} countedAt={countedAt} details={details.value} />
      ) : (
        <section class="panel">
          <Skeleton lines={8} />
        </section>
      )}
      {figures?.delivery === "pull" && <ConsumersPanel type={type} />}
      <Times type={type} />
      <div class="grid-2">
        <DeadOfType type={type} />
        <SchedulesOfType type={type} />
      </div>
      {details.value?.payloadSchema && (
        <TextPanel title="What its payloads must be" text={prettyJson(details.value.payloadSchema)} />
      )}
    </>
  );
}

interface StandingProps {
  figures: TypeFigures;
  countedAt: number | null;
  details: TypeDetails | null;
}

function Standing({ figures, countedAt, details }: StandingProps) {
  const { breaker, pause } = figures;
  const waiting = `${overdueText(figures)} due and waiting.`;
  return (
    <>
      {breaker && <OpenBreaker breaker={breaker}>{waiting}</OpenBreaker>}
      {pause && (
        <Paused label="Its pause" words={pauseWords(pause, actorName)} pause={pause}>
          {waiting}
        </Paused>
      )}
      <TypeFiguresList figures={figures} countedAt={countedAt} />
      <div class="grid-2">
        <StandingPanel figures={figures} />
        <OptionsPanel figures={figures} defaults={details?.defaults ?? null} />
      </div>
    </>
  );
}

/** What is said beside its name. */
function Marks({ figures: { breaker, pause } }: { figures: TypeFigures }) {
  return (
    <>
      {breaker && (
        <StateMark
          state="failing"
          text={breakerWords({ ...breaker, node: breaker.node && nodeName(breaker.node) }).mark}
          fill
        />
      )}{" "}
      {pause && <StateMark state="paused" fill />}
    </>
  );
}

function Sub({ figures }: { figures: TypeFigures }) {
  const { type } = figures;
  const waits = waitsText(figures);
  return (
    <p>
      {needOf(figures) === "well" ? "It runs as it should." : waits !== "" && `Its tasks wait: ${waits}.`}{" "}
      <a href={fragmentOf({ page: "tasks", line: formatLine({ type }) })}>Its tasks</a>
      {" · "}
      <a href={fragmentOf({ page: "tasks", tab: "dead", line: formatLine({ type }) })}>Its dead tasks</a>
      {" · "}
      <a href={fragmentOf({ page: "overview", view: { type } })}>On the overview</a>
    </p>
  );
}

function Times({ type }: { type: string }) {
  const query = new URLSearchParams({ type });
  const history = useReading<History>(`/stats/history?range=1h&${query}`);
  const forecast = useReading<Forecast>(`/stats/forecast?ahead=24h&${query}`);
  return (
    <>
      <Panel title={`The last hour of ${type}`}>
        <div class="body">
          <Read feed={history}>{(value) => <LastHour history={value} />}</Read>
        </div>
      </Panel>
      <Panel title={`The next 24 h of ${type}`}>
        <div class="body">
          <Read feed={forecast}>{(value) => <NextDay forecast={value} />}</Read>
        </div>
      </Panel>
    </>
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

function NoSuchType({ sentence }: { sentence: string }) {
  return (
    <>
      <PageHead name="No such type" />
      <section class="panel">
        <Empty
          icon="search"
          title={capital(sentence)}
          actions={
            <a class="btn tiny" href={fragmentOf(types)}>
              Show all types
            </a>
          }
        >
          The first task of a type makes it; upper and lower case count.
        </Empty>
      </section>
    </>
  );
}
