import { isatty } from "node:tty";

/** The codes of a process that was ended by a signal, as a shell tells them. */
export const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const terminals = [0, 1, 2].filter((fd) => isatty(fd));

/**
 * Ends the process with a code. Node resets the terminal at its end, and aborts (134, perhaps a core) where the
 * terminal was closed: such a process ends by the signal of the code, after everything that listens to its exit.
 */
export function exitProcess(code: number): never {
  if (!terminals.every((fd) => isatty(fd))) process.once("exit", () => dieBy(signalOf(code)));
  process.exit(code);
}

/** The signal's own work: nobody listens to it any more. */
function dieBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** For another code, it is the signal of a closed terminal. */
function signalOf(code: number): NodeJS.Signals {
  const entries = Object.entries(EXIT_CODES) as [keyof typeof EXIT_CODES, number][];
  return entries.find(([, known]) => known === code)?.[0] ?? "SIGHUP";
}
