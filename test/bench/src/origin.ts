import { cpus } from "node:os";

/** Where results come from. */
export interface Origin {
  readonly command: string;
  readonly date: Date;
  readonly machine: string;
}

/** What a chart says below its title. */
export function notesOf({ machine, date, command }: Origin): string[] {
  return [`${machine}; ${date.toISOString().slice(0, 10)}`, command];
}

/** The command as it was given, and this machine. @param node the version that was measured */
export function originOf(argv: readonly string[], node = process.version): Origin {
  const [cpu] = cpus();
  const machine = `${cpu?.model.trim() ?? "unknown processor"}, ${cpus().length} cores, Node ${node}`;
  return { command: `npm run bench -- ${argv.join(" ")}`.trim(), date: new Date(), machine };
}
