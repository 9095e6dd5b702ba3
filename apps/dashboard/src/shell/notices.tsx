import { useEffect } from "preact/hooks";
import { awayFinding, watchStore } from "../feeds/away-watch.js";
import { mayAs, session } from "../session/session.js";
import { storeAway } from "../session/store-health.js";
import { Cmd } from "../ui/cmd.js";
import { Finding } from "../ui/finding.js";

/** What holds for every page: who may only read, and that nothing can be changed now. */
export function Notices() {
  return (
    <>
      {!mayAs("operator") && <ViewerTag />}
      <PostgresAway />
    </>
  );
}

function ViewerTag() {
  return (
    <p class="may-read">
      <span class="tag">
        You may read, not act: {session.value?.user ?? `key ${session.value?.keyId}`} is a {session.value?.role}
      </span>
    </p>
  );
}

/** One finding in place of all others: it explains them. It is the page's own until the server's is known. */
function PostgresAway() {
  useEffect(watchStore, []);
  const away = storeAway.value;
  if (!away) return null;
  const told = awayFinding.value;
  return (
    <section class="panel" aria-label="Finding">
      <Finding
        isLead
        severity="critical"
        title={told?.title ?? "Postgres is away"}
        since={told?.since ?? new Date(away.since).toISOString()}
        what={
          <>
            {told?.consequence ??
              "Nothing starts and nothing is lost. Creates answer 503 and may be sent again. What ran was told to stop and runs again."}{" "}
            {away.detail && <span class="mono small">{away.detail}</span>}
          </>
        }
        cure={
          <>
            <b class="strong">
              {told?.cure ?? "Look at the server or its failover. Nodes follow by themselves within 2 s."}
            </b>{" "}
            Figures are the last known; everything that writes is off until Postgres answers.
          </>
        }
        actions={<Cmd text="tickwheel doctor" />}
      />
    </section>
  );
}
