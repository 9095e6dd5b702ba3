import { pathToFileURL } from "node:url";
import { ContestantCommands } from "./contestant-commands.js";
import { type ContestantSetup, failsFirst, type HandlerBehaviour, type OpenContestant } from "./contestant.js";
import { RunLog } from "./run-log.js";

// The process of one contestant: `node contestant-main.js <module> <setup as JSON>`. It obeys its parent's commands one
// by one and ends with it.

/** @internal one command, and its answer */
export interface CommandMessage {
  readonly id: number;
  readonly name: Exclude<keyof ContestantCommands, symbol>;
  readonly argument: unknown;
}
export type AnswerMessage = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

const [, , modulePath = "", setupText = ""] = process.argv;
if (!process.send) throw new Error("this file is forked by the bench");

const setup = JSON.parse(setupText) as ContestantSetup & { handler: HandlerBehaviour };
const { open } = (await import(pathToFileURL(modulePath).href)) as { open: OpenContestant };
const log = new RunLog();
const failed = new Set<number>();
const contestant = await open(setup, (n) => {
  log.add(n);
  if (setup.handler === "hangs") return new Promise<void>(() => {});
  if (setup.handler !== "fails" || !failsFirst(n) || failed.delete(n)) return;
  failed.add(n);
  throw new Error("meant to fail at the first attempt");
});
const commands = new ContestantCommands(contestant, log);

process.on("message", (message) => void answer(message as CommandMessage));
process.on("disconnect", () => process.exit(0));
process.send({ id: 0, value: null } satisfies AnswerMessage);

async function answer({ id, name, argument }: CommandMessage): Promise<void> {
  const reply = await (commands[name] as (argument: unknown) => Promise<unknown>).call(commands, argument).then(
    (value): AnswerMessage => ({ id, value }),
    (error: unknown): AnswerMessage => ({
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
  );
  process.send!(reply);
}
