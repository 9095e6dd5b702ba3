import type { OnModuleInit } from "@nestjs/common";
import type { ModulesContainer } from "@nestjs/core";
import { TickwheelError } from "@tickwheel/core";
import type { DelayTaskHandlerExplorer } from "../handlers/delay-task-handler.explorer.js";
import { type TakenCron, takenCrons } from "../handlers/nest-crons.js";
import type { ModuleNode } from "./delay-task.options.js";

/** What is used of a `SchedulerRegistry`, whichever copy of `@nestjs/schedule` it is of. */
interface Registry {
  addCronJob(name: string, job: { stop(): unknown }): void;
}

/**
 * With `clusterCrons` the application's `@Cron` methods run once per cluster. Its own `@nestjs/schedule` still makes
 * their jobs, when the application is up; each is stopped as it is listed in the `SchedulerRegistry`, in the same turn
 * in which it was made, so it never ticks. It stays listed there.
 */
export class CronTakeover implements OnModuleInit {
  private crons: readonly TakenCron[] = [];

  constructor(
    private readonly node: Pick<ModuleNode, "options">,
    private readonly explorer: DelayTaskHandlerExplorer,
    private readonly modules: ModulesContainer,
  ) {}

  onModuleInit(): void {
    if (!this.node.options.clusterCrons) return;
    this.crons = takenCrons(this.explorer.crons(), Intl.DateTimeFormat().resolvedOptions().timeZone);
    const names = new Set(this.crons.map(({ schedule }) => schedule.name));
    const registries = this.registries();
    if (registries.length === 0 && names.size > 0)
      throw new TickwheelError(
        "CONFIGURATION_INVALID",
        "clusterCrons takes over what ScheduleModule makes, and the application does not import ScheduleModule.forRoot().",
      );
    for (const registry of registries) stopWhenListed(registry, names);
  }

  get taken(): readonly TakenCron[] {
    return this.crons;
  }

  /** The application's own; not ours, which lists the full sweep. */
  private registries(): Registry[] {
    const found = new Set<Registry>();
    for (const { providers } of this.modules.values())
      for (const { name, instance } of providers.values())
        if (name === "SchedulerRegistry" && instance) found.add(instance as Registry);
    return [...found];
  }
}

function stopWhenListed(registry: Registry, names: ReadonlySet<string>): void {
  const list = registry.addCronJob.bind(registry);
  registry.addCronJob = (name, job) => {
    if (names.has(name)) job.stop();
    list(name, job);
  };
}
