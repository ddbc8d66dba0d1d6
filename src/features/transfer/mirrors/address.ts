/** The remote repository of a mirror: its URL, validated and sealed, and the connection to it. */
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import ssh2 from 'ssh2'
import { fingerprintsOf, parsePublicKey, readPublicKey } from '../../../access/ssh-keys.ts'
import type { App } from '../../../app.ts'
import type { PushMirror } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { isWellFormed } from '../../../git/objects/paths.ts'
import type { Connection } from '../../../git/transfer/remote-command.ts'
import { runOverSsh } from '../../../outgoing/ssh-client.ts'
import { type PinnedTarget, readTarget } from '../../../outgoing/ssrf-guard.ts'
import { acceptTarget, locateTarget } from '../../instance/targets.ts'
import { type LfsServer, lfsServerOverHttp, lfsServerOverSsh, ports } from './lfs-server.ts'
import { type MirrorTable, pinHostKey } from './runs.queries.ts'

const maxHostKeys = 10
/** Limits of the reply that tells where LFS files are: its length and duration. */
const maxAddress = 65_536
const answer_ms = 60_000

export type AuthMethod = PushMirror['auth_method']

type Reached = Pick<PushMirror, 'id' | 'url' | 'auth_method' | 'private_key' | 'host_keys'>

/** Throws 400 if the instance may not connect to it. */
export async function acceptAddress(app: App, field: string, url: string, auth_method: AuthMethod): Promise<void> {
  await acceptTarget(app, field, url, ports, { ssh: true })
  if (auth_method === 'ssh_public_key' && !isSsh(url)) throw invalid({ auth_method: ['ssh_public_key needs an ssh:// URL'] })
}

function isSsh(url: string): boolean {
  return /^\s*ssh:/i.test(url)
}

/** The URL with these credentials in place of its own. Throws 400 for credentials with an unpaired surrogate. */
export function withCredentials(
  url: string,
  { auth_user, auth_password }: { auth_user?: string | undefined; auth_password?: string | undefined },
): string {
  if (auth_user === undefined && auth_password === undefined) return url
  if (!isWellFormed(auth_user ?? '')) throw invalid({ auth_user: ['is invalid'] })
  if (!isWellFormed(auth_password ?? '')) throw invalid({ auth_password: ['is invalid'] })
  const [, scheme = '', given = '', rest = ''] = /^([a-z]+:\/\/)(?:([^/?#]*)@)?(.*)$/i.exec(url) ?? []
  const [name = '', password = ''] = given.split(':')
  const user = auth_user === undefined ? name : encodeURIComponent(auth_user)
  return `${scheme}${user}:${auth_password === undefined ? password : encodeURIComponent(auth_password)}@${rest}`
}

export function sealAddress(app: App, table: MirrorTable, url: string): string {
  return app.secrets.seal(url.trim(), `${table}.url`)
}

/** The URL without username and password. */
export function maskedAddress(app: App, table: MirrorTable, { url }: Pick<PushMirror, 'url'>): string {
  const open = app.secrets.unseal(url, `${table}.url`)
  const { url: bare, credentials } = readTarget(open, { local: true, ssh: true })
  if (!credentials) return bare
  return bare.replace('://', credentials.password === '' ? '://*****@' : '://*****:*****@')
}

/** The host of the URL. */
export function hostOf(app: App, table: MirrorTable, { url }: Pick<PushMirror, 'url'>): string {
  return readTarget(app.secrets.unseal(url, `${table}.url`), { local: true, ssh: true }).host
}

const generate = promisify(ssh2.utils.generateKeyPair) as (
  type: 'ed25519',
  options: { comment: string },
) => Promise<{ public: string; private: string }>

/** A new key pair of a mirror, with a sealed private key. */
export async function makeKeys(app: App, table: MirrorTable): Promise<Pick<PushMirror, 'private_key' | 'public_key'>> {
  const pair = await generate('ed25519', { comment: `mirror@${app.config.hostname}` })
  return { private_key: app.secrets.seal(pair.private, `${table}.private_key`), public_key: pair.public.trim() }
}

/** Host keys as sent: `type base64`, optionally with the name of the host in front. Throws 400 for invalid ones. Null for none. */
export function readHostKeys(sent: string[]): string | null {
  const keys = sent.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '')
  if (keys.length > maxHostKeys) throw invalid({ host_keys: [`are too many (maximum is ${maxHostKeys})`] })
  const read = keys.map((line) => {
    const found = parsePublicKey(line) ?? parsePublicKey(line.trim().replace(/^\S+\s+/, ''))
    if (!found) throw invalid({ host_keys: ['are invalid'] })
    return `${found.key.type} ${found.key.blob.toString('base64')}`
  })
  return read.length === 0 ? null : read.join('\n')
}

/** The fingerprints of pinned keys. */
export function hostFingerprints(host_keys: string | null): Array<{ fingerprint_sha256: string }> {
  return (host_keys ?? '').split('\n').flatMap((line) => {
    const key = readPublicKey(Buffer.from(line.split(' ')[1] ?? '', 'base64'))
    return key ? [{ fingerprint_sha256: `SHA256:${fingerprintsOf(key.blob).sha256.replace(/^SHA256:/, '')}` }] : []
  })
}

/** Resolves the host again, and only connects to the addresses found. Throws a Failure whose message tells users the reason. */
export async function connectTo(app: App, table: MirrorTable, mirror: Reached): Promise<Connection> {
  const pinned = await locate(app, table, mirror)
  if (!isSsh(pinned.url)) return { kind: 'http', remote: pinned }
  return { kind: 'stream', open: (service, signal) => runThere(app, table, mirror, pinned, (path) => `${service} ${path}`, signal) }
}

/** The LFS server of the repository. Throws as `connectTo`. */
export async function lfsServerOf(
  app: App,
  table: MirrorTable,
  mirror: Reached,
  operation: 'upload' | 'download',
  signal: AbortSignal,
): Promise<LfsServer> {
  const pinned = await locate(app, table, mirror)
  if (!isSsh(pinned.url)) return lfsServerOverHttp(pinned)
  const soon = AbortSignal.any([signal, AbortSignal.timeout(answer_ms)])
  const line = await runThere(app, table, mirror, pinned, (path) => `git-lfs-authenticate ${path} ${operation}`, soon)
  let output = ''
  for await (const chunk of line as AsyncIterable<Buffer>) {
    output += chunk.toString('utf8')
    if (output.length > maxAddress) break
  }
  line.destroy()
  return lfsServerOverSsh(app, output)
}

function locate(app: App, table: MirrorTable, mirror: Reached): Promise<PinnedTarget> {
  const open = app.secrets.unseal(mirror.url, `${table}.url`)
  return locateTarget(app, readTarget(open, { local: true, ports, ssh: true }))
}

/** Runs a command over SSH; its argument is the quoted path of the repository. */
async function runThere(
  app: App,
  table: MirrorTable,
  mirror: Reached,
  pinned: PinnedTarget,
  commandOn: (path: string) => string,
  signal: AbortSignal,
): Promise<Duplex> {
  let { host_keys } = mirror
  const login = {
    username: pinned.credentials?.username || 'git',
    password: pinned.credentials?.password || null,
    private_key:
      mirror.auth_method === 'ssh_public_key' && mirror.private_key !== null
        ? app.secrets.unseal(mirror.private_key, `${table}.private_key`)
        : null,
    isHost(blob: Buffer) {
      const type = readPublicKey(blob)?.type
      if (type === undefined) return false
      const key = `${type} ${blob.toString('base64')}`
      host_keys ??= key
      return host_keys.split('\n').includes(key)
    },
  }
  const path = decodeURIComponent(new URL(pinned.url.replace(/^ssh/, 'http')).pathname)
  const line = await runOverSsh(pinned, login, commandOn(quoted(path)), signal)
  // The host key of the first successful connection is pinned.
  if (mirror.host_keys === null && host_keys !== null) await pinHostKey(app.db, table, mirror.id, host_keys)
  return line
}

function quoted(path: string): string {
  return `'${path.replace(/'/g, "'\\''")}'`
}
