import { type InputRule, told } from "./input-rules.js";
import { field, inputObject } from "./input-schema.js";
import { named, said } from "./input-shape.js";

const secretRule: InputRule = told({ type: "string" }, (value) =>
  typeof value === "string" ? null : "must be a string",
);

/** What the page logs in with. */
export const logInInput = named("LogInInput", inputObject({ key: said(field<string>(secretRule), "An API key.") }));
