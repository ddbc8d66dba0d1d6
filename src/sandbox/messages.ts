/** Messages between a process of the sandbox and the server. */
export type ToSandbox = { job: unknown } | { answer: unknown }
export type FromSandbox = { isReady: true } | { made: unknown } | { question: unknown } | { failure: string }
