import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gitProcesses } from '../../../test/support/git-processes.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import type { Failure } from '../../failure.ts'
import { capture } from './capture.ts'
import { forkServer } from './fork-server-client.ts'
import { gitFailure } from './git-failure.ts'
import { clientGone, type GitKill, type Spawn, spawner } from './run.ts'

let dir: string
let start: Spawn
const spawned: string[][] = []
const killed: GitKill[] = []

/** Git aliases stand in for commands that hang, shout or fail. */
const aliases = `[alias]
	hang = !sleep 47
	deaf = !trap '' TERM && sleep 47
	show-environment = !env
	shout = !head -c 3000000 /dev/zero
	fail = "!echo what went wrong >&2; exit 3"
	full = "!echo 'fatal: write error: No space left on device' >&2; exit 128"
	echo-back = !cat
	spin = !while :; do :; done
	limits = !ulimit -d && ulimit -t
`

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gitstead-run-'))
  execFileSync('git', ['init', '--quiet', '--bare', dir])
  await writeFile(join(dir, 'test-config'), aliases)
  start = spawner({
    config_file: join(dir, 'test-config'),
    onSpawn: (args) => spawned.push(args),
    onKill: (kill) => killed.push(kill),
    memory_bytes: 256 * 1024 ** 2,
    startProgram: forkServer().start,
  })
})

afterAll(() => rm(dir, { recursive: true }))

/** Processes that work on the folder of this test. */
const alive = () => gitProcesses(dir).map(({ pid }) => pid)

const gone = () => expect.poll(alive).toEqual([])

test('a command past its deadline is killed with everything it started, and fails as timed out', async () => {
  const failure = (await capture(start, ['hang'], { dir, deadline_ms: 100 }).catch((error) => error)) as Failure
  expect([failure.code, failure.status, failure.message]).toEqual(['timed_out', 503, '503 The repository took too long to answer'])
  await gone()
})

test('a process that ignores SIGTERM is killed in time', async () => {
  const failure = (await capture(start, ['deaf'], { dir, deadline_ms: 100 }).catch((error) => error)) as Failure
  expect(failure.code).toBe('timed_out')
  await gone()
})

test('a command is killed when its client disconnects, even before it starts', async () => {
  const caller = new AbortController()
  const running = capture(start, ['hang'], { dir, signal: caller.signal })
  caller.abort(clientGone())
  await expect(running).rejects.toMatchObject({ code: 'client_gone' })
  await expect(capture(start, ['hang'], { dir, signal: caller.signal })).rejects.toMatchObject({ code: 'client_gone' })
  await gone()
})

test('a kill with a reason fails with the reason; with grace, a command may end by itself first', async () => {
  const reason = gitFailure(['x'], 1, 'No space left on device')
  const killed = start(['hang'], { dir })
  killed.kill(reason)
  await expect(killed.finished).rejects.toBe(reason)

  const spared = start(['echo-back'], { dir })
  spared.kill(undefined, 10_000)
  spared.stdin.end('still here')
  expect(await spared.stdout.toArray().then((chunks) => Buffer.concat(chunks).toString())).toBe('still here')
  expect(await spared.finished).toMatchObject({ code: 0 })
  await gone()
})

test('output beyond the limit is an error, and ends the command', async () => {
  await expect(capture(start, ['shout'], { dir, max_bytes: 1_000_000 })).rejects.toMatchObject({ code: 'too_large', status: 413 })
  expect((await capture(start, ['shout'], { dir, max_bytes: 3_000_000 })).output).toHaveLength(3_000_000)
  await gone()
})

/** Git reads all of it into memory before it begins. */
function* megabytes(count: number): Iterable<Buffer> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(1024 ** 2)
}

const onLinux = process.platform === 'linux'

test('every command has a ceiling of memory and of processor time, and so has what it starts', async () => {
  const limitsOf = async (options: { deadline_ms?: number | undefined }) => {
    const { output } = await capture(start, ['limits'], { dir, ...options })
    return output.toString().trim().split('\n')
  }
  expect(await limitsOf({ deadline_ms: 10_000 })).toEqual([String(256 * 1024), '21'])
  expect(await limitsOf({ deadline_ms: undefined })).toEqual([String(256 * 1024), 'unlimited'])
})

test.skipIf(!onLinux)('a command that exceeds its memory limit fails as unprocessable, with the reason', async () => {
  killed.length = 0
  const failure = (await capture(start, ['hash-object', '--stdin'], { dir, input: megabytes(400) }).catch((error) => error)) as Failure
  expect([failure.code, failure.status, failure.message]).toEqual([
    'unprocessable',
    422,
    '422 The repository needs more memory for this than a git command may use',
  ])
  expect(killed).toEqual([{ command: 'hash-object', dir, reason: 'memory limit' }])
})

test('running out of memory for another reason is not reported as our limit', async () => {
  const said = ['-c', 'alias.elsewhere=!echo "remote: fatal: out of memory" >&2; exit 1', 'elsewhere']
  await expect(capture(start, said, { dir })).rejects.toMatchObject({ code: 'git_failed' })
})

test('the log has the reason why a process was ended', async () => {
  killed.length = 0
  const gone = AbortSignal.abort(clientGone())
  await capture(start, ['hang'], { dir, deadline_ms: 50 }).catch(() => {})
  await capture(start, ['hang'], { dir, signal: gone }).catch(() => {})
  await capture(start, ['hang'], { dir, signal: AbortSignal.abort() }).catch(() => {})
  await capture(start, ['shout'], { dir, max_bytes: 10 }).catch(() => {})
  await expect.poll(() => killed.map(({ reason }) => reason)).toEqual(['deadline', 'client gone', 'cancelled', 'output limit'])
})

test('an exit code is an error unless accepted, and git’s output goes to the log only', async () => {
  const failure = (await capture(start, ['fail'], { dir }).catch((error) => error)) as Failure
  expect([failure.code, failure.body]).toEqual(['git_failed', { message: '500 Internal Server Error' }])
  expect(String(failure.cause)).toContain('git fail ended with 3: what went wrong')
  expect(await capture(start, ['fail'], { dir, accept: [3] })).toMatchObject({ output: Buffer.alloc(0), code: 3 })
})

test('a full disk is reported as such', async () => {
  await expect(capture(start, ['full'], { dir })).rejects.toMatchObject({
    code: 'storage_full',
    message: '500 No storage left on the server',
  })
})

test('input of any size arrives whole', async () => {
  const input = Buffer.alloc(2_000_000, 'abc')
  expect((await capture(start, ['echo-back'], { dir, input })).output.equals(input)).toBe(true)
})

test('a command that doesn’t read its input doesn’t fail its caller', async () => {
  expect((await capture(start, ['--version'], { dir, input: Buffer.alloc(2_000_000) })).code).toBe(0)
})

test('nothing of the environment of the server or its user reaches git', async () => {
  process.env.GIT_CONFIG_COUNT = '2'
  process.env.GIT_CONFIG_KEY_1 = 'core.editor'
  process.env.GIT_OBJECT_DIRECTORY = '/elsewhere'
  process.env.GITSTEAD_ROOT_TOKEN = 'secret'
  const { output } = await capture(start, ['show-environment'], { dir, env: { GIT_PROTOCOL: 'version=2' } })
  for (const name of ['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_1', 'GIT_OBJECT_DIRECTORY', 'GITSTEAD_ROOT_TOKEN']) delete process.env[name]

  const names = output
    .toString()
    .split('\n')
    .map((line) => line.split('=')[0])
  for (const name of ['GIT_CONFIG_KEY_1', 'GIT_OBJECT_DIRECTORY', 'GITSTEAD_ROOT_TOKEN', 'SSH_AUTH_SOCK', 'USER'])
    expect(names).not.toContain(name)
  expect(output.toString()).toContain('HOME=/nonexistent\n')
  expect(output.toString()).toContain('GIT_PROTOCOL=version=2\n')
  expect(output.toString()).toContain('GIT_CONFIG_NOSYSTEM=1\n')
  expect(output.toString()).toContain('GIT_CONFIG_COUNT=1\n')
})

test('every command is counted with its arguments', async () => {
  spawned.length = 0
  await capture(start, ['rev-parse', '--git-dir'], { dir })
  expect(spawned).toEqual([['rev-parse', '--git-dir']])
})

test('without a git program a command fails, and nothing else does', async () => {
  const path = process.env.PATH
  process.env.PATH = '/nonexistent'
  const lost = spawner({ config_file: join(dir, 'test-config') })
  process.env.PATH = path
  await expect(capture(lost, ['version'], { dir })).rejects.toMatchObject({ code: 'git_failed' })
  await expect(lost(['version'], { dir }).finished).rejects.toMatchObject({ code: 'git_failed' })
})

test(
  'where no file descriptor is left a command fails, and the process lives on',
  inFullRun('1 s of processor. A program that is missing, and one that may not be run, fail above.'),
  async () => {
    const script = `
    import { openSync } from 'node:fs'
    const { capture } = await import(new URL('./capture.ts', process.argv[1]).href)
    const { spawner } = await import(process.argv[1])
    const start = spawner({ config_file: '/dev/null' })
    await capture(start, ['version'], { dir: '/' })
    try { for (;;) openSync('/dev/null') } catch {}
    const { code } = await capture(start, ['version'], { dir: '/' }).catch((error) => error)
    await new Promise((resolve) => setImmediate(resolve))
    console.log(code)`
    const module = new URL('./run.ts', import.meta.url).href
    const run = ['-c', 'ulimit -n 64; exec "$@"', 'bash', process.execPath, '--import', 'tsx', '--input-type=module', '-e', script, module]
    expect(execFileSync('bash', run, { encoding: 'utf8' }).trim()).toBe('git_failed')
  },
)
