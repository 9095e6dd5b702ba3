import type { CurableFault } from "./line-cures.js";

interface LineFaultsProps {
  line: string;
  faults: readonly CurableFault[];
  /** Takes what may be meant in a fault's place. */
  onCorrect: (fault: CurableFault) => void;
}

/** Below the line: what of it cannot be read, and what may be meant. The list stays as it is meanwhile. */
export function LineFaults({ line, faults, onCorrect }: LineFaultsProps) {
  return (
    <ul id="line-faults" class="line-faults small" aria-live="polite">
      {faults.map((fault, place) => (
        <li key={place}>
          <code>{line.slice(fault.from, fault.to)}</code> {fault.message}.{" "}
          {fault.instead !== null && (
            <button type="button" class="tiny" onClick={() => onCorrect(fault)}>
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
