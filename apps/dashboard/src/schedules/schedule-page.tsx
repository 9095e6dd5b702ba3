import { sentenceOf } from "../api/problem.js";
import type { Schedule } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Feed } from "../feeds/feed.js";
import { actorName } from "../keys/actor-name.js";
import { fragmentOf } from "../place/route.js";
import { mayAs } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { Empty } from "../ui/empty.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView, StaleBanner } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";
import { NextTimes } from "./next-times.js";
import { RunsPanel, RunStrip } from "./runs-panel.js";
import { ScheduleButtons } from "./schedule-buttons.js";
import { DefinitionPanels } from "./schedule-panels.js";
import { ScheduleStanding } from "./schedule-standing.js";
import { whenWords, zoneOf } from "./schedule-words.js";
import { useSchedule } from "./use-schedule.js";

/** One schedule: how it stands, what comes, what was, and its definition. */
export function SchedulePage({ api, name }: { api: TickwheelApi; name: string }) {
  const { schedule, runs, preview, showMore, readAgain } = useSchedule(api, name);
  const { value, problem, readAt } = schedule;
  if (!value) return <MissingSchedule schedule={schedule} />;
  return (
    <>
      <PageHead
        name={value.name}
        tab={`${value.state} ${value.name}`}
        sub={<Sub schedule={value} />}
        actions={mayAs("operator") && <ScheduleButtons api={api} schedule={value} onDone={readAgain} />}
      />
      {problem && storeAway.value === null && <StaleBanner text={sentenceOf(problem)} readAt={readAt} />}
      <ScheduleStanding schedule={value} />
      <RunStrip runs={runs} />
      <div class="grid-2">
        <div>
          <NextTimes preview={preview} schedule={value} />
          <RunsPanel runs={runs} onMore={showMore} />
        </div>
        <div>
          <DefinitionPanels schedule={value} />
        </div>
      </div>
    </>
  );
}

function Sub({ schedule }: { schedule: Schedule }) {
  const { type, application, revision, createdBy, cron } = schedule;
  const words = whenWords(schedule);
  const zone = zoneOf(schedule);
  return (
    <p>
      Creates <a href={fragmentOf({ page: "types", type })}>{type}</a>{" "}
      {words === cron ? (
        <>
          by <code>{cron}</code>
        </>
      ) : (
        words
      )}
      {zone && `, ${zone}`}.{" "}
      {application === null ? `Made by ${actorName(createdBy)}` : `Defined in the code of ${application}`}, revision{" "}
      {String(revision)}.
    </p>
  );
}

/** It is being read, or is not there. */
export function MissingSchedule({ schedule: { problem } }: { schedule: Feed<Schedule> }) {
  if (problem?.status !== 404) {
    return (
      <>
        <PageHead name="Schedule" />
        {problem ? <ProblemView problem={problem} /> : <Skeleton />}
      </>
    );
  }
  return (
    <>
      <PageHead name="No such schedule" />
      <section class="panel">
        <Empty
          icon="search"
          title={sentenceOf(problem)}
          actions={
            <a class="btn tiny" href={fragmentOf({ page: "schedules" })}>
              Show all schedules
            </a>
          }
        >
          It may have been deleted; upper and lower case count.
        </Empty>
      </section>
    </>
  );
}
