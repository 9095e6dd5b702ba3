/** The longest name of a batch, in characters. */
export const MAX_BATCH_NAME = 128;
