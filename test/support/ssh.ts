/** Git over SSH for tests: a server on a port of its own, keys of every kind, and the real client. */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ssh2, { type ClientChannel } from 'ssh2'
import { principalOfKey } from '../../src/access/principals.ts'
import { fingerprintsOf, parsePublicKey } from '../../src/access/ssh-keys.ts'
import { now } from '../../src/db/instants.ts'
import type { User } from '../../src/db/tables.ts'
import { findKeyHolderById } from '../../src/features/people/keys/keys.service.ts'
import type { SshCaller } from '../../src/transport/access/access.ts'
import type { SshLimits } from '../../src/transport/ssh/limits.ts'
import { listenForSsh, type SshServer } from '../../src/transport/ssh/server.ts'
import { copyHostKeys } from './data-folder.ts'
import { type Forge, testForge } from './forge.ts'
import { type GitResult, runProgram } from './git.ts'
import { atEndOfFile } from './run/cleanup.ts'

/** Tests with the real client are skipped where there is none. */
export const hasSsh = spawnSync('ssh', ['-V']).error === undefined && spawnSync('ssh-keygen', ['-?']).error === undefined

export interface SshHost {
  port: number
  server: SshServer
  /** `ssh://git@host:port/path.git` */
  remote: (project: { full_path: string } | string) => string
}

/** A server for the forge of the test file, with limits of its own. */
export async function sshHost(limits: Partial<SshLimits> = {}, forge?: Forge): Promise<SshHost> {
  const { app } = forge ?? (await testForge())
  await copyHostKeys(app.config.home)
  const server = await listenForSsh(app, { host: '127.0.0.1', port: 0, limits: { stop_ms: 5_000, ...limits } })
  atEndOfFile(() => server.close())
  return {
    port: server.port,
    server,
    remote: (project) => `ssh://git@127.0.0.1:${server.port}/${typeof project === 'string' ? project : project.full_path}.git`,
  }
}

export interface KeyPair {
  /** The file of the private half. */
  file: string
  /** The line of the public half. */
  line: string
}

/** As `ssh-keygen` makes it. */
export async function keyPair(type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519', bits?: number): Promise<KeyPair> {
  const file = join(await (await testForge()).folder(), 'key')
  const args = ['-q', '-t', type, ...(bits ? ['-b', String(bits)] : []), '-N', '', '-C', 'test', '-f', file]
  const made = await runProgram('ssh-keygen', dirname(file), args)
  if (made.code !== 0) throw new Error(`ssh-keygen: ${made.stderr}`)
  return { file, line: (await readFile(`${file}.pub`, 'utf8')).trim() }
}

/** Makes the key that of a user; or with `user` null one that opens what `enableKey` says. */
export async function addKey(line: string, user: User | null, maker: User | null = null): Promise<number> {
  const { app } = await testForge()
  const parsed = parsePublicKey(line)
  if (!parsed) throw new Error(`no key: ${line}`)
  const { blob, type, bits } = parsed.key
  const { sha256, md5 } = fingerprintsOf(blob)
  const { id } = await app.db
    .insertInto('ssh_keys')
    .values({
      kind: user ? 'user' : 'deploy',
      user_id: user?.id ?? null,
      creator_id: maker?.id ?? null,
      title: 'test',
      type,
      blob: blob.toString('base64'),
      comment: parsed.comment,
      bits,
      fingerprint_sha256: sha256,
      fingerprint_md5: md5,
      public: false,
      created_at: now(),
      last_used_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function removeKey(id: number): Promise<void> {
  const { app } = await testForge()
  await app.db.deleteFrom('deploy_key_projects').where('key_id', '=', id).execute()
  await app.db.deleteFrom('ssh_keys').where('id', '=', id).execute()
}

/** Lets a deploy key into a project. */
export async function enableKey(key_id: number, project: { id: number }, can_push: boolean): Promise<void> {
  const { app } = await testForge()
  await app.db.insertInto('deploy_key_projects').values({ key_id, project_id: project.id, can_push, created_at: now() }).execute()
}

/** Who comes with this key. */
export async function callerBy(id: number): Promise<SshCaller> {
  const holder = await findKeyHolderById((await testForge()).app, id)
  if (!holder) throw new Error(`nobody holds key ${id}`)
  return { principal: principalOfKey(holder), key: holder.key }
}

/** A user's key made and added at once. */
export async function keyOf(user: User): Promise<KeyPair> {
  const pair = await keyPair()
  await addKey(pair.line, user)
  return pair
}

const nobodysFiles = ['-F', 'none', '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'BatchMode=yes']

/** The arguments with which the real client signs in by this key alone. */
export function clientOptions(file: string): string[] {
  return [...nobodysFiles, '-o', 'LogLevel=ERROR', '-o', 'IdentityAgent=none', '-o', 'IdentitiesOnly=yes', '-i', file]
}

/** For `git -c …`: git that signs in by this key. */
export function withKey({ file }: KeyPair): string[] {
  return ['-c', `core.sshCommand=ssh ${clientOptions(file).join(' ')}`]
}

/** Runs the real client. */
export async function ssh(host: SshHost, options: string[], ...command: string[]): Promise<GitResult> {
  return runClient(['-p', String(host.port), ...options, 'git@127.0.0.1', ...command])
}

/** With an agent of one's own: by none of the files of whoever runs the tests. */
export async function sshWithAgent(host: SshHost, socket: string, ...command: string[]): Promise<GitResult> {
  const options = [...nobodysFiles, '-T', '-o', `IdentityAgent=${socket}`, '-o', 'IdentityFile=none']
  return runClient(['-p', String(host.port), ...options, 'git@127.0.0.1', ...command])
}

function runClient(args: string[]): Promise<GitResult> {
  return runProgram('ssh', tmpdir(), args)
}

/** A client that says what no client of good will would; signed in. */
export async function rawClient(host: { port: number }, { file }: KeyPair, options: ssh2.ConnectConfig = {}): Promise<ssh2.Client> {
  const client = new ssh2.Client()
  const privateKey = await readFile(file)
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject)
    client.connect({ host: '127.0.0.1', port: host.port, username: 'git', privateKey, ...options })
  })
  client.on('error', () => {})
  return client
}

export interface RawResult {
  status: number | null
  stdout: string
  stderr: string
}

/** Sends one command and waits for its end. */
export async function rawCommand(client: ssh2.Client, command: string, options: ssh2.ExecOptions = {}): Promise<RawResult> {
  return resultOf(await rawChannel(client, command, options), '')
}

/** What each ended with, which may come together with the news that it has begun. */
const statuses = new WeakMap<ClientChannel, number>()

export function rawChannel(client: ssh2.Client, command: string, options: ssh2.ExecOptions = {}): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, options, (error, channel) => {
      if (error) return reject(error)
      channel.on('exit', (status: number) => statuses.set(channel, status))
      resolve(channel)
    })
  })
}

/** Waits until the server has ended the connection; to be called before it can. */
export function endOf(client: ssh2.Client): Promise<void> {
  return new Promise((resolve) => client.on('close', resolve))
}

export function resultOf(channel: ClientChannel, input: string | Buffer): Promise<RawResult> {
  return new Promise((resolve) => {
    const result = { stdout: '', stderr: '' }
    channel.on('data', (data: Buffer) => {
      result.stdout += data.toString('latin1')
    })
    channel.stderr.on('data', (data: Buffer) => {
      result.stderr += data.toString('utf8')
    })
    channel.once('close', () => resolve({ ...result, status: statuses.get(channel) ?? null }))
    channel.end(input)
  })
}
