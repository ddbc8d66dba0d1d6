/** Messages between a worker thread and its process. */
export type ToThread = { job: unknown } | { answer: unknown }
export type FromThread = { isReady: true } | { made: unknown } | { question: unknown }
