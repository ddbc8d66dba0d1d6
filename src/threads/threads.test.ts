/** Which jobs wait for which, and what becomes of a job without an end: by jobs that wait for the test, not by the clock. */
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import type { TestJob } from '../../test/support/thread-program.ts'
import { openThreads, ThreadLost, type ThreadOptions } from './threads.ts'

const open = (options: Partial<ThreadOptions> = {}) =>
  openThreads({
    program: { source: new URL('../../test/support/thread-program.ts', import.meta.url), shipped: './thread-program.js' },
    ...{ maxWaiting: 20, maxWaitingInAll: 200, max_mb: 64, idle_ms: 30_000, ...options },
  })

afterEach(() => {
  vi.restoreAllMocks()
})

/** Jobs that threads were given. */
function watchJobs() {
  const given = vi.spyOn(Worker.prototype, 'postMessage')
  return () => given.mock.calls.flatMap(([message]) => ('job' in message ? [(message as { job: TestJob }).job.value] : []))
}

const echo = (value: string): TestJob => ({ kind: 'echo', value })
const minute_ms = 60_000

test('short jobs never wait for a long one, whoever sent it', async () => {
  const { run } = open({ shortThreads: 1 })
  let release = (_: string) => {}
  const held = new Promise<string>((resolve) => {
    release = resolve
  })
  const ended: string[] = []
  const long = run('a', { job: { kind: 'ask', value: 'may I?' }, longest_ms: minute_ms, answer: () => held }).then(() => ended.push('long'))
  const behind = run('b', { job: echo('behind'), longest_ms: minute_ms }).then(() => ended.push('behind'))
  await Promise.all(
    ['a', 'b', 'c'].map((whose) =>
      run(whose, { job: echo(whose), longest_ms: minute_ms, short_ms: minute_ms }).then((made) => ended.push(String(made))),
    ),
  )
  expect(ended).toEqual(['a', 'b', 'c'])
  release('yes')
  await Promise.all([long, behind])
  expect(ended.slice(3)).toEqual(['long', 'behind'])
})

test('a job that is not as short as it seemed runs again among the long ones', async () => {
  const given = watchJobs()
  const { run } = open({ shortThreads: 1 })
  const job: TestJob = { kind: 'spin', value: 'endless' }
  await expect(run('a', { job, longest_ms: 20, short_ms: 20, content: 'endless' })).rejects.toBeInstanceOf(ThreadLost)
  expect(given()).toEqual(['endless', 'endless'])
  expect(await run('a', { job: echo('next'), longest_ms: minute_ms, short_ms: minute_ms })).toBe('next')
})

test('a job that was lost once fails at once for everyone, and so do those that wait for it', async () => {
  const given = watchJobs()
  const { run } = open({ shortThreads: 1 })
  const send = (whose: string, kind: TestJob['kind'], content = kind as string) =>
    run(whose, { job: { kind, value: content }, longest_ms: kind === 'spin' ? 20 : minute_ms, content })
  const lost = await Promise.allSettled([send('a', 'spin'), send('b', 'spin'), send('c', 'throw'), send('c', 'echo')])
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled'])
  await expect(send('d', 'spin')).rejects.toBeInstanceOf(ThreadLost)
  await expect(send('d', 'throw')).rejects.toBeInstanceOf(ThreadLost)
  const short = { job: { kind: 'throw', value: 'short' }, longest_ms: minute_ms, short_ms: minute_ms, content: 'short' }
  for (const whose of ['a', 'b']) await expect(run(whose, short)).rejects.toBeInstanceOf(ThreadLost)
  expect(given()).toEqual(['spin', 'throw', 'echo', 'short'])
  expect(await send('d', 'echo')).toBe('echo')
})

test('an answer that came in time counts, however long the process was busy with something else', async () => {
  const { run } = open()
  await run('a', { job: echo('start'), longest_ms: minute_ms })
  const [made] = await Promise.all([run('a', { job: echo('made'), longest_ms: 50 }), holdProcess(200)])
  expect(made).toBe('made')
})

/** What somebody else's work may do; the turn before it lets the job begin. */
async function holdProcess(ms: number): Promise<void> {
  await Promise.resolve()
  const until = performance.now() + ms
  while (performance.now() < until);
}
