/** The runner as a process of its own, at a server of ours: pipelines from push to result. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServer } from '../../test/scripts/server-process.ts'
import { git } from '../../test/support/git.ts'
import { gitsteadProgram } from '../../test/support/program.ts'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import { probeSandbox } from './shell/sandbox.ts'

cpuBudget(8, 'A runner and a server with the jobs of a pipeline.')

const config = `
stages: [build, test, deploy]
build:
  stage: build
  script:
    - echo "made by $CI_JOB_NAME" > out.txt
    - test "$CI_PROJECT_PATH" = root/ci
    - cat part/part.txt
  variables: {GIT_SUBMODULE_STRATEGY: normal}
  artifacts: {paths: [out.txt]}
  cache: {key: one, paths: [cached/]}
unit:
  stage: test
  script: [grep made out.txt, 'mkdir cached && echo kept > cached/file']
  cache: {key: one, paths: [cached/]}
fails:
  stage: test
  needs: [build]
  allow_failure: true
  script: [exit 3]
  after_script: ['echo "after $CI_JOB_STATUS"']
hand:
  stage: deploy
  when: manual
  script: [grep kept cached/file]
  cache: {key: one, paths: [cached/], policy: pull}
endless:
  stage: deploy
  when: manual
  script: [echo begun, sleep 600]
`

let server: ServerProcess
let folder: string
let runner: ChildProcess
let printed = ''

beforeAll(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'gitstead-runner-'))
  await push('part', { 'part.txt': 'part\n' })
  // A job's token reaches other projects only by their allow-list.
  await server.send('PUT', '/projects/root%2Fpart', { visibility: 'public' })
  const sha = await git(join(folder, 'part'), 'rev-parse', 'HEAD')
  await push('ci', { '.gitlab-ci.yml': config, '.gitmodules': '[submodule "part"]\n\tpath = part\n\turl = ../part.git\n' }, sha)
  const { runners_token } = await get('/projects/root%2Fci')
  const args = ['--without-sandbox'].filter(() => !sandboxed)
  await gitstead('register', '--url', server.url, '--token', String(runners_token), '--name', 'here')
  const [node, main] = await gitsteadProgram()
  runner = spawn(node, [main, 'runner', 'run', '--home', join(folder, 'home'), '--concurrent', '2', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  runner.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
})
afterAll(async () => {
  runner?.kill('SIGKILL')
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const sandboxed = (await probeSandbox()) === null

async function gitstead(...args: string[]): Promise<string> {
  const [node, main] = await gitsteadProgram()
  const { stdout, stderr, status } = spawnSync(node, [main, 'runner', ...args, '--home', join(folder, 'home')], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout
}

async function push(name: string, files: Record<string, string>, submodule?: string): Promise<void> {
  const dir = join(folder, name)
  await git(folder, 'init', '-q', '-b', 'main', dir)
  for (const [path, content] of Object.entries(files)) await writeFile(join(dir, path), content)
  await git(dir, 'add', '-A')
  if (submodule) await git(dir, 'update-index', '--add', '--cacheinfo', `160000,${submodule},part`)
  await git(dir, '-c', 'user.name=ci', '-c', 'user.email=ci@example.com', 'commit', '-q', '-m', 'Add files')
  await git(dir, 'push', '-q', server.remote(name), 'main')
}

async function get(path: string) {
  const response = await server.send('GET', path)
  const text = await response.text()
  return (response.headers.get('content-type') ?? '').includes('json') ? JSON.parse(text) : text
}

/** The jobs of the project that count, by their names. */
async function jobs(): Promise<Record<string, { id: number; status: string; failure_reason?: string }>> {
  const rows = (await get('/projects/root%2Fci/jobs?per_page=100')) as { id: number; name: string; status: string }[]
  return Object.fromEntries(rows.reverse().map((job) => [job.name, job]))
}

const traceOf = async (name: string) => String(await get(`/projects/root%2Fci/jobs/${(await jobs())[name]?.id}/trace`))
/** Each job is a few processes, which wait for their turn on a busy machine. */
const ofRunner = { timeout: 150_000 }

const statusOf = (name: string) => expect.poll(async () => (await jobs())[name]?.status, { timeout: 120_000, interval: 200 })

test('a push runs its pipeline: stages, submodules, artifacts, caches, allowed failures', ofRunner, async () => {
  await statusOf('unit').toBe('success')
  await statusOf('fails').toBe('failed')
  expect(await traceOf('build')).toContain('\npart\n')
  expect(await traceOf('fails')).toContain('after failed')
  expect((await jobs()).fails).toMatchObject({ failure_reason: 'script_failure' })
  await expect.poll(async () => (await get('/projects/root%2Fci/pipelines'))[0].status, { timeout: 120_000 }).toBe('success')
  const artifact = await server.send('GET', '/projects/root%2Fci/jobs/artifacts/main/raw/out.txt?job=build')
  expect([artifact.status, await artifact.text()]).toEqual([200, 'made by build\n'])
})

test('a manual job is played with the cache of another, and a job is retried', {
  ...inFullRun('2 s of processor. The push above fills and reads a cache; `jobs.test.ts` plays and retries.'),
  ...ofRunner,
}, async () => {
  // The stages before it have ended, whether or not the test above has run.
  await statusOf('unit').toBe('success')
  await statusOf('fails').toBe('failed')
  await server.send('POST', `/projects/root%2Fci/jobs/${(await jobs()).hand?.id}/play`)
  await statusOf('hand').toBe('success')
  const before = (await jobs()).fails?.id
  await server.send('POST', `/projects/root%2Fci/jobs/${before}/retry`)
  await expect.poll(async () => (await jobs()).fails?.id !== before && (await jobs()).fails?.status, { timeout: 120_000 }).toBe('failed')
})

test('a canceled job ends, and SIGTERM ends the runner after its jobs', {
  ...inFullRun('8 s of processor. `runner.test.ts` cancels a job, and ends a runner with its jobs.'),
  ...ofRunner,
}, async () => {
  await server.send('POST', `/projects/root%2Fci/jobs/${(await jobs()).endless?.id}/play`)
  await expect.poll(() => traceOf('endless'), { timeout: 120_000 }).toContain('\nbegun')
  const ended = new Promise((resolve) => runner.once('exit', resolve))
  runner.kill('SIGTERM')
  await expect.poll(() => printed).toContain('waits for its jobs')
  await server.send('POST', `/projects/root%2Fci/jobs/${(await jobs()).endless?.id}/cancel`)
  expect(await ended).toBe(0)
  expect(printed).toContain('(endless) of project')
  expect(await gitstead('verify')).toContain('is valid')
  expect(await gitstead('unregister', '--all')).toContain('deleted')
})
