/** Versions of components: which commit `@version` means. */
import { tagRevision } from '../../../git/refs/names.ts'
import { listRefs } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** A tag, else a branch or a commit; the newest tag of all (`~latest`), of a major version (`1`) or of a minor one (`1.2`). Null for none. */
export async function commitOfVersion(repo: Repo, version: string): Promise<string | null> {
  const named = version === '~latest' ? null : ((await resolveCommit(repo, tagRevision(version))) ?? (await resolveCommit(repo, version)))
  if (named !== null || !/^(?:~latest|\d+(?:\.\d+)?)$/.test(version)) return named
  const tag = newestVersion(
    (await listRefs(repo, 'tags')).map(({ name }) => name),
    version === '~latest' ? [] : version.split('.').map(Number),
  )
  return tag === null ? null : resolveCommit(repo, tagRevision(tag))
}

/** Of names such as `1.10.0` or `v1.10.0` the greatest that begins with these numbers; without what is no release (`1.0.0-rc1`). */
export function newestVersion(names: readonly string[], beginning: readonly number[]): string | null {
  const versions = names.flatMap((name) => {
    const [, ...numbers] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(name) ?? []
    const parts = numbers.map(Number)
    return parts.length > 0 && beginning.every((number, at) => parts[at] === number) ? [{ name, parts }] : []
  })
  versions.sort((one, other) => compare(other.parts, one.parts))
  return versions[0]?.name ?? null
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, index) => number !== other[index])
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}
