import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { oidOf } from '../../support/fixtures/lfs.ts'
import { testForge } from '../../support/forge.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

cpuBudget(7, 'Git LFS pushes and clones, with a process for each step.')

const exec = promisify(execFile)
const installed = async (program: string, ...args: string[]) => (await exec(program, args).catch(() => null)) !== null
const lacking = engine !== 'sqlite' || !(await installed('git', 'lfs', 'version'))
const lackingSsh = lacking || !(await installed('ssh', '-V'))

let server: ServerProcess
let home: string

beforeAll(async () => {
  if (lacking) return
  server = await startServer()
  home = await (await testForge()).folder()
  await git(home, 'lfs', 'install')
  for (const name of ['ada', 'bob']) {
    const user = {
      name: `Name of ${name}`,
      username: name,
      email: `${name}@example.com`,
      password: 'correct-horse',
      skip_confirmation: true,
    }
    expect((await server.send('POST', '/users', user)).status).toBe(201)
  }
})

afterAll(async () => {
  if (!lacking) await server.stop()
})

interface Result {
  code: number
  said: string
}

/** Real git with a home of its own, in which git-lfs is installed. */
async function tryGit(cwd: string, ...args: string[]): Promise<Result> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    GIT_SSH_COMMAND: `ssh -i ${join(home, 'key')} -F none -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`,
    LC_ALL: 'C.UTF-8',
  }
  try {
    const { stdout, stderr } = await exec('git', args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })
    return { code: 0, said: stdout + stderr }
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string }
    return { code: typeof code === 'number' ? code : 1, said: stdout + stderr }
  }
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, said } = await tryGit(cwd, ...args)
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${said}`)
  return said.trim()
}

const folder = async () => (await testForge()).folder()

/** A project with ada and bob as members, and its addresses. */
async function makeProject(name: string, settings: Record<string, unknown> = {}) {
  const { id } = (await (await server.send('POST', '/projects', { name, ...settings })).json()) as { id: number }
  const users = (await (await server.send('GET', '/users')).json()) as Array<{ id: number; username: string }>
  for (const { id: user_id } of users.filter(({ username }) => username !== 'root')) {
    await server.send('POST', `/projects/${id}/members`, { user_id, access_level: 30 })
  }
  const as = (user: string) => server.remote(name).replace(/\/\/[^@]*@/, `//${user}:correct-horse@`)
  return { id, remote: server.remote(name), as, ssh: `ssh://git@127.0.0.1:${server.ssh_port}/root/${name}.git` }
}

/** A work tree whose .bin files are large ones. */
async function largeTree(files: Record<string, Buffer>): Promise<string> {
  const dir = await folder()
  await git(dir, 'init', '--quiet', '--initial-branch=main')
  await git(dir, 'lfs', 'track', '--lockable', '*.bin')
  await commit(dir, files)
  return dir
}

async function commit(dir: string, files: Record<string, Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    // A lockable file that isn't locked is read-only.
    await rm(join(dir, name), { force: true })
    await writeFile(join(dir, name), content)
  }
  await git(dir, 'add', '--all')
  await git(dir, 'commit', '--quiet', '--message', 'Change')
}

async function clone(remote: string): Promise<string> {
  const dir = await folder()
  await git(dir, 'clone', '--quiet', remote, dir)
  return dir
}

async function statisticsOf(id: number) {
  return ((await (await server.send('GET', `/projects/${id}?statistics=true`)).json()) as { statistics: Record<string, number> }).statistics
}

test.skipIf(lacking)('git-lfs over HTTP: large files are pushed, cloned, changed and pulled', async () => {
  const { id, remote } = await makeProject('over-http')
  const [big, small] = [randomBytes(30 * 1024 * 1024), randomBytes(1_000)]
  const dir = await largeTree({ 'big.bin': big, 'small.bin': small, 'plain.txt': Buffer.from('plain') })
  await git(dir, 'push', remote, 'main')

  const copy = await clone(remote)
  expect((await readFile(join(copy, 'big.bin'))).equals(big)).toBe(true)
  expect((await readFile(join(copy, 'small.bin'))).equals(small)).toBe(true)
  expect(await git(copy, 'cat-file', 'blob', 'HEAD:big.bin')).toContain(`oid sha256:${oidOf(big)}`)
  expect(await git(copy, 'lfs', 'fsck')).toContain('OK')
  expect((await statisticsOf(id)).lfs_objects_size).toBe(big.length + small.length)

  const next = randomBytes(5_000)
  await commit(dir, { 'small.bin': next })
  await git(dir, 'push', remote, 'main')
  await git(copy, 'pull', '--quiet')
  expect((await readFile(join(copy, 'small.bin'))).equals(next)).toBe(true)
  const { lfs_objects_size, storage_size, repository_size } = (await statisticsOf(id)) as Record<string, number>
  expect(lfs_objects_size).toBe(big.length + small.length + next.length)
  expect(storage_size).toBe((lfs_objects_size as number) + (repository_size as number))
})

test.skipIf(lacking)(
  'git-lfs takes a download up where it broke off',
  inFullRun('2 s of processor. Ranges are tested in src/http.'),
  async () => {
    const { remote } = await makeProject('resumed')
    const content = randomBytes(2 * 1024 * 1024)
    const oid = oidOf(content)
    await git(await largeTree({ 'big.bin': content }), 'push', remote, 'main')

    const copy = await folder()
    await git(
      copy,
      '-c',
      'filter.lfs.smudge=git-lfs smudge --skip -- %f',
      '-c',
      'filter.lfs.process=git-lfs filter-process --skip',
      'clone',
      '--quiet',
      remote,
      copy,
    )
    const partial = join(copy, '.git', 'lfs', 'incomplete', `${oid}.part`)
    await exec('mkdir', ['-p', join(copy, '.git', 'lfs', 'incomplete')])
    await writeFile(partial, content)
    await truncate(partial, 1024 * 1024 + 7)
    const trace = await exec('git', ['lfs', 'pull'], {
      cwd: copy,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_CURL_VERBOSE: '1',
        GIT_TRACE: '1',
      },
    })
    expect(trace.stderr).toContain(`Range: bytes=${1024 * 1024 + 7}-`)
    expect(trace.stderr).toContain('206 Partial Content')
    expect((await readFile(join(copy, 'big.bin'))).equals(content)).toBe(true)
  },
)

test.skipIf(lacking)(
  'a locked file is shown to all, pushed by nobody but its owner, and let go again',
  inFullRun('4 s of processor. features/repository/lfs-locks asks the same by the API.'),
  async () => {
    const { id, remote, as } = await makeProject('locked')
    const dir = await largeTree({ 'art.bin': randomBytes(100) })
    await git(dir, 'push', remote, 'main')
    await server.send('DELETE', `/projects/${id}/protected_branches/main`)
    const [ada, bob] = [await clone(as('ada')), await clone(as('bob'))]
    for (const copy of [ada, bob]) await git(copy, 'config', 'lfs.locksverify', 'true')

    await git(ada, 'lfs', 'lock', 'art.bin')
    expect(await git(bob, 'lfs', 'locks')).toMatch(/art\.bin\s+Name of ada\s+ID:\d+/)
    expect(await git(ada, 'lfs', 'locks', '--verify')).toMatch(/^O art\.bin/m)
    expect(await git(bob, 'lfs', 'locks', '--verify')).toMatch(/^art\.bin/m)
    const taken = await tryGit(bob, 'lfs', 'lock', 'art.bin')
    expect([taken.code, taken.said.includes('The file is locked already.')]).toEqual([2, true])

    await commit(bob, { 'art.bin': randomBytes(100) })
    const refused = await tryGit(bob, 'push', 'origin', 'main')
    expect([refused.code, refused.said.includes('Unable to push locked files'), refused.said.includes('art.bin - Name of ada')]).toEqual([
      1,
      true,
      true,
    ])
    const broken = await tryGit(bob, 'lfs', 'unlock', '--force', 'art.bin')
    expect([broken.code, broken.said]).toEqual([2, expect.stringContaining('only maintainers break the locks of others')])

    const fresh = randomBytes(100)
    await commit(ada, { 'art.bin': fresh })
    await git(ada, 'push', '--quiet', 'origin', 'main')
    await git(ada, 'lfs', 'unlock', 'art.bin')
    expect(await git(bob, 'lfs', 'locks')).toBe('')
    expect((await readFile(join(await clone(as('bob')), 'art.bin'))).equals(fresh)).toBe(true)
  },
)

test.skipIf(lackingSsh)(
  'git-lfs over SSH: it falls back from its own protocol, and pushes, clones and locks by a token',
  inFullRun('2 s of processor. It goes over HTTP above, and `src/transport/lfs` has what SSH answers.'),
  async () => {
    const { ssh } = await makeProject('over-ssh')
    await exec('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(home, 'key')])
    const key = (await readFile(join(home, 'key.pub'), 'utf8')).trim()
    expect((await server.send('POST', '/user/keys', { title: 'key', key })).status).toBe(201)
    const content = randomBytes(3 * 1024 * 1024)
    const dir = await largeTree({ 'big.bin': content })
    await git(dir, 'push', ssh, 'main')
    const copy = await clone(ssh)
    expect((await readFile(join(copy, 'big.bin'))).equals(content)).toBe(true)
    await git(copy, 'lfs', 'lock', 'big.bin')
    expect(await git(copy, 'lfs', 'locks', '--verify')).toMatch(/^O big\.bin\s+Administrator/m)
    await git(copy, 'lfs', 'unlock', 'big.bin')
  },
)

test.skipIf(lacking)(
  'where large files are disabled they are refused with the reason, and everything else is pushed',
  inFullRun('2 s of processor. The API of large files refuses the same.'),
  async () => {
    const { remote } = await makeProject('disabled', { lfs_enabled: false })
    const refused = await tryGit(await largeTree({ 'big.bin': randomBytes(100) }), 'push', remote, 'main')
    expect([refused.code, refused.said.includes('Git LFS is disabled for this project.')]).toEqual([1, true])

    const plain = await folder()
    await git(plain, 'init', '--quiet', '--initial-branch=main')
    await git(plain, 'lfs', 'install', '--local')
    await commit(plain, { 'plain.txt': Buffer.from('plain') })
    await git(plain, 'push', '--quiet', remote, 'main')
    expect((await readFile(join(await clone(remote), 'plain.txt'))).toString()).toBe('plain')
  },
)

test.skipIf(lacking)(
  'anybody clones the large files of a public project, without a name',
  inFullRun('1 s of processor. The round trip above clones them with a name; batch.test.ts asks for them without one.'),
  async () => {
    const { remote } = await makeProject('in-public', { visibility: 'public' })
    const content = randomBytes(1_000)
    await git(await largeTree({ 'big.bin': content }), 'push', remote, 'main')
    const copy = await clone(remote.replace(/\/\/[^@]*@/, '//'))
    expect((await readFile(join(copy, 'big.bin'))).equals(content)).toBe(true)
  },
)

test.skipIf(lacking)(
  'a clone of a file whose bytes the server never got says so',
  inFullRun('1 s of processor. objects.test.ts asks for bytes that the server never got.'),
  async () => {
    const { remote } = await makeProject('bytes-missing')
    const dir = await largeTree({ 'big.bin': randomBytes(100) })
    await git(dir, 'push', '--quiet', '--no-verify', remote, 'main')
    const copy = await folder()
    const refused = await tryGit(copy, 'clone', '--quiet', remote, copy)
    expect([refused.code !== 0, refused.said.includes('The project has no such object.')]).toEqual([true, true])
  },
)

const mebibyte = 1024 * 1024

/** So many times one mebibyte, and what it is called by. */
function manyMebibytes(count: number) {
  const block = randomBytes(mebibyte)
  const hash = createHash('sha256')
  for (let index = 0; index < count; index += 1) hash.update(block)
  return { block, count, oid: hash.digest('hex') }
}

/** Sends it piece by piece, as slowly as the server takes it; only `sent` pieces of it, and then waits, if that is said. */
async function upload(remote: string, { block, count, oid }: ReturnType<typeof manyMebibytes>, sent = count): Promise<number> {
  const { origin, pathname, username, password } = new URL(remote)
  const put = request(`${origin}${pathname}/info/lfs/objects/${oid}`, {
    method: 'PUT',
    auth: `${username}:${password}`,
    headers: { 'content-length': count * mebibyte },
  })
  const answered = new Promise<number>((resolve) => {
    put.once('response', (response) => resolve(response.resume().statusCode ?? 0))
    put.once('error', () => resolve(0))
  })
  for (let index = 0; index < sent; index += 1) await new Promise((resolve) => put.write(block, resolve))
  if (sent === count) put.end()
  return sent === count ? answered : 0
}

test.skipIf(lacking)(
  'a large file of 200 MB goes up and down through a server that hardly grows',
  inFullRun('4 s of processor. Small files go up and down above; only the full run looks at memory.'),
  async () => {
    const { remote } = await makeProject('heavy')
    const file = manyMebibytes(200)
    const before = await server.memory('VmRSS')
    expect(await upload(remote, file)).toBe(200)
    const { origin, pathname, username, password } = new URL(remote)
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const response = await fetch(`${origin}${pathname}/info/lfs/objects/${file.oid}`, { headers: { authorization } })
    const hash = createHash('sha256')
    for await (const chunk of response.body ?? []) hash.update(chunk)
    expect(hash.digest('hex')).toBe(file.oid)
    expect(((await server.memory('VmHWM')) - before) / mebibyte).toBeLessThan(80)
  },
)

test.skipIf(lacking)(
  'a server that is killed in the middle of an upload has nothing of it, and takes the next one',
  inFullRun('2 s of processor. crash.test.ts kills a server among pushes.'),
  async () => {
    let crashed = await startServer()
    try {
      await crashed.send('POST', '/projects', { name: 'crashed' })
      const file = manyMebibytes(20)
      await upload(crashed.remote('crashed'), file, 10)
      await crashed.kill()
      crashed = await startServer({ home: crashed.home })
      const objects = async () =>
        (await readdir(join(crashed.home, 'objects', 'lfs'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      expect(await objects()).toEqual([])
      expect(await upload(crashed.remote('crashed'), file)).toBe(200)
      expect(await objects()).toHaveLength(1)
    } finally {
      await crashed.stop()
    }
  },
)
