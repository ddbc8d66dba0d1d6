/** Every kind of token with the real git and git-lfs, over HTTP; and that the log names who it was and has no secret. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

const exec = promisify(execFile)
const installed = async (program: string, ...args: string[]) => (await exec(program, args).catch(() => null)) !== null
const lacking = engine !== 'sqlite' || !(await installed('git', 'lfs', 'version'))

let server: ServerProcess
let home: string
let log: string
const secrets: string[] = []
const content = randomBytes(50_000)

beforeAll(async () => {
  if (lacking) return
  home = await (await testForge()).folder()
  log = join(home, 'log')
  await writeFile(log, '')
  server = await startServer({ output: log, env: { GITSTEAD_LOG_LEVEL: 'info' } })
  await git(home, 'lfs', 'install')
})

afterAll(async () => {
  if (!lacking) await server.stop()
})

/** Real git with a home of its own, in which git-lfs is installed. Null where it succeeds. */
async function tryGit(cwd: string, ...args: string[]): Promise<string | null> {
  const name = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  }
  const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C.UTF-8', ...name }
  return exec('git', args, { cwd, env }).then(
    () => null,
    ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => stdout + stderr,
  )
}

async function git(cwd: string, ...args: string[]): Promise<void> {
  const failure = await tryGit(cwd, ...args)
  if (failure !== null) throw new Error(`git ${args[0]} failed: ${failure}`)
}

interface Credentials {
  login: string
  secret: string
}

async function created(path: string, body: Record<string, unknown>, login = 'any-name'): Promise<Credentials & { id: number }> {
  const answer = (await (await server.send('POST', path, body)).json()) as { id: number; username?: string; token: string }
  secrets.push(answer.token)
  return { id: answer.id, login: answer.username ?? login, secret: answer.token }
}

const remoteOf = (path: string, { login, secret }: Credentials) =>
  `${server.url.replace('://', `://${encodeURIComponent(login)}:${secret}@`)}/${path}.git`

/** The rights of credentials: to clone with the large file, and to push another one. */
async function rights(path: string, credentials: Credentials): Promise<[reading: boolean, writing: boolean]> {
  const folder = await (await testForge()).folder()
  const reading = (await tryGit(folder, 'clone', '--quiet', remoteOf(path, credentials), 'copy')) === null
  if (reading) expect((await readFile(join(folder, 'copy', 'big.bin'))).equals(content)).toBe(true)
  await git(folder, 'clone', '--quiet', remoteOf(path, { login: 'root', secret: server.token }), 'own')
  const own = join(folder, 'own')
  await writeFile(join(own, 'big.bin'), randomBytes(1_000))
  await git(own, 'commit', '--quiet', '--all', '--message', 'Change')
  return [reading, (await tryGit(own, 'push', remoteOf(path, credentials), `HEAD:refs/heads/${credentials.secret.slice(-10)}`)) === null]
}

/** A private project in the group, with a large file. */
async function project(namespace_id: number, group: string, name: string): Promise<{ id: number; path: string }> {
  const { id } = (await (await server.send('POST', '/projects', { name, namespace_id })).json()) as { id: number }
  const folder = await (await testForge()).folder()
  await git(folder, 'init', '--quiet', '--initial-branch=main')
  await git(folder, 'lfs', 'track', '*.bin')
  await writeFile(join(folder, 'big.bin'), content)
  await git(folder, 'add', '--all')
  await git(folder, 'commit', '--quiet', '--message', 'First')
  await git(folder, 'push', '--quiet', remoteOf(`${group}/${name}`, { login: 'root', secret: server.token }), 'main')
  return { id, path: `${group}/${name}` }
}

test.skipIf(lacking)(
  'each kind of token clones, pushes and moves large files as far as it may; the log names who, and no secret',
  { ...inFullRun('8 s of processor. access.test.ts and the matrix ask what tokens may do.'), timeout: 120_000 },
  async () => {
    const group = (await (await server.send('POST', '/groups', { name: 'Team', path: 'team' })).json()) as { id: number }
    const [own, other] = [await project(group.id, 'team', 'own'), await project(group.id, 'team', 'other')]
    const at = `/projects/${own.id}`
    const named = (scope: string) => ({ name: scope, scopes: [scope] })
    const root = 'root'
    const table: Array<[string, Credentials, string, [boolean, boolean]]> = [
      ['personal, write', await created('/user/personal_access_tokens', named('write_repository'), root), own.path, [true, true]],
      ['personal, read', await created('/user/personal_access_tokens', named('read_repository'), root), own.path, [true, false]],
      ['personal, API', await created('/user/personal_access_tokens', named('read_api'), root), own.path, [false, false]],
      ['project, write', await created(`${at}/access_tokens`, named('write_repository')), own.path, [true, true]],
      ['project, read', await created(`${at}/access_tokens`, named('read_repository')), own.path, [true, false]],
      ['project, elsewhere', await created(`${at}/access_tokens`, named('api')), other.path, [false, false]],
      ['group, write', await created(`/groups/${group.id}/access_tokens`, named('write_repository')), other.path, [true, true]],
      ['deploy', await created(`${at}/deploy_tokens`, named('read_repository')), own.path, [true, false]],
      ['deploy, elsewhere', await created(`${at}/deploy_tokens`, named('read_repository')), other.path, [false, false]],
      ['deploy, of the group', await created(`/groups/${group.id}/deploy_tokens`, named('read_repository')), other.path, [true, false]],
      ['expired', await created(`${at}/access_tokens`, { ...named('api'), expires_at: '2020-01-01' }), own.path, [false, false]],
      [
        'expired deploy',
        await created(`${at}/deploy_tokens`, { ...named('read_repository'), expires_at: '2020-01-01' }),
        own.path,
        [false, false],
      ],
    ]
    const revoked = await created(`${at}/access_tokens`, named('api'))
    await server.send('DELETE', `${at}/access_tokens/${revoked.id}`)
    table.push(['revoked', revoked, own.path, [false, false]])
    const found = []
    for (const [who, credentials, path] of table) found.push([who, await rights(path, credentials)])
    expect(found).toEqual(table.map(([who, , , expected]) => [who, expected]))
    await expectLogged()
  },
)

/** The log names the user or the deploy token of each request, and has no token. */
async function expectLogged(): Promise<void> {
  await server.stop()
  const text = await readFile(log, 'utf8')
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  for (const secret of secrets) expect(text).not.toContain(Buffer.from(`:${secret}`).toString('base64').slice(4, 40))
  const lines = text.split('\n').filter((line) => line.includes('git-upload-pack'))
  expect(lines.some((line) => line.includes('"user":"gitstead+deploy-token-'))).toBe(true)
  expect(lines.some((line) => /"user":"project_\d+_bot_/.test(line))).toBe(true)
}
