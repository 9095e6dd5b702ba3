import { applyDecorators } from "@nestjs/common";
import { ApiQuery } from "@nestjs/swagger";
import { DEFAULT_PAGE, MAX_PAGE } from "@tickwheel/nestjs";

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
