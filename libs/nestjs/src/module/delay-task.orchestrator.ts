import { Logger, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from "@nestjs/common";
import type { SchedulerRegistry } from "@nestjs/schedule";
import { indentedLines, SystemClock } from "@tickwheel/core";
import type { DelayTaskHandlerExplorer } from "../handlers/delay-task-handler.explorer.js";
import type { CronTakeover } from "./cron-takeover.js";
import type { ModuleNode } from "./delay-task.options.js";
import type { DelayedPublishBinder } from "../publishing/delayed-publish.binder.js";
import { SigtermWatch } from "./sigterm-watch.js";

/** Where the full sweep's handle is listed in the module's own SchedulerRegistry. */
export const FULL_SWEEP_INTERVAL_NAME = "tickwheel.full-sweep";

/** The module's own registry: under the class's name it would be found in place of the application's. */
export const TICKWHEEL_SCHEDULER_REGISTRY = Symbol("tickwheel scheduler registry");

/**
 * Starts the node when the application is up, and drains it in `onModuleDestroy`. A node that waits for Postgres does
 * not keep the application from listening: it goes on by itself, and what ends it then is logged. It lives in a module
 * that is not global and is imported last: Nest destroys modules from there on, so the handlers' clients are still open
 * while they end.
 */
export class DelayTaskOrchestrator implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger("Tickwheel");
  private readonly sigterm = new SigtermWatch(new SystemClock(), (text) => this.logger.warn(text));

  constructor(
    private readonly node: ModuleNode,
    private readonly explorer: DelayTaskHandlerExplorer,
    private readonly crons: CronTakeover,
    private readonly registry: SchedulerRegistry,
    private readonly publishing: DelayedPublishBinder,
  ) {}

  /** Methods publish from here on: routes may be called as soon as all modules are bootstrapped. */
  async onModuleInit(): Promise<void> {
    await this.orClose(() => this.publishing.bind());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.orClose(async () => {
      const { name, autoStart } = this.node.options;
      const { taken } = this.crons;
      this.node.use(
        [...this.explorer.handlers(name), ...taken.map(({ handler }) => handler)],
        this.explorer.listeners(name),
        [...this.explorer.schedules(name), ...taken.map(({ schedule }) => schedule)],
      );
      if (autoStart && !(await this.node.begin())) this.watch(this.node.started);
    });
    if (this.node.fullSweep) this.registry.addInterval(FULL_SWEEP_INTERVAL_NAME, this.node.fullSweep);
    if (this.node.watchesSigterm) this.sigterm.start();
  }

  /** Nest calls no hook of an application that did not come up: its connections would stay open. */
  private async orClose(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.node.close();
      throw error;
    }
  }

  private watch(started: Promise<void>): void {
    started.catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      this.logger.error(indentedLines(`The node cannot start, and runs nothing: ${text} [node.start.failed]`));
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.sigterm.stop();
    if (this.registry.doesExist("interval", FULL_SWEEP_INTERVAL_NAME))
      this.registry.deleteInterval(FULL_SWEEP_INTERVAL_NAME);
    await this.node.stop();
  }
}
