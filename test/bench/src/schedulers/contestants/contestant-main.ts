import { pathToFileURL } from "node:url";
import { ContestantCommands } from "./contestant-commands.js";
import type { ContestantSetup, HandlerBehaviour, OpenContestant } from "./contestant.js";
import { HandlerWork } from "./handler-work.js";

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
const work = new HandlerWork(setup.handler);
const contestant = await open(setup, (n) => work.run(n));
const commands = new ContestantCommands(contestant, work);

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
