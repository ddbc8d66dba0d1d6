/** Bash scripts: variables first, then commands, each of which is printed before it runs. */
import { echo, quote } from './text.ts'

export interface Exported {
  key: string
  value: string
}

/** Names that bash reserves: exporting them fails. */
const reserved = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO'])

/**
 * A script that ends at the first failing command, with its status. Bash reads it from standard input, which is empty for the commands.
 * @param body lines of bash
 * @param isTraced prints each command as bash expands it
 */
export function bashScript(variables: Exported[], body: string[], isTraced = false): string {
  const exports = variables
    .filter(({ key }) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !reserved.has(key))
    .map(({ key, value }) => `export ${key}=${quote(value)}`)
  const lines = [...exports, ...(isTraced ? ['set -o xtrace'] : []), 'set -eo pipefail', ...body]
  return `umask 022\neval ${quote(lines.join('\n'))} </dev/null\nexit 0\n`
}

/** A user's commands: each is printed before it runs; of several lines the first is printed. */
export function userCommands(script: string[]): string[] {
  return script.flatMap((entry) => {
    const command = entry.trim()
    const [first = '', ...more] = command.split('\n')
    if (command === '') return ['echo']
    return [echo('notice', `$ ${first}${more.length > 0 ? ' # collapsed multi-line command' : ''}`), command]
  })
}

/** A command made of quoted words. */
export function command(...words: string[]): string {
  return words.map(quote).join(' ')
}
