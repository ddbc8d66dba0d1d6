/** Git over SSH: who signs in by which key, and which of a few commands he gets. No shell, no terminal, no forwarding. */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import ssh2, { type AuthContext, type Connection, type PublicKeyAuthContext } from 'ssh2'
import { hasSigned, type PublicKey, readPublicKey } from '../../access/ssh-keys.ts'
import type { App } from '../../app.ts'
import { findKeyHolder, type KeyHolder, noteUse } from '../../features/keys/keys.service.ts'
import { programVersion } from '../../version.ts'
import type { Asker } from '../access.ts'
import { hostKeys } from './host-keys.ts'
import { openSession } from './session.ts'

export interface SshServer {
  port: number
  /** Takes nobody any more, and lets what is under way come to its end. */
  close: () => Promise<void>
}

/** The only user there is: who somebody is, his key says. */
const userName = 'git'

export async function listenForSsh(app: App, { host, port }: { host: string; port: number }): Promise<SshServer> {
  const keys = await hostKeys(join(app.config.home, 'ssh'))
  const server = new ssh2.Server({ hostKeys: keys, ident: `Gitstead_${programVersion}`, algorithms })
  const open = new Set<Connection>()
  server.on('connection', (connection) => {
    open.add(connection)
    connection.on('close', () => open.delete(connection))
    connection.on('error', (error) => app.log.debug({ err: error }, 'an SSH connection failed'))
    welcome(app, connection)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const connection of open) connection.end()
      }),
  }
}

/** What is fast here stands first; nothing that OpenSSH itself no longer offers. */
const algorithms = {
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
} satisfies ssh2.Algorithms as ssh2.Algorithms

function welcome(app: App, connection: Connection): void {
  let holder: KeyHolder | null = null
  connection.on('authentication', (attempt) => {
    judge(app, attempt).then(
      (found) => {
        if (!found) return attempt.reject(['publickey'])
        holder = found
        attempt.accept()
      },
      (error: unknown) => {
        app.log.error({ err: error }, 'a sign-in by SSH failed')
        attempt.reject()
      },
    )
  })
  connection.on('ready', () => {
    if (!holder) return connection.end()
    const { key } = holder
    void noteUse(app, key)
    const asker = askerOf(holder)
    connection.on('session', (accept) => openSession(app, { asker, key }, accept()))
  })
}

function askerOf({ key, user }: KeyHolder): Asker {
  if (key.kind === 'user' && user) return { kind: 'user', user, scopes: ['api', 'read_repository'] }
  return { kind: 'deploy-key', key, maker: user }
}

/** Whose key it is: asked first without a signature, then with it. Null when the key or the signature is nobody's. */
async function judge(app: App, attempt: AuthContext): Promise<KeyHolder | null> {
  if (attempt.username !== userName || attempt.method !== 'publickey') return null
  const { key: sent, signature, blob, hashAlgo } = attempt as PublicKeyAuthContext & { hashAlgo?: 'sha256' | 'sha512' }
  const key: PublicKey | null = readPublicKey(sent.data)
  if (key?.type !== sent.algo) return null
  if (signature && !(blob && hasSigned(key, { hash: hashAlgo ?? null, bytes: signature, signed: blob }))) return null
  return findKeyHolder(app, key)
}
