import "reflect-metadata";
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { Body, Controller, Module, Post } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { requireInput, taskInput } from "@tickwheel/calls";
import type { Contestant, OpenContestant } from "./contestant.js";

let served = 0;

@Controller("v1/tasks")
class TasksController {
  /** The same checks as ours; then it answers, and keeps nothing. */
  @Post()
  create(@Body() body: unknown): object {
    const { type, scheduledAt } = requireInput(taskInput, body);
    served++;
    const { payload } = body as { payload?: unknown };
    return { id: randomUUID(), type, payload, scheduledAt, state: "scheduled" };
  }
}

@Module({ controllers: [TasksController] })
class FrameworkModule {}

/**
 * Nest on Fastify with our route for creates and its validation, without a store: the limit of `rest`, not a scheduler.
 */
class BareFramework implements Contestant {
  readonly bulk = { size: 1, inFlight: 1 };

  constructor(private readonly app: NestFastifyApplication) {}

  create(): Promise<string> {
    return refuse();
  }

  createMany(): Promise<string[]> {
    return refuse();
  }

  cancel(): Promise<void> {
    return refuse();
  }

  async pending(): Promise<number> {
    return served;
  }

  async inspect(): Promise<Record<string, number>> {
    return { port: (this.app.getHttpServer().address() as AddressInfo).port };
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("the bare framework is called over HTTP only"));
}

export const open: OpenContestant = async () => {
  const app = await NestFactory.create<NestFastifyApplication>(FrameworkModule, new FastifyAdapter(), {
    logger: ["error"],
  });
  await app.listen(0, "127.0.0.1");
  return new BareFramework(app);
};
