import { type CreateReply, type CreateRequest, type TaskStore, TickwheelError } from "@tickwheel/core";
import { isRefusal } from "./refusal.js";

/** So many tasks one write takes of several callers. */
const MAX_TASKS = 256;
/** While one is on its way the next is made up, and Postgres has something to do while this process reads its answer. */
const MAX_WRITES = 2;

interface Waiting {
  request: CreateRequest;
  resolve: (reply: CreateReply) => void;
  reject: (error: unknown) => void;
}

/** The creates of one namespace. */
interface Line {
  waiting: Waiting[];
  /** Writes under way. */
  writes: number;
}

/**
 * Group commit: what concurrent callers create becomes one statement of many rows and one commit, in the order of the calls. Nobody waits
 * for company: a caller who is alone is written at once, and what comes while writes are under way is the next one, so the groups grow
 * with the load (as a database's log does it: DeWitt et al., 1984).
 *
 * Only creates that can wait for nothing share a write: those without a key and without an idempotency key. A request's tasks stay
 * together, in one transaction. On failure: where the store refuses a group for its data, each of its requests is written alone, so a bad
 * row fails alone; any other error is everybody's, and as after a write of one's own it is unknown whether it happened.
 * Bounded by its callers: each waits for its answer.
 */
export class GroupCommit {
  private readonly lines = new Map<string, Line>();

  constructor(private readonly store: Pick<TaskStore, "create">) {}

  create(request: CreateRequest): Promise<CreateReply> {
    if (!sharesItsWrite(request)) return this.store.create(request);
    return new Promise((resolve, reject) => {
      const line = this.lineOf(request.namespace);
      line.waiting.push({ request, resolve, reject });
      this.writeOn(request.namespace, line);
    });
  }

  private lineOf(namespace: string): Line {
    const line = this.lines.get(namespace) ?? { waiting: [], writes: 0 };
    this.lines.set(namespace, line);
    return line;
  }

  private writeOn(namespace: string, line: Line): void {
    while (line.writes < MAX_WRITES && line.waiting.length > 0) {
      line.writes++;
      void this.write(namespace, nextGroup(line.waiting)).finally(() => {
        line.writes--;
        this.writeOn(namespace, line);
      });
    }
    if (line.writes === 0) this.lines.delete(namespace);
  }

  private async write(namespace: string, group: readonly Waiting[]): Promise<void> {
    if (group.length === 1) return this.writeAlone(group[0]!);
    const tasks = group.flatMap(({ request }) => request.tasks);
    try {
      const { results } = written(await this.store.create({ namespace, tasks }));
      let place = 0;
      for (const { request, resolve } of group)
        resolve({ kind: "written", results: results.slice(place, (place += request.tasks.length)) });
    } catch (error) {
      if (isRefusal(error)) await Promise.all(group.map((waiting) => this.writeAlone(waiting)));
      else for (const { reject } of group) reject(error);
    }
  }

  private async writeAlone({ request, resolve, reject }: Waiting): Promise<void> {
    await this.store.create(request).then(resolve, reject);
  }
}

function sharesItsWrite({ tasks, idempotency }: CreateRequest): boolean {
  return !idempotency && tasks.length < MAX_TASKS && tasks.every(({ key }) => key === null);
}

/** Takes the first requests, as many as one write holds. */
function nextGroup(waiting: Waiting[]): Waiting[] {
  let [count, tasks] = [0, 0];
  for (const { request } of waiting) {
    tasks += request.tasks.length;
    if (count > 0 && tasks > MAX_TASKS) break;
    count++;
  }
  return waiting.splice(0, count);
}

/** Only an idempotency key makes another answer. */
function written(reply: CreateReply): Extract<CreateReply, { results: unknown }> {
  if (reply.kind !== "key_reused") return reply;
  throw new TickwheelError("INTERNAL", "a create without an idempotency key was told that its key was reused");
}
