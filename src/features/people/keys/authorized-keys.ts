/** Lines of authorized_keys, with which the SSH server of the machine runs `gitstead shell` for a key, and nothing else. */
import { createRequire } from 'node:module'
import type { SshKey } from '../../../db/tables.ts'
import { mainFile, runsFromSource } from '../../../program/main-file.ts'

/** `command="… shell key-5",restrict ssh-ed25519 AAAA… key-5`. Comments of users are not included. */
export function authorizedKeyLine(home: string, { id, type, blob }: Pick<SshKey, 'id' | 'type' | 'blob'>): string {
  const words = ['env', `GITSTEAD_HOME=${home}`, ...program, 'shell', `key-${id}`]
  return `command="${quoteForServer(words.map(quoteForShell).join(' '))}",restrict ${type} ${blob} key-${id}`
}

/** The command that starts this program. It contains the full path of the loader, since OpenSSH starts it in another folder. */
const program = [process.execPath, ...(runsFromSource ? ['--import', createRequire(import.meta.url).resolve('tsx')] : []), mainFile]

/** Quotes one word for the shell of the account. */
export function quoteForShell(word: string): string {
  if (/[\r\n]/.test(word)) throw new Error('a line of authorized_keys cannot hold a path with a line break')
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Inside the quotes of an option, a backslash only has a meaning before a quote. */
function quoteForServer(text: string): string {
  return text.replaceAll('"', '\\"')
}
