import { applyDecorators } from "@nestjs/common";
import { ApiQuery } from "@nestjs/swagger";
import { TASK_TABS } from "@tickwheel/core";
import { DEFAULT_PAGE, MAX_PAGE } from "@tickwheel/calls";

/** Describes an optional text of the query. */
export function textParameter(name: string, description: string): MethodDecorator {
  return ApiQuery({ name, description, required: false, schema: { type: "string" } });
}

/** Describes an optional instant of the query. */
export function instantParameter(name: string, description: string): MethodDecorator {
  return ApiQuery({ name, description, required: false, schema: { type: "string", format: "date-time" } });
}

/** Describes an optional word of the query, `1h` where none is given. */
export function wordParameter(name: string, description: string, words: readonly string[]): MethodDecorator {
  return ApiQuery({ name, description, required: false, schema: { type: "string", enum: [...words], default: "1h" } });
}

/** Describes the parameters of a list's pages. */
export function pageParameters(): MethodDecorator {
  return applyDecorators(
    ApiQuery({
      name: "limit",
      description: "How many the page holds at most.",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE },
    }),
    textParameter("cursor", "The `nextCursor` of the page before; none: the first page."),
  );
}

/** Describes two optional instants of the query, `…From` and `…To`. */
export function rangeParameters(name: string, description: string): MethodDecorator {
  return applyDecorators(
    instantParameter(`${name}From`, `${description} then or later.`),
    instantParameter(`${name}To`, `${description} before then.`),
  );
}

const TAB = [
  "Only this tab's tasks, in its order; none: all, newest first.",
  "`overdue`: longest overdue first. `running`: longest running first. `scheduled`: not due yet, next first.",
  "`paused`: the one that was created first, first.",
  "`failing`: scheduled again after an attempt that failed, next try first.",
  "`dead`: newest death first.",
  "`finished`: newest day (UTC) of the end first, within a day the one that was created last, first.",
].join(" ");

/** Describes the optional tab of a list of tasks. */
export function tabParameter(): MethodDecorator {
  return ApiQuery({ name: "tab", description: TAB, required: false, schema: { type: "string", enum: [...TASK_TABS] } });
}
