import { corrected, type LineFault } from "./query-line.js";

interface LineFaultsProps {
  line: string;
  faults: readonly LineFault[];
  /** Takes the line that may be meant. */
  onCorrect: (line: string) => void;
}

/** Below the line: what of it cannot be read, and what may be meant. The list stays as it is meanwhile. */
export function LineFaults({ line, faults, onCorrect }: LineFaultsProps) {
  return (
    <ul id="line-faults" class="line-faults small" aria-live="polite">
      {faults.map((fault) => (
        <li key={fault.from}>
          <code>{line.slice(fault.from, fault.to)}</code>: {fault.detail}.{" "}
          {fault.instead !== null && (
            <button type="button" class="tiny" onClick={() => onCorrect(corrected(line, fault))}>
              {fault.instead === "" ? (
                "Leave it out"
              ) : (
                <>
                  Did you mean <code>{fault.instead}</code>?
                </>
              )}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
