/** The runner against a small server of its protocol: what it asks, how it runs jobs, and what it reports. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crc32, gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { cpuBudget } from '../../test/support/run/cpu.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import { openRunnerServer, type RunnerServer } from '../../test/support/runner-server.ts'
import { readRunners } from './config.ts'
import { register, unregister, verify } from './register.ts'
import { startRunner } from './serve.ts'
import { probeSandbox } from './shell/sandbox.ts'

cpuBudget(7, 'A process for each job.')

let folder: string
let server: RunnerServer
let home: string
let running: Awaited<ReturnType<typeof startRunner>> | null = null
const printed: string[] = []
const print = (line: string) => void printed.push(line)
const hasSandbox = (await probeSandbox()) === null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gitstead-runner-'))
})
beforeEach(async () => {
  home = await mkdtemp(join(folder, 'home-'))
  // One for each test: a request that a stopped runner has sent would take the first job of the next.
  server = await openRunnerServer(join(folder, 'repositories'))
  printed.length = 0
})
afterEach(async () => {
  running?.stop()
  await running?.finished
  running = null
  await server.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Wanted {
  concurrent?: number
  allowNetwork?: boolean
  max_trace_bytes?: number
  withoutSandbox?: boolean
}

async function start(wanted: Wanted = {}): Promise<void> {
  if (readRunners(home).length === 0) await registerHere()
  running = await startRunner(runOptions(wanted))
}

function runOptions(wanted: Wanted = {}) {
  return {
    ...{ home, concurrent: 1, allowNetwork: false, withoutSandbox: !hasSandbox, read_paths: [], max_trace_bytes: 4_000_000 },
    ...{ check_interval_ms: 20, report_interval_ms: 50, print },
    ...wanted,
  }
}

const options = { run_untagged: true, locked: false, paused: false }
const registerHere = (token = 'registration') => register({ home, url: server.url, token, name: 'here', ...options }, print)

let count = 0
function payload(
  given: { script?: string[]; after?: string[]; files?: Record<string, string>; variables?: object[] } & Record<string, unknown>,
) {
  const { script = ['true'], after, files = { 'hello.txt': 'hello\n' }, variables = [], ...rest } = given
  const { repo_url, sha } = server.repository(`group/project-${++count}`, files)
  return {
    allow_git_fetch: true,
    job_info: { name: 'build', stage: 'test', project_id: count, project_name: 'project' },
    git_info: {
      repo_url: repo_url.replace('://', '://gitlab-ci-token:unused@'),
      ref: 'main',
      sha,
      ref_type: 'branch',
      refspecs: [],
      depth: 0,
    },
    runner_info: { timeout: 600 },
    variables,
    steps: [{ name: 'script', script }, ...(after ? [{ name: 'after_script', script: after }] : [])],
    features: { trace_sections: true, failure_reasons: ['script_failure', 'runner_system_failure', 'job_execution_timeout'] },
    ...rest,
  }
}

const variable = (key: string, value: string, more = {}) => ({ key, value, public: true, file: false, masked: false, raw: false, ...more })
const unzipped = (content: Buffer) => {
  const file = join(folder, `archive-${++count}.zip`)
  writeFileSync(file, content)
  return execFileSync('unzip', ['-Z1', file]).toString().trim().split('\n')
}

test('registers by a registration token, verifies, keeps the token to its owner, and deletes itself', async () => {
  await registerHere()
  const [entry] = readRunners(home)
  expect(entry).toMatchObject({ id: 7, token: 'own-token', isCreatedHere: true, url: server.url })
  expect(statSync(join(home, 'config.json')).mode & 0o777).toBe(0o600)
  expect(server.requests[0]?.body).toMatchObject({
    token: 'registration',
    description: 'here',
    run_untagged: true,
    info: { executor: 'shell' },
  })
  expect(await verify(home, print)).toBe(true)
  await unregister(home, { all: true }, print)
  expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/runners', body: { token: 'own-token' } })
  expect(readRunners(home)).toEqual([])
  expect(printed.join('\n')).not.toContain('own-token')
})

test('takes a runner that was created at the server, and only forgets it', async () => {
  await registerHere('glrt-made')
  expect(server.requests.map(({ path }) => path)).toEqual(['/runners/verify'])
  await unregister(home, { name: 'here', all: false }, print)
  expect(server.requests).toHaveLength(1)
  await expect(registerHere('wrong')).rejects.toThrow('does not know this token')
  await expect(register({ home, url: 'ftp://x', token: 'x', ...options }, print)).rejects.toThrow('--url must be')
})

test('runs a script with its variables and reports trace, checksum and result', async () => {
  const variables = [variable('NAME', 'World'), variable('GREETING', 'Hello $NAME'), variable('RAW', '$NAME', { raw: true })]
  const secrets = [variable('SECRET', 'top-secret-value', { masked: true }), variable('CERT', 'content', { file: true })]
  const script = [
    'cat hello.txt',
    'echo "$GREETING, $RAW"',
    'echo one\necho two',
    'stat -c %a "$CERT"; cat "$CERT"',
    'echo "<$SECRET>"',
    'pwd',
    'git status --short',
  ]
  const job = server.queue(payload({ script, variables: [...variables, ...secrets], after: ['echo "after: $CI_JOB_STATUS"'] }))
  await start()
  const result = await job.result
  const trace = job.trace.toString()
  expect(result, trace).toMatchObject({ state: 'success', exit_code: 0, token: job.token })
  expect(result.output).toEqual({ checksum: `crc32:${crc32(job.trace).toString(16).padStart(8, '0')}`, bytesize: job.trace.length })
  expect(trace).toContain('\x1b[32;1m$ cat hello.txt\x1b[0;m\nhello\n')
  expect(trace).toContain('Hello World, $NAME\n')
  expect(trace).toContain('$ echo one # collapsed multi-line command\x1b[0;m\none\ntwo\n')
  expect(trace).toContain('600\ncontent')
  expect(trace).toContain('<[MASKED]>')
  expect(trace).toContain('after: success')
  const marks = trace.replaceAll('\x1b', 'ESC').replaceAll('\r', 'CR').replace(/:\d+:/g, ':TIME:')
  expect(marks).toContain('section_start:TIME:get_sourcesCRESC[0KESC[0KESC[36;1mGetting source from Git repositoryESC[0;m\n')
  expect(marks).toContain('section_end:TIME:step_scriptCR')
  expect(trace).toContain('Job succeeded')
  expect(trace).not.toContain(job.token)
  expect(trace).not.toContain('top-secret-value')
  const request = server.requests.find(({ path }) => path === '/jobs/request')
  expect(request?.body).toMatchObject({
    token: 'own-token',
    system_id: expect.stringMatching(/^r_[0-9a-f]{12}$/),
    info: { name: 'gitstead-runner' },
  })
})

test('keeps the token out of the configuration of git, and nothing of the job but its work tree', async () => {
  const script = ['cat .git/config', 'git config --list --show-origin | grep -v command', 'echo file > left.txt']
  const job = server.queue(payload({ script }))
  await start()
  expect(await job.result, job.trace.toString()).toMatchObject({ state: 'success' })
  running?.stop()
  await running?.finished
  const [key = ''] = readdirSync(join(home, 'builds'))
  const [slot = ''] = readdirSync(join(home, 'builds', key))
  expect(spawnSync('grep', ['-rlF', job.token, home]).stdout.toString()).toBe('')
  expect(readdirSync(join(home, 'builds', key, slot))).toEqual(['group'])
  expect(readdirSync(join(home, 'jobs'))).toEqual([])
})

test('a command that fails ends the script with its status; after_script runs all the same', async () => {
  const job = server.queue(payload({ script: ['echo before', 'exit 3', 'echo never'], after: ['echo "after: $CI_JOB_STATUS"', 'false'] }))
  await start()
  const result = await job.result
  const trace = job.trace.toString()
  expect(result, trace).toMatchObject({ state: 'failed', failure_reason: 'script_failure', exit_code: 3 })
  expect(trace).toContain('after: failed')
  expect(trace).not.toContain('echo never\x1b[0;m\nnever')
  expect(trace).toContain('ERROR: Job failed: exit status 3')
})

test('uploads artifacts by paths, exclusions and reports, and extracts those of earlier jobs', async () => {
  const script = [
    'mkdir -p out/sub',
    'echo a > out/a.txt',
    'echo b > out/sub/b.log',
    'ln -s /etc/passwd out/link',
    'echo "<xml/>" > junit.xml',
    'echo x > new.txt',
    'ln -s /etc folder',
  ]
  const artifacts = [
    {
      name: 'kept-$CI_JOB_NAME',
      paths: ['out/', 'none', '/etc/passwd', 'folder/passwd'],
      exclude: ['out/**/*.log'],
      untracked: false,
      when: 'on_success',
      artifact_type: 'archive',
      artifact_format: 'zip',
      expire_in: '1 week',
    },
    { name: 'junit.xml', paths: ['junit.xml'], when: 'always', artifact_type: 'junit', artifact_format: 'gzip', expire_in: '' },
    { name: '', paths: ['out'], when: 'on_failure', artifact_type: 'archive', artifact_format: 'zip', expire_in: '' },
  ]
  const first = server.queue(payload({ script, artifacts, variables: [variable('CI_JOB_NAME', 'build')] }))
  await start()
  expect(await first.result, first.trace.toString()).toMatchObject({ state: 'success' })
  expect(first.uploads.map(({ filename, query }) => [filename, query.get('artifact_type'), query.get('expire_in')])).toEqual([
    ['kept-build.zip', 'archive', '1 week'],
    ['junit.xml.gz', 'junit', null],
  ])
  const [archive, report] = first.uploads
  expect(unzipped(archive?.content ?? Buffer.alloc(0)).sort()).toEqual(['out/', 'out/a.txt', 'out/link', 'out/sub/'])
  expect(gunzipSync(report?.content ?? Buffer.alloc(0)).toString()).toBe('<xml/>\n')
  expect(first.trace.toString()).toContain('/etc/passwd: not below the project')

  const dependencies = [{ id: first.id, name: 'build', token: first.token, artifacts_file: { filename: 'a.zip', size: 1 } }]
  const second = server.queue(payload({ script: ['cat out/a.txt', 'readlink out/link', 'test ! -e junit.xml'], dependencies }))
  const result = await second.result
  expect(result, second.trace.toString()).toMatchObject({ state: 'success' })
  expect(second.trace.toString()).toContain('a\n')
})

test(
  'keeps caches by key, with fallbacks and policies',
  inFullRun('Half a second of processor. `with-server.test.ts` fills and reads a cache.'),
  async () => {
    const cache = { key: 'key-$NAME', paths: ['cached/'], policy: 'pull-push', untracked: false, when: 'on_success' }
    const variables = [variable('NAME', 'one')]
    const first = payload({ script: ['test ! -e cached', 'mkdir cached', 'echo kept > cached/file'], cache: [cache], variables })
    const job = server.queue(first)
    await start()
    expect(await job.result, job.trace.toString()).toMatchObject({ state: 'success' })
    const again = (more: object) => server.queue({ ...first, steps: [{ name: 'script', script: ['cat cached/file'] }], ...more })
    const hit = again({})
    expect(await hit.result, hit.trace.toString()).toMatchObject({ state: 'success' })
    const fallback = again({ cache: [{ ...cache, key: 'other', fallback_keys: ['key-one'], policy: 'pull' }] })
    expect(await fallback.result, fallback.trace.toString()).toMatchObject({ state: 'success' })
    expect(fallback.trace.toString()).toContain('Not uploading cache other due to policy')
    const miss = again({ cache: [{ ...cache, key: '../../../key-one' }] })
    expect(await miss.result).toMatchObject({ state: 'failed' })
  },
)

test(
  'goes on with the work tree of the job before, without what it left for git to run',
  inFullRun('Half a second of processor. Nothing of a job stays but its work tree, above.'),
  async () => {
    const first = payload({
      script: [
        'echo left > ignored.tmp',
        'git config core.fsmonitor "touch $PWD/evil"',
        'echo "touch $PWD/evil" > .git/hooks/post-checkout || { mkdir .git/hooks; echo "touch $PWD/evil" > .git/hooks/post-checkout; }',
        'chmod +x .git/hooks/post-checkout',
        'mkdir nested && git init -q nested',
      ],
    })
    const job = server.queue({ ...first, variables: [variable('GIT_CLEAN_FLAGS', 'none')] })
    await start()
    expect(await job.result, job.trace.toString()).toMatchObject({ state: 'success' })
    const script = ['cat ignored.tmp', 'test ! -e evil', 'test ! -e nested', 'test ! -e .git/hooks/post-checkout']
    const kept = server.queue({ ...first, steps: [{ name: 'script', script }], variables: [variable('GIT_CLEAN_FLAGS', 'none')] })
    expect(await kept.result, kept.trace.toString()).toMatchObject({ state: 'success' })
    const cleaned = server.queue({ ...first, steps: [{ name: 'script', script: ['test ! -e ignored.tmp'] }] })
    expect(await cleaned.result, cleaned.trace.toString()).toMatchObject({ state: 'success' })
    const none = server.queue({ ...first, steps: [{ name: 'script', script: ['true'] }], variables: [variable('GIT_STRATEGY', 'none')] })
    expect(await none.result, none.trace.toString()).toMatchObject({ state: 'success' })
    expect(none.trace.toString()).toContain('Skipping Git repository setup')
  },
)

test.skipIf(!hasSandbox)('a script sees its folder and the system, neither the network nor the files of others', async () => {
  const secret = join(folder, 'secret.txt')
  writeFileSync(secret, 'mine')
  const script = [
    `! cat ${secret}`,
    `! cat ${join(home, 'config.json')}`,
    '! touch /usr/here',
    '! cat /etc/shadow',
    `! bash -c 'exec 3<>/dev/tcp/127.0.0.1/${new URL(server.url).port}'`,
    'test -z "$GITSTEAD_TEST_LEAK"',
    'touch /tmp/mine',
    'test "$(ps -e 2>/dev/null | wc -l)" -lt 20',
  ]
  process.env.GITSTEAD_TEST_LEAK = 'leak'
  const job = server.queue(
    payload({ script, after: ['test -e /tmp/mine && echo kept'], variables: [variable('LD_PRELOAD', '/nowhere/evil.so')] }),
  )
  await start()
  delete process.env.GITSTEAD_TEST_LEAK
  expect(await job.result, job.trace.toString()).toMatchObject({ state: 'success' })
  expect(job.trace.toString()).toContain('kept')
  running?.stop()
  await running?.finished
  const script2 = [`bash -c 'exec 3<>/dev/tcp/127.0.0.1/${new URL(server.url).port}' && echo reached`]
  const open = server.queue(payload({ script: script2 }))
  await start({ allowNetwork: true })
  expect(await open.result, open.trace.toString()).toMatchObject({ state: 'success' })
})

test('ends a job that the server canceled, and one that takes too long', async () => {
  const canceled = server.queue(payload({ script: ['echo started', 'sleep 600'] }))
  await start()
  await expect.poll(() => canceled.trace.toString(), { timeout: 60_000 }).toContain('\nstarted')
  canceled.status = 'canceled'
  await expect.poll(() => printed.join('\n'), { timeout: 60_000 }).toContain('canceled')
  const slow = server.queue(payload({ script: ['sleep 600'], runner_info: { timeout: 1 } }))
  expect(await slow.result, slow.trace.toString()).toMatchObject({ state: 'failed', failure_reason: 'job_execution_timeout' })
  expect(slow.trace.toString()).toContain('execution took longer than 1 seconds')
  const unfetched = payload({ variables: [variable('GET_SOURCES_ATTEMPTS', '10')], runner_info: { timeout: 1 } })
  unfetched.git_info.sha = 'f'.repeat(40)
  expect(await server.queue(unfetched).result).toMatchObject({ state: 'failed', failure_reason: 'job_execution_timeout' })
})

test('the sources are fetched again while the server is away, as often as the job asks', async () => {
  let lost = 0
  server.intercept = (request) => request.url?.includes('/info/refs') === true && ++lost <= 2 && request.socket.destroy() !== undefined
  const patient = server.queue(payload({ variables: [variable('GET_SOURCES_ATTEMPTS', '3')] }))
  await start()
  expect(await patient.result, patient.trace.toString()).toMatchObject({ state: 'success' })
})

test(
  'resumes the trace after errors, and sends it again where the checksum is wrong',
  inFullRun('2 s of processor. The trace and its checksum are compared in the test of a script.'),
  async () => {
    let patches = 0
    let updates = 0
    server.intercept = (request, response) => {
      if (request.method === 'PATCH' && ++patches === 1) return request.socket.destroy() !== undefined
      if (request.method === 'PATCH' && patches === 2) return response.writeHead(500).end() !== undefined
      if (request.method === 'PUT' && ++updates === 1) {
        job.trace = job.trace.subarray(0, 10)
        return response.writeHead(412).end() !== undefined
      }
      return false
    }
    const job = server.queue(payload({ script: ['for i in $(seq 2000); do echo "line $i"; done'] }))
    await start()
    const result = await job.result
    expect(result.output).toEqual({ checksum: `crc32:${crc32(job.trace).toString(16).padStart(8, '0')}`, bytesize: job.trace.length })
    expect(job.trace.toString()).toContain('line 2000\n')
    expect(updates).toBeGreaterThan(1)
  },
)

test('bounds the trace, and runs as many jobs at once as allowed', async () => {
  const both = 'touch "$HOME/../../../$CI_JOB_ID" 2>/dev/null || true'
  const long = server.queue(payload({ script: ['head -c 200000 /dev/zero | tr "\\0" x', both] }))
  const other = server.queue(payload({ script: ['echo "slot $CI_CONCURRENT_ID"', 'sleep 0.2'] }))
  await start({ concurrent: 2, max_trace_bytes: 50_000 })
  expect(await long.result).toMatchObject({ state: 'success' })
  expect(long.trace.length).toBeLessThan(51_000)
  expect(long.trace.toString()).toContain('The log is longer than 50000 bytes')
  expect(await other.result, other.trace.toString()).toMatchObject({ state: 'success' })
})

test('stops after its jobs; told twice, it ends them as failures of the runner', async () => {
  const job = server.queue(payload({ script: ['echo started', 'sleep 600'] }))
  await start()
  await expect.poll(() => job.trace.toString(), { timeout: 60_000 }).toContain('\nstarted')
  running?.stop()
  running?.stop()
  await running?.finished
  expect(await job.result, job.trace.toString()).toMatchObject({ state: 'failed', failure_reason: 'runner_system_failure' })
  expect(existsSync(join(home, 'run.lock'))).toBe(false)
})

test(
  'fetches refspecs to a depth, submodules by the token, and an old commit of a branch that moved',
  inFullRun('1 s of processor. `with-server.test.ts` fetches a submodule by the token of the job.'),
  async () => {
    const part = server.repository('group/part', { 'part.txt': 'part\n' })
    const first = payload({ files: { 'a.txt': 'one\n' } })
    const { dir } = server.repository(`group/project-${count}`, { 'a.txt': 'two\n' })
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', dir, '--work-tree', `${dir}.tree`, ...args])
        .toString()
        .trim()
    writeFileSync(`${dir}.tree/.gitmodules`, '[submodule "part"]\n\tpath = part\n\turl = ../part.git\n')
    git('update-index', '--add', '--cacheinfo', `160000,${part.sha},part`)
    git('add', '.gitmodules')
    git('-c', 'user.name=ci', '-c', 'user.email=ci@example.com', 'commit', '-q', '-m', 'Add a submodule')
    const sha = git('rev-parse', 'HEAD')
    const info = { ...first.git_info, refspecs: ['+refs/heads/main:refs/remotes/origin/main'], depth: 1 }
    const script = ['git rev-list --count HEAD', 'cat a.txt', 'cat part/part.txt', 'cat part/.git']
    const variables = [variable('GIT_SUBMODULE_STRATEGY', 'recursive'), variable('GIT_SUBMODULE_DEPTH', '1')]
    const job = server.queue({ ...first, git_info: { ...info, sha }, steps: [{ name: 'script', script }], variables })
    await start()
    const trace = () => job.trace.toString()
    expect(await job.result, trace()).toMatchObject({ state: 'success' })
    expect(trace()).toContain('Fetching changes with git depth set to 1...')
    expect(trace()).toContain('\n1\n')
    expect(trace()).toContain('part\n')
    expect(spawnSync('grep', ['-rlF', job.token, join(home, 'builds')]).stdout.toString()).toBe('')
    const again = server.queue({ ...first, git_info: { ...info, sha }, steps: [{ name: 'script', script }], variables })
    expect(await again.result, again.trace.toString()).toMatchObject({ state: 'success' })
    const old = server.queue({
      ...first,
      git_info: info,
      steps: [{ name: 'script', script: ['grep one a.txt', 'test ! -e part/part.txt'] }],
    })
    expect(await old.result, old.trace.toString()).toMatchObject({ state: 'success' })
  },
)

test('two processes do not run in one folder, and none without anything registered', async () => {
  await expect(startRunner(runOptions())).rejects.toThrow('no runner is registered')
  await registerHere()
  writeFileSync(join(home, 'run.lock'), String(process.ppid))
  await expect(startRunner(runOptions())).rejects.toThrow('a runner already runs in')
  // A lock of a process that has ended is taken over.
  writeFileSync(join(home, 'run.lock'), '999999999')
  await start()
  expect(readFileSync(join(home, 'run.lock'), 'utf8')).toBe(String(process.pid))
})

/** A job that has left these files as artifacts, for jobs that depend on it. */
function leaving(content: Buffer) {
  const source = server.queue(payload({}))
  source.uploads.push({ query: new URLSearchParams(), filename: 'a.zip', content })
  return { source, dependencies: [{ id: source.id, name: 'build', token: source.token, artifacts_file: { filename: 'a.zip', size: 1 } }] }
}

/** An archive of a plain file, of one below a folder, and of one in git's own folder. */
function mixedArchive(): Buffer {
  const tree = join(folder, `mixed-${++count}`)
  for (const name of ['link/passwd', 'fine', '.git/config']) {
    mkdirSync(dirname(join(tree, name)), { recursive: true })
    writeFileSync(join(tree, name), 'x')
  }
  execFileSync('zip', ['-qr', 'all.zip', 'link', 'fine', '.git'], { cwd: tree })
  return readFileSync(join(tree, 'all.zip'))
}

test(
  'artifacts that can not be placed are left out',
  inFullRun('1 s of processor. An archive with a name that leaves the folder is refused below.'),
  async () => {
    const { source, dependencies } = leaving(mixedArchive())
    const prepared = payload({ script: ['rm -rf link; ln -s "$CI_PROJECT_DIR/.." link'] })
    const before = server.queue({ ...prepared, variables: [variable('GIT_CLEAN_FLAGS', 'none')] })
    const job = server.queue({
      ...prepared,
      steps: [{ name: 'script', script: ['test -e fine', 'test ! -e ../passwd'] }],
      dependencies,
      variables: [variable('GIT_CLEAN_FLAGS', 'none')],
    })
    await start()
    await Promise.all([source.result, before.result])

    expect(await job.result, job.trace.toString()).toMatchObject({ state: 'success' })
    expect(job.trace.toString()).toContain('link/passwd: not extracted')
    expect(job.trace.toString()).toContain('.git/config: not extracted')
  },
)

test('an archive with a name that leaves the folder is refused', async () => {
  const { source, dependencies } = leaving(hostileZip(mixedArchive()))
  const refused = server.queue(payload({ dependencies }))
  await start()
  await source.result

  expect(await refused.result, refused.trace.toString()).toMatchObject({ state: 'failed' })
})

/** Renames the entry to a path outside of the folder. The new name is as long as the old one, so that all offsets stay valid. */
function hostileZip(archive: Buffer): Buffer {
  return Buffer.from(archive.toString('latin1').replaceAll('link/passwd', '../../passw'), 'latin1')
}
