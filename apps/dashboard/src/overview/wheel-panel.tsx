import { AsTable } from "../charts/as-table.js";
import type { Forecast } from "../api/wire.js";
import { formatCount } from "../time/format.js";
import { Instant } from "../time/instant.js";
import { clockText } from "../time/zone.js";
import { Skeleton } from "../ui/skeleton.js";
import { fullestOf, wheelOf } from "../wheel/wheel.js";
import { WheelFace, WheelKey } from "../wheel/wheel-face.js";
import { perSecondText, shareText, wheelSentence } from "../wheel/wheel-words.js";

interface WheelPanelProps {
  forecast: Forecast | null;
  hour: Forecast | null;
  day: Forecast | null;
  /** The figures are of then, in milliseconds of the epoch; null: they are current. */
  staleSince: number | null;
}

/** The next minute: whether it is possible. */
export function WheelPanel({ forecast, hour, day, staleSince }: WheelPanelProps) {
  return (
    <section class={staleSince === null ? "panel wheel-now" : "panel wheel-now is-stale"} aria-label="Wheel">
      <h2>The next 60 seconds {staleSince !== null && <span class="muted">as of {clockText(staleSince)}</span>}</h2>
      {forecast ? <Minute forecast={forecast} hour={hour} day={day} /> : <Skeleton lines={6} />}
    </section>
  );
}

type MinuteProps = Pick<WheelPanelProps, "hour" | "day"> & { forecast: Forecast };

function Minute({ forecast, hour, day }: MinuteProps) {
  const wheel = wheelOf(forecast);
  const { capacity, nextDueAt, over } = forecast;
  return (
    <>
      <WheelFace wheel={wheel} facts={forecast} firstAt={forecast.buckets[0]?.at ?? ""} hour={hour} day={day} />
      <p class={over ? "ink is-overdue" : undefined}>
        {wheelSentence(wheel, forecast)}
        {wheel.due === 0 && nextDueAt && (
          <>
            {" "}
            Next due <Instant at={nextDueAt} />.
          </>
        )}
      </p>
      <div class="legend">
        <WheelKey colour="is-load" text="in memory" />
        <WheelKey colour="is-far" text="in Postgres" />
        <WheelKey colour="is-over" text="over capacity" />
        {capacity.perSecond !== null && (
          <span>
            <i class="key dash" />
            capacity {perSecondText(capacity)}
            {wheel.capacityRadius === null && ", farther out"}
          </span>
        )}
        {hour && <span>inner rings: 60 min, 24 h</span>}
      </div>
      <AsTable
        of="the fullest seconds ahead"
        columns={[
          { head: "In", at: "a", cell: ({ inS }) => `${inS} s` },
          { head: "Due", at: "b", isNumber: true, cell: ({ due }) => formatCount(due) },
          { head: "Of capacity", at: "c", isNumber: true, cell: ({ due }) => shareText(due, capacity.perSecond) },
        ]}
        rows={() => fullestOf(forecast.buckets, 10)}
      />
    </>
  );
}
