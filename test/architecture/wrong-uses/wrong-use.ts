/** A use of the public types that the compiler must refuse. */
export interface WrongUse {
  /** What is wrong with it. */
  name: string;
  /** One line of an application, which has what `WRONG_USES_PROLOGUE` declares. */
  use: string;
  /** Part of what the compiler says about that line. */
  refusal: string;
}
