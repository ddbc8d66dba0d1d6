/** The program of a worker thread for tests: its jobs ask, throw, or never end. */
import { serveJobs } from '../../src/threads/serve.ts'

export type TestJob = { kind: 'echo' | 'ask' | 'throw' | 'spin'; value: string }

serveJobs(async ({ kind, value }: TestJob, ask) => {
  if (kind === 'throw') throw new Error(value)
  while (kind === 'spin');
  return { made: kind === 'ask' ? await ask(value) : value }
})
