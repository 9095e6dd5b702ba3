/** How many tasks the plans of tabs are judged with. A release is judged with many more. */
export const SIZE = { pending: 20_000, finished: 30_000 };
