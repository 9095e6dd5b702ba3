import { Finding, Verdict } from "../ui/finding.js";
import type { Finding as FindingOf } from "./findings.js";
import type { Verdict as VerdictOf } from "./verdict.js";

const most = 5;

/** The first thing an operator reads: the verdict, then what is wrong, worst first. */
export function FindingsPanel({ verdict, findings }: { verdict: VerdictOf; findings: readonly FindingOf[] }) {
  const isOld = verdict.level === "unknown" && findings.length > 0;
  return (
    <section class="panel" aria-label="Verdict">
      <Verdict level={verdict.level} text={verdict.text} note={isOld && "as last seen"} />
      {findings.slice(0, most).map(({ severity, title, detail, href }) => (
        <Finding
          key={title}
          severity={severity}
          title={title}
          what={detail}
          actions={
            href && (
              <a class="btn tiny" href={href}>
                Show the tasks
              </a>
            )
          }
        />
      ))}
      {findings.length > most && <MoreFindings rest={findings.slice(most)} />}
    </section>
  );
}

function MoreFindings({ rest }: { rest: readonly FindingOf[] }) {
  return (
    <details class="more-findings">
      <summary>{rest.length} more</summary>
      {rest.map(({ severity, title, detail }) => (
        <Finding key={title} severity={severity} title={title} what={detail} />
      ))}
    </details>
  );
}
