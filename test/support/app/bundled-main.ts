import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskHandler, DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";

/** An application that is bundled into one file; where its heartbeat runs is told by its environment. */
@DelayTaskHandler("bundle.greet")
export class Greeter {
  handle(): void {
    console.log("greeted by the bundle");
  }
}

@Module({
  imports: [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({
      url: process.env["DATABASE_URL"],
      heartbeat: process.env["HEARTBEAT"] as "worker" | "loop",
    }),
  ],
  providers: [Greeter],
})
export class BundledModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(BundledModule);
  app.enableShutdownHooks();
  await app.listen(process.env["PORT"] ?? 3_000);
  await app.get(DelayTaskService).schedule("bundle.greet", {});
}

void main();
