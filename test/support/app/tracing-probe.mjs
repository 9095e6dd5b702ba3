// A process that runs one task and prints what it has loaded of OpenTelemetry. PROBE is JSON: `url` of Postgres,
// `tracing` as the module's option, and `isAbsent`: OpenTelemetry cannot be resolved.
import "reflect-metadata";
import { createRequire, register } from "node:module";

const { url, tracing, isAbsent } = JSON.parse(process.env.PROBE);

/** A loader that knows no such package. */
const WITHOUT = `export async function resolve(specifier, context, next) {
  if (!specifier.startsWith("@opentelemetry/")) return next(specifier, context);
  throw Object.assign(new Error("Cannot find package " + specifier), { code: "ERR_MODULE_NOT_FOUND" });
}`;
if (isAbsent) register(`data:text/javascript,${encodeURIComponent(WITHOUT)}`);

const { NestFactory } = await import("@nestjs/core");
const { Module } = await import("@nestjs/common");
const { DelayTaskHandler, DelayTaskModule, DelayTaskService } = await import("@tickwheel/nestjs");

let tellRan;
const ran = new Promise((resolve) => (tellRan = resolve));
class Handler {
  handle() {
    tellRan();
  }
}
DelayTaskHandler("probe")(Handler);
class ProbeModule {}
Module({ providers: [Handler], imports: [DelayTaskModule.forRoot({ url, heartbeat: "loop", ...tracing })] })(
  ProbeModule,
);

const app = await NestFactory.createApplicationContext(ProbeModule, { abortOnError: false });
await app.get(DelayTaskService).schedule("probe", null);
await ran;
await app.close();
const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes("@opentelemetry"));
process.stdout.write(`\nPROBED ${JSON.stringify({ isLoaded: loaded.length > 0 })}\n`);
