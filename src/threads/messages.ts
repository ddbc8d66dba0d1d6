/** What a worker thread and its process say to each other. */
export type ToThread = { job: unknown } | { answer: unknown }
export type FromThread = { isReady: true } | { made: unknown } | { question: unknown }
