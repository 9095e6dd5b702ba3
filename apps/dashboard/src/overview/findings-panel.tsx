import type { Finding } from "./findings.js";
import type { Verdict } from "./verdict.js";

/** The first thing an operator reads. The verdict is read out when it changes, the figures under it are not. */
export function FindingsPanel({ verdict, findings }: { verdict: Verdict; findings: readonly Finding[] }) {
  return (
    <section class={`verdict is-${verdict.level}`} aria-labelledby="verdict">
      <h2 id="verdict">
        <span role="status">{verdict.text}</span>
      </h2>
      {findings.length > 0 && verdict.level === "unknown" && <p class="hint">As last seen:</p>}
      {findings.length > 0 && (
        <ul>
          {findings.map((finding) => (
            <FindingItem key={finding.title} finding={finding} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FindingItem({ finding: { severity, title, detail, href } }: { finding: Finding }) {
  return (
    <li>
      <span class={`badge is-${severity}`}>{severity}</span> <strong>{title}</strong>{" "}
      <span class="finding-detail">{detail}</span> {href && <a href={href}>Show the tasks</a>}
    </li>
  );
}
