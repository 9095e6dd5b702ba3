import { Inject, Injectable } from "@nestjs/common";
import { DelayTaskNode } from "@tickwheel/node/internals";

/** What terminus takes of an indicator, by its key. */
export type DelayTaskHealth<Key extends string = string> = Record<
  Key,
  /** `degraded`: parts that do not work now, such as `redis`; tasks run all the same. */
  { status: "up"; degraded: string[] } | { status: "down"; message: string }
>;

/**
 * Whether this application's node takes work, for `@nestjs/terminus`. Where Redis is away it is up, and degraded: tasks
 * run through Postgres alone. It is down while it starts, while it stops, and while Postgres does not answer; Postgres
 * is asked once a second at most.
 *
 * @example health.check([() => delayTasks.isHealthy()])
 */
@Injectable()
export class DelayTaskHealthIndicator {
  constructor(@Inject(DelayTaskNode) private readonly node: DelayTaskNode) {}

  /** Never throws. */
  async isHealthy<Key extends string = "tickwheel">(key: Key = "tickwheel" as Key): Promise<DelayTaskHealth<Key>> {
    const health = (await this.node.isReady())
      ? { status: "up", degraded: this.node.degraded }
      : { status: "down", message: this.reason() };
    return { [key]: health } as DelayTaskHealth<Key>;
  }

  private reason(): string {
    if (this.node.isStopping) return "The node stops";
    return this.node.isStarted ? "Postgres does not answer, or the node is cut off from it" : "The node starts";
  }
}
