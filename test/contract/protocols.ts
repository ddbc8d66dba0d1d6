/** Every request of git, LFS and SSH that reaches a repository, and how to send it. */

import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { User } from '../../src/db/tables.ts'
import { lockFile } from '../../src/features/repository/lfs/locks.service.ts'
import type { Purpose, SshCaller } from '../../src/transport/access/access.ts'
import type { SshCommand } from '../../src/transport/ssh/command-line.ts'
import { runCommand } from '../../src/transport/ssh/run-command.ts'
import { lfsClient, uniqueFile } from '../support/fixtures/lfs.ts'
import { type TestProject, testForge } from '../support/forge.ts'

/** A client of one project, and its credentials. */
export interface Client {
  /** The user it acts for. */
  user: User
  /** The Authorization header; null without credentials. Undefined for a client that can't use HTTP. */
  header?: string | null
  /** The header of a client that was sent from SSH to HTTP for LFS only. */
  pass?: string
  /** Undefined for a client that can't use SSH. */
  caller?: SshCaller
}

/** `open`, or the status of the refusal. SSH has no statuses: its messages correspond to 403 and 404 of HTTP. */
export type Outcome = 'open' | number | string

export interface Protocol {
  name: string
  kind: 'git' | 'large files' | 'ssh'
  purpose: Purpose
  request: (project: TestProject, client: Client) => Promise<Outcome>
}

/** In every project of the test. */
export const large = uniqueFile()

const gitProtocols = (['git-upload-pack', 'git-receive-pack'] as const).flatMap((service): Protocol[] => {
  const purpose = service === 'git-upload-pack' ? 'read' : 'write'
  return [
    { name: `refs of ${service}`, kind: 'git', purpose, request: byHttp('GET', `info/refs?service=${service}`) },
    { name: service, kind: 'git', purpose, request: byHttp('POST', service, '0000', `application/x-${service}-request`) },
  ]
})

const named = { oid: large.oid, size: large.size }

/** By their names in `lfs.ts`. */
const lfsProtocols: Protocol[] = [
  largeFiles('POST objects/batch', 'read', 'objects/batch', { operation: 'download', objects: [named] }),
  largeFiles('POST objects/batch', 'write', 'objects/batch', { operation: 'upload', objects: [named] }),
  largeFiles('GET objects/:id', 'read', `objects/${large.oid}`),
  largeFiles('HEAD objects/:id', 'read', `objects/${large.oid}`),
  largeFiles('PUT objects/:id', 'write', `objects/${large.oid}`, large.content),
  largeFiles('POST objects/verify', 'write', 'objects/verify', named),
  largeFiles('GET locks', 'read', 'locks'),
  largeFiles('POST locks', 'write', 'locks', () => ({ path: freshPath() })),
  largeFiles('POST locks/verify', 'write', 'locks/verify', {}),
  {
    name: 'POST locks/:id/unlock',
    kind: 'large files',
    purpose: 'write',
    async request(project, client) {
      const { app } = await testForge()
      const { lock } = await lockFile(app, { project, user: client.user, level: 0 }, freshPath())
      return send(project, client, 'POST', `locks/${lock.id}/unlock`, {})
    },
  },
]

/** The purpose that each command of SSH needs; every new command must be listed here. */
const commands: Record<SshCommand['name'], Array<{ purpose: Purpose; operand?: string }>> = {
  'git-upload-pack': [{ purpose: 'read' }],
  'git-upload-archive': [{ purpose: 'read' }],
  'git-receive-pack': [{ purpose: 'write' }],
  'git-lfs-authenticate': [
    { purpose: 'read', operand: ' download' },
    { purpose: 'write', operand: ' upload' },
  ],
}

const sshProtocols = Object.entries(commands).flatMap(([name, uses]) =>
  uses.map(
    ({ purpose, operand = '' }): Protocol => ({
      name: `${name}${operand}`,
      kind: 'ssh',
      purpose,
      request: (project, { caller }) => bySsh(`${name} '${project.full_path}'${operand}`, caller as SshCaller),
    }),
  ),
)

export const protocols = [...gitProtocols, ...lfsProtocols, ...sshProtocols]

let counter = 0
const freshPath = () => `file${++counter}`

function byHttp(method: string, action: string, body?: string, type?: string): Protocol['request'] {
  return async (project, { header }) => {
    const { anonymous } = await testForge()
    const headers = { ...(header && { authorization: header }), ...(type && { 'content-type': type }) }
    return outcomeOf(await anonymous.request(method, `//${project.full_path}.git/${action}`, body, { headers }))
  }
}

function largeFiles(name: string, purpose: Purpose, action: string, body?: unknown): Protocol {
  const [method = ''] = name.split(' ')
  const request: Protocol['request'] = (project, client) =>
    send(project, client, method, action, typeof body === 'function' ? body() : body)
  return { name, kind: 'large files', purpose, request }
}

async function send(project: TestProject, { header, pass }: Client, method: string, action: string, body: unknown): Promise<Outcome> {
  return outcomeOf(await lfsClient(await testForge(), project, pass ?? header ?? null).send(method, action, body))
}

function outcomeOf({ status }: { status: number }): Outcome {
  return status === 200 || status === 201 ? 'open' : status
}

async function bySsh(line: string, caller: SshCaller): Promise<Outcome> {
  const { app } = await testForge()
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()]
  output.resume()
  // A flush packet ends a fetch and a push at once; an archive needs one argument before it.
  input.end(line.startsWith('git-upload-archive') ? '0012argument HEAD\n0000' : '0000')
  const status = await runCommand(app, caller, line, { input, output, errors, gone: new AbortController().signal, protocol: null })
  await finished(output.end())
  const said = String(errors.read() ?? '')
  if (status === 0 && said === '') return 'open'
  if (/could not be found\.$/m.test(said)) return 404
  return /not allowed|blocked|does not have write access|belongs to nobody|disabled for this project/.test(said) ? 403 : said
}
