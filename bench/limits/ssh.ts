/** Git over SSH: a key, how the client uses it, and the limit: OpenSSH's own server, which runs git itself. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Forge } from '../forge.ts'
import { freePort, listens, pause, plainGit, runShell, stop } from '../processes.ts'

export interface SshKey {
  /** The private key; the public one is beside it. */
  file: string
  /** The command for `GIT_SSH_COMMAND`. */
  command: string
}

/** Makes a key, which the administrator then has. */
export async function makeSshKey(forge: Forge, folder: string): Promise<SshKey> {
  const file = join(folder, 'key')
  await runShell(`ssh-keygen -q -t ed25519 -N '' -f '${file}'`)
  await forge.call('POST', '/user/keys', { title: 'bench', key: readFileSync(`${file}.pub`, 'utf8').trim() })
  const options = ['IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
  return { file, command: ['ssh', '-F', '/dev/null', '-i', `'${file}'`, ...options.map((option) => `-o ${option}`)].join(' ') }
}

const program = '/usr/sbin/sshd'

export interface Sshd {
  pid: number
  port: number
  user: string
  stop: () => Promise<void>
}

/** OpenSSH's server on a port of its own, for whoever runs the bench; null on a machine that has none. */
export async function startSshd(key: SshKey, folder: string): Promise<Sshd | null> {
  if (!existsSync(program)) return null
  // Started by root, it insists on this one.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const hostKey = join(folder, 'host-key')
  await runShell(`ssh-keygen -q -t ed25519 -N '' -f '${hostKey}'`)
  const port = await freePort()
  writeFileSync(join(folder, 'sshd_config'), configuration(port, hostKey, `${key.file}.pub`))
  const child = spawn(program, ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: ['ignore', 'ignore', 'ignore'] })
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${program} did not start`)
    await pause(20)
  }
  return { pid: child.pid as number, port, user: userInfo().username, stop: () => stop(child) }
}

/** sshd with the environment that every git of the bench has. */
function configuration(port: number, hostKey: string, keys: string): string {
  const environment = Object.entries(plainGit).filter(([name]) => name !== 'HOME')
  return `Port ${port}
ListenAddress 127.0.0.1
HostKey ${hostKey}
PidFile none
AuthorizedKeysFile ${keys}
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
AcceptEnv GIT_PROTOCOL
SetEnv ${environment.map(([name, value]) => `${name}=${value}`).join(' ')}
`
}
