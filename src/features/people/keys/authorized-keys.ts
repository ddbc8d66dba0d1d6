/** Lines of authorized_keys: they let the machine's SSH server run `gitstead shell` for a key, and nothing else. */
import { createRequire } from 'node:module'
import type { SshKey } from '../../../db/tables.ts'
import { mainFile, runsFromSource } from '../../../program/main-file.ts'

/** `command="… shell key-5",restrict ssh-ed25519 AAAA… key-5`. Comments of users are left out. */
export function authorizedKeyLine(home: string, { id, type, blob }: Pick<SshKey, 'id' | 'type' | 'blob'>): string {
  const words = ['env', `GITSTEAD_HOME=${home}`, ...program, 'shell', `key-${id}`]
  return `command="${quoteForServer(words.map(quoteForShell).join(' '))}",restrict ${type} ${blob} key-${id}`
}

/** The command that starts this program. With the full path of the loader, as OpenSSH starts it in another folder. */
const program = [process.execPath, ...(runsFromSource ? ['--import', createRequire(import.meta.url).resolve('tsx')] : []), mainFile]

/** One word for the login shell of the account. */
export function quoteForShell(word: string): string {
  if (/[\r\n]/.test(word)) throw new Error('a line of authorized_keys cannot hold a path with a line break')
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Within the quotes of an option, a backslash is only special before a quote. */
function quoteForServer(text: string): string {
  return text.replaceAll('"', '\\"')
}
