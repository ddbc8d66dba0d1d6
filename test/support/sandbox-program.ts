/** A program of the sandbox for tests: its jobs ask, throw, never end, or need too much memory at once. */
import { writeFileSync } from 'node:fs'
import { serveJobs } from '../../src/sandbox/serve.ts'

type Kind = 'echo' | 'mark' | 'ask' | 'throw' | 'never' | 'spin' | 'pid' | 'environment' | 'array' | 'map' | 'string' | 'bytes' | 'stack'

export interface TestJob {
  kind: Kind
  value: string
}

serveJobs(async ({ kind, value }: TestJob, ask) => {
  // Asks nothing; once this file is there, the answer has been sent.
  if (kind === 'mark') {
    setImmediate(() => writeFileSync(value, ''))
    return value
  }
  const answer = await ask(value)
  switch (kind) {
    case 'echo':
      return value
    case 'ask':
      return answer
    case 'throw':
      throw new Error(value)
    case 'never':
      return new Promise(() => {})
    case 'spin':
      for (;;);
    case 'pid':
      return process.pid
    case 'environment':
      return Object.keys(process.env)
    case 'array':
      return Array.from({ length: 60_000_000 }, () => 1).length
    case 'map':
      return new Map(Array.from({ length: 4_000_000 }, (_, at) => [at, at])).size
    case 'string':
      return (value.repeat(2 ** 28) + value).replace(/$/, 'x').charCodeAt(7)
    case 'bytes':
      return Array.from({ length: 20 }, () => Buffer.alloc(2 ** 26, 1)).length
    case 'stack':
      return depthOf({})
  }
})

function depthOf(inner: object): number {
  return depthOf({ inner }) + 1
}
