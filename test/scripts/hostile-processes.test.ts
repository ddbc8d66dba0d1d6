/** Two processes under attack: neither ends nor stands still, and what one of them takes from somebody the other doesn't serve any more. */
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { prepareDataFolder } from '../support/data-folder.ts'
import { testForge } from '../support/forge.ts'
import { readProc } from '../support/proc.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { type Answer, type Connection, connectionTo, serving, workersOf } from './workers.ts'

let server: ServerProcess
let workers: number[]
let connections: [Connection, Connection]

beforeAll(async () => {
  const home = await (await testForge()).folder()
  const database = await prepareDataFolder(home)
  atEndOfFile(() => database.drop())
  server = await startServer({ home, ...(database.url && { database_url: database.url }), env: { GITSTEAD_PROCESSES: '2' } })
  workers = await serving(server, 2)
  connections = [await connectionTo(server, workers[0] as number), await connectionTo(server, workers[1] as number)]
})

interface Someone {
  id: number
  token: string
  ask: (connection: Connection, method: string, path: string, body?: object) => Promise<Answer>
}

let users = 0

async function someone(): Promise<Someone> {
  const [root] = connections
  const username = `someone-${++users}`
  const fields = { username, name: username, email: `${username}@example.com`, password: 'a long password', skip_confirmation: true }
  const { id } = (await root.ask('POST', '/api/v4/users', fields)).body
  const { token } = (await root.ask('POST', `/api/v4/users/${id}/impersonation_tokens`, { name: 'x', scopes: ['api'] })).body
  return { id, token, ask: (connection, method, path, body) => connection.ask(method, path, body, { 'private-token': token }) }
}

/** Processor time of both processes in seconds, without their children. */
function used_s(): number {
  const ticks = workers.map((worker) => readProc(`${worker}/stat`).split(') ')[1]?.split(' ') ?? [])
  return ticks.reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0) / 100
}

async function peak_mib(worker: number): Promise<number> {
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${worker}/status`, 'utf8'))?.[1]) / 1024
}

/** A box of a picture in the format AVIF. */
function box(kind: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(kind, 4)
  return Buffer.concat([head, body])
}

const costly = '(a|[ab].{100}|.[ab]{100}){2}c'

test(
  'attacks of one user: each is answered, and together they take seconds',
  inFullRun('5 s of processor. Two servers under attack; each attack alone is tested where it is refused.'),
  async () => {
    const attacker = await someone()
    const [one, other] = connections
    const ask = (method: string, path: string, body?: object) => attacker.ask(one, method, `/api/v4${path}`, body)
    const { id } = (await ask('POST', '/projects', { name: 'attack', initialize_with_readme: true })).body
    const at = `/projects/${id}`
    const commit = (file_path: string, content: string, commit_message = 'x') =>
      ask('POST', `${at}/repository/commits`, { branch: 'main', commit_message, actions: [{ action: 'create', file_path, content }] })
    const size = box('ispe', Buffer.from('000000000000000400000003', 'hex'))
    const slow = box('meta', Buffer.alloc(4), box('iprp', box('ipco', Buffer.concat(Array<Buffer>(9_900).fill(size)))))
    const form = new FormData()
    form.append('avatar', new Blob([new Uint8Array(Buffer.concat([box('ftyp', Buffer.from('avif0000')), slow]))]), 'a.png')
    const { iid: issue, web_url } = (await ask('POST', `${at}/issues`, { title: 'x' })).body

    const denials: string[] = []
    const denied = async (asked: Promise<Answer>) => {
      const answer = await asked
      denials.push(answer.text)
      return answer
    }

    const attacks: Record<string, () => Promise<{ status: number }>> = {
      slashes: () => one.ask('DELETE', `/api/v4/x${'/'.repeat(15_000)}x`, undefined, {}),
      'a URL in a note': () => ask('POST', `${at}/issues/${issue}/notes`, { body: `${new URL(web_url).origin}/${')'.repeat(64_000)}a` }),
      'a key with spaces': () => ask('POST', '/user/keys', { title: 'x', key: `ssh-rsa AAAA${' '.repeat(500_000)}\nx` }),
      'a duplicate of nothing': () => ask('POST', `${at}/issues/${issue}/notes`, { body: `/duplicate ${'/issues/1'.repeat(100_000)} x` }),
      'a tag with spaces': async () => {
        const sha = (await ask('GET', `${at}/repository/commits/main`)).body.id
        return ask('POST', `${at}/repository/commits/${sha}/comments`, { note: `/tag v1${' '.repeat(500_000)}\u2028x` })
      },
      'a picture': () => fetch(`${server.url}/api/v4${at}`, { method: 'PUT', body: form, headers: { 'private-token': attacker.token } }),
      'push rules': async () => {
        await ask('POST', `${at}/push_rule`, { commit_message_negative_regex: costly, file_name_regex: costly })
        return denied(commit(`c${'ab'.repeat(120)}`, 'x', `c ${'ab é'.repeat(8_000)}`))
      },
      'a message that is signed off': async () => {
        await ask('PUT', `${at}/push_rule`, { commit_message_negative_regex: '', file_name_regex: '', reject_non_dco_commits: true })
        return denied(commit('signed', 'x', `Signed-off-by:${'<a@'.repeat(10_000)}`))
      },
      'an expression in a CI file': () =>
        ask('POST', `${at}/ci/lint`, {
          content: `a:\n  script: x\n  rules:\n    - if: $CI_COMMIT_MESSAGE =~ /${'(a?){1000}'.repeat(90)}/\n`,
        }),
      'a template of messages': async () => {
        await ask('PUT', at, { merge_commit_template: '%{all_commits}'.repeat(35) })
        return ask('PUT', at, { squash_commit_template: '%{__proto__}' })
      },
      'a deep state': () => ask('POST', `${at}/terraform/state/x`, { serial: 1, deep: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) }),
    }
    const before_s = used_s()
    const statuses: Record<string, number> = {}
    for (const [name, attack] of Object.entries(attacks)) statuses[name] = (await attack()).status
    const spent_s = used_s() - before_s

    // Each has reached what it attacks.
    expect(statuses).toEqual({
      slashes: 404,
      'a URL in a note': 201,
      'a key with spaces': 400,
      'a duplicate of nothing': 400,
      'a tag with spaces': 201,
      'a picture': 400,
      'push rules': 400,
      'a message that is signed off': 400,
      'an expression in a CI file': 200,
      'a template of messages': 200,
      'a deep state': 200,
    })
    expect(denials).toEqual(Array(2).fill(expect.stringContaining('push rules')))
    expect((await other.ask('GET', `/api/v4${at}`)).status).toBe(200)
    expect(await workersOf(server)).toEqual(workers)
    expect(spent_s).toBeLessThan(15)
    for (const worker of workers) expect(await peak_mib(worker)).toBeLessThan(600)
  },
)

test(
  'what is lost by one process is lost by the other with the next request',
  inFullRun('4 s of processor. Two servers; what a process keeps is tested by each kind of statement.'),
  async () => {
    for (const [one, other] of [connections, [connections[1], connections[0]] as const]) {
      const member = await someone()
      const root = (method: string, path: string, body?: object) => one.ask(method, `/api/v4${path}`, body)
      const project = (await root('POST', '/projects', { name: `lost-${users}`, initialize_with_readme: true })).body
      const at = `/projects/${project.id}`
      await root('POST', `${at}/members`, { user_id: member.id, access_level: 40 })
      const deploy = (await member.ask(one, 'POST', `/api/v4${at}/deploy_tokens`, { name: 'x', scopes: ['read_repository'] })).body
      const bot = (await member.ask(one, 'POST', `/api/v4${at}/access_tokens`, { name: 'x', scopes: ['api'], access_level: 40 })).body
      const trigger = (await member.ask(one, 'POST', `/api/v4${at}/triggers`, { description: 'x' })).body
      const git = (service: string, login: string, secret: string) =>
        other.ask('GET', `/${project.path_with_namespace}.git/info/refs?service=git-${service}-pack`, undefined, {
          authorization: `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`,
        })
      const opened = async () => {
        const answers = await Promise.all([
          member.ask(other, 'GET', `/api/v4${at}`),
          git('receive', 'x', member.token),
          git('upload', deploy.username, deploy.token),
          other.ask('GET', `/api/v4${at}`, undefined, { 'private-token': bot.token }),
          other.ask('POST', `/api/v4${at}/trigger/pipeline`, { token: trigger.token, ref: 'main' }, {}),
        ])
        return answers.map(({ status }) => status)
      }
      // There is no file for a pipeline: the trigger is refused for that as long as its token counts.
      const before = [200, 200, 200, 200, 400]
      expect(await opened()).toEqual(before)
      await root('POST', `/users/${member.id}/block`)
      expect(await opened()).toEqual([403, 403, 200, 200, 400])
      await root('POST', `/users/${member.id}/unblock`)
      expect(await opened()).toEqual(before)
      await root('PUT', `${at}/members/${member.id}`, { access_level: 10 })
      expect(await opened()).toEqual([200, 403, 200, 200, 400])
      await root('DELETE', `${at}/members/${member.id}`)
      expect(await opened()).toEqual([404, 404, 200, 200, 400])
      await root('DELETE', `${at}/deploy_tokens/${deploy.id}`)
      await root('DELETE', `${at}/access_tokens/${bot.id}`)
      await root('DELETE', `${at}/triggers/${trigger.id}`)
      expect(await opened()).toEqual([404, 404, 401, 401, 404])
    }
  },
)
