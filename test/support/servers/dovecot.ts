/** A mailbox for tests: Debian's dovecot in a temporary folder, which any user opens by one password. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { freePort } from '../free-port.ts'
import { atEndOfFile } from '../run/cleanup.ts'

const program = '/usr/sbin/dovecot'
/** For `test.skipIf`. */
export const hasNoDovecot = !existsSync(program) || !existsSync('/usr/lib/dovecot/imap')

export interface TestMailbox {
  /** For `config.replies`. */
  imap_url: string
  put: (raw: string | Buffer) => Promise<void>
  /** The messages that are there, those that were read among them. */
  count: () => Promise<{ all: number; unread: number }>
}

export async function openMailbox(): Promise<TestMailbox> {
  const home = await mkdtemp(join(tmpdir(), 'gitstead-dovecot-'))
  await chmod(home, 0o755)
  const port = await freePort()
  const users = usersOf()
  for (const name of ['run', 'mail']) await mkdir(join(home, name))
  if (users.mail.uid !== process.getuid?.()) await chown(join(home, 'mail'), users.mail.uid, users.mail.gid)
  const file = join(home, 'dovecot.conf')
  await writeFile(file, configuration(home, port, users))
  const server = spawn(program, ['-F', '-c', file], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  atEndOfFile(async () => {
    server.kill()
    await ended
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const open = async <T>(work: (client: ImapFlow) => Promise<T>): Promise<T> => {
    const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, auth: { user: 'git', pass: 'secret' }, logger: false })
    client.on('error', () => {})
    try {
      await client.connect()
      return await work(client)
    } finally {
      client.close()
    }
  }
  for (let tries = 0; ; tries += 1) {
    const isOpen = await open(async () => true).catch(() => false)
    if (isOpen) break
    if (tries === 200) throw new Error('dovecot did not start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    imap_url: `imap://git:secret@127.0.0.1:${port}`,
    put: (raw) => open(async (client) => void (await client.append('INBOX', raw))),
    count: () =>
      open(async (client) => {
        const { messages = 0, unseen = 0 } = (await client.status('INBOX', { messages: true, unseen: true })) || {}
        return { all: messages, unread: unseen }
      }),
  }
}

interface Users {
  internal: string
  login: string
  mail: { uid: number; gid: number }
}

/** Run by root, its processes are those of the users that its package has made; it opens no mail as root. */
function usersOf(): Users {
  const { username, uid, gid } = userInfo()
  if (uid !== 0) return { internal: username, login: username, mail: { uid, gid } }
  const idOf = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'dovecot'], { encoding: 'utf8' }))
  return { internal: 'dovecot', login: 'dovenull', mail: { uid: idOf('-u'), gid: idOf('-g') } }
}

function configuration(home: string, port: number, { internal, login, mail: { uid, gid } }: Users): string {
  return `
base_dir = ${home}/run
state_dir = ${home}/run
log_path = ${home}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = ${internal}
default_internal_group = ${internal}
default_login_user = ${login}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${home}/mail
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${home}
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`
}
