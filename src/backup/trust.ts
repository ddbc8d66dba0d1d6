/**
 * Restricts what a generation may contain. Anyone who can write to the backup folder may have changed it; a restore, often run by root,
 * must not follow names out of the generation or use git settings from it.
 */
import { createHash } from 'node:crypto'
import { StartRefused } from '../failure.ts'
import { isRefName } from '../git/refs/names.ts'
import { bareConfig } from '../git/repository/repository.ts'
import type { FileSum } from './files.ts'
import type { RepositoryOwner } from './source.ts'

const ownFile = /^home\/(?:gitstead\.env|root-secrets|secret-key|ssh\/ssh_host_\w+_key(?:\.pub)?)$/
const listFile = /^(?:lists|database)\/[\w-]+\.ndjson\.gz$/
/** A name without a schema that isn't one of the engines' own tables. */
const tableName = /^(?!pg_|sqlite_)[a-z][a-z0-9_]*$/

/** The names in a manifest. */
interface Names {
  files: Record<string, FileSum>
  tables: Array<{ name: string }>
  sequences: Record<string, number>
}

/** Throws StartRefused for names that no backup contains. */
export function requireKnownNames({ files, tables, sequences }: Names): void {
  for (const name of Object.keys(files)) if (!ownFile.test(name) && !listFile.test(name)) throw foreign(name)
  for (const name of [...tables.map((table) => table.name), ...Object.keys(sequences)]) if (!tableName.test(name)) throw foreign(name)
}

const configSum = createHash('sha256').update(bareConfig).digest('hex')

/** Throws StartRefused for a repository with files that no backup contains, or with a configuration of its own. */
export function requirePlainRepository({ project_id, wiki_id = 0, sums }: RepositoryOwner & { sums: Record<string, FileSum> }): void {
  for (const id of [project_id, wiki_id]) if (!Number.isSafeInteger(id)) throw foreign(String(id))
  for (const [name, { sha256 }] of Object.entries(sums)) {
    const isKnown = name === 'HEAD' || name === 'packed-refs' || (name.startsWith('refs/') && isRefName(name))
    if (!isKnown && !(name === 'config' && sha256 === configSum)) throw foreign(name)
  }
}

function foreign(name: string): StartRefused {
  return new StartRefused(
    `the backup has ${JSON.stringify(name.slice(0, 200))}, which no backup of Gitstead has; nothing of it was restored`,
  )
}
