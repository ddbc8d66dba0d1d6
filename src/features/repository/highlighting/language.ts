/** The grammar for a file: by its name, otherwise by the interpreter in its first line. */
import { withoutTrailing } from '../../../text/trailing.ts'
import { fileNames, interpreterNames } from './names.table.ts'

const tables = new Map<string, Map<string, string>>()

/** A name of highlight.js; null if there is no grammar. `head` is the beginning of the text. */
export function grammarOf(path: string, head: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const byName = tableOf(fileNames)
  for (const key of [name, ...endingsOf(name)]) {
    const grammar = byName.get(key)
    if (grammar !== undefined) return grammar
  }
  const interpreter = interpreterIn(head)
  return interpreter === null ? null : (tableOf(interpreterNames).get(interpreter) ?? null)
}

/** The extensions of `page.html.erb` are `.html.erb`, `.erb`. No language has an extension of more than four parts. */
function endingsOf(name: string): string[] {
  const parts = name.toLowerCase().split('.').slice(1).slice(-4)
  return parts.map((_, index) => `.${parts.slice(index).join('.')}`)
}

/** `python` for `#!/usr/bin/env -S python3.11 -u`; the version is left out. */
function interpreterIn(head: string): string | null {
  const [line = ''] = head.slice(0, 300).split('\n', 1)
  const words = /^#!\s*(.+)$/.exec(line.trimEnd())?.[1]?.split(/\s+/) ?? []
  const [program = '', ...rest] = words
  const isEnv = /(^|\/)env$/.test(program)
  const named = isEnv ? rest.find((word) => !word.startsWith('-') && !word.includes('=')) : program
  const interpreter = named?.slice(named.lastIndexOf('/') + 1)
  if (!interpreter) return null
  const byInterpreter = tableOf(interpreterNames)
  return byInterpreter.has(interpreter) ? interpreter : withoutTrailing(interpreter, '0123456789.')
}

function tableOf(text: string): Map<string, string> {
  const known = tables.get(text)
  if (known) return known
  const entries = text.replace(/\s+/g, ' ').trim().split(/; ?/).slice(0, -1)
  const table = new Map(
    entries.flatMap((entry) => {
      const [grammar = '', keys = ''] = entry.split(': ')
      return keys.split(' ').map((key): [string, string] => [key, grammar])
    }),
  )
  tables.set(text, table)
  return table
}
