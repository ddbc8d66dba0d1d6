/** The command line, as somebody at a shell meets it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engine, type FreshDatabase, freshDatabase } from '../test/support/database.ts'
import { gitsteadProgram } from '../test/support/program.ts'
import { inFullRun, isGate } from '../test/support/run/tiers.ts'
import { findToken } from './access/tokens.ts'
import { signIn } from './access/users.ts'
import { openDatabase } from './db/database.ts'

let home: string
let database: FreshDatabase

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-main-'))
  database = await freshDatabase(home)
})

afterAll(async () => {
  await database.drop()
  await rm(home, { recursive: true })
})

async function gitstead(args: string[], env: Record<string, string> = {}, input = ''): Promise<{ code: number; out: string; err: string }> {
  const settings = { GITSTEAD_HOME: home, ...(database.url && { GITSTEAD_DATABASE_URL: database.url }), ...env }
  const [node, main] = await gitsteadProgram()
  return new Promise((resolve) => {
    const child = execFile(node, [main, ...args], { env: { PATH: process.env.PATH, ...settings } }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
    child.stdin?.end(input)
  })
}

test.runIf(engine === 'sqlite')('--help lists the commands and every setting', async () => {
  const { code, out } = await gitstead(['--help'])
  expect(code).toBe(0)
  for (const word of ['serve', 'migrate', 'admin', 'GITSTEAD_HOME', 'GITSTEAD_ROOT_TOKEN', 'GITSTEAD_LOG_LEVEL'])
    expect(out).toContain(word)
})

test('a user and a token made on the command line work; the first administrator’s secrets are the owner’s to read', async () => {
  const made = await gitstead(['admin', 'create-user', 'Ada', '--email', 'ada@example.com', '--password', 'difference-engine', '--admin'])
  expect(made).toEqual({ code: 0, out: 'Created user Ada with id 2.\n', err: '' })
  const token = await gitstead(['admin', 'create-token', 'ada', '--scopes', 'api,sudo', '--name', 'laptop', '--expires', '2999-12-31'])
  expect([token.code, token.out, token.err]).toEqual([0, expect.stringMatching(/^gst-[0-9a-f]{40}\n$/), ''])

  const db = openDatabase(database.location)
  expect(await findToken(db, token.out.trim())).toMatchObject({ user: { username: 'Ada', admin: true }, scopes: ['api', 'sudo'] })
  expect(await signIn(db, 'ada', 'difference-engine')).not.toBeNull()
  const secrets = join(home, 'root-secrets')
  const [, password = ''] = /PASSWORD=(.*)/.exec(await readFile(secrets, 'utf8')) ?? []
  expect(await signIn(db, 'root', password)).toMatchObject({ user: { id: 1, name: 'Administrator', admin: true } })
  await db.destroy()
  expect(((await stat(secrets)).mode & 0o777).toString(8)).toBe('600')
})

test(
  'a password is read from standard input where none is given',
  inFullRun('1 s of processor. Users are made on the command line above.'),
  async () => {
    const child = gitstead(['admin', 'create-user', 'grace', '--email', 'grace@example.com'], {}, 'nanoseconds in a wire\n')
    expect(await child).toMatchObject({ code: 0, err: '' })
    const db = openDatabase(database.location)
    expect(await signIn(db, 'grace', 'nanoseconds in a wire')).toMatchObject({ user: { username: 'grace', admin: false } })
    await db.destroy()
    expect(await gitstead(['admin', 'create-user', 'nobody', '--email', 'n@example.com'])).toMatchObject({
      code: 1,
      err: 'gitstead: no password given; write it to standard input\n',
    })
  },
)

// The engine has no part in these, and each starts a process.
const refused: Array<[string, string[], Record<string, string>, RegExp]> = [
  ['a user name already taken', ['admin', 'create-user', 'root', '--email', 'new@example.com', '--password', 'long-enough'], {}, /taken/],
  ['a missing option', ['admin', 'create-user', 'bob'], {}, /required option '--email/],
  ['an unknown user', ['admin', 'create-token', 'nobody-here'], {}, /^gitstead: there is no user nobody-here$/],
  ['an unknown scope', ['admin', 'create-token', 'root', '--scopes', 'api,all'], {}, /^gitstead: unknown scope all; the scopes are api, /],
  [
    'a date that is none',
    ['admin', 'create-token', 'root', '--expires', '2030-02-31'],
    {},
    /^gitstead: --expires must be a date such as 2030-12-31 \(got "2030-02-31"\)$/,
  ],
  ['a wrong setting', ['migrate'], { GITSTEAD_PORT: 'http' }, /^gitstead: GITSTEAD_PORT must be a number from 1 to 65535 \(got "http"\)$/],
]

// Each starts a process: the gate tries one that the command refuses, and one that the start does.
test.runIf(engine === 'sqlite').each(isGate ? refused.filter((_, at) => at % 5 === 0) : refused)(
  '%s is refused in a line, without a stack',
  async (_, args, env, line) => {
    const { code, out, err } = await gitstead(args, env)
    expect([code, out]).toEqual([1, ''])
    expect(err.trim()).toMatch(line)
    expect(err).not.toMatch(/\n {4}at /)
  },
)
