/** Git by way of the SSH server of the machine: the real sshd finds our keys, by file or by command, and runs our shell for them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { publicKey } from '../../support/fixtures/ssh-keys.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../support/forge.ts'
import { freePort } from '../../support/free-port.ts'
import { type GitResult, git, tryGit } from '../../support/git.ts'
import { gitsteadProgram } from '../../support/program.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { clientOptions, hasSsh, type KeyPair, keyPair, withKey } from '../../support/ssh.ts'
import { clone, commit } from '../git/wire.ts'

cpuBudget(6, 'A process for each command and each key that OpenSSH asks for.')

const exec = promisify(execFile)
const program = '/usr/sbin/sshd'
const hasServer = hasSsh && existsSync(program)
const isRoot = process.getuid?.() === 0
/** The account that runs the tests: Gitstead and its shell must run as the one that signs in. */
const account = userInfo().username

let forge: Forge
let ada: TestUser
let key: KeyPair
let key_id: number
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  const { home, database_url } = forge.app.config
  if (database_url !== null) await writeFile(join(home, 'gitstead.env'), `GITSTEAD_DATABASE_URL=${database_url}\n`)
  ada = await forge.user({ username: 'ada' })
  project = await forge.project({ developer: ada })
  if (!hasSsh) return
  key = await keyPair()
  key_id = (await forge.as(ada).post('/user/keys', { title: 'Laptop', key: key.line })).body.id
  await forge.drain()
})

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

async function run(file: string, args: string[], env?: Record<string, string>, input = ''): Promise<Outcome> {
  const running = exec(file, args, { ...(env && { env }), timeout: 60_000 })
  running.child.stdin?.on('error', () => {}).end(input)
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

const gitstead = async (args: string[], env: Record<string, string> = {}) => {
  const [node, main] = await gitsteadProgram()
  return run(node, [main, ...args], { PATH: process.env.PATH ?? '', GITSTEAD_HOME: forge.app.config.home, ...env })
}

describe('gitstead authorized-keys', () => {
  test(
    'prints the line of a key that is known, for its account; of any other nothing, which is no error',
    inFullRun('1 s of processor. Git clones and pushes by an sshd that asks it, below.'),
    async () => {
      const line = publicKey()
      const { body } = await forge.as(ada).post('/user/keys', { title: 'Desk', key: line })
      const [type = '', base64 = ''] = line.split(' ')
      const known = await gitstead(['authorized-keys', 'git', type, base64])
      expect(known).toEqual({
        code: 0,
        stderr: '',
        stdout: expect.stringMatching(/^command="env GITSTEAD_HOME=[^\n]*",restrict [^\n]*\n$/),
      })
      expect(known.stdout).toMatch(new RegExp(` shell key-${body.id}",restrict ${line.replaceAll('+', '\\+')} key-${body.id}\n$`))
      const [otherType = '', other = ''] = publicKey().split(' ')
      const nothing = { code: 0, stdout: '', stderr: '' }
      const asked = [
        ['git', otherType, other],
        ['root', type, base64],
        ['git', type, 'garbage'],
      ]
      expect(await Promise.all(asked.map((args) => gitstead(['authorized-keys', ...args])))).toEqual(asked.map(() => nothing))
    },
  )
})

describe('gitstead shell', () => {
  test(
    'serves nobody whose key is unknown, gone or malformed, and no data folder that is none',
    inFullRun('1 s of processor. The line of a key that is unknown is empty, below.'),
    async () => {
      const blocked = await forge.user()
      const { body } = await forge.as(blocked).post('/user/keys', { title: 'x', key: publicKey() })
      await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute()
      const env = { SSH_ORIGINAL_COMMAND: `git-upload-pack '${project.full_path}.git'` }
      const unknown = { code: 1, stdout: '', stderr: 'Gitstead: This key is not known any more, or may not be used.\n' }
      const empty = await forge.folder()
      const outcomes = await Promise.all([
        gitstead(['shell', 'key-999999'], env),
        gitstead(['shell', `key-${body.id}`], env),
        gitstead(['shell', 'key-1; id'], env),
        gitstead(['shell', 'key-1'], { ...env, GITSTEAD_HOME: empty, GITSTEAD_DATABASE_URL: '' }),
      ])
      expect(outcomes).toEqual([
        unknown,
        unknown,
        { code: 1, stdout: '', stderr: 'gitstead: key-1; id is not a key name like key-1\n' },
        { code: 1, stdout: '', stderr: `gitstead: no Gitstead data in ${empty}; GITSTEAD_HOME must name the data folder\n` },
      ])
    },
  )
})

const servers = new Set<ChildProcess>()
const privileges = '/run/sshd'
let madePrivileges = false

afterAll(async () => {
  for (const server of servers) server.kill()
  if (madePrivileges) await rmdir(privileges)
})

/** An sshd of our own, with these lines in its configuration. Gives back its port. */
async function startServer(...lines: string[]): Promise<number> {
  if (isRoot && !existsSync(privileges)) {
    await mkdir(privileges, { mode: 0o755 })
    madePrivileges = true
  }
  const port = await freePort()
  const config = join(await forge.folder(), 'sshd_config')
  const common = `
Port ${port}
ListenAddress 127.0.0.1
HostKey ${(await keyPair()).file}
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
AcceptEnv GIT_PROTOCOL
`
  await writeFile(config, `${common}${lines.join('\n')}\n`)
  const server = spawn(program, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  servers.add(server)
  let said = ''
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(`sshd did not start: ${said}`)))
    server.stderr?.on('data', (text: Buffer) => {
      said += text
      if (said.includes('Server listening')) resolve()
    })
  })
  return port
}

/** The file of keys, with the compiled program in each line: by the loader of its sources every command takes seconds of processor. */
async function copyKeys(file: string): Promise<void> {
  const lines = await readFile(forge.app.config.authorized_keys, 'utf8')
  const program = (await gitsteadProgram()).join(' ')
  await writeFile(file, lines.replace(/(GITSTEAD_HOME=\S+) .+? shell /g, `$1 ${program} shell `), { mode: 0o600 })
}

const remoteOf = (port: number, { full_path } = project) => `ssh://${account}@127.0.0.1:${port}/${full_path}.git`
const refsOf = ({ dir }: TestProject) => git(dir, 'for-each-ref', '--format=%(refname) %(objectname)')

function ssh(port: number, options: string[], command: string[] = [], input = ''): Promise<Outcome> {
  return run('ssh', ['-p', String(port), ...clientOptions(key.file), ...options, `${account}@127.0.0.1`, ...command], undefined, input)
}

function push(dir: string, port: number, ...refs: string[]): Promise<GitResult> {
  return tryGit(dir, ...withKey(key), 'push', '--quiet', remoteOf(port), ...refs)
}

/** Clones, pushes a branch, and finds everywhere what a push leaves. */
async function expectRoundTrip(port: number, branch: string): Promise<void> {
  const dir = await clone(remoteOf(port), ...withKey(key).map((option) => (option === '-c' ? '--config' : option)))
  const id = await commit(dir, { 'a.txt': branch })
  expect(await push(dir, port, `HEAD:refs/heads/${branch}`)).toMatchObject({ code: 0, stderr: '' })
  const { body } = await forge.as(ada).get(`/projects/${project.id}/repository/branches/${branch}`)
  expect(body.commit.id).toBe(id)
  const events = await forge.app.db.selectFrom('events').selectAll().where('project_id', '=', project.id).orderBy('id', 'desc').execute()
  expect(events[0]).toMatchObject({ author_id: ada.id, ref: `refs/heads/${branch}`, after_oid: id })
}

describe.skipIf(!hasServer || engine === 'postgres')('with the authorized_keys file (needs sshd)', () => {
  let port: number
  let keys: string

  beforeAll(async () => {
    keys = join(await forge.folder(), 'authorized_keys')
    await copyKeys(keys)
    port = await startServer(`AuthorizedKeysFile ${keys}`)
  })

  test('git clones and pushes, with every effect a push has, and the use of the key is noted', async () => {
    await expectRoundTrip(port, 'by-file')
    expect((await forge.as(ada).get(`/user/keys/${key_id}`)).body.last_used_at).toMatch(/^\d{4}-/)
  })

  test(
    'a push to a protected branch is rejected with the same message as over every protocol, and nothing moves',
    inFullRun('5 s of processor. ssh.test.ts and protection.test.ts push to it by our own server.'),
    async () => {
      const before = await refsOf(project)
      const dir = await clone(await forge.remote(project, ada))
      await commit(dir, { 'b.txt': 'b' })
      const { code, stderr } = await push(dir, port, 'HEAD:main')
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('remote: Gitstead: You are not allowed to push code to protected branches on this project.'),
      ])
      expect(await refsOf(project)).toBe(before)
    },
  )

  test(
    'without a command one is greeted by name, and gets no terminal',
    inFullRun('2 s of processor: a process for each. The round trip above goes by the same server.'),
    async () => {
      expect(await ssh(port, ['-T'])).toEqual({ code: 0, stdout: '', stderr: 'Welcome to Gitstead, @ada!\n' })
      expect(await ssh(port, ['-tt'])).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^PTY allocation request failed/) })
    },
  )

  test(
    'a command that is not of git is refused, and nothing of it runs',
    inFullRun('2 s of processor. ssh-hostile.test.ts sends such commands to the built-in server, which has the same parser.'),
    async () => {
      const target = join(await forge.folder(), 'target')
      const outcome = await ssh(port, [], [`git-upload-pack '${project.full_path}.git'; touch ${target}`])
      expect(outcome).toEqual({
        code: 128,
        stdout: '',
        stderr: 'Gitstead runs no other commands than those of git, on paths like group/project.git.\n',
      })
      expect(existsSync(target)).toBe(false)
    },
  )

  test(
    'the protocol a client asks for reaches git',
    inFullRun('2 s of processor. ssh.test.ts asks it of the built-in server.'),
    async () => {
      const options = ['-o', 'SetEnv=GIT_PROTOCOL=version=2']
      const { stdout } = await ssh(port, options, [`git-upload-pack '${project.full_path}.git'`], '0000')
      expect(stdout).toContain('version 2')
    },
  )

  test(
    'a key that was deleted opens nothing, even before the file says so',
    inFullRun('2 s of processor. The shell refuses an unknown key above.'),
    async () => {
      const fresh = await keyPair()
      const { body } = await forge.as(ada).post('/user/keys', { title: 'Stolen', key: fresh.line })
      await forge.drain()
      await copyKeys(keys)
      await forge.app.db.deleteFrom('ssh_keys').where('id', '=', body.id).execute()
      const { code, stderr } = await tryGit(project.dir, ...withKey(fresh), 'ls-remote', remoteOf(port))
      expect([code, stderr]).toEqual([128, expect.stringContaining('Gitstead: This key is not known any more, or may not be used.')])
    },
  )

  test(
    'disabling SSH in the settings disables this server too',
    inFullRun('2 s of processor. ssh.test.ts asks the built-in server, which has the same rule.'),
    async () => {
      const only = (value: string | null) => forge.as(forge.root).put('/application/settings', { enabled_git_access_protocol: value })
      onTestFinished(() => void only(null))
      await only('http')
      const { code, stderr } = await tryGit(project.dir, ...withKey(key), 'ls-remote', remoteOf(port))
      expect([code, stderr]).toEqual([128, expect.stringContaining('Gitstead: Git access over SSH is not allowed.')])
    },
  )
})

// The tests above have already covered the differences between databases.
describe.skipIf(!hasServer || !isRoot || engine === 'postgres')('with an AuthorizedKeysCommand (needs sshd, and root to start it)', () => {
  test(
    'git clones and pushes by a key that stands in no file, and strangers come in by none',
    inFullRun('6 s of processor. The command is called alone above, and the round trip is made by the file of keys.'),
    async () => {
      const words = [
        '/usr/bin/env',
        `GITSTEAD_HOME=${forge.app.config.home}`,
        ...(await gitsteadProgram()),
        'authorized-keys',
        '--account',
        account,
        '%u',
        '%t',
        '%k',
      ]
      const port = await startServer(
        'AuthorizedKeysFile none',
        `AuthorizedKeysCommand ${words.join(' ')}`,
        `AuthorizedKeysCommandUser ${account}`,
      )
      await expectRoundTrip(port, 'by-command')
      const stranger = await keyPair()
      const { code, stderr } = await tryGit(project.dir, ...withKey(stranger), 'ls-remote', remoteOf(port))
      expect([code, stderr]).toEqual([128, expect.stringContaining('Permission denied (publickey)')])
    },
  )
})
