import type { Problem } from "../api/problem.js";

/** Why something was refused: the detail, and each fault by its path. It is read out when it appears. */
export function ProblemView({ problem }: { problem: Problem }) {
  const { title, detail, code, errors } = problem;
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{title}</strong> {code && <code>{code}</code>}
      </p>
      {detail && <p>{detail}</p>}
      {errors.length > 0 && (
        <ul>
          {errors.map((fault, index) => (
            <li key={index}>
              {fault.path && <code>{fault.path}</code>} {fault.detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
