/** Which jobs wait for which, and what becomes of a job without an end: by jobs that wait for the test, not by the clock. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { processIds } from '../../test/support/proc.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import type { TestJob } from '../../test/support/sandbox-program.ts'
import { type Errand, JobLost, openSandbox, type SandboxOptions } from './sandbox.ts'

/** A sandbox, and the values of the jobs that its processes were given: each job asks before it does anything. */
function open(options: Partial<SandboxOptions> = {}) {
  const { run } = openSandbox({
    program: { source: new URL('../../test/support/sandbox-program.ts', import.meta.url), shipped: './sandbox-program.js' },
    ...{ maxWaiting: 20, maxWaitingInAll: 200, max_mb: 64, maxSemiSpace_mb: 2, idle_ms: 30_000, ...options },
  })
  const given: unknown[] = []
  return {
    given,
    run(whose: string, { answer, ...errand }: Errand & { job: TestJob }) {
      const note = async (question: unknown) => {
        given.push(question)
        return answer?.(question)
      }
      return run(whose, { ...errand, answer: note })
    },
  }
}

const echo = (value: string): TestJob => ({ kind: 'echo', value })
const minute_ms = 60_000
/** The deadline of a job that never ends. It leaves its process time to ask before, on a busy machine. */
const brief_ms = 1_000

test('short jobs never wait for a long one of any caller', async () => {
  const { run } = open({ forShort: 1 })
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
  const { run, given } = open({ forShort: 1 })
  const job: TestJob = { kind: 'never', value: 'endless' }
  await expect(run('a', { job, longest_ms: brief_ms, short_ms: brief_ms, content: 'endless' })).rejects.toBeInstanceOf(JobLost)
  expect(given).toEqual(['endless', 'endless'])
  expect(await run('a', { job: echo('next'), longest_ms: minute_ms, short_ms: minute_ms })).toBe('next')
  // A job that blocks its process is ended all the same, though the process can't listen.
  await expect(run('a', { job: { kind: 'spin', value: 'busy' }, longest_ms: 20 })).rejects.toBeInstanceOf(JobLost)
})

test('a job that was lost once fails at once for everyone, and so do those that wait for it', async () => {
  const { run, given } = open({ forShort: 1 })
  const send = (whose: string, kind: TestJob['kind'], content = kind as string) =>
    run(whose, { job: { kind, value: content }, longest_ms: kind === 'never' ? brief_ms : minute_ms, content })
  const lost = await Promise.allSettled([send('a', 'never'), send('b', 'never'), send('c', 'throw'), send('c', 'echo')])
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled'])
  await expect(send('d', 'never')).rejects.toBeInstanceOf(JobLost)
  await expect(send('d', 'throw')).rejects.toBeInstanceOf(JobLost)
  const short: Parameters<typeof run>[1] = {
    job: { kind: 'throw', value: 'short' },
    longest_ms: minute_ms,
    short_ms: minute_ms,
    content: 'short',
  }
  for (const whose of ['a', 'b']) await expect(run(whose, short)).rejects.toBeInstanceOf(JobLost)
  expect(given).toEqual(['never', 'throw', 'echo', 'short'])
  expect(await send('d', 'echo')).toBe('echo')
})

test('a reply that came in time counts, even if this process was too busy to read it', async () => {
  const { run } = open()
  await run('a', { job: echo('start'), longest_ms: minute_ms })
  const folder = await mkdtemp(join(tmpdir(), 'gitstead-sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const answered = join(folder, 'answered')
  const [made] = await Promise.all([run('a', { job: { kind: 'mark', value: answered }, longest_ms: 50 }), holdProcess(answered)])
  expect(made).toBe(answered)
})

const endsAlone = async (kind: TestJob['kind']) => {
  const { run } = open()
  await expect(run('a', { job: { kind, value: 'x' }, longest_ms: minute_ms })).rejects.toBeInstanceOf(JobLost)
  expect(await run('a', { job: echo('next'), longest_ms: minute_ms })).toBe('next')
}

test.each(['array', 'bytes'] as const)('a job that needs too much memory at once ends its process alone: %s', endsAlone)

test.each(['map', 'string', 'stack'] as const)(
  'so does one that needs it for a %s',
  inFullRun('Two seconds of processor. V8 aborts in the same way.'),
  endsAlone,
)

const isAlive = (pid: unknown) => processIds().includes(String(pid))
const pid: Errand & { job: TestJob } = { job: { kind: 'pid', value: '' }, longest_ms: minute_ms }

test('a process ends when nothing has been sent for a while, and another one begins', async () => {
  const { run } = open({ idle_ms: 1 })
  const first = await run('a', pid)
  await expect.poll(() => isAlive(first)).toBe(false)
  expect(await run('a', pid)).not.toBe(first)
})

test('a process that has worked long enough is replaced, before it reaches its ceilings', async () => {
  const { run } = open({ maxLife_ms: 0 })
  const first = await run('a', pid)
  expect(await run('a', pid)).not.toBe(first)
})

test('a process that ended while nobody waited for it is replaced', async () => {
  const { run } = open()
  const first = await run('a', pid)
  process.kill(Number(first), 'SIGKILL')
  await expect.poll(() => run('a', pid).catch(() => first)).not.toBe(first)
})

test('a process is told nothing of the environment of the server', async () => {
  const { run } = open()
  const names = await run('a', { job: { kind: 'environment', value: '' }, longest_ms: minute_ms })
  expect(names).toEqual(expect.arrayContaining(['PATH']))
  expect((names as string[]).filter((name) => !['PATH', 'LD_LIBRARY_PATH', 'PWD'].includes(name))).toEqual([])
})

/** Blocks this process, as other work may do, for longer than the job has and until its answer has been sent. The turn before lets the job begin. */
async function holdProcess(answered: string): Promise<void> {
  await new Promise(setImmediate)
  const since = performance.now()
  while (performance.now() < since + 100 || (!existsSync(answered) && performance.now() < since + minute_ms / 2));
}
