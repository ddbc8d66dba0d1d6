/** Versions of components: the commit that `@version` means. */
import { tagRevision } from '../../../git/refs/names.ts'
import { listRefs } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/**
 * A tag, or else a branch or commit; the newest of all tags (`~latest`), of a major version (`1`) or of a minor one (`1.2`). Null if there
 * is none.
 */
export async function commitOfVersion(repo: Repo, version: string): Promise<string | null> {
  const named = version === '~latest' ? null : ((await resolveCommit(repo, tagRevision(version))) ?? (await resolveCommit(repo, version)))
  if (named !== null || !/^(?:~latest|\d+(?:\.\d+)?)$/.test(version)) return named
  const tag = newestVersion(
    (await listRefs(repo, 'tags')).map(({ name }) => name),
    version === '~latest' ? [] : version.split('.').map(Number),
  )
  return tag === null ? null : resolveCommit(repo, tagRevision(tag))
}

/** The highest of names like `1.10.0` or `v1.10.0` that begins with these numbers; pre-releases (`1.0.0-rc1`) are ignored. */
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
