/** Creates the tag objects of annotated tags. */
import { Failure } from '../../failure.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import { type Repo, run } from '../repository/repository.ts'
import { type Person, signature } from './fast-import.ts'

export interface NewTag {
  /** A valid tag name, without `refs/tags/`. */
  name: string
  /** The id of the commit it points to. */
  commit: string
  tagger: Person
  message: string
}

/** Writes the tag object, flushed to disk, and returns its id. No ref points to it yet. */
export async function writeTag(repo: Repo, { name, commit, tagger, message }: NewTag): Promise<string> {
  const headers = [`object ${commit}`, 'type commit', `tag ${name}`, `tagger ${signature(tagger)}`]
  const input = `${headers.join('\n')}\n\n${message}\n`
  const output = await inQuarantine(repo, (env) => run(repo, ['mktag'], { env, input }))
  const oid = output.toString('latin1').trim()
  if (!/^[0-9a-f]{40,64}$/.test(oid)) {
    throw new Failure('git_failed', '500 Internal Server Error', { cause: new Error(`mktag returned ${oid}`) })
  }
  return oid
}
